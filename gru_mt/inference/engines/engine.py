"""What the search runs on: an encoder and a decoder that take and give arrays.

Shapes: B sources, S source tokens, T target tokens, V target vocabulary, L decoder layers, Z state
of a layer, R live hypotheses, A sources that are still held, K most hypotheses of one source, N
next tokens, or hypotheses that go on.
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from gru_mt.data.dataset.store import Ints
from gru_mt.inference.search import Floats, S


@dataclass(frozen=True, slots=True)
class BeamState:
    """The decoder's state of each live hypothesis, and the source that each one translates."""

    state_LRZ: Any  # of the engine's kind of array, as are those of `sources`
    source_R: Ints  # ascending rows of `sources`
    sources: dict[str, Any]  # what the decoder reads of the sources, by name: A rows each
    sources_held: int  # A
    length_R: Ints  # tokens of that source
    coverage_RS: Floats  # the sum of attention's weights so far; without attention S is 0

    @classmethod
    def start(cls, state_LRZ: Any, length_B: Ints, sources: dict[str, Any]) -> "BeamState":
        """Return the state of one hypothesis for each source."""
        shape = sources["mask_AS"].shape if "mask_AS" in sources else (len(length_B), 0)
        source_R = np.arange(len(length_B))
        return cls(state_LRZ, source_R, sources, len(length_B), length_B, np.zeros(shape))

    def after(self, state_LRZ: Any, weight_RS: Floats) -> "BeamState":
        """Return the state after a step in which attention had weight_RS."""
        return replace(self, state_LRZ=state_LRZ, coverage_RS=self.coverage_RS + weight_RS)

    def select(self, row_N: Ints) -> "BeamState":
        """Return the state of the hypotheses that row_N names.

        Sources without a hypothesis are kept until half have none, because dropping them copies
        the others.
        """
        source_N, sources, sources_held = self.source_R[row_N], self.sources, self.sources_held
        held_A, among_held_N = np.unique(source_N, return_inverse=True)
        if 2 * len(held_A) <= sources_held:
            sources = {name: array[held_A] for name, array in sources.items()}
            source_N, sources_held = among_held_N, len(held_A)
        length_N, coverage_NS = self.length_R[row_N], self.coverage_RS[row_N]
        state_LNZ = self.state_LRZ[:, row_N]
        return BeamState(state_LNZ, source_N, sources, sources_held, length_N, coverage_NS)

    def coverage(self, row: int) -> list[float] | None:
        """Return the attention that each source token, <eos> too, has had; None without any."""
        coverage_S: list[float] = self.coverage_RS[row, : self.length_R[row]].tolist()
        return coverage_S or None

    def grid(self) -> tuple[Ints, Ints]:
        """Return row_AK, the hypotheses of each source, and position_R, where they are in it, flat.

        The row of a source with fewer than K is filled up with hypothesis 0; results there are not
        used. K is at least 2: a product with a single row is summed in another order, so a sentence
        alone would be rounded differently from the same sentence in a batch.
        """
        slot_R = np.arange(len(self.source_R)) - np.searchsorted(self.source_R, self.source_R)
        size_K = max(2, int(slot_R.max(initial=0)) + 1)
        row_AK = np.zeros((self.sources_held, size_K), np.int64)
        row_AK[self.source_R, slot_R] = np.arange(len(slot_R))
        return row_AK, self.source_R * size_K + slot_R


class Engine(Protocol[S]):
    """A model ready to translate."""

    device_type: str  # torch's "cpu" or "cuda"; an engine without torch gives its own name

    @property
    def threads(self) -> int:
        """How many threads, each with a batch, suit it."""

    def start(self, source_BS: Ints, length_B: Ints) -> S:
        """Encode sources, each closed by <eos>; return the state of one hypothesis for each."""

    def step(self, last_id_R: Ints, state: S, count: int) -> tuple[Floats, Ints, S]:
        """Return log_prob_RN and id_RN of next tokens, and the state there.

        The columns are <eos>, each placeholder in the order of ids, then the `count` likeliest
        others (fewer where there are no more), in any order. Log-probabilities are in nats, over
        all tokens but <pad>, <unk> and <s>, which no translation contains.
        """
