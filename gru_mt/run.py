"""The folder of a run, and the names of its files; what is in them, their writers know."""

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gru_mt.errors import UserError, short_text
from gru_mt.storage import append_line, read_json, write_file

RUNS = Path("runs")  # where runs are, unless a command names another folder
CONFIG = "config.yaml"  # of a run, and of a bundle
WEIGHTS = "weights.safetensors"  # of a bundle,
PROVENANCE = "provenance.json"  # and what it was trained on


def check_path(path: Path) -> None:
    """Raise UserError where nothing is at the path of a run or a model."""
    if not path.exists():
        in_runs = RUNS / path
        hint = f"; did you mean {short_text(in_runs)}?" if in_runs.is_dir() else ""
        raise UserError(f"{short_text(path)}: there is no such file or folder{hint}")


class RunFile:
    """The path of a file, or a folder, of a run: `run.folder` and a name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, run: "Run", owner: type["Run"]) -> Path:
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
    taught = RunFile("taught.jsonl")  # translations that data.teachers made

    # Training
    lock = RunFile("lock")  # locked while a process trains
    log = RunFile("train.log")  # messages, for people
    metrics = RunFile("metrics.jsonl")  # one JSON object a line; see `read_metrics`
    tensorboard = RunFile("tensorboard")  # a folder: the same for TensorBoard
    checkpoints = RunFile("checkpoints")  # a folder: what training resumes from
    not_finite = RunFile("not_finite.json")  # the corpus lines of the update that stopped the run
    summary = RunFile("summary.json")  # where training ended; only a finished run has it
    bundle = RunFile("model")  # a folder: the trained translator
    corrections = RunFile("corrections.jsonl")  # of translations; see `corrections.store`
    learned = RunFile("learned.json")  # what became of them; see `corrections.learn`
    bundle_before = RunFile("model-before")  # a folder: the translator before it learned them

    # The report
    report = RunFile("report.html")
    metrics_csv = RunFile("metrics.csv")

    @classmethod
    def finished(cls, runs: Path = RUNS) -> list["Run"]:
        """Return the finished runs in `runs`, the newest first; UserError without any."""
        summaries = runs.glob(f"*/{cls(Path()).summary}")
        newest_first = sorted(summaries, key=lambda path: path.stat().st_mtime, reverse=True)
        if not newest_first:
            begun = sorted(str(path.parents[1]) for path in runs.glob(f"*/model/{WEIGHTS}"))
            hint = f"; not finished, but with a translator: {', '.join(begun)}" if begun else ""
            raise UserError(
                f"no finished run in {runs.absolute()}: train one with gru-mt train, or name one "
                f"with --model{hint}"
            )
        return [cls(path.parent) for path in newest_first]

    @classmethod
    def newest(cls, runs: Path = RUNS) -> "Run":
        """Return the run in `runs` that finished last; UserError where none has."""
        return cls.finished(runs)[0]

    # Checksummed JSON about a split, `dev` or `test`

    def evaluation_sets(self, split: str) -> Path:
        return self.folder / f"{split}.json"

    def hypotheses(self, split: str) -> Path:
        return self.folder / f"{split}.hypotheses.json"

    def robustness(self, split: str) -> Path:
        return self.folder / f"{split}.real.json"

    def train_overlap(self, split: str) -> Path:
        return self.folder / f"{split}.overlap.json"

    def samples(self, split: str) -> Path:
        return self.folder / f"{split}.samples.json"

    def export(self, precision: str) -> Path:
        """The folder of the translator for onnxruntime, in `fp32` or `int8`; of a bundle too."""
        return self.folder / {"fp32": "onnx", "int8": "onnx-int8"}[precision]

    def read_metrics(self) -> tuple[list[dict[str, Any]], int]:
        """Return the values of each line, "step" among them, and how many lines are truncated."""
        lines, truncated = [], 0
        for line in self.metrics.read_bytes().splitlines() if self.metrics.is_file() else []:
            try:
                values = json.loads(line)
            except (ValueError, RecursionError):
                values = None
            if isinstance(values, dict) and isinstance(values.get("step"), int):
                lines.append(values)
            else:
                truncated += 1
        return lines, truncated

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
            write_file(self.metrics, "".join(f"{json.dumps(line)}\n" for line in kept).encode())
        return truncated

    def append_metrics(self, step: int, values: dict[str, Any]) -> None:
        """Add the line of an update."""
        append_line(self.metrics, json.dumps({"step": step} | values))


def metrics_csv(run: Run) -> str:
    """Return the numbers of a run's metrics as CSV: a row for each line, a column for each name.

    Columns are in the order in which names first appear, and empty where a line has no number.
    Further dev sets have columns such as dev_others.pets.dev_bleu. Truncated lines are left out.
    """
    rows = [
        {name: value for name, value in flatten(line).items() if isinstance(value, int | float)}
        for line in run.read_metrics()[0]
    ]
    table = io.StringIO()
    names = dict.fromkeys(["step", *(name for row in rows for name in row)])
    writer = csv.DictWriter(table, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return table.getvalue()


def flatten(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the leaves of nested `values` by full name: {"a": [{"b": 1}]} -> {"a.0.b": 1}."""
    leaves: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            value = {str(index): item for index, item in enumerate(value)}
        if isinstance(value, dict):
            leaves |= flatten(value, f"{prefix}{key}.")
        else:
            leaves[f"{prefix}{key}"] = value
    return leaves


def named(folder: Path) -> Path:
    """Return a folder by a path that ends with its name, as "." and ".." do not."""
    return folder if folder.name not in ("", "..") else folder.resolve()


def bundle_of(folder: Path) -> Path:
    """Return the bundle of a run's folder, or `folder` itself: users name either."""
    bundle = Run(folder).bundle
    return bundle if bundle.is_dir() else folder
