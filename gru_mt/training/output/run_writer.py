"""What a run writes into its folder beside checkpoints and the translator.

Shapes: N updates, F of them finite.
"""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from gru_mt.config.schema import Config, TrainingConfig
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.evaluation_set import sets_to_json
from gru_mt.data.prepare import TrainingData
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.run import Run, flatten
from gru_mt.storage import checksummed, json_bytes, os_errors_as, write_new
from gru_mt.training.optim.optimizer import Update

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
    # A start that was killed may have been of another tokenizer and corpus.
    for path in (run.attribution, *(run.folder / name for name in Tokenizer.ALL_FILES)):
        if path not in files:
            path.unlink(missing_ok=True)
    for path, content in files.items():
        write_new(path, content)


def window_metrics(updates: Sequence[Update], started_s: float) -> tuple[Metrics, list[Update]]:
    """Return the metrics of updates since `started_s`, and those of them that are not finite.

    "loss" and "grad_norm" are means over the finite ones, None without any: nats a token, each
    token counted alike, and L2. "tokens_s" are real target tokens a second. This waits for a GPU.
    """
    loss_N = torch.stack([update.loss for update in updates]).cpu().double()
    norm_N = torch.stack([update.grad_norm for update in updates]).cpu().double()
    seconds = time.perf_counter() - started_s
    token_N = torch.tensor([update.tokens for update in updates]).double()
    finite_N = (loss_N + norm_N).isfinite()
    token_F, loss_F, norm_F = token_N[finite_N], loss_N[finite_N], norm_N[finite_N]
    metrics = {
        "loss": float(token_F @ loss_F / token_F.sum()) if len(token_F) else None,
        "learning_rate": updates[-1].learning_rate,
        "grad_norm": float(norm_F.mean()) if len(token_F) else None,
        "tokens_s": round(int(token_N.sum()) / seconds),
    }
    return metrics, [updates[row] for row in (~finite_N).nonzero().flatten().tolist()]


class MetricsWriter:
    """Writes a run's metrics as they come, for TensorBoard too, and keeps the run's clock."""

    def __init__(
        self, run: Run, started_s: float, on_metrics: Callable[[Metrics], object] | None
    ) -> None:
        """Take where they go; the clock began when time.perf_counter was `started_s`."""
        self.run, self._started_s, self._on_metrics = run, started_s, on_metrics
        self._tensorboard: Any = None  # torch's SummaryWriter

    def start(self, step: int, training: TrainingConfig) -> None:
        """Begin after update `step`: what was written of later ones is dropped."""
        if truncated := self.run.drop_metrics_after(step):
            log.warning(f"{self.run.metrics}: unreadable lines were dropped: {truncated}")
        if training.tensorboard:
            from torch.utils.tensorboard import SummaryWriter

            folder, is_first = self.run.tensorboard, not self.run.tensorboard.exists()
            with os_errors_as(folder):
                self._tensorboard = SummaryWriter(str(folder), purge_step=step + 1)
                for line in self.run.read_metrics()[0] if is_first else []:  # the metrics so far
                    self._add_scalars(line["step"], line)

    def add(self, step: int, metrics: Metrics) -> None:
        """Write a line; UserError where the disk takes no more."""
        metrics = metrics | {"elapsed_s": round(self.elapsed_s, 1)}
        self.run.append_metrics(step, metrics)
        if self._tensorboard is not None:
            with os_errors_as(self.run.tensorboard):
                self._add_scalars(step, metrics)
        if self._on_metrics is not None:
            self._on_metrics({"step": step} | metrics)

    def _add_scalars(self, step: int, metrics: Metrics) -> None:
        for name, value in flatten(metrics).items():
            if name != "step" and isinstance(value, int | float):
                self._tensorboard.add_scalar(name, value, step)
        self._tensorboard.flush()  # a kill loses nothing that the metrics have

    @property
    def elapsed_s(self) -> float:
        """Seconds on the run's clock, over all resumptions."""
        return time.perf_counter() - self._started_s

    def close(self) -> None:
        """Close what was opened."""
        if self._tensorboard is not None:
            self._tensorboard.close()
