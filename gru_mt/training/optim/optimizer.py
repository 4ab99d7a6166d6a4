"""One update: microbatches to gradients, and these to weights.

The order matters: clipping sees true gradients, without the scale of the loss, and a gradient that
is not finite reaches neither the weights nor their average.
"""

import copy
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import unwrap
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils import clip_grads_with_norm_, get_total_norm
from torch.optim.swa_utils import get_ema_multi_avg_fn

from gru_mt.bundle import load_named_tensors, named_tensors
from gru_mt.config.schema import TrainingConfig
from gru_mt.data.batching import make_batch
from gru_mt.data.dataset.ids import EpochPairs
from gru_mt.data.dataset.store import Ints
from gru_mt.model.device import resolve_precision
from gru_mt.model.loss import forced_loss
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.training.distributed import Group
from gru_mt.training.state import derived_seed

LEAST_SCALE = 1e-6  # of a loss under fp16: below, halving it once more helps nobody


@dataclass(frozen=True, slots=True)
class Update:
    """An update that was made. Its tensors are on the device, and reading one waits for a GPU."""

    step: int  # 0-based
    pairs: EpochPairs
    rows: Sequence[Ints]  # for each microbatch, its rows of `pairs`
    tokens: int  # real target tokens
    learning_rate: float
    loss: Tensor  # nats a token, label smoothing included
    grad_norm: Tensor  # L2, before clipping


class _AdamW(torch.optim.AdamW):
    """AdamW whose methods do not import torch's compiler: that takes two seconds and 74 MB."""

    add_param_group = unwrap(torch.optim.AdamW.add_param_group)
    zero_grad = unwrap(torch.optim.AdamW.zero_grad)
    step = torch.no_grad()(unwrap(torch.optim.AdamW.step))


