"""The learning rate over a run, the updates of an epoch, and what `auto` stands for."""

import logging
import math

from gru_mt.config.schema import Config, ResolvedConfig, ResolvedTraining
from gru_mt.data.batching import plan_batches
from gru_mt.data.dataset.ids import EncodedPairs
from gru_mt.data.dataset.store import Ints
from gru_mt.data.loader import PairLoader
from gru_mt.training.state import TrainState

log = logging.getLogger(__name__)

AUTO = ("batch_tokens", "warmup_steps")  # the settings that may be `auto`
PLANNED = ("max_epochs", "max_steps")  # those that `minutes` decides
LEAST_UPDATES = 100  # an epoch should have at least this many
SMALLEST_BATCH, LARGEST_BATCH = 256, 2_048  # padded target tokens
LONGEST_WARMUP = 200  # updates
WARMUP_SHARE = 8  # warm-up is 1 / 8 of the updates planned, or LONGEST_WARMUP if that is less


def learning_rate(step: int, total: int, config: ResolvedTraining) -> float:
    """Return the learning rate of 0-based update `step` in a run of `total` updates.

    It rises in a straight line to its peak. Then it stays, or goes in a straight line or by half a
    period of a cosine (Loshchilov and Hutter 2017, arXiv 1608.03983, without restarts) to its floor
    at step `total`, one past the last update, so that the last one still moves the weights. With
    other `cosine_periods` it ends elsewhere: a whole one ends at the peak.
    """
    peak, floor, warmup = config.learning_rate, config.final_learning_rate, config.warmup_steps
    if config.schedule == "constant":
        return peak * min(1.0, (step + 1) / max(1, warmup))
    if step < warmup:
        return peak * (step + 1) / warmup
    progress = min(1.0, (step - warmup) / max(1, total - warmup))
    if config.schedule == "linear":
        return peak + (floor - peak) * progress
    angle = 2 * math.pi * config.cosine_periods * progress
    return floor + (peak - floor) * 0.5 * (1 + math.cos(angle))


def buffer_updates(
    config: ResolvedTraining, pairs: EncodedPairs, epoch: int, buffer: int | None = None
) -> list[list[Ints]]:
    """Return the rows of `pairs` in each microbatch of each update of an epoch or buffer."""
    plan = plan_batches(
        pairs,
        batch_tokens=config.batch_tokens,
        batch_sentences=config.batch_sentences,
        seed=config.seed,
        epoch=epoch,
        buffer=buffer,
    )
    size = config.accumulation
    return [plan[first : first + size] for first in range(0, len(plan), size)]


def auto_batch_tokens(config: Config, loader: PairLoader) -> int:
    """Return the largest power of two that leaves an epoch LEAST_UPDATES.

    It is from SMALLEST_BATCH to LARGEST_BATCH. Only in small batches a small corpus is learned in
    few epochs.
    """
    tokens = int(loader.load((0, 0)).target.length_N.sum()) * loader.buffers
    most = tokens // (LEAST_UPDATES * config.training.accumulation)
    return min(max(1 << most.bit_length() >> 1, SMALLEST_BATCH), LARGEST_BATCH)


def resolve_config(config: Config, loader: PairLoader) -> ResolvedConfig:
    """Return `config` with each `auto` chosen by the first buffer of pairs; log what was chosen."""
    if isinstance(config, ResolvedConfig):
        return config
    pairs, buffers, chosen = loader.load((0, 0)), loader.buffers, config.training.model_dump()
    if chosen["batch_tokens"] == "auto":
        chosen["batch_tokens"] = auto_batch_tokens(config, loader)
    training = ResolvedTraining.model_validate(chosen | {"warmup_steps": 0})
    total = TrainState().total_updates(len(buffer_updates(training, pairs, 0)), training, buffers)
    if chosen["warmup_steps"] == "auto":
        chosen["warmup_steps"] = min(LONGEST_WARMUP, total // WARMUP_SHARE)
    for name in AUTO:
        if getattr(config.training, name) == "auto":
            log.info(f"training.{name}: {chosen[name]:,} (auto, for {total:,} updates)")
    if chosen["warmup_steps"] >= total:
        log.warning(
            f"training.warmup_steps {chosen['warmup_steps']:,}: the run ends with update "
            f"{total:,}, before the learning rate falls; lower it, or set it to auto"
        )
    return ResolvedConfig.model_validate(config.model_dump() | {"training": chosen})
