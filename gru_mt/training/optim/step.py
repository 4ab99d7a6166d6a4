"""One optimizer update."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gru_mt.config.schema import TrainingConfig
from gru_mt.data.batching import Batch, make_batch
from gru_mt.data.dataset.ids import EncodedPairs
from gru_mt.data.dataset.store import Ints
from gru_mt.model.loss import forced_loss
from gru_mt.training.distributed import ALONE, Group
from gru_mt.training.optim.optimizer import Optimizer


@dataclass(frozen=True, slots=True)
class StepStats:
    """Statistics of an update. The tensors are on the device, and reading one waits for a GPU."""

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
        on `seed` and on its index among them.
        """
        tokens = sum(int(pairs.target.length_N[row_B].sum()) for row_B in rows)

        def backward(index: int) -> Tensor:
            return self._backward(make_batch(pairs, rows[index]), seed + index, tokens)

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
