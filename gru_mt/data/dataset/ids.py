"""Sentences as ids: in one flat array, each closed by <eos>, and padded for a batch.

Shapes: N sentences, B batch, S tokens. No torch here: translating with onnxruntime imports this.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gru_mt.data.dataset.store import CHUNK, Ints
from gru_mt.data.tokenizer.special import BOS, EOS, PAD
from gru_mt.data.tokenizer.tokenizer import Tokenizer, Vocabulary

if TYPE_CHECKING:
    from gru_mt.data.types import Example, Texts


class IdSequences:
    """The ids of N sentences, each closed by <eos>, in one flat array."""

    def __init__(
        self, sentences: Iterable[Sequence[int]], *, max_tokens: int | None = None
    ) -> None:
        """Take the ids of each sentence without <eos>, and add <eos>. An id takes 4 bytes.

        A sentence with more than `max_tokens` ids keeps the first of them, and loses <eos>.
        """
        ids, lengths = array("i"), array("q")
        for sentence in sentences:
            kept = [*sentence, EOS][:max_tokens]
            ids.extend(kept)
            lengths.append(len(kept))
        self.ids: npt.NDArray[Any] = np.frombuffer(ids, np.int32)
        self.length_N: Ints = np.frombuffer(lengths, np.int64)  # <eos> counts
        self._start_N: Ints = np.cumsum(self.length_N) - self.length_N

    @classmethod
    def of(
        cls, ids: npt.NDArray[Any], length_N: Ints, *, start_N: Ints | None = None
    ) -> "IdSequences":
        """Return sentences whose ids are in one array, by default one after the other."""
        sequences = cls([])
        sequences.ids, sequences.length_N = ids, length_N
        sequences._start_N = np.cumsum(length_N) - length_N if start_N is None else start_N
        return sequences

    def truncated(self, max_tokens: int | None) -> "IdSequences":
        """Return the first `max_tokens` ids of each sentence; None keeps all."""
        if max_tokens is None:
            return self
        return self.of(self.ids, np.minimum(self.length_N, max_tokens), start_N=self._start_N)

    def replace_rows(self, row_M: Ints, others: "IdSequences") -> "IdSequences":
        """Return these sentences, but with the M of `others` at the rows that row_M names."""
        length_N, start_N = self.length_N.copy(), self._start_N.copy()
        length_N[row_M], start_N[row_M] = others.length_N, len(self.ids) + others._start_N
        return self.of(np.concatenate([self.ids, others.ids]), length_N, start_N=start_N)

    def select(self, row_M: Ints) -> "IdSequences":
        """Return the M sentences at the rows that row_M names, in its order."""
        return self.of(self.ids, self.length_N[row_M], start_N=self._start_N[row_M])

    def padded(self, row_B: Ints) -> tuple[Ints, Ints]:
        """Return id_BS, the sentences in row_B padded at the end to the longest, and length_B.

        [5, 6] and [7] -> [[5, 6, EOS], [7, EOS, PAD]] and [3, 2].
        """
        length_B = self.length_N[row_B]
        position_S = np.arange(length_B.max(initial=0))
        real_BS = position_S < length_B[:, None]
        id_BS = np.full(real_BS.shape, PAD, np.int64)
        id_BS[real_BS] = self.ids[(self._start_N[row_B, None] + position_S)[real_BS]]
        return id_BS, length_B


@dataclass(frozen=True, slots=True)
class EncodedPairs:
    """The ids of N pairs."""

    source: IdSequences
    target: IdSequences

    def replace_rows(self, row_M: Ints, others: "EncodedPairs") -> "EncodedPairs":
        """Return these pairs, but with the M of `others` at the rows that row_M names."""
        return EncodedPairs(
            self.source.replace_rows(row_M, others.source),
            self.target.replace_rows(row_M, others.target),
        )

    def select(self, row_M: Ints) -> "EncodedPairs":
        """Return the M pairs at the rows that row_M names, in its order."""
        return EncodedPairs(self.source.select(row_M), self.target.select(row_M))


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
        IdSequences(sources, max_tokens=max_tokens), IdSequences(targets, max_tokens=max_tokens)
    )
