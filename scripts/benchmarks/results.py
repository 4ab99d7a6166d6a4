"""Runs commands and records figures: prints one on each line, adds one line a run to a file."""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RESULTS = Path("scripts/results")
PACKAGES = ("gru-mt", "numpy", "onnxruntime", "sacrebleu", "sentencepiece", "torch")


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a command."""

    wall_s: float
    peak_mb: float  # the largest resident set, in units of 1,000,000 bytes
    stdout: str


def run_python(*arguments: str | Path | int, threads: int | None = None) -> Finished:
    """Run Python to its end, its stderr on ours; raises CalledProcessError where it fails.

    On Linux its peak is at least that of the process that starts it: do not import torch there.
    """
    command = [sys.executable, *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, [ROOT / "scripts", ROOT]))}
    environment |= {"OMP_NUM_THREADS": str(threads)} if threads else {}
    started_s = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout, "it is a pipe"
        stdout = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - started_s
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Finished(wall_s, usage.ru_maxrss * 1024 / 1e6, stdout)


def gru_mt(*arguments: str | Path | int, threads: int | None = None) -> Finished:
    """Run a gru-mt command; see `run_python`."""
    return run_python("-m", "gru_mt", *arguments, threads=threads)


def inside(name: str, *arguments: str | Path | int) -> Any:
    """Return what a function of inside.py returns in a process of its own."""
    return json.loads(run_python("-m", "benchmarks.inside", name, *arguments).stdout)


def commit(checkout: Path) -> str | None:
    """Return the commit of a checkout, with +changes if tracked files other than results differ.

    None where git knows no commit, as in a copy without history.
    """

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(checkout), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    try:
        short = git("rev-parse", "--short", "HEAD")
        others = (".", f":!{RESULTS}")  # earlier results do not change what is measured now
        changes = git("status", "--porcelain", "--untracked-files=no", "--", *others)
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{short}+changes" if changes else short


def begin(track: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return a line of results without its figures: what is measured, when, and on what."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):  # onnxruntime need not be there
            versions[package] = version(package)
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(ROOT),
        "machine": inside("machine"),
        "versions": versions,
        "track": track,
        "settings": settings,
    }


def record(line: dict[str, Any], figures: Mapping[str, Any], path: Path) -> None:
    """Print the figures, and add the line with them to a file of results."""
    settings = ", ".join(f"{name} {value}" for name, value in line["settings"].items())
    print(f"{line['track']}: {settings}")
    for name, figure in figures.items():
        show(name, readable(figure))
    # No figure is exact to more than five digits.
    rounded = json.loads(json.dumps(figures), parse_float=lambda text: float(f"{float(text):.5g}"))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line | {"figures": rounded}, ensure_ascii=False, sort_keys=True))
        file.write("\n")
    print(f"a line was added to {path}", file=sys.stderr)


def show(name: str, figure: str) -> None:
    """Print a figure."""
    print(f"{name.replace('_', ' '):<32} {figure}", flush=True)


def print_means(runs: Sequence[Mapping[str, Any]]) -> None:
    """Print the mean over runs of each figure that is a number or a score, and its range."""
    if len(runs) < 2:
        return
    print(f"means over {len(runs)} runs")
    values: dict[str, list[float]] = {}
    for figures in runs:
        for name, value in _numbers(figures):
            values.setdefault(name, []).append(value)
    for name, found in values.items():
        show(name, f"{readable(statistics.fmean(found))} ({span(found)})")


def _numbers(figures: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, figure in figures.items():
        if isinstance(figure, int | float):
            yield name, figure
        elif isinstance(figure, dict):
            keys = {"value": name, "kept": f"{name}, % kept", "bleu": f"{name}, BLEU"}
            yield from ((keys[key], figure[key]) for key in keys if figure.get(key) is not None)


def spread(values: Sequence[float]) -> dict[str, Any]:
    """Return the median of several measurements, and all of them."""
    return {"median": statistics.median(values), "values": list(values)}


def readable(figure: Any) -> str:
    """Return a figure as text: a number, None, texts, a `spread`, a score, a row, validations."""
    match figure:
        case [str(), *_]:
            return " | ".join(figure)
        case {"median": median, "values": values}:
            return f"{readable(median)} ({span(values)})"
        case {"value": value, "low": low, "high": high, "signature": signature}:
            return f"{value:.1f} (95 % interval {low:.1f} to {high:.1f})  {signature}"
        case {"kept": kept, "sentences": sentences, "bleu": bleu, "plain_bleu": plain}:
            scores = f", BLEU {bleu:.1f}, plain {plain:.1f}" if bleu is not None else ""
            share = "none" if kept is None else f"{kept:.1f} %"
            return f"{share} (of {sentences:,} lines{scores})"
        case [*validations]:
            return ", ".join(f"{at['bleu']:.1f} at {at['minutes']:.1f} min" for at in validations)
        case None:
            return "none"
    digits = 0 if isinstance(figure, int) or figure >= 100 else 1 if figure >= 10 else 2
    return f"{figure:,.{digits}f}"


def span(values: Sequence[float]) -> str:
    """Return as text the least and the most of `values`, and how many they are."""
    return f"{readable(min(values))} to {readable(max(values))}, of {len(values)}"
