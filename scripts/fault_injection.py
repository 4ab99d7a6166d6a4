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
from pathlib import Path
from typing import Annotated

import torch
import torch._dynamo  # a training imports it: imported here, it costs the forks no time
import typer
from faults.checks import Failed
from faults.commands import run_trials
from faults.configs import configs
from faults.damage import damage
from faults.disks import disks
from faults.kills import kills, operations, signals
from faults.texts import corpora, inputs
from faults.workspace import Workspace

import gru_mt.bundle
import gru_mt.evaluation.evaluate
import gru_mt.inference.engines.torch_engine
import gru_mt.training.train  # noqa: F401 as torch._dynamo

PROGRESS_S = 30.0  # between lines of progress
SUITES = {
    suite.__name__: suite
    for suite in (configs, corpora, inputs, damage, kills, signals, operations, disks)
}

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=__doc__)
def fault_injection(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[SUITE]...", help=", ".join(SUITES))
    ] = None,
    seed: Annotated[int, typer.Option(help="What the trials are drawn by.")] = 1,
    times: Annotated[float, typer.Option(help="A factor of the usual counts.")] = 1.0,
    only: Annotated[int | None, typer.Option(help="The number of the one trial to run.")] = None,
    failures: Annotated[Path | None, typer.Option(help="Where folders of failures go.")] = None,
    jobs: Annotated[int, typer.Option(help="Trials at a time.")] = os.cpu_count() or 1,
) -> None:
    torch.set_num_threads(1)  # a fork has only the thread that forked
    if unknown := [name for name in names or [] if name not in SUITES]:
        raise typer.BadParameter(f"{unknown[0]}: expected {', '.join(SUITES)}")
    rows = []
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as folder:
        workspace = Workspace(Path(folder).resolve(), times)
        for name in names or SUITES:
            started_s = time.perf_counter()
            count, passed = run_suite(workspace, name, seed, only, failures, jobs)
            rows.append((name, count, passed, time.perf_counter() - started_s))
    print(f"{'suite':<12}{'trials':>8}{'passed':>8}{'seconds':>9}")
    for name, count, passed, seconds in rows:
        print(f"{name:<12}{count:>8,}{passed:>8,}{seconds:>9.0f}")
    sys.exit(any(passed < count for _, count, passed, _ in rows))


def run_suite(
    workspace: Workspace, name: str, seed: int, only: int | None, kept: Path | None, jobs: int
) -> tuple[int, int]:
    """Run a suite and print each failure; return how many trials there were and passed."""
    try:
        suite = SUITES[name](workspace)
    except Failed as error:
        print(f"{name}: undisturbed: {error}", flush=True)
        return 1, 0

    def trial(index: int) -> str | None:
        """Run a trial; return how it failed, or None."""
        folder = workspace.folder / f"{name}-{index}"
        folder.mkdir()
        failure = None
        try:
            suite.trial(index, random.Random(f"{seed}/{name}/{index}"), folder)
        except Failed as error:
            failure = str(error)[:1000]
        except Exception:
            traceback.print_exc()
            failure = "a mistake of the suite's own, above"
        if failure and kept:
            shutil.copytree(folder, kept / folder.name, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        return failure

    count = max(1, round(suite.count * workspace.times))
    indexes = range(count) if only is None else [only]
    again = f"scripts/fault_injection {name} --seed {seed} --times {workspace.times:g} --only"
    failed, printed_s = 0, time.perf_counter()
    for done, (index, failure) in enumerate(run_trials(trial, indexes, jobs), start=1):
        if failure:
            failed += 1
            print(f"{name}: {failure} [{again} {index}]", flush=True)
        if time.perf_counter() - printed_s > PROGRESS_S:
            printed_s = time.perf_counter()
            print(f"{name}: {done:,} of {len(indexes):,} run", file=sys.stderr)
    return len(indexes), len(indexes) - failed


if __name__ == "__main__":
    app()
