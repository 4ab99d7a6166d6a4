"""Attacks gru-mt and prints, by campaign, what was tried and what survived; exit 1 if not all did.

Each trial is a function of the seed, the campaign and its number, but for the moments at which
signals arrive. Linux alone.
"""

import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from functools import partial
from pathlib import Path
from typing import Annotated

import torch
import torch._dynamo  # a training imports it: imported here, it costs the forks no time
import typer
from torturing.configs import configs
from torturing.damage import damage
from torturing.disks import disks
from torturing.judging import Failed
from torturing.kills import kills, operations, signals
from torturing.places import Campaign, Place
from torturing.processes import side_by_side
from torturing.texts import corpora, inputs

import gru_mt.bundle
import gru_mt.evaluation.evaluate
import gru_mt.inference.engines.torch_engine
import gru_mt.training.trainer  # noqa: F401 as torch._dynamo

LINE_S = 30.0  # between lines of progress
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

app = typer.Typer(
    help=__doc__, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
)


def attempt(
    campaign: Campaign, name: str, seed: int, place: Place, kept: Path | None, index: int
) -> str | None:
    """Make a trial; return how it failed, or None."""
    folder = place.folder / f"{name}-{index}"
    folder.mkdir()
    failure = None
    try:
        campaign.trial(index, random.Random(f"{seed}/{name}/{index}"), folder)
    except Failed as error:
        failure = str(error)
    except Exception:
        traceback.print_exc()
        failure = "a mistake of torture's own, above"
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
    torch.set_num_threads(1)  # a fork has only the thread that forked
    if odd := [name for name in names or [] if name not in CAMPAIGNS]:
        raise typer.BadParameter(f"{odd[0]}: expected {', '.join(CAMPAIGNS)}")
    rows = []
    with tempfile.TemporaryDirectory(prefix="torture-", ignore_cleanup_errors=True) as folder:
        place = Place(Path(folder).resolve(), times)
        for name in names or CAMPAIGNS:
            started_s = time.perf_counter()
            count, survived = tried(place, name, seed, only, kept, jobs)
            rows.append((name, count, survived, time.perf_counter() - started_s))
    print(f"{'campaign':<12}{'tried':>8}{'survived':>10}{'seconds':>9}")
    for name, count, survived, seconds in rows:
        print(f"{name:<12}{count:>8,}{survived:>10,}{seconds:>9.0f}")
    sys.exit(any(survived < count for _, count, survived, _ in rows))


def tried(
    place: Place, name: str, seed: int, only: int | None, kept: Path | None, jobs: int
) -> tuple[int, int]:
    """Run a campaign and print each failure; return how many trials it made and survived."""
    try:
        campaign = CAMPAIGNS[name](place)
    except Failed as failed:
        print(f"{name}: undisturbed: {failed}", flush=True)
        return 1, 0
    indexes = range(campaign.count) if only is None else [only]
    repeat = f"scripts/torture {name} --seed {seed} --times {place.times:g} --only"
    failures, said_s = 0, time.perf_counter()
    trials = side_by_side(partial(attempt, campaign, name, seed, place, kept), indexes, jobs)
    for count, (index, failure) in enumerate(trials, start=1):
        if failure:
            failures += 1
            print(f"{name}: {failure} [{repeat} {index}]", flush=True)
        if time.perf_counter() - said_s > LINE_S:
            said_s = time.perf_counter()
            print(f"{name}: {count:,} of {len(indexes):,} tried", file=sys.stderr)
    return len(indexes), len(indexes) - failures


if __name__ == "__main__":
    app()
