"""The training loop: updates, validations, checkpoints, in their order."""

import logging
import math
import shlex
import time
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import torch

from gru_mt.bundle import build_model
from gru_mt.config.schema import Config
from gru_mt.data.batching import make_batch
from gru_mt.data.dataset.dataset import check_undamaged
from gru_mt.data.dataset.ids import EpochPairs
from gru_mt.data.dataset.store import Ints
from gru_mt.data.loader import PairLoader
from gru_mt.decoding import check_number
from gru_mt.errors import Interrupted, UserError, as_path, check_type
from gru_mt.evaluation.bleu_tokenizer import resolve_bleu_tokenizer
from gru_mt.model.device import own_device, resolve_device, resolve_precision
from gru_mt.model.fast.memory import keep_memory
from gru_mt.model.fast.waiting import while_computing
from gru_mt.model.loss import forced_loss
from gru_mt.progress import ProgressBar
from gru_mt.run import Run
from gru_mt.training.back_translation import back_translated
from gru_mt.training.distributed import ALONE, Group, join_group
from gru_mt.training.lock import locked
from gru_mt.training.logging import RunLog, logging_to
from gru_mt.training.lr_schedule import block_updates, learning_rate
from gru_mt.training.optimizer import Optimizer
from gru_mt.training.preparation import TrainingData, load_data, prepare
from gru_mt.training.resume import FromMain, Resumed, Start, start_of
from gru_mt.training.run_writer import Bystander, Keeper, keep
from gru_mt.training.signals import StopSignals
from gru_mt.training.state import TrainState, derived_seed
from gru_mt.training.step import MetricsWindow, StepRecord, TrainStep
from gru_mt.training.tensorboard import require_tensorboard
from gru_mt.training.validation import calibrate, measure, perplexity

log = logging.getLogger(__name__)


def train(config: Config, folder: str | Path, *, started_s: float | None = None) -> TrainState:
    """Train `config` in `folder`, or go on where a run of it stopped; return its progress.

    `started_s` is the reading of `time.perf_counter` at which the run's clock began, by default
    now. Raises UserError for what is wrong with the corpus or the folder, and what `Trainer.run`
    raises. An existing run is not changed before all checks have passed.

    Where a launcher has started several processes, or torch.distributed is initialised, each of
    them calls this with the same arguments, and they train together. Raises ProcessLost where one
    of them has ended.

    >>> from gru_mt import load_config, train
    >>> config = load_config("small.yaml")
    >>> progress = train(config, "runs/small")
    >>> progress.epoch == config.training.max_epochs
    True
    """
    check_type(config, Config, "config")
    folder = as_path(folder, "folder")
    started_s = time.perf_counter() if started_s is None else started_s
    check_number("started_s", started_s, 0, whole=False)
    keep_memory()
    # What is missing (a device, a package) is an error now, not after a long preparation.
    device = own_device(resolve_device(config.training.device))
    resolve_bleu_tokenizer(config.data.target, config.evaluation.bleu_tokenizer)
    if config.training.tensorboard:
        require_tensorboard()
    with join_group(device) as group:
        run = Run(folder)
        with (
            locked(run) if group.is_main else nullcontext(),
            logging_to(run.log, is_main=group.is_main) as run_log,
        ):
            start: Start | FromMain
            if group.is_main:
                start = start_of(run, config)
                config = start.accept(config)
                data = _data(config, start, run)
            else:
                start = FromMain.received(group)
                config, run = start.config, start.run
                data = load_data(config, run)
            with while_computing(device.type):
                trainer = Trainer(
                    config, data, run, start, run_log, device, group, started_s=started_s
                )
                return trainer.run()


def _data(config: Config, start: Start, run: Run) -> TrainingData:
    """Return what the run reads: what it keeps, or else the corpora, prepared."""
    if isinstance(start, Resumed) and run.data.exists():
        check_undamaged(run.data)
        return load_data(config, run)
    made_sources = partial(back_translated, config=config, run=run)
    return prepare(config, start, run, made_sources)


