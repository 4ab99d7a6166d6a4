"""The training loop: updates, validations and checkpoints, in their order."""

import logging
import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NoReturn

import torch

from gru_mt.bundle import Bundle, read_provenance, save_bundle
from gru_mt.config.schema import ResolvedConfig
from gru_mt.data.batching import make_batch
from gru_mt.data.dataset.ids import EpochPairs
from gru_mt.data.dataset.store import Ints
from gru_mt.data.loader import PairLoader
from gru_mt.data.prepare import TrainingData
from gru_mt.errors import Interrupted, UserError, shell_quoted
from gru_mt.model.device import machine
from gru_mt.model.loss import forced_loss
from gru_mt.progress import ProgressBar
from gru_mt.storage import read_json, write_json
from gru_mt.training.distributed import Group
from gru_mt.training.optim.lr_schedule import buffer_updates, learning_rate
from gru_mt.training.optim.optimizer import Optimizer, Update
from gru_mt.training.output.checkpoint import save_checkpoint
from gru_mt.training.output.run_writer import Metrics, MetricsWriter, window_metrics
from gru_mt.training.output.signals import stop_signals
from gru_mt.training.state import TrainState
from gru_mt.training.validation import calibrate, measure, perplexity

log = logging.getLogger(__name__)


@dataclass(eq=False)
class Trainer:
    """The loop: updates, validations and checkpoints, in their order."""

    config: ResolvedConfig
    data: TrainingData
    loader: PairLoader
    optimizer: Optimizer
    state: TrainState
    writer: MetricsWriter
    _window: list[Update] = field(default_factory=list)  # since the last report
    _window_s: float = field(default_factory=time.perf_counter)
    _saved_s: float = field(default_factory=time.perf_counter)
    _newest: Update | None = None
    _shown: dict[str, str] = field(  # by the progress bar
        default_factory=lambda: {"loss": "", "BLEU": "", "speed": ""}
    )

    @property
    def group(self) -> Group:
        """The processes that train together."""
        return self.optimizer.group

    def run(self) -> TrainState:
        """Train to the end of the run, or until it stops early; return its state.

        Raises Interrupted, after saving, when a signal asks to stop, and UserError when a loss is
        not finite; no such loss reaches the weights.
        """
        with stop_signals(announces=self.group.size == 1) as received:
            if reasons := self.state.stop_reasons(self.config.training):
                more = " and ".join(f"training.{name}" for name in reasons)
                log.info(f"this run is finished; a larger {more} goes on with it")
                if not self.state.best_step:  # it was killed before its first validation
                    self._validate()
            else:
                self._train(received)
            if self.group.is_main:
                self._end()
        if signal := self.group.any_signal(received()):
            raise Interrupted(signal, "finished before the signal could stop it")
        return self.state

    def _train(self, received: Callable[[], int | None]) -> None:
        training, buffers = self.config.training, self.loader.buffers
        pairs, updates = self._load_buffer()
        self._log_start(len(updates))
        total = self.state.total_updates(len(updates), training, buffers)
        with ProgressBar("", unit="updates", total=total, initial=self.state.step) as bar:
            while not self.state.stop_reasons(training):
                pairs, updates = self._load_buffer()
                if self.state.buffer_step >= len(updates):
                    raise UserError(
                        f"{self.writer.run.config}: an epoch has fewer updates than when the run "
                        "was saved; put back what it said then, or start anew with --fresh"
                    )
                self.loader.prefetch(training.max_epochs)
                bar.total = total = self.state.total_updates(len(updates), training, buffers)
                epoch = f"epoch {self.state.epoch + 1:,} of {training.max_epochs:,}"
                bar.set_description_str(epoch, refresh=False)
                for rows in updates[self.state.buffer_step :]:
                    rate = learning_rate(self.state.step, total, training)
                    self._newest = self.optimizer.update(pairs, rows, rate, self.state.step)
                    self._window.append(self._newest)
                    self.state = self.state.after_update(len(updates), buffers)
                    if self.state.step % training.log_steps == 0:
                        self._report_window()
                    shown = ", ".join(filter(None, self._shown.values()))
                    bar.set_postfix_str(shown, refresh=False)
                    bar.update()
                    if self.state.validation_is_due(training):
                        self._validate()
                    saved_min = (time.perf_counter() - self._saved_s) / 60
                    if self.group.is_main and saved_min > training.checkpoint_minutes:
                        self._check_finite()
                        self._save()
                    if self.state.stop_reasons(training):
                        break
                    if signal := self.group.any_signal(received()):
                        self._stop(signal)

    def _load_buffer(self) -> tuple[EpochPairs, list[list[Ints]]]:
        epoch, buffer = self.state.epoch, self.state.buffer
        pairs = self.loader.load((epoch, buffer))
        only = buffer if self.loader.buffers > 1 else None
        return pairs, buffer_updates(self.config.training, pairs, epoch, only)

    def _validate(self) -> None:
        """Measure the averaged weights on dev, and write them unless they are clearly worse."""
        self._check_finite()
        average, data, step, is_kept = self.optimizer.average, self.data, self.state.step, True
        metrics: Metrics = {"epoch": self.state.epoch}
        if data.dev:
            found = measure(average, data, self.config, self.group)
            if not math.isfinite(perplexity(found.loss)):
                self._stop_not_finite("the perplexity on dev after it is")
            metrics |= found.to_json()
            self.state, is_kept = found.judge(self.state)
            if self.group.is_main:
                self.writer.add(step, metrics)
            self._shown["BLEU"] = f"BLEU {found.bleu:.1f}"
            minutes, kept = self.writer.elapsed_s / 60, ", kept" if is_kept else ""
            log.info(f"update {step:,} ({minutes:.1f} min): {found}{kept}")
            for line in found.samples:
                log.debug(line)
        if is_kept:
            if weights := calibrate(average, data.tokenizer, data.dev, self.config, self.group):
                metrics |= {"calibration": weights}
            self._save_translator(metrics)
            self.state = replace(self.state, best_step=step)
        self._save()

    def _stop(self, signal: int) -> NoReturn:
        if self.group.size > 1:
            log.info("stopping: saving first; a second signal stops at once")
        self._check_finite()
        self._save()
        step, measured = self.state.best_step, ""
        if not step:
            step, measured = self.state.step, ", not measured"
            self._save_translator({"epoch": self.state.epoch})
        bundle = self.writer.run.bundle
        log.info(f"the translator so far, of update {step:,}{measured}, is {bundle}")
        self.group.any_signal(signal)  # all wait, as a launcher ends all once the first has ended
        raise Interrupted(signal, "stopped and saved; the same command goes on")

    def _save(self) -> None:
        if self.group.is_main:
            self.state = replace(self.state, elapsed_s=self.writer.elapsed_s)
            folder, fingerprints = self.writer.run.checkpoints, self.data.fingerprints
            save_checkpoint(folder, self.optimizer, self.state, fingerprints)
        self._saved_s = self._window_s = time.perf_counter()  # this was no training

    def _save_translator(self, metadata: Metrics) -> None:
        if self.group.is_main:
            data, average = self.data, self.optimizer.average
            bundle = Bundle(average, data.tokenizer, self.config, data.provenance)
            save_bundle(self.writer.run.bundle, bundle, {"step": self.state.step} | metadata)

    def _report_window(self) -> None:
        """Write metrics of the updates since the last report; stop at one not finite.

        In fp16 such an update is skipped, and counted, while a smaller loss scale may help.
        """
        if not self._window:
            return
        metrics, not_finite = window_metrics(self._window, self._window_s)
        self._window, self._window_s = [], time.perf_counter()
        if not_finite and not self.optimizer.may_overflow:
            self._stop_not_finite("the loss or its gradient is", not_finite[0])
        skipped = self.state.skipped + len(not_finite)
        self.state = replace(self.state, skipped=skipped)
        if self.group.is_main:
            line = {"epoch": self.state.epoch, **metrics, "skipped": skipped}
            self.writer.add(self.state.step, line)
        if metrics["loss"] is not None:
            self._shown["loss"] = f"loss {metrics['loss']:.2f}"
        self._shown["speed"] = f"{metrics['tokens_s']:,} tokens/s"

    @torch.no_grad()
    def _check_finite(self) -> None:
        """Stop where an update, the averaged weights or their loss on a batch is not finite."""
        self._report_window()
        if self._newest is None:
            return
        batch = make_batch(self._newest.pairs, self._newest.rows[0])
        average = self.optimizer.average
        loss = forced_loss(average, batch.to(self.optimizer.device)).item()
        finite = torch.stack([weight.isfinite().all() for weight in average.parameters()])
        if not (math.isfinite(perplexity(loss / batch.target_tokens)) and finite.all()):
            self._stop_not_finite("the weights after it, or what they give, are")

    def _stop_not_finite(self, what: str, update: Update | None = None) -> NoReturn:
        """Stop the run, and record the corpus lines of an update, by default the newest."""
        update = update or self._newest
        assert update, "without an update nothing is checked"
        rows = sorted({int(update.pairs.row_N[row]) for row_B in update.rows for row in row_B})
        if self.group.is_main:
            lines = [self.data.pairs.where(row) for row in rows]
            values = {"update": update.step, "corpus_lines": lines}
            write_json(self.writer.run.not_finite, values)
        raise UserError(
            f"update {update.step}: {what} not finite; {self.writer.run.not_finite} names the "
            f"batch's {len(rows)} corpus lines; mend them or lower training.learning_rate, and "
            "start anew with --fresh"
        )

    def _log_start(self, updates: int) -> None:
        """Say what is trained, in epochs whose first buffer has so many updates."""
        training, state, size = self.config.training, self.state, self.group.size
        weights = sum(parameter.numel() for parameter in self.optimizer.model.parameters())
        precision = str(self.optimizer.precision).removeprefix("torch.")
        log.info(f"training {weights:,} parameters on {self.optimizer.device} in {precision}")
        if (cut := training.cut_tokens) is not None and state.step == 0:
            sources, targets = self.data.pairs.longer_than(cut)
            log.info(
                f"training.cut_tokens {cut}: of {len(self.data.pairs):,} pairs, {sources:,} "
                f"sources and {targets:,} targets lose their end"
            )
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
        if state.step:
            log.info(f"resumed at update {state.step:,}")
        with suppress(UserError):  # there is no translator yet
            if "learned_corrections" in read_provenance(self.writer.run.bundle):
                log.warning(
                    "this checkpoint has learned no corrections, as its translator has: run gru-mt "
                    "learn after it, or begin with that translator: --from RUN --fresh"
                )
        if self.data.dev:
            buffers = self.loader.buffers
            log.info(
                f"{'next' if state.step else 'first'} validation after update "
                f"{state.next_validation(updates, training, buffers):,}; an epoch has "
                f"{'about ' if buffers > 1 else ''}{updates * buffers:,} updates"
            )

    def _end(self) -> None:
        """Write a summary and say how the run ended, unless that is done: the machine stays."""
        training, state, run = self.config.training, self.state, self.writer.run
        summary = state.state_dict()
        with suppress(UserError):  # there is none yet, or it is damaged
            if summary.items() <= read_json(run.summary).items():
                return
        device, minutes = str(self.optimizer.device), state.elapsed_s / 60
        summary |= {"minutes": minutes, "device": device, "machine": machine(self.optimizer.device)}
        write_json(run.summary, summary)
        s = "s" if state.bad_validations > 1 else ""
        why = {
            "max_epochs": f"finished: epoch {state.epoch:,} of {training.max_epochs:,}",
            "max_steps": f"finished: update {state.step:,} of {training.max_steps or 0:,}",
            "patience": f"stopped: no better for {state.bad_validations:,} validation{s}",
        }[state.stop_reasons(training)[0]]
        best = f"best BLEU {state.best_bleu:.2f}" if self.data.dev else "never measured"
        log.info(f"{why}, after {minutes:.1f} min; {best}")
        folder = shell_quoted(run.folder)
        log.info(f"the translator is {run.bundle}; try it, or score it on test:")
        log.info(f'  gru-mt translate --model {folder} "..."')
        log.info(f"  gru-mt eval --model {folder}")
