"""The figures of a stretch of updates."""

import math
import time
from dataclasses import dataclass

import torch
from torch import Tensor

from gru_mt.data.encoding import Ints


@dataclass(frozen=True, slots=True)
class Update:
    """One optimizer update, its figures still on the device: to read them is to wait for a GPU."""

    step: int  # 0-based
    batches: list[Ints]  # rows of each microbatch
    tokens: int  # real target tokens
    learning_rate: float
    loss: Tensor  # nats a token, label smoothing included
    grad_norm: Tensor  # before clipping


@dataclass(frozen=True, slots=True)
class Reading:
    """What a stretch of updates came to; the means are over its finite updates, None without."""

    loss: float | None  # nats a token, each token counted alike
    grad_norm: float | None
    learning_rate: float  # of the last update
    tokens_s: float  # real target tokens a second
    not_finite: list[Update]


class Window:
    """The updates since the last reading."""

    def __init__(self) -> None:
        self._updates: list[Update] = []
        self.restart_clock()

    def restart_clock(self) -> None:
        """Leave out of `tokens_s` the time that something else than training took."""
        self._started_s = time.perf_counter()

    def add(self, update: Update) -> None:
        """Note an update."""
        self._updates.append(update)

    def read(self) -> Reading | None:
        """Return what the updates since the last reading came to; None where there are none."""
        updates, self._updates = self._updates, []
        if not updates:
            return None
        losses = torch.stack([update.loss for update in updates]).tolist()
        norms = torch.stack([update.grad_norm for update in updates]).tolist()
        seconds = time.perf_counter() - self._started_s
        self.restart_clock()
        figures = list(zip(updates, losses, norms, strict=True))
        finite = [figure for figure in figures if math.isfinite(figure[1] + figure[2])]
        tokens = sum(update.tokens for update, _, _ in finite)
        return Reading(
            loss=sum(u.tokens * loss for u, loss, _ in finite) / tokens if finite else None,
            grad_norm=sum(norm for _, _, norm in finite) / len(finite) if finite else None,
            learning_rate=updates[-1].learning_rate,
            tokens_s=sum(update.tokens for update in updates) / seconds,
            not_finite=[u for u, loss, norm in figures if not math.isfinite(loss + norm)],
        )
