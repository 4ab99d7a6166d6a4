"""Several models of one vocabulary as one: the mean of their distributions of the next token.

Shapes: as in `engine`; M models.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from gru_mt.data.dataset.store import Ints
from gru_mt.data.tokenizer.special import EOS, FIRST_OTHER
from gru_mt.inference.engines.engine import Engine
from gru_mt.inference.search import Floats


@dataclass(frozen=True, slots=True)
class EnsembleState:
    """The state of each model."""

    state_M: Sequence[Any]

    def select(self, row_N: Ints) -> Self:
        return type(self)([state.select(row_N) for state in self.state_M])

    def coverage(self, row: int) -> list[float] | None:
        """Return the mean coverage of the models that have attention; None where none has."""
        found = [state.coverage(row) for state in self.state_M]
        coverage_MS = [coverage for coverage in found if coverage is not None]
        mean_S: list[float] | None = np.mean(coverage_MS, axis=0).tolist() if coverage_MS else None
        return mean_S


class Ensemble:
    """The engines of several models; see `Engine`."""

    def __init__(self, engines: Sequence[Engine[Any]], target_size: int) -> None:
        """Take engines whose models share a target vocabulary of `target_size`."""
        self._engines, self._target_size = engines, target_size
        self.device_type = engines[0].device_type
        self.threads = min(engine.threads for engine in engines)

    def start(self, source_BS: Ints, length_B: Ints) -> EnsembleState:
        return EnsembleState([engine.start(source_BS, length_B) for engine in self._engines])

    def step(
        self, last_id_R: Ints, state: EnsembleState, count: int
    ) -> tuple[Floats, Ints, EnsembleState]:
        """Give each token the mean of its probabilities."""
        others = self._target_size - FIRST_OTHER
        probability_RV = np.zeros((len(last_id_R), self._target_size))
        rows_R1 = np.arange(len(last_id_R))[:, None]
        after_M = []
        for engine, of_model in zip(self._engines, state.state_M, strict=True):
            log_prob_RN, id_RN, after = engine.step(last_id_R, of_model, others)
            probability_RV[rows_R1, id_RN] += np.exp(log_prob_RN, dtype=np.float64)
            after_M.append(after)
        with np.errstate(divide="ignore"):  # the log of nothing is minus infinity
            log_prob_RV = np.log(probability_RV / len(self._engines)).astype(np.float32)
        last = min(count, others) - 1
        other_id_RO = FIRST_OTHER + np.argpartition(-log_prob_RV[:, FIRST_OTHER:], last)
        first_id_RF = np.tile(np.arange(EOS, FIRST_OTHER), (len(last_id_R), 1))
        id_RN = np.hstack([first_id_RF, other_id_RO[:, :count]])
        return log_prob_RV[rows_R1, id_RN], id_RN, EnsembleState(after_M)
