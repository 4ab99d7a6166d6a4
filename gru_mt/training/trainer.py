"""The training loop: teacher forcing, validation, checkpoints.

Shapes: B batch.
"""

import hashlib
import math
import os
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NoReturn

import torch

from gru_mt.bundle import Bundle, build_model, save_bundle
from gru_mt.config import Config, FittedTraining
from gru_mt.cpu.memory import keep_memory
from gru_mt.cpu.waiting import while_computing
from gru_mt.data.batching import EncodedPairs
from gru_mt.data.sentences import Ints
from gru_mt.data.tokenizer import Tokenizer
from gru_mt.device import resolve_device, resolve_precision
from gru_mt.errors import Interrupted, UserError
from gru_mt.evaluation.score import bleu_tokenizer
from gru_mt.model.loss import forced_loss
from gru_mt.storage import SUMMARY, json_bytes, write_file, write_json
from gru_mt.training.checkpoint import (
    CHECKPOINTS,
    Progress,
    has_checkpoint,
    resume,
    save_checkpoint,
)
from gru_mt.training.folder import open_folder
from gru_mt.training.journal import Journal
from gru_mt.training.optimizer import Optimizer
from gru_mt.training.preparation import TrainingData, encode_pairs, keep, prepare
from gru_mt.training.schedule import AUTO, fitted, learning_rate, planned_updates
from gru_mt.training.signals import StopSignals
from gru_mt.training.validation import measure, perplexity
from gru_mt.training.window import Update, Window


