"""Sentences as ids: in one flat array, each closed by <eos>, and padded for a batch.

Shapes: N sentences, B batch, S tokens. No torch here: translating with onnxruntime imports this.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from gru_mt.data.dataset.store import CHUNK, Ints
from gru_mt.data.tokenizer.special import BOS, EOS, PAD
from gru_mt.data.tokenizer.tokenizer import Tokenizer, Vocabulary

if TYPE_CHECKING:
    from gru_mt.data.types import Example, Texts


@dataclass(frozen=True, slots=True)
class IdSequences:
    """The ids of N sentences in one flat array, and where each begins in it."""

    ids: npt.NDArray[Any]
    length_N: Ints  # <eos> counts
    start_N: Ints

    @classmethod
    def of(cls, sentences: Iterable[Sequence[int]], *, max_tokens: int | None = None) -> Self:
        """Take the ids of each sentence without <eos>, and add <eos>. An id takes 4 bytes.

        A sentence with more than `max_tokens` ids keeps the first of them, and loses <eos>.
        """
        ids, lengths = array("i"), array("q")
        for sentence in sentences:
            kept = [*sentence, EOS][:max_tokens]
            ids.extend(kept)
            lengths.append(len(kept))
        return cls.flat(np.frombuffer(ids, np.int32), np.frombuffer(lengths, np.int64))

    @classmethod
    def flat(cls, ids: npt.NDArray[Any], length_N: Ints) -> Self:
        """Take sentences whose ids are one after the other."""
        return cls(ids, length_N, np.cumsum(length_N) - length_N)

    def replace_rows(self, row_M: Ints, others: Self) -> Self:
        """Return these sentences, but with the M of `others` at the rows that row_M names."""
        length_N, start_N = self.length_N.copy(), self.start_N.copy()
        length_N[row_M], start_N[row_M] = others.length_N, len(self.ids) + others.start_N
        return type(self)(np.concatenate([self.ids, others.ids]), length_N, start_N)

    def padded(self, row_B: Ints) -> tuple[Ints, Ints]:
        """Return id_BS, the sentences in row_B padded at the end to the longest, and length_B.

        [5, 6] and [7] -> [[5, 6, EOS], [7, EOS, PAD]] and [3, 2].
        """
        length_B = self.length_N[row_B]
        position_S = np.arange(length_B.max(initial=0))
        real_BS = position_S < length_B[:, None]
        id_BS = np.full(real_BS.shape, PAD, np.int64)
        id_BS[real_BS] = self.ids[(self.start_N[row_B, None] + position_S)[real_BS]]
        return id_BS, length_B


@dataclass(frozen=True, slots=True)
class EncodedPairs:
    """The ids of N pairs."""

    source: IdSequences
    target: IdSequences


@dataclass(frozen=True, slots=True)
class EpochPairs(EncodedPairs):
    """The ids of the N pairs that an epoch trains on."""

    row_N: Ints  # of the training split, which each pair is about


def encode_pairs(
    tokenizer: Tokenizer,
    examples: Sequence["Example | Texts"],
    *,
    synthetic_N: Sequence[bool] | None = None,
    sampling: float = 0.0,
    seed: int = 0,
    max_tokens: int | None = None,
) -> EncodedPairs:
    """Return the ids of `examples`. With `sampling`, `seed` decides how a text is segmented.

    Where synthetic_N is true, a model made the source, which then begins with <s>. A side of more
    than `max_tokens` tokens, <eos> included, loses its end.
    """

    def side(vocabulary: Vocabulary, texts: list[str], offset: int) -> Iterator[list[int]]:
        for first in range(0, len(texts), CHUNK):
            yield from vocabulary.encode_all(
                texts[first : first + CHUNK], sampling=sampling, seed=seed + first + offset
            )

    sources = side(tokenizer.source, [example.source for example in examples], 0)
    if synthetic_N is not None:
        sources = ([BOS] * is_synthetic + ids
                   for is_synthetic, ids in zip(synthetic_N, sources, strict=True))  # fmt: skip
    targets = side(tokenizer.target, [example.target for example in examples], 1)
    return EncodedPairs(
        IdSequences.of(sources, max_tokens=max_tokens),
        IdSequences.of(targets, max_tokens=max_tokens),
    )
