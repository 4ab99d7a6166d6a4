"""How long a training takes on this machine, and the one that fits in some minutes.

Both make a few of its updates, with a model of their own.
"""

import logging
import math
import sys
import tempfile
import time
from bisect import bisect_right
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import torch

from gru_mt.bundle import build_model
from gru_mt.config.schema import Config, ResolvedConfig, TrainingConfig
from gru_mt.data.loader import PairLoader
from gru_mt.data.prepare import TrainingData, prepare
from gru_mt.data.splits import Splits
from gru_mt.data.suggest_config import MOST_EPOCHS, usual_epochs
from gru_mt.errors import UserError
from gru_mt.model.device import resolve_device
from gru_mt.model.fast import keep_memory
from gru_mt.model.fast.waiting import while_computing
from gru_mt.run import Run
from gru_mt.training.distributed import Group
from gru_mt.training.optim.lr_schedule import (
    PLANNED,
    SMALLEST_BATCH,
    auto_batch_tokens,
    buffer_updates,
    resolve_config,
)
from gru_mt.training.optim.optimizer import Optimizer
from gru_mt.training.output.logging import logging_to
from gru_mt.training.resume import choose_start
from gru_mt.training.state import TrainState
from gru_mt.training.synthetic import stand_ins

log = logging.getLogger(__name__)

