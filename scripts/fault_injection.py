"""Injects faults into gru-mt; prints how many trials of each suite passed; exit 1 if not all did.

A trial is a function of the seed, the suite and its number, but for the moments at which signals
arrive. Linux alone.
"""

import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import torch
import typer
from faults.checks import Failed
from faults.commands import FORK
from faults.configs import configs
from faults.damage import damage
from faults.disks import disks
from faults.kills import kills, operations, points
from faults.scenarios import Scenarios, make_scenarios
from faults.server import server
from faults.texts import corpora, inputs
from tqdm import tqdm

import gru_mt.bundle
import gru_mt.cli.commands.translation.serve
import gru_mt.evaluation.evaluate
import gru_mt.inference.engines.torch_engine
import gru_mt.training.train  # noqa: F401 imported here, they cost the forks no time

# A trial gets its number, randomness and an empty folder, and raises Failed.
Suite = Callable[[Scenarios, int, random.Random, Path], None]
SUITES: tuple[Suite, ...] = (configs, corpora, inputs, damage, kills, operations, disks, server)
COUNTS = {"configs": 2500, "corpora": 600, "inputs": 320, "damage": 500, "kills": 120, "disks": 80}
COUNTS["server"] = 28
NAMES = [suite.__name__ for suite in SUITES]
tqdm.monitor_interval = 0  # no thread: forks would lose it

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=__doc__)
def fault_injection(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[SUITE]...", help=", ".join(NAMES))
    ] = None,
    seed: Annotated[int, typer.Option(help="What the trials are drawn by.")] = 1,
    times: Annotated[float, typer.Option(help="A factor of the usual counts.")] = 1.0,
    only: Annotated[int | None, typer.Option(help="The number of the one trial to run.")] = None,
    jobs: Annotated[int, typer.Option(help="Trials at a time.")] = os.cpu_count() or 1,
) -> None:
    torch.set_num_threads(1)  # a fork has only the thread that forked
    if unknown := [name for name in names or [] if name not in NAMES]:
        raise typer.BadParameter(f"{unknown[0]}: expected {', '.join(NAMES)}")
    has_onnx = all(map(find_spec, ("onnx", "onnxscript", "onnxruntime")))
    table = [f"{'suite':<12}{'trials':>8}{'passed':>8}{'seconds':>9}"]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as folder:
        try:
            exports = has_onnx and times >= 0.5  # an export takes ten seconds
            scenarios = make_scenarios(Path(folder).resolve(), exports=exports)
        except Failed as why:
            sys.exit(f"undisturbed: {why}")
        for suite in SUITES:
            name, started_s = suite.__name__, time.perf_counter()
            if names and name not in names:
                continue
            if suite is server and not find_spec("uvicorn"):
                print("server: left out; it needs the extra serve", file=sys.stderr)
                continue
            usual = COUNTS.get(name) or len(points(scenarios))  # `operations` tries each once
            indexes = range(max(1, round(times * usual))) if only is None else [only]
            failures = run_suite(suite, scenarios, seed, indexes, jobs)
            again = f"scripts/fault_injection {name} --seed {seed} --times {times:g} --only"
            for index, failure in failures:
                print(f"{name}: {failure} [{again} {index}]", flush=True)
            failed += len(failures)
            passed, seconds = len(indexes) - len(failures), time.perf_counter() - started_s
            table.append(f"{name:<12}{len(indexes):>8,}{passed:>8,}{seconds:>9.0f}")
    print("\n".join(table))
    sys.exit(failed > 0)


def run_suite(
    suite: Suite, scenarios: Scenarios, seed: int, indexes: Sequence[int], jobs: int
) -> list[tuple[int, str]]:
    """Run trials of a suite; return the number of each that failed, and how it did."""
    trial = partial(run_trial, suite, scenarios, seed)
    with ProcessPoolExecutor(jobs, FORK) as pool:
        found = tqdm(pool.map(trial, indexes), suite.__name__, len(indexes), mininterval=5)
        return [(index, how) for index, how in zip(indexes, found, strict=True) if how]


def run_trial(suite: Suite, scenarios: Scenarios, seed: int, index: int) -> str | None:
    """Run a trial in a folder of its own; return how it failed, or None."""
    folder = scenarios["fresh"].place.with_name(f"{suite.__name__}-{index}")
    folder.mkdir()
    try:
        suite(scenarios, index, random.Random(f"{seed}/{suite.__name__}/{index}"), folder)
    except Failed as failure:
        return str(failure)[:1000]
    except Exception:
        traceback.print_exc()
        return "a mistake of the suite's own, above"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return None


if __name__ == "__main__":
    app()