def train(config: Config, folder: Path, *, started_s: float | None = None) -> Progress:
    """Train `config` in `folder`, or go on where a run of it stopped; return where it got.

    `started_s` is the reading of `time.perf_counter` at which the run's clock began, by default
    now. Raises UserError for what is wrong with the corpus or the folder, and what `Trainer.run`
    raises. An existing run is not touched before everything that may be refused was.

    >>> from pathlib import Path
    >>> from gru_mt import load_config, train
    >>> config = load_config(Path("small.yaml"))
    >>> progress = train(config, Path("runs/small"))
    >>> progress.epoch == config.training.max_epochs
    True
    """
    started_s = time.perf_counter() if started_s is None else started_s
    keep_memory()
    # What is not there is said before the waiting.
    device = resolve_device(config.training.device)
    bleu_tokenizer(config.data.target, config.evaluation.bleu_tokenizer)
    with open_folder(folder, config) as config:
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
        """Build the model, or load the newest checkpoint; write nothing."""
        self.data, self.folder, self.journal = data, folder, journal
        self.config = config
        self._encoded: tuple[int, EncodedPairs] | None = None  # and for which epoch
        self.training = training = self._fitted()
        self.config = config.model_copy(update={"training": training})
        self.device = resolve_device(training.device)
        self.precision = resolve_precision(training.precision, self.device)
        _refuse_too_large(config, data.tokenizer)
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
        self._newest: tuple[EncodedPairs, Update] | None = None
        self._shown: dict[str, str] = {}

    def run(self) -> Progress:
        """Train to the end of the run, or until it stops early; return where it got.

        Raises Interrupted, after saving, when a signal asks to stop, and UserError when a loss is
        not finite; no such loss reaches the weights.
        """
        keep(self.config, self.data, self.folder)
        self.journal.start(self.progress.step)
        with StopSignals() as signals:
            if self._ended_by:
                more = " and ".join(f"training.{name}" for name in self._ended_by)
                self.journal.say(f"this run is finished; a larger {more} goes on with it")
            else:
                size = sum(parameter.numel() for parameter in self.model.parameters())
                kind = str(self.precision).removeprefix("torch.")
                self.journal.say(f"training {size:,} parameters on {self.device} in {kind}")
            while not self._ended_by:
                self._train_epoch(signals)
            self._finish()
        if signals.received is not None:
            raise Interrupted(signals.received, "finished before the signal could stop it")
        return self.progress

    def _fitted(self) -> FittedTraining:
        """Return the run's settings, with what `auto` stands for chosen and said."""
        given = self.config.training
        if has_checkpoint(self.folder):
            return FittedTraining.model_validate(given.model_dump())
        pairs = self._pairs(0)
        training = fitted(given, pairs)
        total = planned_updates(training, pairs, training.batch_tokens)
        for name in AUTO:
            if getattr(given, name) == "auto":
                chosen = getattr(training, name)
                self.journal.say(f"training.{name}: {chosen:,} (auto, for {total:,} updates)")
        if training.warmup_steps >= total:
            self.journal.warn(
                f"training.warmup_steps {training.warmup_steps:,}: the run ends with update "
                f"{total:,}, before the learning rate falls; lower it, or set it to auto"
            )
        return training

    def _finish(self) -> None:
        """Write the summary of a finished run, unless it is there."""
        minutes = self.progress.elapsed_s / 60
        facts = asdict(self.progress) | {"minutes": minutes, "device": str(self.device)}
        path = self.folder / SUMMARY
        if path.is_file() and path.read_bytes() == json_bytes(facts):
            return
        write_file(path, json_bytes(facts))
        self.journal.say(f"finished after {minutes:.1f} min; the translator is {self.folder}/model")

    @property
    def _ended_by(self) -> list[str]:
        """Return the settings that end the run here; none while it is to go on."""
        training, progress = self.training, self.progress
        reached = {
            "max_epochs": (progress.epoch, training.max_epochs),
            "max_steps": (progress.step, training.max_steps),
            "patience": (progress.stale, training.patience),
        }
        return [name for name, (now, most) in reached.items() if most is not None and now >= most]

    def _train_epoch(self, signals: StopSignals) -> None:
        """Train on what is left of the epoch under way, or up to an earlier end of the run."""
        training, epoch = self.training, self.progress.epoch
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
            update = self._update(pairs, batches, rate)
            self._window.add(update)
            self._newest = pairs, update
            self._count_update(len(updates))
            if self.progress.step % training.log_steps == 0:
                self._read_window()
            self.journal.progress(self.progress.step, total, **self._shown)
            if self._validation_is_due or self._ended_by:
                self._validate()
            if time.perf_counter() - self._saved_s > 60 * training.checkpoint_minutes:
                self._save()
            if self._ended_by:
                break
            if signals.received is not None:
                self._stop(signals.received)

    def _pairs(self, epoch: int) -> EncodedPairs:
        """Return the training pairs as this epoch reads them: with sampling, segmented anew."""
        sampling, training = self.config.tokenizer.sampling, self.config.training
        if self._encoded is None or (sampling and self._encoded[0] != epoch):
            pairs = encode_pairs(
                self.data.tokenizer,
                self.data.train,
                sampling=sampling,
                seed=_seed("subwords", training.seed, epoch) >> 32,  # 31 bits it takes
                cut_tokens=training.cut_tokens,
            )
            self._encoded = epoch, pairs
        return self._encoded[1]

    def _total_updates(self, epoch_updates: int) -> int:
        """Return the updates of the whole run, if each epoch to come has `epoch_updates`."""
        before = self.progress.step - self.progress.epoch_step
        total = before + (self.training.max_epochs - self.progress.epoch) * epoch_updates
        return min(total, self.training.max_steps or total)

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
        return Update(step, batches, tokens, rate, loss, self.optimizer.step(rate, step))

    def _read_window(self) -> None:
        """Write down the figures since the last time; stop where one is not finite."""
        reading = self._window.read()
        if reading is None:
            return
        if reading.not_finite and self.precision != torch.float16:
            self._stop_at(reading.not_finite[0], "the loss or its gradient is")
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

    def _stop_at(self, update: Update, what: str) -> NoReturn:
        """Write down what the update trained on, and stop the run."""
        path = self.folder / "not_finite.json"
        lines = sorted(self.data.train[row].line for row_B in update.batches for row in row_B)
        write_json(path, {"update": update.step, "corpus_lines": lines})
        raise UserError(
            f"update {update.step}: {what} not finite; {path} names the "
            f"batch's {len(lines)} corpus lines; mend them or lower training.learning_rate, and "
            "start anew with --fresh"
        )

    @torch.no_grad()
    def _check_weights(self) -> None:
        """Stop where the averaged weights, or their perplexity on a batch, are not finite."""
        if self._newest is None:
            return
        pairs, update = self._newest
        row_B, average = update.batches[0], self.optimizer.average
        loss = forced_loss(average, pairs.batch(row_B).to(self.device)).item()
        finite = torch.stack([weight.isfinite().all() for weight in average.parameters()])
        if not (math.isfinite(perplexity(loss / pairs.target_tokens(row_B))) and finite.all()):
            self._stop_at(update, "the weights after it, or what they give, are")

    def _validate(self) -> None:
        """Measure the averaged weights on dev, and keep them unless they are clearly worse."""
        self._read_window()
        self._check_weights()
        before, step = self.progress, self.progress.step
        facts: dict[str, Any] = {"epoch": before.epoch}
        kept = True
        if self.data.dev.sources:
            found = measure(self.optimizer.average, self.data, self.config, self.device)
            if not math.isfinite(found.perplexity) and self._newest:
                self._stop_at(self._newest[1], "the perplexity on dev after it is")
            facts |= found.to_json()
            kept, self.progress = found.may_be_kept(before), found.count(before)
            self.journal.metrics(step, **facts, elapsed_s=round(self._elapsed_s, 1))
            self._shown |= {"BLEU": f"{found.bleu:.1f}"}
            minutes = self._elapsed_s / 60
            word = ", kept" if kept else ""
            self.journal.say(f"update {step:,} ({minutes:.1f} min): {found}{word}")
        if kept:
            self._save_bundle(facts)
            self.progress = replace(self.progress, kept_step=step)
        self._save()

    def _save_bundle(self, facts: dict[str, Any]) -> None:
        """Write the averaged weights as the run's translator."""
        bundle = Bundle(
            self.optimizer.average, self.data.tokenizer, self.config, self.data.provenance
        )
        save_bundle(self.folder / "model", bundle, {"step": self.progress.step} | facts)

    def _stop(self, signal: int) -> NoReturn:
        """Save, and leave a translator, measured or not."""
        self._save()
        model, kept = self.folder / "model", self.progress.kept_step
        if not kept:
            self._save_bundle({"epoch": self.progress.epoch})
        told = f"of update {kept or self.progress.step:,}{'' if kept else ', not measured'}"
        self.journal.say(f"the translator so far, {told}, is {model}")
        raise Interrupted(signal, "stopped and saved; the same command goes on")

    @property
    def _elapsed_s(self) -> float:
        return time.perf_counter() - self._started_s

    def _save(self) -> None:
        self._read_window()
        self._check_weights()
        self.progress = replace(self.progress, elapsed_s=self._elapsed_s)
        save_checkpoint(
            self.folder / CHECKPOINTS, self.optimizer, self.progress, self.data.fingerprints
        )
        self._saved_s = time.perf_counter()
        self._window.restart_clock()


def _refuse_too_large(config: Config, tokenizer: Tokenizer) -> None:
    """Raise UserError for a model that this machine has not the memory to train.

    Else it would be ended without a word, as memory is given out before it is there.
    """
    with torch.device("meta"):  # which takes no memory
        size = sum(parameter.numel() for parameter in build_model(config, tokenizer).parameters())
    needed_bytes = 5 * 4 * size  # weights, gradients, two moments and an average, in fp32
    if "SC_PHYS_PAGES" in os.sysconf_names:  # not on every system
        there_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if needed_bytes > there_bytes:
            raise UserError(
                f"model: {size:,} parameters take {needed_bytes / 1e9:,.0f} GB to train, and this "
                f"machine has {there_bytes / 1e9:,.0f}; make model.*_size or *_layers smaller"
            )


def _seed(*parts: str | int) -> int:
    """Return a number of 63 bits for each purpose and place, as unlike as a digest makes them."""
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