class Optimizer:
    """AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101) and a moving average of the weights.

    Embeddings have a learning rate of their own. Adam moves every weight by about the rate,
    whatever its size, and embeddings are the largest weights and have the rarest gradients.
    """

    def __init__(self, model: Seq2Seq, config: TrainingConfig, group: Group) -> None:
        """Take the model, which is on the device that it computes on."""
        self.model, self._config, self.group = model, config, group
        self.average = copy.deepcopy(model).requires_grad_(False)
        self._weights = list(model.parameters())
        self.device = self._weights[0].device
        self.precision = resolve_precision(config.precision, self.device)
        self._averaged_weights = list(self.average.parameters())
        named = list(model.named_parameters())
        embeddings = [weight for name, weight in named if "embedding" in name]
        matrices = [weight for name, weight in named if weight.ndim > 1 and "embedding" not in name]
        vectors = [weight for _, weight in named if weight.ndim < 2]
        decay, betas = config.weight_decay, (config.adam_betas[0], config.adam_betas[1])
        groups: list[dict[str, Any]] = [
            {"params": embeddings, "weight_decay": decay, "scale": config.embedding_rate},
            {"params": matrices, "weight_decay": decay, "scale": 1.0},
            {"params": vectors, "weight_decay": 0.0, "scale": 1.0},
        ]
        self._adamw = _AdamW(groups, betas=betas, eps=1e-9, fused=True)
        is_scaled = self.precision == torch.float16
        self._scaler = torch.amp.GradScaler(self.device.type, enabled=is_scaled)
        self.scaled(torch.ones((), device=self.device))  # a process may step before it has a loss

    def update(
        self, pairs: EpochPairs, rows: Sequence[Ints], learning_rate: float, step: int
    ) -> Update:
        """Make 0-based update `step` by the mean loss over all tokens of the microbatches `rows`.

        The dropout of a microbatch depends only on the seed, `step` and its index among them.
        """
        seed = derived_seed("dropout", self._config.seed, step)
        smoothing = self._config.label_smoothing
        tokens = sum(int(pairs.target.length_N[row_B].sum()) for row_B in rows)
        is_mixed = self.precision != torch.float32

        def backward(index: int) -> Tensor:
            batch = make_batch(pairs, rows[index]).to(self.device)
            rng = torch.Generator(self.device).manual_seed(seed + index)
            with torch.autocast(self.device.type, self.precision, enabled=is_mixed):
                summed = forced_loss(self.model, batch, rng, label_smoothing=smoothing)
                part = summed / tokens
            self.scaled(part).backward()
            return part.detach()

        in_order = self._config.reduce == "ordered"
        loss = self.group.sum_gradients(self._weights, len(rows), backward, in_order=in_order)
        norm = self.step(learning_rate, step)
        return Update(step, pairs, rows, tokens, learning_rate, loss, norm)

    @property
    def may_overflow(self) -> bool:
        """Whether an update that is not finite is skipped: under fp16, until its scale is tiny."""
        return self._scaler.is_enabled() and self._scaler.get_scale() >= LEAST_SCALE

    def scaled(self, loss: Tensor) -> Tensor:
        """Return the loss to call backward on: scaled under fp16, else as it is."""
        return self._scaler.scale(loss)

    def step(self, learning_rate: float, done: int) -> Tensor:
        """Update weights and average; return the gradient's L2 norm before clipping, unscaled.

        `done` counts the updates before this one, skipped ones too. Where the norm is not finite,
        no weight and no moment of AdamW changes, but fp16's loss scale and the average do.
        """
        for group in self._adamw.param_groups:
            group["lr"] = learning_rate * group["scale"]
        self._scaler.unscale_(self._adamw)  # clip true gradients, not loss-scaled ones
        norm = get_total_norm([weight.grad for weight in self._weights if weight.grad is not None])
        clip_grads_with_norm_(self._weights, self._config.max_grad_norm, norm)
        if not self._scaler.is_enabled():
            # Fused kernels skip the update where this attribute is 1, so the CPU need not wait for
            # a GPU's norm. The scaler sets it under fp16; torch has no public name for it.
            self._adamw.found_inf = (~norm.isfinite()).float()  # type: ignore[attr-defined]
        self._scaler.step(self._adamw)
        self._scaler.update()
        self._adamw.zero_grad()
        # In the first updates the average forgets its start faster, as TensorFlow's does.
        decay = min(self._config.averaging, (2 + done) / (11 + done))
        get_ema_multi_avg_fn(decay)(self._averaged_weights, self._weights, done)
        return norm

    def state_dict(self) -> dict[str, Tensor]:
        """Return all tensors that the next update depends on, by name; see also `counters`."""
        tensors = {f"model.{name}": value for name, value in named_tensors(self.model).items()}
        tensors |= {f"average.{name}": value for name, value in named_tensors(self.average).items()}
        for name, parameter in self.model.named_parameters():
            for moment, value in self._adamw.state[parameter].items():
                tensors[f"{moment}.{name}"] = value
        return tensors

    def counters(self) -> dict[str, Any]:
        """Return the rest of what the next update depends on, as JSON values."""
        return {"scaler": self._scaler.state_dict()}

    def load_state_dict(
        self, tensors: dict[str, Tensor], counters: dict[str, Any], where: Path
    ) -> None:
        """Go on from the `tensors` and `counters` of the file `where`."""
        parts: dict[str, dict[str, Tensor]] = defaultdict(dict)
        for key, value in tensors.items():
            part, _, name = key.partition(".")
            parts[part][name] = value
        load_named_tensors(self.model, parts.pop("model", {}), where)
        load_named_tensors(self.average, parts.pop("average", {}), where)
        for name, parameter in self.model.named_parameters():
            self._adamw.state[parameter] = {
                moment: values[name].to(parameter.device, copy=True)  # not the file's own memory
                for moment, values in parts.items()
            }
        if counters["scaler"]:  # else it was not in fp16
            self._scaler.load_state_dict(counters["scaler"])
