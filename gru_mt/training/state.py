"""Where a run is, and what follows from it: pure functions."""

import hashlib
from dataclasses import dataclass, replace

from gru_mt.config.schema import TrainingConfig


@dataclass(frozen=True, slots=True)
class TrainState:
    """Where a run is."""

    step: int = 0  # optimizer updates, skipped ones too
    epoch: int = 0  # complete epochs
    epoch_step: int = 0  # updates done in the epoch under way
    block: int = 0  # complete blocks of this epoch
    block_step: int = 0  # updates done in the block under way
    best_bleu: float = -1.0  # the highest on dev so far; below 0 before any validation
    best_loss: float | None = None  # the lowest on dev so far, nats a token
    stale: int = 0  # validations since the best
    kept_step: int = 0  # the step whose validation last kept the bundle; 0: not yet
    skipped: int = 0  # updates left out because fp16 overflowed
    elapsed_s: float = 0.0  # on the clock, preparation included, over all resumptions

    def after_update(self, updates: int, blocks: int = 1) -> "TrainState":
        """Return where the run is one update later, in a block of `updates`, one of `blocks`."""
        step = self.step + 1
        if self.block_step + 1 < updates:
            return replace(
                self, step=step, epoch_step=self.epoch_step + 1, block_step=self.block_step + 1
            )
        if self.block + 1 < blocks:
            return replace(
                self, step=step, epoch_step=self.epoch_step + 1, block=self.block + 1, block_step=0
            )
        return replace(self, step=step, epoch=self.epoch + 1, epoch_step=0, block=0, block_step=0)

    def ended_by(self, training: TrainingConfig) -> list[str]:
        """Return the names of the settings that end the run here; none while it goes on."""
        reached = {
            "max_epochs": (self.epoch, training.max_epochs),
            "max_steps": (self.step, training.max_steps),
            "patience": (self.stale, training.patience),
        }
        return [name for name, (now, most) in reached.items() if most is not None and now >= most]

    def validation_is_due(self, training: TrainingConfig) -> bool:
        """Return whether to measure the model on dev now, after an update."""
        if training.validate_steps is None:
            return self.epoch_step == 0 or bool(self.ended_by(training))
        return self.step % training.validate_steps == 0 or bool(self.ended_by(training))

    def next_validation(self, updates: int, training: TrainingConfig, blocks: int = 1) -> int:
        """Return after how many updates of the run the model is measured on dev next."""
        every = training.validate_steps
        if every is None:
            due = self._before_block + (blocks - self.block) * updates
        else:
            due = (self.step // every + 1) * every
        return min(due, self.total_updates(updates, training, blocks))

    def total_updates(self, updates: int, training: TrainingConfig, blocks: int = 1) -> int:
        """Return the updates of the whole run, if each of the blocks to come has `updates`."""
        to_come = (training.max_epochs - self.epoch) * blocks - self.block
        total = self._before_block + to_come * updates
        return min(total, training.max_steps or total)

    @property
    def _before_block(self) -> int:
        return self.step - self.block_step


def derived_seed(purpose: str, *places: int) -> int:
    """Return 63 bits of the SHA-256 digest of a purpose and its places: each gets its own seed.

    A resumed run computes its seeds again, so no random state needs to be stored.
    """
    text = "/".join([purpose, *map(str, places)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
