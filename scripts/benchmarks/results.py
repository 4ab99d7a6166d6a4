"""Runs commands and records figures: prints one on each line, adds one line a run to a file."""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gru_mt.run import flatten

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
    git = ["git", "-C", str(checkout)]
    command = [*git, "rev-parse", "--short", "HEAD"]
    try:
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
    others = (".", f":!{RESULTS}")  # earlier results do not change what is measured now
    differs = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", *others], check=False)
    return f"{found}+changes" if differs.returncode else found


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
    print(
        f"{line['track']}:",
        ", ".join(f"{name} {value}" for name, value in line["settings"].items()),
    )
    for name, figure in flatten(dict(figures)).items():
        print(f"{name:<40} {readable(figure)}", flush=True)
    # No figure is exact to more than five digits.
    rounded = json.loads(json.dumps(figures), parse_float=lambda text: float(f"{float(text):.5g}"))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line | {"figures": rounded}, ensure_ascii=False, sort_keys=True))
        file.write("\n")
    print(f"a line was added to {path}", file=sys.stderr)


def print_means(runs: Sequence[Mapping[str, Any]]) -> None:
    """Print the mean over runs of each number among their figures, and its range."""
    if len(runs) < 2:
        return
    print(f"means over {len(runs)} runs")
    values: dict[str, list[float]] = {}
    for figures in runs:
        for name, figure in flatten(dict(figures)).items():
            if isinstance(figure, int | float):
                values.setdefault(name, []).append(figure)
    for name, found in values.items():
        span = f"{readable(min(found))} to {readable(max(found))}, of {len(found)}"
        print(f"{name:<40} {readable(statistics.fmean(found))} ({span})")


def spread(values: Sequence[float]) -> dict[str, Any]:
    """Return the median of several measurements, and all of them."""
    return {"median": statistics.median(values), "values": list(values)}


def readable(figure: Any) -> str:
    """Return a figure as text: 0.0612 -> 0.06, 3864 -> 3,864, [1, 2] -> 1, 2."""
    if isinstance(figure, list):
        return ", ".join(map(readable, figure))
    if isinstance(figure, int | float):
        digits = 0 if isinstance(figure, int) or figure >= 100 else 1 if figure >= 10 else 2
        return f"{figure:,.{digits}f}"
    return str(figure)
