"""Attacks gru-mt and prints, by campaign, what was tried and what survived; exit 1 if not all did.

Each trial is a function of the seed, the campaign and its number, but for the moments at which
signals arrive. Linux alone.
"""

import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, NoReturn

import torch
import torch._dynamo  # here too since a training imports it: whatever is here costs forks nothing
import typer
from torture_runs import damage, disks, kills, operations, signals
from torture_text import configs, corpora, inputs
from torturing import Campaign, Failed, Place

import gru_mt.bundle
import gru_mt.evaluation.evaluate
import gru_mt.inference.torch_engine
import gru_mt.training.trainer  # noqa: F401 as torch._dynamo

LINE_S = 30.0  # between lines of progress
HANG_S = 300.0  # what a trial may take, all its commands together
CAMPAIGNS = {
    "configs": configs,
    "corpora": corpora,
    "inputs": inputs,
    "damage": damage,
    "kills": kills,
    "signals": signals,
    "operations": operations,
    "disks": disks,
}

Attempt = Callable[[int], str | None]  # a trial's number -> how it failed

app = typer.Typer(
    help=__doc__, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
)


class Worker:
    """A process that makes trials, one after the other."""

    def __init__(self, attempt: Attempt, indexes: list[int]) -> None:
        self.attempt = attempt
        self.indexes = indexes  # those to come, the one under way first
        self.ended = False
        self.heard_s = time.perf_counter()
        self.pipe, end = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            self._work(end)
        os.close(end)

    def _work(self, end: int) -> NoReturn:
        try:
            os.setpgid(0, 0)
            for index in self.indexes:
                os.write(end, json.dumps(self.attempt(index)).encode() + b"\n")
        finally:
            os._exit(0)

    def read(self) -> list[tuple[int, str | None]]:
        """Return what has come since the last time: a trial's number and how it failed."""
        data = os.read(self.pipe, 1 << 20)
        self.heard_s = time.perf_counter()
        if data:
            return [(self.indexes.pop(0), json.loads(line)) for line in data.splitlines()]
        self.end()
        self.ended = True
        return [(self.indexes.pop(0), "its process died or hung")] if self.indexes else []

    def end(self) -> None:
        """Kill it, and the command that it runs."""
        for number in (self.pid, -self.pid):  # a group only once it has begun
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def side_by_side(
    attempt: Attempt, indexes: Sequence[int], jobs: int
) -> Iterator[tuple[int, str | None]]:
    """Yield each index and what `attempt` returns for it, from so many processes at a time."""
    shares = [list(indexes[rank::jobs]) for rank in range(jobs)]
    begun = [Worker(attempt, share) for share in shares if share]
    workers = {worker.pipe: worker for worker in begun}
    try:
        while workers:
            ready = select.select([*workers], [], [], 1.0)[0]
            for pipe in ready:
                worker = workers[pipe]
                yield from worker.read()
                if worker.ended:
                    del workers[pipe]
                    os.close(pipe)
                    if worker.indexes:  # the others, in another process
                        worker = Worker(attempt, worker.indexes)
                        workers[worker.pipe] = worker
            for worker in workers.values():
                if time.perf_counter() - worker.heard_s > HANG_S:
                    worker.end()  # its pipe tells next time
    finally:
        for worker in workers.values():
            worker.end()


def attempt(
    campaign: Campaign, name: str, seed: int, place: Place, kept: Path | None, index: int
) -> str | None:
    """Make a trial; return how it failed."""
    folder = place.folder / f"{name}-{index}"
    folder.mkdir()
    failure = None
    try:
        campaign.trial(index, random.Random(f"{seed}/{name}/{index}"), folder)
    except Failed as error:
        failure = str(error)
    except Exception:
        failure = f"a mistake of torture's own: {traceback.format_exc(limit=-2)}"
    if failure and kept:
        shutil.copytree(folder, kept / folder.name, symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    return failure and failure[:1000]


@app.command(help=__doc__)
def torture(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[CAMPAIGN]...", help=", ".join(CAMPAIGNS))
    ] = None,
    seed: Annotated[int, typer.Option(help="What the trials are drawn by.")] = 1,
    times: Annotated[float, typer.Option(help="So many times the usual counts.")] = 1.0,
    only: Annotated[int | None, typer.Option(help="The number of the one trial to make.")] = None,
    kept: Annotated[Path | None, typer.Option(help="Where folders of failures go.")] = None,
    jobs: Annotated[int, typer.Option(help="Trials at a time.")] = os.cpu_count() or 1,
) -> None:
    torch.set_num_threads(1)  # a fork has no threads but its own
    if odd := [name for name in names or [] if name not in CAMPAIGNS]:
        raise typer.BadParameter(f"{odd[0]}: expected {', '.join(CAMPAIGNS)}")
    rows, repeat = [], f"--seed {seed}" + (f" --times {times:g}" if times != 1 else "")
    with tempfile.TemporaryDirectory(prefix="torture-", ignore_cleanup_errors=True) as folder:
        for name in names or CAMPAIGNS:
            started_s = said_s = time.perf_counter()
            place = Place(Path(folder).resolve() / name, times)
            place.folder.mkdir()
            campaign = CAMPAIGNS[name](place)
            indexes = range(campaign.count) if only is None else [only]
            failed = 0
            trials = side_by_side(
                partial(attempt, campaign, name, seed, place, kept), indexes, jobs
            )
            for count, (index, failure) in enumerate(trials, start=1):
                if failure:
                    failed += 1
                    print(f"{name} {index}: {failure} [{name} {repeat} --only {index}]", flush=True)
                if time.perf_counter() - said_s > LINE_S:
                    said_s = time.perf_counter()
                    print(f"{name}: {count:,} of {len(indexes):,} tried", file=sys.stderr)
            took_s = time.perf_counter() - started_s
            rows.append((name, len(indexes), len(indexes) - failed, took_s))
            print(f"{name}: {len(indexes):,} tried in {took_s:.0f} s", file=sys.stderr)
    print(f"{'campaign':<12}{'tried':>8}{'survived':>10}{'seconds':>9}")
    for name, count, survived, took_s in rows:
        print(f"{name:<12}{count:>8,}{survived:>10,}{took_s:>9.0f}")
    sys.exit(any(survived < count for _, count, survived, _ in rows))


if __name__ == "__main__":
    app()
