"""The learning rate over a run, the updates of an epoch, and what `auto` stands for."""

import logging
import math

from gru_mt.config.schema import Config, ResolvedConfig, ResolvedTraining, TrainingConfig
from gru_mt.data.batching import plan_batches
from gru_mt.data.dataset.ids import EncodedPairs
from gru_mt.data.dataset.store import Ints
from gru_mt.data.loader import PairLoader

log = logging.getLogger(__name__)

AUTO = ("batch_tokens", "warmup_steps")  # the settings that may be `auto`
LEAST_UPDATES = 100  # an epoch should have at least this many
SMALLEST_BATCH, LARGEST_BATCH = 256, 2_048  # padded target tokens
LONGEST_WARMUP = 200  # updates
WARMUP_SHARE = 8  # warm-up is 1 / 8 of the updates planned, or LONGEST_WARMUP if that is less


def cosine_lr(
    step: int, *, peak: float, floor: float, warmup: int, total: int, periods: float = 0.5
) -> float:
    """Learning rate of 0-based update `step`: linear up to `peak`, then a cosine above `floor`.

    Half a period is the cosine of Loshchilov and Hutter 2017, arXiv 1608.03983, without restarts.
    It reaches `floor` at step `total`, one past the last update, so that the last one still moves
    the weights. After each further half it is at `peak` or at `floor` again.
    """
    if step < warmup:
        return peak * (step + 1) / warmup
    angle = 2 * math.pi * periods * _progress(step, warmup, total)
    return floor + (peak - floor) * 0.5 * (1 + math.cos(angle))


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


def resolve_auto(config: TrainingConfig, pairs: EncodedPairs, buffers: int = 1) -> ResolvedTraining:
    """Return `config` with each `auto` chosen for epochs of `buffers`, of which `pairs` are one.

    The tokens of a batch are the largest power of two that leaves an epoch LEAST_UPDATES, but at
    least SMALLEST_BATCH and at most LARGEST_BATCH. So a small corpus gets small batches. It needs
    them to be learned in a few epochs.
    """
    batch_tokens, warmup_steps = config.batch_tokens, config.warmup_steps
    if isinstance(batch_tokens, str):  # auto
        tokens = int(pairs.target.length_N.sum()) * buffers
        most = tokens // (LEAST_UPDATES * config.accumulation)
        size: int = min(max(1 << most.bit_length() >> 1, SMALLEST_BATCH), LARGEST_BATCH)
        batch_tokens = size
    if isinstance(warmup_steps, str):
        total = planned_updates(config, pairs, batch_tokens, buffers)
        warmup_steps = min(LONGEST_WARMUP, total // WARMUP_SHARE)
    chosen = {"batch_tokens": batch_tokens, "warmup_steps": warmup_steps}
    return ResolvedTraining.model_validate(config.model_dump() | chosen)


def resolve_config(config: Config, loader: PairLoader) -> ResolvedConfig:
    """Return `config` with each `auto` chosen by the first buffer of pairs; log what was chosen."""
    if isinstance(config, ResolvedConfig):
        return config
    pairs = loader.load((0, 0))
    training = resolve_auto(config.training, pairs, loader.buffers)
    total = planned_updates(training, pairs, training.batch_tokens, loader.buffers)
    for name in AUTO:
        if getattr(config.training, name) == "auto":
            log.info(f"training.{name}: {getattr(training, name):,} (auto, for {total:,} updates)")
    if training.warmup_steps >= total:
        log.warning(
            f"training.warmup_steps {training.warmup_steps:,}: the run ends with update "
            f"{total:,}, before the learning rate falls; lower it, or set it to auto"
        )
    return ResolvedConfig.of(config, training)


def planned_updates(
    config: TrainingConfig, pairs: EncodedPairs, batch_tokens: int, buffers: int = 1
) -> int:
    """Return how many updates a run has, unless it stops early, if all its buffers are like one.

    An epoch has `buffers`, of which `pairs` are one.
    """
    updates = len(buffer_updates(config, pairs, batch_tokens, 0)) * buffers * config.max_epochs
    return min(updates, config.max_steps or updates)


def buffer_updates(
    config: TrainingConfig,
    pairs: EncodedPairs,
    batch_tokens: int,
    epoch: int,
    buffer: int | None = None,
) -> list[list[Ints]]:
    """Return the updates of an epoch, or of a buffer where an epoch has several.

    Each is a list of microbatches, and these are rows of `pairs`.
    """
    plan = plan_batches(
        pairs,
        batch_tokens=batch_tokens,
        batch_sentences=config.batch_sentences,
        seed=config.seed,
        epoch=epoch,
        buffer=buffer,
    )
    size = config.accumulation
    return [plan[first : first + size] for first in range(0, len(plan), size)]


def learning_rate(step: int, total: int, config: ResolvedTraining) -> float:
    """Return the learning rate of 0-based update `step` in a run of `total` updates."""
    peak, floor, warmup = config.learning_rate, config.final_learning_rate, config.warmup_steps
    if config.schedule == "constant":
        return constant_lr(step, peak=peak, warmup=warmup)
    if config.schedule == "linear":
        return linear_lr(step, peak=peak, floor=floor, warmup=warmup, total=total)
    return cosine_lr(
        step, peak=peak, floor=floor, warmup=warmup, total=total, periods=config.cosine_periods
    )
