"""The training loop: teacher forcing, validation, checkpoints.

Shapes: B batch.
"""

import hashlib
import math
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import NoReturn

import torch

from gru_mt.bundle import build_model, save_weights, start_bundle
from gru_mt.config import Config
from gru_mt.data.batching import EncodedPairs
from gru_mt.data.sentences import Ints
from gru_mt.device import keep_freed_memory, resolve_device, resolve_precision
from gru_mt.errors import Interrupted, UserError
from gru_mt.model.loss import forced_loss
from gru_mt.storage import SUMMARY, write_json
from gru_mt.training.checkpoint import CHECKPOINTS, Progress, resume, save_checkpoint
from gru_mt.training.folder import open_folder
from gru_mt.training.journal import Journal
from gru_mt.training.optimizer import Optimizer
from gru_mt.training.preparation import TrainingData, encode_pairs, prepare
from gru_mt.training.schedule import learning_rate
from gru_mt.training.signals import StopSignals
from gru_mt.training.validation import measure
from gru_mt.training.window import Update, Window
from gru_mt.waiting import while_computing

NOISE = 0.5  # BLEU: on a dev set of a thousand sentences a smaller difference tells nothing


def train(config: Config, folder: Path, *, started_s: float) -> Progress:
    """Train `config` in `folder`, or go on where a run of it stopped; return where it got.

    `started_s` is the reading of `time.perf_counter` at which the run's clock began. Raises
    UserError for what is wrong with the corpus or the folder, and what `Trainer.run` raises.
    """
    keep_freed_memory()
    device = resolve_device(config.training.device)  # if it is not there, that is said first
    with open_folder(folder, config):
        journal = Journal(folder)
        data = prepare(config, folder, journal)
        try:
            with while_computing(device.type):
                return Trainer(config, data, folder, journal, started_s=started_s).run()
        finally:
            journal.close()


