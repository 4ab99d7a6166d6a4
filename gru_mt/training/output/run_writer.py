"""What a run writes into its folder."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from gru_mt.bundle import Bundle, save_bundle
from gru_mt.config.schema import Config, ResolvedConfig
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.evaluation_set import sets_to_json
from gru_mt.data.prepare import TrainingData
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError
from gru_mt.model.device import machine
from gru_mt.run import Run
from gru_mt.storage import checksummed, json_bytes, read_json, write_json, write_new
from gru_mt.training.optim.optimizer import Optimizer
from gru_mt.training.output.checkpoint import save_checkpoint
from gru_mt.training.output.metrics import StepRecord, WindowStats
from gru_mt.training.output.tensorboard import TensorBoardWriter
from gru_mt.training.state import TrainState

Metrics = dict[str, Any]
log = logging.getLogger(__name__)


def write_inputs(config: Config, data: TrainingData, run: Run) -> None:
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


class RunWriter:
    """Writes a run's results, each file whole or not at all, and keeps the run's clock."""

    def __init__(
        self,
        run: Run,
        config: ResolvedConfig,
        data: TrainingData,
        *,
        started_s: float,
        on_metrics: Callable[[Metrics], object] | None = None,
    ) -> None:
        """Take what will be written; the clock began when time.perf_counter was `started_s`."""
        self.run, self.config, self.data = run, config, data
        self._started_s, self._on_metrics = started_s, on_metrics
        self._saved_s = time.perf_counter()
        self._tensorboard: TensorBoardWriter | None = None

    def start(self, step: int) -> None:
        """Begin to write metrics after update `step`; drop those of later updates."""
        if truncated := self.run.drop_metrics_after(step):
            log.warning(f"{self.run.metrics}: unreadable lines were dropped: {truncated}")
        if self.config.training.tensorboard:
            self._tensorboard = TensorBoardWriter(self.run, step)

    def close(self) -> None:
        """Close what was opened."""
        if self._tensorboard is not None:
            self._tensorboard.close()

    @property
    def elapsed_s(self) -> float:
        """Seconds on the run's clock, over all resumptions."""
        return time.perf_counter() - self._started_s

    @property
    def checkpoint_is_due(self) -> bool:
        """Whether the last checkpoint is older than the configuration allows."""
        minutes = (time.perf_counter() - self._saved_s) / 60
        return minutes > self.config.training.checkpoint_minutes

    def add_window(self, state: TrainState, window: WindowStats) -> None:
        """Add the statistics of a stretch of updates to the metrics."""
        metrics = {
            "epoch": state.epoch,
            "loss": window.loss,
            "learning_rate": window.learning_rate,
            "grad_norm": window.grad_norm,
            "tokens_s": round(window.tokens_s),
            "skipped": state.skipped,
        }
        self.add_metrics(state.step, metrics)

    def add_metrics(self, step: int, metrics: Metrics) -> None:
        """Add a line to the metrics."""
        metrics = metrics | {"elapsed_s": round(self.elapsed_s, 1)}
        self.run.append_metrics(step, metrics)
        if self._tensorboard is not None:
            self._tensorboard.add(step, metrics)
        if self._on_metrics is not None:
            self._on_metrics({"step": step} | metrics)

    def save_translator(self, optimizer: Optimizer, step: int, metadata: Metrics) -> None:
        """Write the averaged weights as the run's translator, with `metadata` about them."""
        data = self.data
        bundle = Bundle(optimizer.average, data.tokenizer, self.config, data.provenance)
        save_bundle(self.run.bundle, bundle, {"step": step} | metadata)

    def save_checkpoint(self, optimizer: Optimizer, state: TrainState) -> TrainState:
        """Write a checkpoint; return its state, with `elapsed_s` brought up to date."""
        state = replace(state, elapsed_s=self.elapsed_s)
        save_checkpoint(self.run.checkpoints, optimizer, state, self.data.fingerprints)
        self._saved_s = time.perf_counter()
        return state

    def write_summary(self, state: TrainState, device: str) -> bool:
        """Write a finished run's summary; return False where the file holds it already.

        So asking for it again on another machine does not change where it was trained.
        """
        values = state.state_dict()
        with suppress(UserError):  # there is none yet, or it is damaged
            if values.items() <= read_json(self.run.summary).items():
                return False
        values |= {"minutes": state.elapsed_s / 60, "device": device, "machine": machine()}
        write_json(self.run.summary, values)
        return True

    def write_not_finite(self, update: StepRecord) -> int:
        """Write which corpus lines an update trained on; return how many."""
        rows = sorted({int(update.pairs.row_N[row]) for row_B in update.rows for row in row_B})
        lines = [self.data.pairs.where(row) for row in rows]
        write_json(self.run.not_finite, {"update": update.step, "corpus_lines": lines})
        return len(lines)
