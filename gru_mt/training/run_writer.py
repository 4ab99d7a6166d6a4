"""What a run writes into its folder."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, replace
from typing import Any

from gru_mt.bundle import Bundle, save_bundle
from gru_mt.config.schema import Config, ResolvedConfig
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.evaluation_set import sets_to_json
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError
from gru_mt.model.device import machine
from gru_mt.run import Run
from gru_mt.storage import checksummed, json_bytes, read_json, write_json, write_new
from gru_mt.training.checkpoint import save_checkpoint
from gru_mt.training.optimizer import Optimizer
from gru_mt.training.preparation import TrainingData
from gru_mt.training.state import TrainState
from gru_mt.training.step import StepRecord, WindowStats
from gru_mt.training.tensorboard import Board


def keep(config: Config, data: TrainingData, run: Run) -> None:
    """Write configuration, tokenizer, corpus report, dev and test, unless the files have them."""
    attribution, tokenizer = data.provenance["attribution"], data.tokenizer.files()
    files = {
        run.config: dump_config(config).encode(),
        run.corpus_report: json_bytes(data.report),
        run.evaluation_sets("dev"): json_bytes(checksummed(sets_to_json(data.dev))),
        run.evaluation_sets("test"): json_bytes(checksummed(sets_to_json(data.test))),
        **({run.attribution: f"{attribution}\n".encode()} if attribution else {}),
        **{run.folder / name: content for name, content in tokenizer.items()},
    }
    for name in Tokenizer.ALL_FILES:
        if name not in tokenizer:
            (run.folder / name).unlink(missing_ok=True)
    for path, content in files.items():
        write_new(path, content)


class Keeper:
    """Writes a run's results, each file whole or not at all, and keeps the run's clock."""

    def __init__(
        self,
        run: Run,
        config: ResolvedConfig,
        data: TrainingData,
        optimizer: Optimizer,
        *,
        started_s: float,
    ) -> None:
        """Take what will be written; the clock began when time.perf_counter was `started_s`."""
        self._run, self._config, self._data, self._optimizer = run, config, data, optimizer
        self._started_s = started_s
        self._saved_s = time.perf_counter()
        self._board: Board | None = None

    @contextmanager
    def board(self, step: int) -> Iterator[None]:
        """Write the figures of updates after `step` for TensorBoard too, where that is wanted."""
        if not self._config.training.tensorboard:
            yield
            return
        with closing(Board(self._run, step)) as self._board:
            yield

    @property
    def elapsed_s(self) -> float:
        """Seconds on the run's clock, over all resumptions."""
        return time.perf_counter() - self._started_s

    @property
    def checkpoint_is_due(self) -> bool:
        """Whether the last checkpoint is older than the configuration allows."""
        minutes = (time.perf_counter() - self._saved_s) / 60
        return minutes > self._config.training.checkpoint_minutes

    def add_reading(self, progress: TrainState, reading: WindowStats) -> None:
        """Add the figures of a stretch of updates to the metrics."""
        figures = {
            "epoch": progress.epoch,
            "loss": reading.loss,
            "learning_rate": reading.learning_rate,
            "grad_norm": reading.grad_norm,
            "tokens_s": round(reading.tokens_s),
            "skipped": progress.skipped,
        }
        self._add(progress.step, figures)

    def add_validation(self, progress: TrainState, facts: dict[str, Any]) -> None:
        """Add what a validation found to the metrics."""
        self._add(progress.step, facts)

    def _add(self, step: int, figures: dict[str, Any]) -> None:
        figures = figures | {"elapsed_s": round(self.elapsed_s, 1)}
        self._run.append_metrics(step, figures)
        if self._board is not None:
            self._board.add(step, figures)

    def save_bundle(self, progress: TrainState, facts: dict[str, Any]) -> None:
        """Write the averaged weights as the run's translator, with `facts` about them."""
        bundle = Bundle(
            self._optimizer.average, self._data.tokenizer, self._config, self._data.provenance
        )
        save_bundle(self._run.bundle, bundle, {"step": progress.step} | facts)

    def save_checkpoint(self, progress: TrainState) -> TrainState:
        """Write a checkpoint; return its progress, with `elapsed_s` brought up to date."""
        progress = replace(progress, elapsed_s=self.elapsed_s)
        prints = self._data.fingerprints
        save_checkpoint(self._run.checkpoints, self._optimizer, progress, prints)
        self._saved_s = time.perf_counter()
        return progress

    def write_summary(self, progress: TrainState, device: str) -> bool:
        """Write a finished run's summary; return False where the file holds it already.

        So asking for it again on another machine does not change where it was trained.
        """
        with suppress(UserError):  # there is none yet, or it is damaged
            if asdict(progress).items() <= read_json(self._run.summary).items():
                return False
        facts = {"minutes": progress.elapsed_s / 60, "device": device, "machine": machine()}
        write_json(self._run.summary, asdict(progress) | facts)
        return True

    def write_not_finite(self, update: StepRecord) -> int:
        """Write which corpus lines an update trained on; return how many."""
        rows = sorted({int(update.pairs.row_N[row]) for row_B in update.rows for row in row_B})
        lines = [self._data.pairs.where(row) for row in rows]
        write_json(self._run.not_finite, {"update": update.step, "corpus_lines": lines})
        return len(lines)


class Bystander(Keeper):
    """The keeper of a process beside process 0 of its group: it writes nothing."""

    @contextmanager
    def board(self, step: int) -> Iterator[None]:
        """Do nothing."""
        yield

    @property
    def checkpoint_is_due(self) -> bool:
        """False: only the clock of process 0 counts."""
        return False

    def _add(self, step: int, figures: dict[str, Any]) -> None:
        pass

    def save_bundle(self, progress: TrainState, facts: dict[str, Any]) -> None:
        """Do nothing."""

    def save_checkpoint(self, progress: TrainState) -> TrainState:
        """Return the progress as it is."""
        return progress

    def write_summary(self, progress: TrainState, device: str) -> bool:
        """Return False: nothing is written."""
        return False

    def write_not_finite(self, update: StepRecord) -> int:
        """Return 0: process 0 counts the lines, and tells."""
        return 0