TIMED = 16  # updates
VALIDATION = 5.0  # a validation takes as long as training on so many times its tokens
USED = 0.95  # of the minutes: the rest is for a machine that is slower later
FEWEST = 50  # updates, without which there is nothing to plan
MOST_UPDATES = 1_000_000_000  # the largest value of training.max_steps
ENOUGH = 1_000  # updates; where fewer fit, batches down to a quarter make more
ENOUGH_FOR_SIZE = 3_000  # updates; where fewer fit, a smaller model makes more and learns more
LONGER = 3  # fra-eng-60min.yaml still gains by so many times the usual epochs


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a training goes on this machine."""

    parameters: int
    epoch_updates: int
    buffers: int  # of an epoch
    update_s: float
    validation_s: float  # estimated; 0 without dev
    buffer_s: float  # to make a buffer, which takes its time from the updates

    def seconds(self, updates: int, config: Config) -> float:
        """Return how long so many updates take, with validations, from the first buffer on."""
        every = config.training.validate_steps or self.epoch_updates
        validations = math.ceil(updates / every)
        buffers = math.ceil(updates * self.buffers / self.epoch_updates)
        validating_s, making_s = validations * self.validation_s, (buffers - 1) * self.buffer_s
        return updates * self.update_s + validating_s + making_s

    def updates_within(self, seconds: float, config: Config) -> int:
        """Return the most updates that `seconds` are enough for."""
        numbers = range(1, MOST_UPDATES)
        return bisect_right(numbers, seconds, key=lambda updates: self.seconds(updates, config))


def measure_pace(
    config: ResolvedConfig, data: TrainingData, loader: PairLoader, processes: int = 1
) -> Pace:
    """Make a few updates of the first epoch as one of so many processes does, and time these.

    Neither weights nor random numbers of the run depend on it.
    """
    training, pairs = config.training, loader.load((0, 0))
    with torch.random.fork_rng(devices=[]):
        model = build_model(config, data.tokenizer).to(resolve_device(training.device))
    optimizer = Optimizer(model, training, Group())
    updates = buffer_updates(training, pairs, 0)

    def make() -> tuple[float, int]:
        """Return the seconds that the first updates take, and the tokens that they have."""
        started_s = time.perf_counter()
        made = [
            optimizer.update(pairs, updates[step % len(updates)][::processes], 0.0, step)
            for step in range(TIMED)
        ]
        made[-1].loss.item()  # waits for a GPU
        return time.perf_counter() - started_s, sum(update.tokens for update in made)

    make()  # compiles what later updates find compiled
    seconds, tokens = make()
    dev_tokens = sum(int(dev.target.length_N.sum()) for dev in data.dev_pairs)
    return Pace(
        parameters=sum(weight.numel() for weight in model.parameters()),
        epoch_updates=len(updates) * loader.buffers,
        buffers=loader.buffers,
        update_s=seconds / TIMED,
        validation_s=VALIDATION * dev_tokens / processes * seconds / tokens,
        buffer_s=loader.making_s,
    )


class _Plan(NamedTuple):
    """A model and a batch size, and what fits into the minutes with them."""

    config: Config
    batch: int  # tokens
    pace: Pace
    updates: int


@dataclass(frozen=True, slots=True)
class _Planner:
    """Finds what fits into `training.minutes` of a clock that began at `started_s`."""

    data: TrainingData
    loader: PairLoader
    started_s: float  # of time.perf_counter
    processes: int

    def fit(self, config: Config, batch: int, validation_s: float = math.inf) -> _Plan:
        """Return the plan with this batch size; a validation takes at most so many seconds."""
        training = config.training
        assert training.minutes is not None
        numbers = {"minutes": None, "batch_tokens": batch, "warmup_steps": 0}
        tried = config.model_dump() | {"training": training.model_dump() | numbers}
        resolved = ResolvedConfig.model_validate(tried)
        pace = measure_pace(resolved, self.data, self.loader, self.processes)
        pace = replace(pace, validation_s=min(validation_s, pace.validation_s))
        left_s = USED * 60 * training.minutes - (time.perf_counter() - self.started_s)
        others_s = pace.buffer_s if self.processes > 1 else 0.0  # they make the first buffer now
        return _Plan(config, batch, pace, pace.updates_within(left_s - others_s, config))

    def best(self, config: Config, most_epochs: int) -> _Plan:
        """Return the plan with a smaller model and smaller batches where few updates fit."""
        batch, training = config.training.batch_tokens, config.training
        if batch == "auto":
            batch = auto_batch_tokens(config, self.loader)
        plan = self.fit(config, batch)
        is_few = plan.updates < min(ENOUGH_FOR_SIZE, most_epochs * plan.pace.epoch_updates)
        if is_few and config.model.may_shrink and training.start is None:
            model = config.model.smaller()
            log.info(
                f"model.may_shrink: {plan.updates:,} updates fit in {training.minutes:g} minutes, "
                f"so the decoder has one layer of {model.decoder_size} units, not "
                f"{config.model.decoder_layers} of {config.model.decoder_size}"
            )
            plan = self.fit(config.model_copy(update={"model": model}), batch)
        if training.batch_tokens != "auto":
            return plan
        smaller = [size for size in (batch >> 1, batch >> 2) if size >= SMALLEST_BATCH]
        for size in smaller:
            if plan.updates >= ENOUGH:
                break
            # Smaller batches are no faster: a size too large by these tokens is not timed
            if plan.updates * plan.batch >= ENOUGH * size or size == smaller[-1]:
                plan = self.fit(plan.config, size, plan.pace.validation_s)  # its own are large
        return plan


def plan_minutes(
    config: Config, data: TrainingData, loader: PairLoader, started_s: float, processes: int = 1
) -> tuple[Config, Pace | None]:
    """Return `config` with what lets a run end within `training.minutes`, and its pace; log both.

    That is `max_steps`, `max_epochs` and, where it is `auto`, `batch_tokens`; and a smaller model
    where it may be one. Without `minutes` it is `config` itself, and nothing is timed. The clock
    began at `started_s` of time.perf_counter. Raises UserError where fewer than FEWEST updates fit.
    """
    training, minutes = config.training, config.training.minutes
    if minutes is None:
        return config, None
    pairs = len(loader.load((0, 0)).row_N) * loader.buffers
    most_epochs = min(LONGER * usual_epochs(pairs), MOST_EPOCHS)
    planner = _Planner(data, loader, started_s, processes)
    config, batch, pace, fitting = planner.best(config, most_epochs)
    spent_s = time.perf_counter() - started_s
    if fitting < FEWEST:
        least_s = pace.seconds(FEWEST, config)
        raise UserError(
            f"training.minutes {minutes:g}: preparation took {spent_s / 60:.1f} of them, and "
            f"{FEWEST} updates with a validation take {least_s / 60:.1f}; give it at least "
            f"{math.ceil((spent_s + least_s) / USED / 6) / 10:.1f}"
        )
    updates = min(fitting, most_epochs * pace.epoch_updates)
    log.info(_plan_line(training, batch, updates, pace))
    if updates < fitting:
        ends_min = (spent_s + pace.seconds(updates, config)) / 60
        log.info(
            f"it ends after about {ends_min:.1f} minutes, as more than {most_epochs} epochs of "
            f"{pairs:,} pairs seldom help"
        )
    plan = {
        "minutes": None,
        "batch_tokens": batch,
        "max_epochs": math.ceil(updates / pace.epoch_updates),
        "max_steps": updates if updates == fitting else None,
    }
    return config.model_copy(update={"training": training.model_copy(update=plan)}), pace


def _plan_line(training: TrainingConfig, batch: int, updates: int, pace: Pace) -> str:
    written = [
        f"training.{name} {value:,}"
        for name in PLANNED
        if name in training.model_fields_set and (value := getattr(training, name))
    ]
    return (
        f"training.minutes {training.minutes:g}: {updates:,} updates of about "
        f"{batch * training.accumulation:,} tokens, {updates / pace.epoch_updates:.1f} epochs, at "
        f"{pace.update_s:.2g} s an update" + (f"; not {' and '.join(written)}" if written else "")
    )


@dataclass(frozen=True, slots=True)
class Trial:
    """What a few updates of a training show."""

    parameters: int
    updates: int  # of the whole training
    epochs: int
    batch_tokens: int
    minutes: float  # of preparation, updates and validations
    peak_mb: float | None  # of this process so far; None where the system does not say

    def __str__(self) -> str:
        memory = f", {self.peak_mb / 1_000:.1f} GB of memory" if self.peak_mb else ""
        return (
            f"a training of {self.epochs:,} epochs on this machine: {self.updates:,} updates of "
            f"{self.parameters:,} parameters, each by about {self.batch_tokens:,} tokens, about "
            f"{self.minutes:.1f} minutes{memory}"
        )


def try_updates(config: Config, splits: Splits) -> Trial:
    """Prepare a training, make a few updates of its first epoch, and time these.

    `splits` are those of its corpora. Nothing stays on disk. Raises UserError as `prepare` and
    `plan_minutes` do.
    """
    started_s = time.perf_counter()
    keep_memory()  # as a training does
    device = resolve_device(config.training.device)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,  # mapped, on Windows
        logging_to(Path(folder, "log"), is_main=False),
        while_computing(device.type),
    ):
        run = Run(Path(folder))
        start = choose_start(config, run)
        data = prepare(start, run, splits, synthetic=stand_ins(splits, config))
        with closing(PairLoader(start.config, data.tokenizer, data.pairs)) as loader:
            planned, pace = plan_minutes(start.config, data, loader, started_s)
            resolved = resolve_config(planned, loader)
            prepared_s = time.perf_counter() - started_s
            pace = pace or measure_pace(resolved, data, loader)
    training = resolved.training
    first = pace.epoch_updates // loader.buffers
    updates = TrainState().total_updates(first, training, loader.buffers)
    return Trial(
        parameters=pace.parameters,
        updates=updates,
        epochs=training.max_epochs,
        batch_tokens=training.batch_tokens * training.accumulation,
        minutes=(prepared_s + pace.seconds(updates, resolved)) / 60,
        peak_mb=_peak_mb(),
    )


def _peak_mb() -> float | None:
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
