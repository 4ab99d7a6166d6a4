"""Measures speed and memory on this machine, and prints a line a figure.

Run it on an otherwise idle machine. Every figure is the median of several, with the least and the
most; each command is a process of its own, as a user starts it.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

WARM_UP, WINDOW, WINDOWS = 100, 100, 3  # updates; windows of them after the warm-up


@dataclass(frozen=True, slots=True)
class Finished:
    """What a command came to."""

    wall_s: float
    peak_mb: float  # the largest resident set, in units of 1,000,000 bytes
    stdout: str


def gru_mt(*arguments: str | Path) -> Finished:
    """Run a command to its end; raises CalledProcessError where it fails."""
    command = [sys.executable, "-m", "gru_mt", *map(str, arguments)]
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        started_s = time.perf_counter()
        process = subprocess.Popen(command, stdout=stdout, stderr=stderr)
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - started_s
        stdout.seek(0)
        stderr.seek(0)
        if code := os.waitstatus_to_exitcode(status):
            print(stderr.read(), file=sys.stderr)
            raise subprocess.CalledProcessError(code, command)
        return Finished(wall_s, usage.ru_maxrss * 1024 / 1e6, stdout.read())


def show(name: str, values: Sequence[float], unit: str) -> None:
    """Print a figure: median, least and most."""
    digits = 2 if max(values) < 10 else 0
    low, middle, high = (
        f"{value:,.{digits}f}" for value in (min(values), statistics.median(values), max(values))
    )
    print(f"{name:<46} {middle:>9} {unit:<16} ({low} to {high}, of {len(values)})", flush=True)


def bench_startup(model: Path | None) -> None:
    """Time the commands that do little."""
    show("gru-mt --help", [gru_mt("--help").wall_s for _ in range(9)], "s")
    if model:
        runs = [gru_mt("translate", "--model", model, "How are you?") for _ in range(5)]
        show("gru-mt translate, one sentence, cold", [run.wall_s for run in runs], "s")
        show("  its peak memory", [run.peak_mb for run in runs], "MB")


def train(
    config: Path, run: Path, corpus: str, steps: int, window: int, **settings: str | int
) -> tuple[Finished, list[float]]:
    """Train for `steps` updates, a whole schedule, without a checkpoint or validation before.

    Returns also the target tokens a second of each window of updates after the warm-up.
    """
    settings |= {
        "data.corpus": corpus,
        "training.max_steps": steps,
        "training.log_steps": window,
        "training.validate_steps": steps,
        "training.checkpoint_minutes": 60,
    }
    overrides = [f"--set={name}={value}" for name, value in settings.items()]
    finished = gru_mt("train", "--config", config, "--run", run, *overrides)
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    speeds = [line["tokens_s"] for line in lines if line["step"] > WARM_UP and "tokens_s" in line]
    return finished, speeds


def bench_training(name: str, config: Path, corpus: str) -> None:
    """Measure target tokens a second, validation and warm-up left out, and peak memory."""
    steps = WARM_UP + WINDOW * WINDOWS
    with tempfile.TemporaryDirectory() as folder:
        finished, speeds = train(config, Path(folder) / "run", corpus, steps, WINDOW)
    show(f"training {name}", speeds, "target tokens/s")
    show(f"  its peak memory over {steps} updates", [finished.peak_mb], "MB")


def bench_decoding(model: Path) -> None:
    """Measure the test set's sentences a second, loading and scoring left out."""
    for beam, name in ((5, "test set at beam 5"), (1, "test set, greedy")):
        speeds = []
        for _ in range(3):
            output = gru_mt("eval", "--model", model, "--beam", str(beam), "--json").stdout
            speeds.append(json.loads(output)["sentences_s"])
        show(name, speeds, "sentences/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default="fra-eng", help="fra-eng, or where it lies")
    parser.add_argument("--model", type=Path, help="a run on fra-eng, for decoding and start-up")
    arguments = parser.parse_args()
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"{torch.get_num_threads()} threads, Python {platform.python_version()}, "
        f"torch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}"
    )
    bench_startup(arguments.model)
    bench_training("at R1", Path("configs/r1.yaml"), arguments.corpus)
    bench_training("configs/fra-eng.yaml", Path("configs/fra-eng.yaml"), arguments.corpus)
    if arguments.model:
        bench_decoding(arguments.model)
    else:
        print("decoding: not measured; name a trained run with --model", file=sys.stderr)


if __name__ == "__main__":
    main()
