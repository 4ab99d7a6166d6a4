"""What a stretch of updates amounts to.

Shapes: N updates, F of them finite.
"""

import time
from dataclasses import dataclass

import torch

from gru_mt.data.dataset.ids import EpochPairs
from gru_mt.data.dataset.store import Ints
from gru_mt.training.optim.step import StepStats


@dataclass(frozen=True, slots=True)
class StepRecord:
    """An update that was made."""

    step: int  # 0-based
    pairs: EpochPairs
    rows: list[Ints]  # for each microbatch, its rows of `pairs`
    stats: StepStats


@dataclass(frozen=True, slots=True)
class WindowStats:
    """Statistics of a stretch of updates; means are over its finite ones, None without any."""

    loss: float | None  # nats a token, each token counted alike
    grad_norm: float | None
    learning_rate: float  # of the last update
    tokens_s: float  # real target tokens a second
    not_finite: list[StepRecord]


class MetricsWindow:
    """The updates since the last report."""

    def __init__(self) -> None:
        self._records: list[StepRecord] = []
        self.restart_clock()

    def restart_clock(self) -> None:
        """Start the clock of `tokens_s` again, to leave out what was not training."""
        self._started_s = time.perf_counter()

    def add(self, update: StepRecord) -> None:
        """Add an update."""
        self._records.append(update)

    def report(self) -> WindowStats | None:
        """Return statistics of the updates since the last report; None where there are none."""
        records, self._records = self._records, []
        if not records:
            return None
        loss_N = torch.stack([record.stats.loss for record in records]).double().cpu()
        norm_N = torch.stack([record.stats.grad_norm for record in records]).double().cpu()
        seconds = time.perf_counter() - self._started_s
        self.restart_clock()
        token_N = torch.tensor([record.stats.tokens for record in records]).double()
        finite_N = (loss_N + norm_N).isfinite()
        token_F, loss_F, norm_F = token_N[finite_N], loss_N[finite_N], norm_N[finite_N]
        return WindowStats(
            loss=float(token_F @ loss_F / token_F.sum()) if len(token_F) else None,
            grad_norm=float(norm_F.mean()) if len(token_F) else None,
            learning_rate=records[-1].stats.learning_rate,
            tokens_s=int(token_N.sum()) / seconds,
            not_finite=[records[row] for row in (~finite_N).nonzero().flatten().tolist()],
        )