class Trainer:
    """A run of training on prepared data, with everything done in its order."""

    def __init__(
        self,
        config: Config,
        data: TrainingData,
        run: Run,
        start: Start | FromMain,
        run_log: RunLog,
        device: torch.device,
        group: Group = ALONE,
        *,
        started_s: float,
    ) -> None:
        """Build the model, and let `start` load what the run begins with; write nothing."""
        self.data, self.paths, self._run_log = data, run, run_log
        self.device, self.group = device, group
        self.loader = PairLoader(config, data.tokenizer, data.pairs)
        first = partial(self.loader.load, (0, 0))
        self.config = start.fit(config, first, self.loader.buffers)
        training = self.config.training
        self.precision = resolve_precision(training.precision, device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(training.seed)
            self.model = build_model(config, data.tokenizer).to(device)
        self.optimizer = Optimizer(self.model, training, self.precision)
        self.update = TrainStep(self.optimizer, training, self.precision, group)
        self.progress = start.load(self.optimizer, data.fingerprints)
        started_s -= self.progress.elapsed_s
        kind = Keeper if group.is_main else Bystander
        self.keeper = kind(run, self.config, data, self.optimizer, started_s=started_s)
        self._window = MetricsWindow()
        self._newest: StepRecord | None = None
        self._shown: dict[str, str] = {}  # what the line of progress says, by its name

    def run(self) -> TrainState:
        """Train to the end of the run, or until it stops early; return its progress.

        Raises Interrupted, after saving, when a signal asks to stop, and UserError when a loss is
        not finite; no such loss reaches the weights.
        """
        if self.group.is_main:
            keep(self.config, self.data, self.paths)
            if self.group.size > 1:
                FromMain.send(self.group, self.paths, self.config, self.optimizer, self.progress)
        if self.group.is_main:
            self._run_log.open()
        torn = self.paths.forget_metrics(self.progress.step) if self.group.is_main else 0
        if torn:
            log.warning(f"{self.paths.metrics}: unreadable lines were dropped: {torn}")
        self.group.barrier()
        with (
            StopSignals(told=self.group.size == 1) as signals,
            self.keeper.board(self.progress.step),
            closing(self.loader),
        ):
            self._say_what_begins()
            with ProgressBar(
                "training", unit="updates", total=self._total_updates(), initial=self.progress.step
            ) as bar:
                while not self.progress.ended_by(self.config.training):
                    self._train_block(signals, bar)
            if self.keeper.write_summary(self.progress, str(self.device)):
                self._say_the_end()
        if signal := self.group.any_signal(signals.received):
            raise Interrupted(signal, "finished before the signal could stop it")
        return self.progress

    def _train_block(self, signals: StopSignals, bar: ProgressBar) -> None:
        """Train on what is left of the block under way, or up to an earlier end of the run."""
        training, epoch, blocks = self.config.training, self.progress.epoch, self.loader.buffers
        pairs, updates = self._block()
        self.loader.prefetch()
        total = self.progress.total_updates(len(updates), training, blocks)
        for rows in updates[self.progress.block_step :]:
            step = self.progress.step
            figures = self.update(
                pairs,
                rows,
                learning_rate=learning_rate(step, total, training),
                seed=derived_seed("dropout", training.seed, step),
                done=step,
            )
            self._newest = StepRecord(step, pairs, rows, figures)
            self._window.add(self._newest)
            self.progress = self.progress.after_update(len(updates), blocks)
            if self.progress.step % training.log_steps == 0:
                self._read_window()
            bar.total = total
            epochs = f"epoch {epoch + 1:,} of {training.max_epochs:,}"
            bar.set_description_str(epochs, refresh=False)
            bar.set_postfix_str(self._shown_figures(), refresh=False)
            bar.update()
            if self.progress.validation_is_due(training):
                self._validate()
            if self.keeper.checkpoint_is_due:
                self._check()
                self._save()
            if self.progress.ended_by(training):
                break
            if signal := self.group.any_signal(signals.received):
                self._stop(signal)

    def _validate(self) -> None:
        """Measure the averaged weights on dev, and keep them unless they are clearly worse."""
        self._check()
        before = self.progress
        facts: dict[str, Any] = {"epoch": before.epoch}
        kept = True
        if self.data.dev:
            found = measure(self.optimizer.average, self.data, self.config, self.device, self.group)
            if not math.isfinite(found.perplexity):
                self._refuse("the perplexity on dev after it is")
            facts |= found.to_json()
            kept, self.progress = found.may_be_kept(before), found.count(before)
            self.keeper.add_validation(before, facts)
            self._shown["BLEU"] = f"BLEU {found.bleu:.1f}"
            where = f"update {before.step:,} ({self.keeper.elapsed_s / 60:.1f} min)"
            log.info(f"{where}: {found}{', kept' if kept else ''}")
            for line in chain.from_iterable(sample.lines() for sample in found.samples):
                log.debug(line)
        if kept:
            if weights := calibrate(self.optimizer.average, self.data, self.config, self.group):
                facts |= {"calibration": weights}
            self.keeper.save_bundle(before, facts)
            self.progress = replace(self.progress, kept_step=before.step)
        self._save()

    def _stop(self, signal: int) -> NoReturn:
        """Save, see to it that there is a translator, and raise Interrupted."""
        if self.group.size > 1:
            log.info("stopping: saving first; a second signal stops at once")
        self._check()
        self._save()
        kept = self.progress.kept_step
        if not kept:
            self.keeper.save_bundle(self.progress, {"epoch": self.progress.epoch})
        told = f"of update {kept or self.progress.step:,}{'' if kept else ', not measured'}"
        log.info(f"the translator so far, {told}, is {self.paths.bundle}")
        self.group.barrier()  # a launcher ends all once the first has ended
        raise Interrupted(signal, "stopped and saved; the same command goes on")

    def _save(self) -> None:
        self.progress = self.keeper.save_checkpoint(self.progress)
        self._window.restart_clock()

    def _say_what_begins(self) -> None:
        if ended_by := self.progress.ended_by(self.config.training):
            more = " and ".join(f"training.{name}" for name in ended_by)
            log.info(f"this run is finished; a larger {more} goes on with it")
            return
        size = sum(parameter.numel() for parameter in self.model.parameters())
        kind = str(self.precision).removeprefix("torch.")
        log.info(f"training {size:,} parameters on {self.device} in {kind}")
        cut = self.config.training.cut_tokens
        if cut is not None and self.progress.step == 0:
            sources, targets = self.data.pairs.longer_than(cut)
            log.info(
                f"training.cut_tokens {cut}: of {len(self.data.pairs):,} pairs, {sources:,} "
                f"sources and {targets:,} targets lose their end"
            )
        self._say_what_a_group_does()
        if self.progress.step:
            log.info(f"resumed at update {self.progress.step:,}")
        if self.data.dev:
            self._say_the_next_validation()

    def _say_what_a_group_does(self) -> None:
        training, size = self.config.training, self.group.size
        if training.accumulation < size:
            log.warning(
                f"training.accumulation {training.accumulation}: {training.accumulation} of {size} "
                f"processes have work in an update; set it to a multiple of {size}"
            )
        if size > 1 and training.reduce == "sum":
            log.info(
                f"training.reduce sum: the weights are those of {size} processes, and differ in "
                "their last bits from those of more or fewer"
            )

    def _say_the_next_validation(self) -> None:
        progress, blocks = self.progress, self.loader.buffers
        updates = len(self._block()[1])
        after = progress.next_validation(updates, self.config.training, blocks)
        about = "about " if blocks > 1 else ""
        which = "next" if progress.step else "first"
        log.info(
            f"{which} validation after update {after:,}; an epoch has {about}{updates * blocks:,} "
            "updates"
        )

    def _block(self) -> tuple[EpochPairs, list[list[Ints]]]:
        """Return the pairs and the updates of the block under way."""
        training, epoch, block = self.config.training, self.progress.epoch, self.progress.block
        pairs = self.loader.load((epoch, block))
        only = block if self.loader.buffers > 1 else None
        return pairs, block_updates(training, pairs, training.batch_tokens, epoch, only)

    def _say_the_end(self) -> None:
        """Say why the run ended, how good the translator is, and how to use it."""
        training, progress = self.config.training, self.progress
        s = "s" if progress.stale > 1 else ""
        why = {
            "max_epochs": f"finished: epoch {progress.epoch:,} of {training.max_epochs:,}",
            "max_steps": f"finished: update {progress.step:,} of {training.max_steps or 0:,}",
            "patience": f"stopped: no better for {progress.stale:,} validation{s}",
        }[progress.ended_by(training)[0]]
        best = f"best BLEU {progress.best_bleu:.2f}" if self.data.dev else "never measured"
        log.info(f"{why}, after {progress.elapsed_s / 60:.1f} min; {best}")
        folder = shlex.quote(str(self.paths.folder))
        log.info(f"the translator is {self.paths.bundle}; try it, or score it on test:")
        log.info(f'  gru-mt translate --model {folder} "..."')
        log.info(f"  gru-mt eval --model {folder}")

    def _shown_figures(self) -> str:
        """Return the newest figures, the most important first."""
        names = [name for name in ("loss", "BLEU", "tokens/s") if name in self._shown]
        return ", ".join(self._shown[name] for name in names)

    def _total_updates(self) -> int:
        updates = len(self._block()[1])
        return self.progress.total_updates(updates, self.config.training, self.loader.buffers)

    def _read_window(self) -> None:
        """Record the figures since the last reading; except in fp16, stop at one not finite."""
        reading = self._window.read()
        if reading is None:
            return
        if reading.not_finite and self.precision != torch.float16:
            self._refuse("the loss or its gradient is", reading.not_finite[0])
        skipped = self.progress.skipped + len(reading.not_finite)
        self.progress = replace(self.progress, skipped=skipped)
        self.keeper.add_reading(self.progress, reading)
        if reading.loss is not None:
            self._shown["loss"] = f"loss {reading.loss:.2f}"
        self._shown["tokens/s"] = f"{reading.tokens_s:,.0f} tokens/s"

    @torch.no_grad()
    def _check(self) -> None:
        """Stop where a figure, the averaged weights or their loss on a batch is not finite."""
        self._read_window()
        if self._newest is None:
            return
        batch = make_batch(self._newest.pairs, self._newest.rows[0])
        average = self.optimizer.average
        loss = forced_loss(average, batch.to(self.device)).item()
        finite = torch.stack([weight.isfinite().all() for weight in average.parameters()])
        if not (math.isfinite(perplexity(loss / batch.target_tokens)) and finite.all()):
            self._refuse("the weights after it, or what they give, are")

    def _refuse(self, what: str, update: StepRecord | None = None) -> NoReturn:
        """Stop the run, and record the corpus lines of an update, by default the newest."""
        update = update or self._newest
        assert update, "without an update nothing is checked"
        lines = self.keeper.write_not_finite(update)
        raise UserError(
            f"update {update.step}: {what} not finite; {self.paths.not_finite} names the "
            f"batch's {lines} corpus lines; mend them or lower training.learning_rate, and "
            "start anew with --fresh"
        )
