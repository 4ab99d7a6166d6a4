"""One optimizer update: the mean loss a token over its microbatches, and a step down its gradient.

Shapes: B batch, T target tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gru_mt.data.batching import Batch
from gru_mt.model.loss import forced_loss
from gru_mt.training.optimizer import Optimizer


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of an update. The tensors are on the device, and reading one waits for a GPU."""

    loss: Tensor  # nats a token, label smoothing included
    grad_norm: Tensor  # L2, before clipping
    tokens: int  # real target tokens
    learning_rate: float


@dataclass(frozen=True, slots=True)
class Update:
    """Updates the weights of `optimizer`, and remembers nothing between updates itself."""

    optimizer: Optimizer
    precision: torch.dtype
    label_smoothing: float

    def __call__(
        self, microbatches: Sequence[Batch], *, learning_rate: float, seed: int, done: int
    ) -> Figures:
        """Update the weights by the mean loss over all tokens, after `done` updates.

        The dropout of a microbatch depends only on `seed` and on its place among them.
        """
        model = self.optimizer.model
        device = next(model.parameters()).device
        tokens = sum(batch.target_tokens for batch in microbatches)
        loss = torch.zeros((), device=device)
        for place, batch in enumerate(microbatches):
            rng = torch.Generator(device).manual_seed(seed + place)
            with torch.autocast(
                device.type, self.precision, enabled=self.precision != torch.float32
            ):
                summed = forced_loss(
                    model, batch.to(device), rng, label_smoothing=self.label_smoothing
                )
                part = summed / tokens
            self.optimizer.scaled(part).backward()
            loss += part.detach()
        grad_norm = self.optimizer.step(learning_rate, done)
        return Figures(loss, grad_norm, tokens, learning_rate)
