"""Kills and signals: before each operation on files, and at random moments."""

import os
import random
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from faults.checks import Failed, check, during
from faults.commands import STOPS, nothing
from faults.scenarios import Scenarios, watch_files

UPDATES = 10  # that a run may make after a signal before the signal counts as lost
PYTHON_S = 3.0  # what the imports of a command take at most


def points(scenarios: Scenarios) -> list[tuple[str, int]]:
    """Return the name of each command with the number of each of its operations on files."""
    found = [
        (scenario.name, number)
        for scenario in scenarios.values()
        for number in range(len(scenario.operations))
        if scenario.name != "export" or number % 6 == 0  # an export takes ten seconds
    ]
    random.Random(1).shuffle(found)  # so that a few of them are spread over all
    return found


def operations(scenarios: Scenarios, index: int, rng: random.Random, folder: Path) -> None:
    """Kill a command before one of its operations on files, and run it again."""
    found = points(scenarios)
    name, number = found[index % len(found)]
    tested = scenarios[name]
    tested.prepare(folder)
    share = rng.choice([0.0, rng.random(), 1.0])
    ended = tested.begin(folder, first=partial(kill_before, folder, number, share))
    if ended.code != -signal.SIGKILL:
        raise Failed(f"{name}: no operation {number}: {ended.cause()}")
    with during(f"{name} killed before operation {number} ({tested.operations[number]})"):
        if name == "longer":
            check(scenarios["translate"].begin(folder), code=0)
        tested.finish(folder)


def kill_before(folder: Path, number: int, share: float) -> None:
    """Have this process killed before its operation on files number `number`.

    Of its last write only the part `share`, from 0 to 1, stays on disk, as if the kill had come
    during that write.
    """
    last: list[tuple[Path, int]] = []  # the file opened last, and its size then

    def act(count: int, operation: str, path: Path) -> None:
        size = path.stat().st_size if operation == "open" and path.is_file() else 0
        if count < number:
            last[:] = [(path, size)] if operation in ("open", "create") else []
            return
        if path.suffix == ".part" and size:  # opened to be flushed: it has just been written
            last[:] = [(path, 0)]
        for written, before in last:
            if written.is_file() and (more := written.stat().st_size - before) > 0:
                os.truncate(written, before + int(share * more))
        os.kill(os.getpid(), signal.SIGKILL)

    watch_files(folder, act)


def kills(scenarios: Scenarios, index: int, rng: random.Random, folder: Path) -> None:
    """Kill or stop a command at random moments, several times, and let it end.

    One time in five it begins as users start it. One signal in five comes twice.
    """
    names = [name for name in scenarios if name != "export"]
    tested = scenarios[rng.choice(["fresh", "fresh", *names])]
    is_new, run, history = index % 5 == 0, folder / "run", list[str]()
    first = partial(start_python, tested.arguments) if is_new else nothing
    tested.prepare(folder)
    for _ in range(rng.randint(1, 4)):
        seconds = rng.random() * (1.2 * tested.seconds + (PYTHON_S if is_new else 0.0))
        number, seen = rng.choice([signal.SIGKILL, *STOPS]), list[int]()
        stops = [(seconds, number)]
        if rng.random() < 0.2:
            stops.append((seconds + rng.random() * 0.05, number))
        moments = " and ".join(f"{number.name} at {at_s:.2f} s" for at_s, _ in stops)
        history.append(f"{tested.name}: {moments}")
        with during(", ".join(history)):
            note = partial(lambda seen: seen.append(updates(run)), seen)
            ended = check(tested.begin(folder, first=first, stops=stops, on_stop=note))
            if ended.code == 0 and seen and updates(run) - seen[0] > UPDATES:
                raise Failed("the signal was lost")
            if ended.code in [128 + number for number in STOPS] and updates(run):
                check(scenarios["translate"].begin(folder), code=0)
    with during(", ".join(history)):
        tested.finish(folder)


def start_python(arguments: Sequence[str]) -> None:
    """Let this process become the command as users start it, Python's own start included."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    os.execve(sys.executable, [sys.executable, "-m", "gru_mt", *arguments], environment)


def updates(run: Path) -> int:
    """Return how many lines a run's metrics have."""
    with suppress(OSError):
        return (run / "metrics.jsonl").read_bytes().count(b"\n")
    return 0
