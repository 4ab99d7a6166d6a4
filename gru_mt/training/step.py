"""One optimizer update, and the figures of a stretch of them.

Shapes: N updates, F of them finite.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gru_mt.config.schema import TrainingConfig
from gru_mt.data.batching import Batch, make_batch
from gru_mt.data.dataset.ids import EncodedPairs, EpochPairs
from gru_mt.data.dataset.store import Ints
from gru_mt.model.loss import forced_loss
from gru_mt.training.distributed import ALONE, Group
from gru_mt.training.optimizer import Optimizer


@dataclass(frozen=True, slots=True)
class StepStats:
    """The figures of an update. The tensors are on the device, and reading one waits for a GPU."""

    loss: Tensor  # nats a token, label smoothing included
    grad_norm: Tensor  # L2, before clipping
    tokens: int  # real target tokens
    learning_rate: float


@dataclass(frozen=True, slots=True)
class TrainStep:
    """Updates the weights of `optimizer`, and remembers nothing between updates itself."""

    optimizer: Optimizer
    training: TrainingConfig
    precision: torch.dtype
    group: Group = ALONE

    def __call__(
        self,
        pairs: EncodedPairs,
        rows: Sequence[Ints],
        *,
        learning_rate: float,
        seed: int,
        done: int,
    ) -> StepStats:
        """Update the weights by the mean loss over all tokens, after `done` updates.

        `rows` are the rows of `pairs` in each microbatch. The dropout of a microbatch depends only
        on `seed` and on its place among them.
        """
        tokens = sum(int(pairs.target.length_N[row_B].sum()) for row_B in rows)

        def backward(place: int) -> Tensor:
            return self._backward(make_batch(pairs, rows[place]), seed + place, tokens)

        loss = self.group.sum_gradients(
            [*self.optimizer.model.parameters()],
            len(rows),
            backward,
            in_order=self.training.reduce == "ordered",
        )
        grad_norm = self.optimizer.step(learning_rate, done)
        return StepStats(loss, grad_norm, tokens, learning_rate)

    def _backward(self, batch: Batch, seed: int, tokens: int) -> Tensor:
        """Compute gradients of a microbatch's part of the mean loss over `tokens`; return it."""
        model = self.optimizer.model
        device = next(model.parameters()).device
        rng = torch.Generator(device).manual_seed(seed)
        with torch.autocast(device.type, self.precision, enabled=self.precision != torch.float32):
            smoothing = self.training.label_smoothing
            summed = forced_loss(model, batch.to(device), rng, label_smoothing=smoothing)
            part = summed / tokens
        self.optimizer.scaled(part).backward()
        return part.detach()


@dataclass(frozen=True, slots=True)
class StepRecord:
    """An update that was made."""

    step: int  # 0-based
    pairs: EpochPairs
    rows: list[Ints]  # for each microbatch, its rows of `pairs`
    figures: StepStats


@dataclass(frozen=True, slots=True)
class WindowStats:
    """The figures of a stretch of updates; means are over its finite ones, None without any."""

    loss: float | None  # nats a token, each token counted alike
    grad_norm: float | None
    learning_rate: float  # of the last update
    tokens_s: float  # real target tokens a second
    not_finite: list[StepRecord]


class MetricsWindow:
    """The updates since the last reading."""

    def __init__(self) -> None:
        self._records: list[StepRecord] = []
        self.restart_clock()

    def restart_clock(self) -> None:
        """Start the clock of `tokens_s` again, to leave out what was not training."""
        self._started_s = time.perf_counter()

    def add(self, update: StepRecord) -> None:
        """Note an update."""
        self._records.append(update)

    def read(self) -> WindowStats | None:
        """Return the figures of the updates since the last reading; None where there are none."""
        records, self._records = self._records, []
        if not records:
            return None
        loss_N = torch.stack([each.figures.loss for each in records]).double().cpu()
        norm_N = torch.stack([each.figures.grad_norm for each in records]).double().cpu()
        seconds = time.perf_counter() - self._started_s
        self.restart_clock()
        token_N = torch.tensor([each.figures.tokens for each in records]).double()
        finite_N = (loss_N + norm_N).isfinite()
        token_F, loss_F, norm_F = (each_N[finite_N] for each_N in (token_N, loss_N, norm_N))
        return WindowStats(
            loss=float(token_F @ loss_F / token_F.sum()) if len(token_F) else None,
            grad_norm=float(norm_F.mean()) if len(token_F) else None,
            learning_rate=records[-1].figures.learning_rate,
            tokens_s=int(token_N.sum()) / seconds,
            not_finite=[each for each, finite in zip(records, finite_N, strict=True) if not finite],
        )
