"""The learning rate over a run."""

import math

from gru_mt.config import TrainingConfig


def cosine_lr(step: int, *, peak: float, floor: float, warmup: int, total: int) -> float:
    """Learning rate of 0-based update `step`: linear up to `peak`, a half cosine to `floor`.

    The cosine is that of Loshchilov and Hutter 2017, arXiv 1608.03983, without restarts. It is at
    `floor` when `total` updates are done, so that the last of them still moves the weights.
    """
    if step < warmup:
        return peak * (step + 1) / warmup
    return floor + (peak - floor) * 0.5 * (1 + math.cos(math.pi * _progress(step, warmup, total)))


def linear_lr(step: int, *, peak: float, floor: float, warmup: int, total: int) -> float:
    """Learning rate of 0-based update `step`: linear up to `peak`, then linear to `floor`."""
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak + (floor - peak) * _progress(step, warmup, total)


def constant_lr(step: int, *, peak: float, warmup: int) -> float:
    """Learning rate of 0-based update `step`: linear up to `peak`, then constant."""
    return peak * min(1.0, (step + 1) / max(1, warmup))


def _progress(step: int, warmup: int, total: int) -> float:
    """Return how far `step` is from the end of warm-up (0) to the end of the run (1)."""
    return min(1.0, (step - warmup) / max(1, total - warmup))


def learning_rate(step: int, total: int, config: TrainingConfig) -> float:
    """Return the learning rate of 0-based update `step` in a run of `total` updates."""
    peak, floor, warmup = config.learning_rate, config.floor, config.warmup_steps
    if config.schedule == "constant":
        return constant_lr(step, peak=peak, warmup=warmup)
    decay = cosine_lr if config.schedule == "cosine" else linear_lr
    return decay(step, peak=peak, floor=floor, warmup=warmup, total=total)
