"""The folder of a run: where each of its files is.

`gru-mt train` makes a run, and every other command reads one. Only this module knows the names and
places of the files. What is in a file, the module that writes it knows.
"""

import csv
import io
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gru_mt.errors import UserError
from gru_mt.storage import append_line, read_json, write_file

RUNS = Path("runs")  # where runs are, unless a command names another folder
CONFIG = "config.yaml"  # of a run, and of a bundle
WEIGHTS = "weights.safetensors"  # of a bundle


@dataclass(frozen=True, slots=True)
class Run:
    """The paths of a run's files, whether they are there or not."""

    folder: Path

    @classmethod
    def newest(cls, runs: Path = RUNS) -> "Run":
        """Return the run in `runs` that finished last; UserError where none has."""
        finished_at = {}
        for folder in runs.glob("*"):
            with suppress(OSError):  # not a run, not finished, or not for us to read
                finished_at[folder] = cls(folder).summary.stat().st_mtime
        if not finished_at:
            raise UserError(
                f"no finished run in {runs}/: train one with gru-mt train, or name one with --model"
            )
        return cls(max(finished_at, key=finished_at.__getitem__))

    @property
    def config(self) -> Path:
        """The configuration with every value."""
        return self.folder / CONFIG

    @property
    def corpus_report(self) -> Path:
        """What became of the corpora's lines, and where the first weights are from, as JSON."""
        return self.folder / "corpus.json"

    @property
    def data(self) -> Path:
        """The folder of the training pairs as ids; see `data.prepared`."""
        return self.folder / "data"

    @property
    def attribution(self) -> Path:
        """The credit that the corpus's licence asks for, if any."""
        return self.folder / "attribution.txt"

    def evaluation_sets(self, split: str) -> Path:
        """The sets of the split `dev` or `test`, as checksummed JSON."""
        return self.folder / f"{split}.json"

    def hypotheses(self, split: str) -> Path:
        """What the translator made of the split `dev` or `test`, as checksummed JSON."""
        return self.folder / f"{split}.hypotheses.json"

    def robustness(self, split: str) -> Path:
        """BLEU on the perturbed sources of `dev` or `test`, as checksummed JSON."""
        return self.folder / f"{split}.real.json"

    @property
    def metrics_csv(self) -> Path:
        """The figures of training as CSV."""
        return self.folder / "metrics.csv"

    def train_overlap(self, split: str) -> Path:
        """The overlap of `dev` or `test` with the training pairs, as checksummed JSON."""
        return self.folder / f"{split}.familiarity.json"

    def samples(self, split: str) -> Path:
        """The sentences of a split that the report shows with attention, as checksummed JSON."""
        return self.folder / f"{split}.samples.json"

    @property
    def report(self) -> Path:
        """The page that shows the run."""
        return self.folder / "report.html"

    @property
    def back_translations(self) -> Path:
        """The sources that a model made for text without translations, as lines of JSON."""
        return self.folder / "back_translations.jsonl"

    @property
    def log(self) -> Path:
        """The messages of training, for people."""
        return self.folder / "train.log"

    @property
    def metrics(self) -> Path:
        """The figures of training, one JSON object a line; see `read_metrics`."""
        return self.folder / "metrics.jsonl"

    @property
    def tensorboard(self) -> Path:
        """The folder of the same figures for TensorBoard."""
        return self.folder / "tensorboard"

    @property
    def not_finite(self) -> Path:
        """The corpus lines of the update that stopped the run, as JSON."""
        return self.folder / "not_finite.json"

    @property
    def summary(self) -> Path:
        """Where training ended, as JSON. Only a finished run has it."""
        return self.folder / "summary.json"

    @property
    def checkpoints(self) -> Path:
        """The folder of the checkpoints that training resumes from."""
        return self.folder / "checkpoints"

    @property
    def lock(self) -> Path:
        """The file that training keeps locked while it runs."""
        return self.folder / "lock"

    @property
    def bundle(self) -> Path:
        """The folder of the trained translator."""
        return self.folder / "model"

    def export(self, precision: str) -> Path:
        """The folder of the translator for onnxruntime, in `fp32` or `int8`; of a bundle too."""
        return self.folder / {"fp32": "onnx", "int8": "onnx-int8"}[precision]

    def read_metrics(self) -> tuple[list[dict[str, Any]], int]:
        """Return the figures of each line, "step" among them, and how many lines are torn.

        A full disk or a power cut leaves a torn line.
        """
        raw = self.metrics.read_bytes().splitlines() if self.metrics.is_file() else []
        lines = [line for line in map(_figures, raw) if line is not None]
        return lines, len(raw) - len(lines)

    def read_minutes(self) -> float | None:
        """Return how long training took; None where it is not finished.

        Raises UserError where the summary is damaged.
        """
        if not self.summary.is_file():
            return None
        minutes = read_json(self.summary).get("minutes")
        if not isinstance(minutes, int | float):
            raise UserError(f"{self.summary}: damaged: it has no minutes")
        return minutes

    def forget_metrics(self, step: int) -> int:
        """Drop the figures after update `step` and all torn lines; return how many are torn."""
        lines, torn = self.read_metrics()
        kept = [line for line in lines if line["step"] <= step]
        if len(kept) < len(lines) or torn:
            content = b"".join(json.dumps(line).encode() + b"\n" for line in kept)
            write_file(self.metrics, content)
        return torn

    def append_metrics(self, step: int, figures: dict[str, Any]) -> None:
        """Add the figures of an update."""
        append_line(self.metrics, json.dumps({"step": step} | figures))


def metrics_csv(run: Run) -> str:
    """Return the numbers of a run's metrics as CSV: a row for each line, a column for each name.

    Columns are in the order in which names first appear, and empty where a line has no number. Of
    several dev sets each has its own, such as dev_others.pets.dev_bleu. Torn lines are left out.
    """
    lines, _ = run.read_metrics()
    rows = [
        {name: value for name, value in flatten(line).items() if isinstance(value, int | float)}
        for line in lines
    ]
    names = dict.fromkeys(["step", *(name for row in rows for name in row)])
    table = io.StringIO()
    writer = csv.DictWriter(table, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return table.getvalue()


def flatten(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the leaves of nested `values` by full name: {"a": [{"b": 1}]} -> {"a.0.b": 1}."""
    leaves: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            leaves |= flatten(value, f"{prefix}{key}.")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            items = {str(index): item for index, item in enumerate(value)}
            leaves |= flatten(items, f"{prefix}{key}.")
        else:
            leaves[f"{prefix}{key}"] = value
    return leaves


def bundle_of(folder: Path) -> Path:
    """Return the bundle of a run's folder, or `folder` itself: users name either."""
    bundle = Run(folder).bundle
    return bundle if bundle.is_dir() else folder


def _figures(line: bytes) -> dict[str, Any] | None:
    """Return what a line of metrics holds; None where it is torn."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    whole = isinstance(values, dict) and isinstance(values.get("step"), int)
    return values if whole else None
