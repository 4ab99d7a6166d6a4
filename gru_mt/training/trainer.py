"""The training loop: updates, validations and checkpoints, in their order."""

import logging
import math
import shlex
from dataclasses import replace
from typing import NoReturn

import torch

from gru_mt.data.batching import make_batch
from gru_mt.data.dataset.ids import EpochPairs
from gru_mt.data.dataset.store import Ints
from gru_mt.data.loader import PairLoader
from gru_mt.errors import Interrupted, UserError
from gru_mt.model.loss import forced_loss
from gru_mt.progress import ProgressBar
from gru_mt.training.distributed import ALONE, Group
from gru_mt.training.optim.lr_schedule import buffer_updates, learning_rate
from gru_mt.training.optim.step import TrainStep
from gru_mt.training.output.metrics import MetricsWindow, StepRecord
from gru_mt.training.output.run_writer import Metrics, RunWriter
from gru_mt.training.output.signals import StopSignals
from gru_mt.training.state import TrainState, derived_seed
from gru_mt.training.validation import calibrate, measure, perplexity

log = logging.getLogger(__name__)


class Trainer:
    """The loop: updates, validations and checkpoints, in their order."""

    def __init__(
        self,
        writer: RunWriter,
        loader: PairLoader,
        step: TrainStep,
        state: TrainState,
        group: Group = ALONE,
    ) -> None:
        self.writer, self.loader, self.train_step = writer, loader, step
        self.state, self.group = state, group
        self.run_folder, self.config, self.data = writer.run, writer.config, writer.data
        self.optimizer, self.model = step.optimizer, step.optimizer.model
        self.device = next(self.model.parameters()).device
        self._window = MetricsWindow()
        self._newest: StepRecord | None = None
        self._shown: dict[str, str] = {}  # what the progress bar says, by its name

    def run(self) -> TrainState:
        """Train to the end of the run, or until it stops early; return its state.

        Raises Interrupted, after saving, when a signal asks to stop, and UserError when a loss is
        not finite; no such loss reaches the weights.
        """
        with StopSignals(announces=self.group.size == 1) as signals:
            self._log_start()
            if not self.state.stop_reasons(self.config.training):
                with ProgressBar(
                    "", unit="updates", total=self._total(), initial=self.state.step
                ) as bar:
                    while not self.state.stop_reasons(self.config.training):
                        self._train_buffer(signals, bar)
            if self.group.is_main and self.writer.write_summary(self.state, str(self.device)):
                self._log_end()
        if signal := self.group.any_signal(signals.received):
            raise Interrupted(signal, "finished before the signal could stop it")
        return self.state

    def _train_buffer(self, signals: StopSignals, bar: ProgressBar) -> None:
        """Train on what is left of the buffer under way, or up to an earlier end of the run."""
        training, epoch, buffers = self.config.training, self.state.epoch, self.loader.buffers
        pairs, updates = self._updates()
        self.loader.prefetch()
        bar.total = total = self.state.total_updates(len(updates), training, buffers)
        bar.set_description_str(f"epoch {epoch + 1:,} of {training.max_epochs:,}", refresh=False)
        for rows in updates[self.state.buffer_step :]:
            step = self.state.step
            stats = self.train_step(
                pairs,
                rows,
                learning_rate=learning_rate(step, total, training),
                seed=derived_seed("dropout", training.seed, step),
                done=step,
            )
            self._newest = StepRecord(step, pairs, rows, stats)
            self._window.add(self._newest)
            self.state = self.state.after_update(len(updates), buffers)
            if self.state.step % training.log_steps == 0:
                self._report_window()
            shown = [self._shown[name] for name in ("loss", "BLEU", "speed") if name in self._shown]
            bar.set_postfix_str(", ".join(shown), refresh=False)
            bar.update()
            if self.state.validation_is_due(training):
                self._validate()
            if self.group.is_main and self.writer.checkpoint_is_due:
                self._check_finite()
                self._save()
            if self.state.stop_reasons(training):
                break
            if signal := self.group.any_signal(signals.received):
                self._stop(signal)

    def _updates(self) -> tuple[EpochPairs, list[list[Ints]]]:
        """Return the pairs and the updates of the buffer under way."""
        training, epoch, buffer = self.config.training, self.state.epoch, self.state.buffer
        pairs = self.loader.load((epoch, buffer))
        only = buffer if self.loader.buffers > 1 else None
        return pairs, buffer_updates(training, pairs, training.batch_tokens, epoch, only)

    def _total(self) -> int:
        """Return how many updates the run has."""
        updates = len(self._updates()[1])
        return self.state.total_updates(updates, self.config.training, self.loader.buffers)

    def _validate(self) -> None:
        """Measure the averaged weights on dev, and write them unless they are clearly worse."""
        self._check_finite()
        average, before = self.optimizer.average, self.state
        metrics: Metrics = {"epoch": before.epoch}
        is_kept = True
        if self.data.dev:
            found = measure(average, self.data, self.config, self.device, self.group)
            if not math.isfinite(found.perplexity):
                self._stop_not_finite("the perplexity on dev after it is")
            metrics |= found.to_json()
            is_kept, self.state = found.may_be_kept(before), found.count(before)
            if self.group.is_main:
                self.writer.add_metrics(before.step, metrics)
            self._shown["BLEU"] = f"BLEU {found.bleu:.1f}"
            minutes = self.writer.elapsed_s / 60
            kept = ", kept" if is_kept else ""
            log.info(f"update {before.step:,} ({minutes:.1f} min): {found}{kept}")
            for sample in found.samples:
                for line in sample.lines():
                    log.debug(line)
        if is_kept:
            if weights := calibrate(average, self.data, self.config, self.group):
                metrics |= {"calibration": weights}
            if self.group.is_main:
                self.writer.save_translator(self.optimizer, before.step, metrics)
            self.state = replace(self.state, best_step=before.step)
        self._save()

    def _stop(self, signal: int) -> NoReturn:
        """Save, see to it that there is a translator, and raise Interrupted."""
        if self.group.size > 1:
            log.info("stopping: saving first; a second signal stops at once")
        self._check_finite()
        self._save()
        step, measured = self.state.best_step, ""
        if not step:
            step, measured = self.state.step, ", not measured"
            if self.group.is_main:
                self.writer.save_translator(self.optimizer, step, {"epoch": self.state.epoch})
        bundle = self.run_folder.bundle
        log.info(f"the translator so far, of update {step:,}{measured}, is {bundle}")
        self.group.barrier()  # a launcher ends all once the first has ended
        raise Interrupted(signal, "stopped and saved; the same command goes on")

    def _save(self) -> None:
        if self.group.is_main:
            self.state = self.writer.save_checkpoint(self.optimizer, self.state)
        self._window.restart_clock()

    def _report_window(self) -> None:
        """Write statistics of the updates since the last report; stop at one not finite.

        In fp16 such an update is skipped, and counted.
        """
        window = self._window.report()
        if window is None:
            return
        if window.not_finite and self.train_step.precision != torch.float16:
            self._stop_not_finite("the loss or its gradient is", window.not_finite[0])
        skipped = self.state.skipped + len(window.not_finite)
        self.state = replace(self.state, skipped=skipped)
        if self.group.is_main:
            self.writer.add_window(self.state, window)
        if window.loss is not None:
            self._shown["loss"] = f"loss {window.loss:.2f}"
        self._shown["speed"] = f"{window.tokens_s:,.0f} tokens/s"

    @torch.no_grad()
    def _check_finite(self) -> None:
        """Stop where an update, the averaged weights or their loss on a batch is not finite."""
        self._report_window()
        if self._newest is None:
            return
        batch = make_batch(self._newest.pairs, self._newest.rows[0])
        average = self.optimizer.average
        loss = forced_loss(average, batch.to(self.device)).item()
        finite = torch.stack([weight.isfinite().all() for weight in average.parameters()])
        if not (math.isfinite(perplexity(loss / batch.target_tokens)) and finite.all()):
            self._stop_not_finite("the weights after it, or what they give, are")

    def _stop_not_finite(self, what: str, update: StepRecord | None = None) -> NoReturn:
        """Stop the run, and record the corpus lines of an update, by default the newest."""
        update = update or self._newest
        assert update, "without an update nothing is checked"
        lines = self.writer.write_not_finite(update) if self.group.is_main else 0
        raise UserError(
            f"update {update.step}: {what} not finite; {self.run_folder.not_finite} names the "
            f"batch's {lines} corpus lines; mend them or lower training.learning_rate, and "
            "start anew with --fresh"
        )

    def _log_start(self) -> None:
        training, state, size = self.config.training, self.state, self.group.size
        if reasons := state.stop_reasons(training):
            more = " and ".join(f"training.{name}" for name in reasons)
            log.info(f"this run is finished; a larger {more} goes on with it")
            return
        weights = sum(parameter.numel() for parameter in self.model.parameters())
        precision = str(self.train_step.precision).removeprefix("torch.")
        log.info(f"training {weights:,} parameters on {self.device} in {precision}")
        cut = training.cut_tokens
        if cut is not None and state.step == 0:
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
        if self.data.dev:
            updates, buffers = len(self._updates()[1]), self.loader.buffers
            log.info(
                f"{'next' if state.step else 'first'} validation after update "
                f"{state.next_validation(updates, training, buffers):,}; an epoch has "
                f"{'about ' if buffers > 1 else ''}{updates * buffers:,} updates"
            )

    def _log_end(self) -> None:
        """Say why the run ended, how good the translator is, and how to use it."""
        training, state, run = self.config.training, self.state, self.run_folder
        s = "s" if state.bad_validations > 1 else ""
        why = {
            "max_epochs": f"finished: epoch {state.epoch:,} of {training.max_epochs:,}",
            "max_steps": f"finished: update {state.step:,} of {training.max_steps or 0:,}",
            "patience": f"stopped: no better for {state.bad_validations:,} validation{s}",
        }[state.stop_reasons(training)[0]]
        best = f"best BLEU {state.best_bleu:.2f}" if self.data.dev else "never measured"
        log.info(f"{why}, after {state.elapsed_s / 60:.1f} min; {best}")
        folder = shlex.quote(str(run.folder))
        log.info(f"the translator is {run.bundle}; try it, or score it on test:")
        log.info(f'  gru-mt translate --model {folder} "..."')
        log.info(f"  gru-mt eval --model {folder}")
