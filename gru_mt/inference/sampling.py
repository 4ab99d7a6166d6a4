"""Sampling: an engine whose likeliest next token is drawn at random.

Shapes: as in `engine`.
"""

from typing import Generic

import numpy as np

from gru_mt.data.dataset.store import Ints
from gru_mt.inference.engines.engine import Engine
from gru_mt.inference.search import Floats, S

DRAWN_FROM = 10  # the likeliest tokens, beside <eos> and the placeholders (Edunov et al. 2018)


class Sampling(Generic[S]):
    """An engine that adds Gumbel noise to each log-probability; see `Engine`.

    The largest sum is a draw from the distribution (Gumbel 1954), so greedy search draws a
    translation. What it draws depends on the batches.
    """

    def __init__(self, engine: Engine[S], seed: int) -> None:
        """Take the engine that gives the distribution."""
        self._engine, self._rng = engine, np.random.default_rng(seed)
        self.device_type = engine.device_type

    def start(self, source_BS: Ints, length_B: Ints) -> S:
        """Return what the engine does."""
        return self._engine.start(source_BS, length_B)

    def step(self, last_id_R: Ints, state: S, count: int) -> tuple[Floats, Ints, S]:
        """Return at least `count` tokens in any order, with noise, and the state there."""
        log_prob_RN, id_RN, after = self._engine.step(last_id_R, state, max(count, DRAWN_FROM))
        return log_prob_RN + self._rng.gumbel(size=log_prob_RN.shape), id_RN, after

    def align(self, source_BS: Ints, length_B: Ints, target_in_BT: Ints) -> Floats:
        """Return what the engine does."""
        return self._engine.align(source_BS, length_B, target_in_BT)
