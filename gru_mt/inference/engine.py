"""What the search runs on: an encoder and a decoder behind arrays.

Shapes: B sources, S source tokens, R live hypotheses, A sources that are still held, K the most
hypotheses that one of them has, N the likeliest next tokens.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gru_mt.data.encoding import Ints
from gru_mt.inference.search import Floats


@dataclass(frozen=True, slots=True)
class Live:
    """The decoder's state of each live hypothesis, and the source that each one translates.

    States and sources are arrays of the engine's kind.
    """

    state_LRZ: Any
    source_R: Ints  # rows of `sources`, of which there are `count`; ascending
    sources: dict[str, Any]
    count: int

    def select(self, row_N: Ints) -> "Live":
        """Return the state of the hypotheses that row_N names.

        Sources without any stay until they are half of all, so that few steps copy the rest.
        """
        source_N, sources, count = self.source_R[row_N], self.sources, self.count
        held_A, among_held_N = np.unique(source_N, return_inverse=True)
        if 2 * len(held_A) <= count:
            sources = {name: array[held_A] for name, array in sources.items()}
            source_N, count = among_held_N, len(held_A)
        return Live(self.state_LRZ[:, row_N], source_N, sources, count)

    def grid(self) -> tuple[Ints, Ints]:
        """Return row_AK, each source's hypotheses, and place_R, where in row_AK each one stands.

        A source with fewer than K is filled up with hypothesis 0: what it reads is not read again.
        K is at least 2, as a product with one row is added up in another order than with several.
        """
        slot_R = np.arange(len(self.source_R)) - np.searchsorted(self.source_R, self.source_R)
        size_K = max(2, int(slot_R.max(initial=0)) + 1)
        row_AK = np.zeros((self.count, size_K), np.int64)
        row_AK[self.source_R, slot_R] = np.arange(len(slot_R))
        return row_AK, self.source_R * size_K + slot_R


class Engine(Protocol):
    """A model ready to translate."""

    device_type: str  # where torch computes, cpu or cuda; of what needs no torch, its name

    def start(self, source_BS: Ints, length_B: Ints) -> Live:
        """Encode sources, each closed by <eos>; return the state of one hypothesis of each."""
        ...

    def step(self, last_id_R: Ints, live: Live, count: int) -> tuple[Floats, Ints, Live]:
        """Return log_prob_RN and id_RN of the `count` likeliest tokens after last_id_R.

        The likeliest come first; the state returned is the one after last_id_R.
        """
        ...

    def align(self, source_BS: Ints, length_B: Ints, target_in_BT: Ints) -> Floats:
        """Return weight_BTS: how much each prediction after target_in_BT reads of each source.

        Raises UserError where there is nothing to show.
        """
        ...