class Trainer:
    """A run of training on prepared data."""

    def __init__(
        self,
        config: Config,
        data: TrainingData,
        folder: Path,
        journal: Journal,
        *,
        started_s: float,
    ) -> None:
        """Build the model, or load the newest checkpoint."""
        training = config.training
        self.config, self.data, self.folder, self.journal = config, data, folder, journal
        self.device = resolve_device(training.device)
        self.precision = resolve_precision(training.precision, self.device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(training.seed)
            self.model = build_model(config, data.tokenizer).to(self.device)
        self.optimizer = Optimizer(self.model, training, self.precision)
        self.progress = resume(
            folder / CHECKPOINTS, self.optimizer, data.fingerprints, journal.warn
        )
        self._rng = torch.Generator(self.device)
        self._started_s = started_s - self.progress.elapsed_s
        self._saved_s = time.perf_counter()
        self._window = Window()
        self._encoded: EncodedPairs | None = None
        self._shown: dict[str, str] = {}

    def run(self) -> Progress:
        """Train to the end of the run, or until it stops early; return where it got.

        Raises Interrupted, after saving, when a signal asks to stop, and UserError when a loss is
        not finite; no such loss reaches the weights.
        """
        if self._finished:
            self.journal.say("this run is finished; a larger training.max_epochs goes on with it")
            return self.progress
        if not self.progress.step:
            start_bundle(
                self.folder / "model", self.config, self.data.tokenizer, self.data.provenance
            )
        size = sum(parameter.numel() for parameter in self.model.parameters())
        kind = str(self.precision).removeprefix("torch.")
        self.journal.say(f"training {size:,} parameters on {self.device} in {kind}")
        self.journal.start(self.progress.step)
        with StopSignals() as signals:
            while not self._finished:
                self._train_epoch(signals)
        minutes = self.progress.elapsed_s / 60
        facts = asdict(self.progress) | {"minutes": minutes, "device": str(self.device)}
        write_json(self.folder / SUMMARY, facts)
        self.journal.say(f"finished after {minutes:.1f} min; the translator is {self.folder}/model")
        return self.progress

    @property
    def _finished(self) -> bool:
        training, progress = self.config.training, self.progress
        return (
            progress.epoch >= training.max_epochs
            or (training.max_steps is not None and progress.step >= training.max_steps)
            or (training.patience is not None and progress.stale >= training.patience)
        )

    def _train_epoch(self, signals: StopSignals) -> None:
        """Train on what is left of the epoch under way, or up to an earlier end of the run."""
        training, epoch = self.config.training, self.progress.epoch
        pairs = self._pairs(epoch)
        if training.cut_tokens is not None and self.progress.step == 0:
            sources, targets = pairs.lost_ends()
            self.journal.say(
                f"training.cut_tokens {training.cut_tokens}: of {len(self.data.train):,} pairs, "
                f"{sources:,} sources and {targets:,} targets lose their end"
            )
        plan = pairs.plan(
            batch_tokens=training.batch_tokens,
            batch_sentences=training.batch_sentences,
            seed=training.seed,
            epoch=epoch,
        )
        size = training.accumulation
        updates = [plan[first : first + size] for first in range(0, len(plan), size)]
        total = self._total_updates(len(updates))
        for batches in updates[self.progress.epoch_step :]:
            rate = learning_rate(self.progress.step, total, training)
            self._window.add(self._update(pairs, batches, rate))
            self._count_update(len(updates))
            if self.progress.step % training.log_steps == 0:
                self._read_window()
            self.journal.progress(self.progress.step, total, **self._shown)
            if self._validation_is_due or self._finished:
                self._validate()
            if time.perf_counter() - self._saved_s > 60 * training.checkpoint_minutes:
                self._save()
            if signals.received is not None:
                self._save()
                raise Interrupted(signals.received)
            if self._finished:
                break

    def _pairs(self, epoch: int) -> EncodedPairs:
        """Return the training pairs as this epoch reads them: with sampling, segmented anew."""
        if self._encoded is None or self.config.tokenizer.sampling:
            self._encoded = encode_pairs(
                self.data.tokenizer,
                self.data.train,
                sampling=self.config.tokenizer.sampling,
                seed=_seed("subwords", self.config.training.seed, epoch) >> 32,  # 31 bits it takes
                cut_tokens=self.config.training.cut_tokens,
            )
        return self._encoded

    def _total_updates(self, epoch_updates: int) -> int:
        """Return the updates of the whole run, if each epoch to come has `epoch_updates`."""
        before = self.progress.step - self.progress.epoch_step
        total = before + (self.config.training.max_epochs - self.progress.epoch) * epoch_updates
        return min(total, self.config.training.max_steps or total)

    def _count_update(self, epoch_updates: int) -> None:
        progress = self.progress
        if progress.epoch_step + 1 == epoch_updates:
            progress = replace(progress, epoch=progress.epoch + 1, epoch_step=0)
        else:
            progress = replace(progress, epoch_step=progress.epoch_step + 1)
        self.progress = replace(progress, step=progress.step + 1)

    @property
    def _validation_is_due(self) -> bool:
        every = self.config.training.validate_steps
        return self.progress.epoch_step == 0 if every is None else self.progress.step % every == 0

    def _update(self, pairs: EncodedPairs, batches: list[Ints], rate: float) -> Update:
        """Update the weights by the mean loss a token over all of `batches`."""
        step, smoothing = self.progress.step, self.config.training.label_smoothing
        tokens = sum(pairs.target_tokens(row_B) for row_B in batches)
        self._rng.manual_seed(_seed("dropout", self.config.training.seed, step))
        loss = torch.zeros((), device=self.device)
        for row_B in batches:
            batch = pairs.batch(row_B).to(self.device)
            with torch.autocast(
                self.device.type, self.precision, enabled=self.precision != torch.float32
            ):
                summed = forced_loss(self.model, batch, self._rng, label_smoothing=smoothing)
                part = summed / tokens
            self.optimizer.scaled(part).backward()
            loss += part.detach()
        return Update(step, batches, tokens, rate, loss, self.optimizer.step(rate))

    def _read_window(self) -> None:
        """Write down the figures since the last time; stop where one is not finite."""
        reading = self._window.read()
        if reading is None:
            return
        if reading.not_finite and self.precision != torch.float16:
            self._stop_at(reading.not_finite[0])
        skipped = self.progress.skipped + len(reading.not_finite)
        self.progress = replace(self.progress, skipped=skipped)
        self.journal.metrics(
            self.progress.step,
            epoch=self.progress.epoch,
            loss=reading.loss,
            learning_rate=reading.learning_rate,
            grad_norm=reading.grad_norm,
            tokens_s=round(reading.tokens_s),
            skipped=skipped,
            elapsed_s=round(self._elapsed_s, 1),
        )
        if reading.loss is not None:
            self._shown |= {"loss": f"{reading.loss:.3f}"}
        self._shown |= {"tokens/s": f"{reading.tokens_s:,.0f}"}

    def _stop_at(self, update: Update) -> NoReturn:
        """Write down what the update trained on, and stop the run."""
        path = self.folder / "not_finite.json"
        lines = sorted(self.data.train[row].line for row_B in update.batches for row in row_B)
        write_json(path, {"update": update.step, "corpus_lines": lines})
        raise UserError(
            f"update {update.step}: the loss or its gradient is not finite; {path} names the "
            f"batch's {len(lines)} corpus lines; mend them or lower training.learning_rate, and "
            "start anew with --fresh"
        )

    def _validate(self) -> None:
        """Measure the averaged weights on dev, and keep them unless their BLEU is clearly worse.

        Within the noise the later ones are kept: the learning rate has fallen since.
        """
        self._read_window()
        progress = self.progress
        facts: dict[str, float] = {"epoch": progress.epoch}
        kept = True
        if self.data.dev.sources:
            bleu, loss = measure(self.optimizer.average, self.data, self.config, self.device)
            facts |= {"dev_bleu": bleu, "dev_loss": loss, "dev_perplexity": math.exp(loss)}
            kept = bleu > progress.best_bleu - NOISE
            stale = 0 if bleu > progress.best_bleu else progress.stale + 1
            best_bleu = max(bleu, progress.best_bleu)
            self.progress = replace(progress, best_bleu=best_bleu, stale=stale)
            self.journal.metrics(progress.step, **facts, elapsed_s=round(self._elapsed_s, 1))
            self._shown |= {"BLEU": f"{bleu:.1f}"}
            self.journal.say(
                f"update {progress.step:,} ({self._elapsed_s / 60:.1f} min): dev loss {loss:.3f}, "
                f"perplexity {math.exp(loss):.2f}, BLEU {bleu:.2f} (greedy, all references)"
                + (", kept" if kept else "")
            )
        if kept:
            save_weights(
                self.folder / "model", self.optimizer.average, {"step": progress.step} | facts
            )
        self._save()

    @property
    def _elapsed_s(self) -> float:
        return time.perf_counter() - self._started_s

    def _save(self) -> None:
        self._read_window()
        self.progress = replace(self.progress, elapsed_s=self._elapsed_s)
        save_checkpoint(
            self.folder / CHECKPOINTS, self.optimizer, self.progress, self.data.fingerprints
        )
        self._saved_s = time.perf_counter()
        self._window.restart_clock()


def _seed(*parts: str | int) -> int:
    """Return a number of 63 bits for each purpose and place, as unlike as a digest makes them."""
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
