"""Sentences as ids: <eos> is added, all are kept in one flat array and returned as padded arrays.

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


class IdSequences:
    """The ids of N sentences, each closed by <eos>, in one array with 4 bytes for each id."""

    def __init__(
        self, sentences: Iterable[Sequence[int]], *, cut_tokens: int | None = None
    ) -> None:
        """Take the ids of each sentence without <eos>, and add <eos>.

        A sentence with more than `cut_tokens` ids keeps the first `cut_tokens`, and loses <eos>.
        """
        ids, lengths = array("i"), array("q")
        for sentence in sentences:
            kept = [*sentence, EOS][:cut_tokens]
            ids.extend(kept)
            lengths.append(len(kept))
        self._take(np.frombuffer(ids, np.int32), np.frombuffer(lengths, np.int64))

    def _take(self, ids: npt.NDArray[Any], length_N: Ints) -> None:
        self._ids, self.length_N = ids, length_N  # <eos> counts
        self._start_N = np.cumsum(length_N) - length_N

    @classmethod
    def of(cls, ids: npt.NDArray[Any], length_N: Ints, *, cut_tokens: int | None = None) -> Self:
        """Return sentences whose ids, <eos> included, are in one array."""
        sequences = cls([])
        sequences._take(ids, length_N)
        if cut_tokens is not None:
            sequences.length_N = np.minimum(length_N, cut_tokens)
        return sequences

    @property
    def ids(self) -> npt.NDArray[Any]:
        """The ids of all sentences after each other, as long as none was overlaid or taken."""
        return self._ids

    @property
    def lost_ends(self) -> int:
        """How many sentences were cut."""
        return int(np.count_nonzero(self._ids[self._start_N + self.length_N - 1] != EOS))

    def overlaid(self, row_M: Ints, others: "IdSequences") -> "IdSequences":
        """Return these sentences, but with the M of `others` at the rows that row_M names."""
        merged = IdSequences([])
        merged._ids = np.concatenate([self._ids, others._ids])
        merged.length_N, merged._start_N = self.length_N.copy(), self._start_N.copy()
        merged.length_N[row_M] = others.length_N
        merged._start_N[row_M] = len(self._ids) + others._start_N
        return merged

    def taken(self, row_M: Ints) -> "IdSequences":
        """Return the M sentences at the rows that row_M names, in its order."""
        taken = IdSequences([])
        taken._ids = self._ids
        taken.length_N, taken._start_N = self.length_N[row_M], self._start_N[row_M]
        return taken

    def padded(self, row_B: Ints) -> tuple[Ints, Ints]:
        """Return id_BS, the sentences in row_B padded at the end to the longest, and length_B.

        [5, 6] and [7] -> [[5, 6, EOS], [7, EOS, PAD]] and [3, 2].
        """
        length_B = self.length_N[row_B]
        position_S = np.arange(length_B.max(initial=0))
        real_BS = position_S < length_B[:, None]
        id_BS = np.full(real_BS.shape, PAD, np.int64)
        id_BS[real_BS] = self._ids[(self._start_N[row_B, None] + position_S)[real_BS]]
        return id_BS, length_B


@dataclass(frozen=True, slots=True)
class EncodedPairs:
    """The ids of N pairs."""

    source: IdSequences
    target: IdSequences

    def overlaid(self, row_M: Ints, others: "EncodedPairs") -> "EncodedPairs":
        """Return these pairs, but with the M of `others` at the rows that row_M names."""
        return EncodedPairs(
            self.source.overlaid(row_M, others.source), self.target.overlaid(row_M, others.target)
        )

    def taken(self, row_M: Ints) -> "EncodedPairs":
        """Return the M pairs at the rows that row_M names, in its order."""
        return EncodedPairs(self.source.taken(row_M), self.target.taken(row_M))


@dataclass(frozen=True, slots=True)
class EpochPairs(EncodedPairs):
    """The ids of the N pairs that an epoch trains on."""

    row_N: Ints  # of the training split, which each pair is about


def encode_pairs(
    tokenizer: Tokenizer,
    examples: Sequence["Example | Texts"],
    *,
    made_N: Sequence[bool] | None = None,
    sampling: float = 0.0,
    seed: int = 0,
    cut_tokens: int | None = None,
) -> EncodedPairs:
    """Return the ids of `examples`. With `sampling`, `seed` decides how a text is segmented.

    Where made_N is true, a model made the source, which then begins with <s>. A side of more than
    `cut_tokens` tokens, <eos> included, loses its end.
    """

    def side(vocabulary: Vocabulary, texts: list[str], offset: int) -> Iterator[list[int]]:
        for first in range(0, len(texts), CHUNK):
            yield from vocabulary.encode_all(
                texts[first : first + CHUNK], sampling=sampling, seed=seed + first + offset
            )

    sources = side(tokenizer.source, [example.source for example in examples], 0)
    if made_N is not None:
        sources = ([BOS] * made + ids for made, ids in zip(made_N, sources, strict=True))
    targets = side(tokenizer.target, [example.target for example in examples], 1)
    return EncodedPairs(
        IdSequences(sources, cut_tokens=cut_tokens), IdSequences(targets, cut_tokens=cut_tokens)
    )
