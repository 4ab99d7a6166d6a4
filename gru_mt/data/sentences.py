"""Many sentences as ids: flat arrays, and padded batches of them.

Shapes: N sentences, B batch, S tokens.
"""

from array import array
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from gru_mt.data.words import EOS, PAD

Ints = npt.NDArray[np.int64]


class Sentences:
    """Token ids of N sentences, end to end in one array: 4 bytes a token, whatever N is."""

    def __init__(self, sentences: Iterable[Sequence[int]]) -> None:
        ids, lengths = array("i"), array("q")
        for sentence in sentences:
            ids.extend(sentence)
            lengths.append(len(sentence))
        self._ids = np.frombuffer(ids, np.int32)
        self.length_N: Ints = np.frombuffer(lengths, np.int64)
        self._start_N = np.cumsum(self.length_N) - self.length_N

    def padded(self, row_B: Ints) -> Ints:
        """Return id_BS of the sentences in row_B, each padded behind to the longest."""
        length_B1 = self.length_N[row_B, None]
        position_S = np.arange(length_B1.max(initial=0))
        id_BS = np.full((len(row_B), len(position_S)), PAD, np.int64)
        real_BS = position_S < length_B1
        id_BS[real_BS] = self._ids[(self._start_N[row_B, None] + position_S)[real_BS]]
        return id_BS


def closed_batch(sentences: Sentences, row_B: Ints) -> tuple[Ints, Ints]:
    """Return id_BS, each sentence closed by <eos> and padded behind, and length_B with it."""
    id_BS = np.pad(sentences.padded(row_B), ((0, 0), (0, 1)), constant_values=PAD)
    id_BS[np.arange(len(row_B)), sentences.length_N[row_B]] = EOS
    return id_BS, sentences.length_N[row_B] + 1
