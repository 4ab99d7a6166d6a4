"""Where a run is, and what follows from it: pure functions."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from gru_mt.config.schema import TrainingConfig

_NAMES_ON_DISK = {  # by those of the fields
    "buffer": "block",
    "buffer_step": "block_step",
    "bad_validations": "stale",
    "best_step": "kept_step",
}


@dataclass(frozen=True, slots=True)
class TrainState:
    """Where a run is. An epoch goes through the pairs in one buffer, or in several."""

    step: int = 0  # optimizer updates, skipped ones too
    epoch: int = 0  # complete epochs
    epoch_step: int = 0  # updates done in the epoch under way
    buffer: int = 0  # complete buffers of this epoch
    buffer_step: int = 0  # updates done in the buffer under way
    best_bleu: float = -1.0  # the highest on dev so far; below 0 before any validation
    best_loss: float | None = None  # the lowest on dev so far, nats a token
    bad_validations: int = 0  # since the best
    best_step: int = 0  # whose validation last wrote the translator; 0: not yet
    skipped: int = 0  # updates left out because fp16 overflowed
    elapsed_s: float = 0.0  # on the clock, preparation included, over all resumptions

    def state_dict(self) -> dict[str, Any]:
        """Return the state as JSON values, by the names that files of a run have."""
        return {_NAMES_ON_DISK.get(name, name): value for name, value in asdict(self).items()}

    @classmethod
    def from_state_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the state in `values`, of which others are left out; KeyError if one lacks."""
        names = cls.__dataclass_fields__
        return cls(**{name: values[_NAMES_ON_DISK.get(name, name)] for name in names})

    def after_update(self, updates: int, buffers: int = 1) -> "TrainState":
        """Return the state one update later, in a buffer of `updates`, one of `buffers`."""
        step, epoch_step, buffer_step = self.step + 1, self.epoch_step + 1, self.buffer_step + 1
        now = replace(self, step=step, epoch_step=epoch_step, buffer_step=buffer_step)
        if buffer_step < updates:
            return now
        if self.buffer + 1 < buffers:
            return replace(now, buffer=self.buffer + 1, buffer_step=0)
        return replace(now, epoch=self.epoch + 1, epoch_step=0, buffer=0, buffer_step=0)

    def stop_reasons(self, training: TrainingConfig) -> list[str]:
        """Return the names of the settings that end the run here; none while it goes on."""
        reached = {
            "max_epochs": (self.epoch, training.max_epochs),
            "max_steps": (self.step, training.max_steps),
            "patience": (self.bad_validations, training.patience),
        }
        return [name for name, (now, most) in reached.items() if most is not None and now >= most]

    def validation_is_due(self, training: TrainingConfig) -> bool:
        """Return whether to measure the model on dev now, after an update."""
        every = training.validate_steps
        is_due = self.epoch_step == 0 if every is None else self.step % every == 0
        return is_due or bool(self.stop_reasons(training))

    def next_validation(self, updates: int, training: TrainingConfig, buffers: int = 1) -> int:
        """Return after how many updates of the run the model is measured on dev next."""
        due = self.step - self.buffer_step + (buffers - self.buffer) * updates
        if every := training.validate_steps:
            due = (self.step // every + 1) * every
        return min(due, self.total_updates(updates, training, buffers))

    def total_updates(self, updates: int, training: TrainingConfig, buffers: int = 1) -> int:
        """Return the updates of the whole run, if each of the buffers to come has `updates`."""
        to_come = (training.max_epochs - self.epoch) * buffers - self.buffer
        total = self.step - self.buffer_step + to_come * updates
        return min(total, training.max_steps or total)


def derived_seed(purpose: str, *indices: int) -> int:
    """Return 63 bits of the SHA-256 digest of a purpose and indices, such as of an update.

    A resumed run computes its seeds again, so no random state needs to be stored.
    """
    text = "/".join([purpose, *map(str, indices)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
