"""The folder of a run: where each of its files is.

`gru-mt train` makes a run, and every other command reads one. Only this module knows the names of
the files. What is in a file, the module that writes it knows.
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


class RunFile:
    """The path of a file, or a folder, of a run: `run.folder` and a name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, run: "Run", owner: type["Run"]) -> Path:
        """Return the path in `run`."""
        return run.folder / self._name


@dataclass(frozen=True)
class Run:
    """The paths of a run's files, whether they are there or not."""

    folder: Path

    # What is trained on
    config = RunFile(CONFIG)  # every value
    corpus_report = RunFile("corpus.json")  # counts of the corpora's lines; the start's provenance
    data = RunFile("data")  # a folder: the training pairs as ids; see `data.dataset.dataset`
    attribution = RunFile("attribution.txt")  # the credit that a corpus's licence asks for, if any
    back_translations = RunFile("back_translations.jsonl")  # sources made for monolingual text

    # Training
    lock = RunFile("lock")  # locked while a process trains
    log = RunFile("train.log")  # messages, for people
    metrics = RunFile("metrics.jsonl")  # one JSON object a line; see `read_metrics`
    tensorboard = RunFile("tensorboard")  # a folder: the same for TensorBoard
    checkpoints = RunFile("checkpoints")  # a folder: what training resumes from
    not_finite = RunFile("not_finite.json")  # the corpus lines of the update that stopped the run
    summary = RunFile("summary.json")  # where training ended; only a finished run has it
    bundle = RunFile("model")  # a folder: the trained translator

    # The report
    report = RunFile("report.html")
    metrics_csv = RunFile("metrics.csv")

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

    def evaluation_sets(self, split: str) -> Path:
        """The sets of the split `dev` or `test`, as checksummed JSON; so are the next four."""
        return self.folder / f"{split}.json"

    def hypotheses(self, split: str) -> Path:
        """What the translator made of the split."""
        return self.folder / f"{split}.hypotheses.json"

    def robustness(self, split: str) -> Path:
        """BLEU on the perturbed sources of the split."""
        return self.folder / f"{split}.real.json"

    def train_overlap(self, split: str) -> Path:
        """The overlap of the split with the training pairs."""
        return self.folder / f"{split}.familiarity.json"

    def samples(self, split: str) -> Path:
        """The sentences of the split that the report shows with attention."""
        return self.folder / f"{split}.samples.json"

    def export(self, precision: str) -> Path:
        """The folder of the translator for onnxruntime, in `fp32` or `int8`; of a bundle too."""
        return self.folder / {"fp32": "onnx", "int8": "onnx-int8"}[precision]

    def read_metrics(self) -> tuple[list[dict[str, Any]], int]:
        """Return the values of each line, "step" among them, and how many lines are truncated.

        A full disk or a power cut leaves a truncated line.
        """
        raw = self.metrics.read_bytes().splitlines() if self.metrics.is_file() else []
        lines = [line for line in map(_parse_metrics, raw) if line is not None]
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

    def drop_metrics_after(self, step: int) -> int:
        """Drop the lines after update `step` and truncated ones; return how many are truncated."""
        lines, truncated = self.read_metrics()
        kept = [line for line in lines if line["step"] <= step]
        if len(kept) < len(lines) or truncated:
            content = b"".join(json.dumps(line).encode() + b"\n" for line in kept)
            write_file(self.metrics, content)
        return truncated

    def append_metrics(self, step: int, values: dict[str, Any]) -> None:
        """Add the line of an update."""
        append_line(self.metrics, json.dumps({"step": step} | values))


def metrics_csv(run: Run) -> str:
    """Return the numbers of a run's metrics as CSV: a row for each line, a column for each name.

    Columns are in the order in which names first appear, and empty where a line has no number.
    Further dev sets have columns such as dev_others.pets.dev_bleu. Truncated lines are left out.
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


def _parse_metrics(line: bytes) -> dict[str, Any] | None:
    """Return what a line of metrics holds; None where it is truncated."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    whole = isinstance(values, dict) and isinstance(values.get("step"), int)
    return values if whole else None
