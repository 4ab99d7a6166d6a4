"""Runs commands and records figures: prints one on each line, adds one line a run to a file."""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
import timeit
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from gru_mt.run import flatten

RESULTS = Path("scripts/results")
PACKAGES = ("gru-mt", "numpy", "onnxruntime", "sacrebleu", "sentencepiece", "torch")
SQUARE = 1_024  # rows of a matrix

Figures = dict[str, Any]


class Finished(NamedTuple):
    """The result of a command; its peak is the largest resident set, in 1,000,000 bytes."""

    wall_s: float
    peak_mb: float
    stdout: str


def gru_mt(*arguments: str | Path | int) -> Finished:
    """Run a gru-mt command to its end; raises CalledProcessError where it fails.

    On Linux its peak is at least that of the process that starts it: do not import torch before.
    """
    command = [sys.executable, "-m", "gru_mt", *map(str, arguments)]
    started_s = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout, "it is a pipe"
        stdout = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - started_s
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Finished(wall_s, usage.ru_maxrss * 1024 / 1e6, stdout)


def train(config: Path, run: Path, settings: Sequence[str], *options: str) -> Finished:
    """Run `gru-mt train` with settings such as "training.seed=1"."""
    values = [f"--set={setting}" for setting in settings]
    return gru_mt("train", "--config", config, "--run", run, *options, *values)


def schedule(updates: int) -> list[str]:
    """Return the settings of a whole schedule of so many updates, with validation at its end."""
    names = ("max_steps", "validate_steps", "max_epochs")  # an epoch has at least one update
    return [*(f"training.{name}={updates}" for name in names), "training.checkpoint_minutes=60"]


def machine() -> Figures:
    """Return what figures depend on.

    Processors of one name may differ in speed by half, and a shared one is slower at some hours. So
    the GFLOP/s at which the CPU multiplies just now are measured: no figure can be better. That is
    done in fp32, and in bf16 where training takes it.
    """
    import torch

    from gru_mt.model import device

    found = device.machine()
    for kind in {torch.float32, device.resolve_precision("auto", torch.device("cpu"))}:
        square = torch.ones(SQUARE, SQUARE, dtype=kind)
        best_s = min(timeit.repeat("x @ x", number=1, repeat=10, globals={"x": square}))
        name = "fp32" if kind == torch.float32 else "bf16"
        found[f"{name}_gflops"] = round(2 * SQUARE**3 / best_s / 1e9)
    memory_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return found | {"memory_gb": round(memory_gb, 1)}


def commit() -> str | None:
    """Return the commit, with +changes if tracked files differ; None where git knows none."""

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)

    head = git("rev-parse", "--short", "HEAD")
    if head.returncode:
        return None
    others = (".", f":!{RESULTS}")  # earlier results do not change what is measured now
    differs = git("diff", "--quiet", "HEAD", "--", *others).returncode
    return head.stdout.strip() + ("+changes" if differs else "")


def begin(track: str, settings: Figures) -> Figures:
    """Return the beginning of a line of results: what is measured, when, and of what code."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):  # onnxruntime need not be there
            versions[package] = version(package)
    date = datetime.now(UTC).isoformat(timespec="seconds")
    about = {"date": date, "commit": commit(), "versions": versions}
    return {**about, "track": track, "settings": settings}


def record(line: Figures, figures: Figures, name: str = "") -> None:
    """Print the figures, and add the line with them to a file of results: the track's, or `name`.

    The machine is measured now, so that no command before has had to share memory with torch.
    """
    # No figure is exact to more than five digits.
    rounded = json.loads(json.dumps(figures), parse_float=lambda text: float(f"{float(text):.5g}"))
    print(f"{line['track']}:", ", ".join(f"{key} {of}" for key, of in line["settings"].items()))
    for key, figure in flatten(rounded).items():
        print(f"{key:<40} {figure}", flush=True)
    line = {**line, "machine": machine(), "figures": rounded}
    path = RESULTS / f"{name or line['track']}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(line, ensure_ascii=False, sort_keys=True)}\n")
    print(f"a line was added to {path}", file=sys.stderr)


def print_means(runs: Sequence[Figures]) -> None:
    """Print the mean over runs of each number among their figures, and its range."""
    values: dict[str, list[float]] = defaultdict(list)
    for name, figure in (item for figures in runs for item in flatten(figures).items()):
        if isinstance(figure, int | float):
            values[name].append(figure)
    print(f"means over {len(runs)} runs")
    for name, found in values.items():
        span = f"{min(found):.5g} to {max(found):.5g}, of {len(found)}"
        print(f"{name:<40} {statistics.fmean(found):.5g} ({span})")


def spread(values: Sequence[float]) -> Figures:
    """Return the median of several measurements, and all of them."""
    return {"median": statistics.median(values), "values": list(values)}
