"""Kills and signals: before each operation on files, and at random moments."""

import os
import random
import signal
from contextlib import suppress
from functools import partial
from pathlib import Path

from faults.checks import Failed, check, during
from faults.commands import STOPS, gru_mt, start_python
from faults.workspace import SENTENCES, Suite, Workspace, scenario, translate, watch_files

UPDATES = 10  # that a run may make after a signal before the signal counts as lost


def kill_before(folder: Path, number: int, share: float) -> None:
    """Have this process killed before its operation on files number `number`.

    Of its last write only the part `share`, from 0 to 1, stays on disk, as if the kill had come
    during that write.
    """
    last: list[tuple[Path, int]] = []  # the file opened last, and its size then

    def act(count: int, operation: str, path: Path) -> None:
        size = path.stat().st_size if operation == "open" and path.is_file() else 0
        if count < number:
            last[:] = [(path, 0 if path.suffix == ".part" else size)] if operation == "open" else []
            return
        if path.suffix == ".part" and size:  # opened to be flushed: it has just been written
            last[:] = [(path, 0)]
        for written, before in last:
            if written.suffix in (".part", ".log", ".jsonl") and written.is_file():
                more = written.stat().st_size - before
                os.truncate(written, before + int(share * max(0, more)))
        os.kill(os.getpid(), signal.SIGKILL)

    watch_files(folder, act)


def operations(workspace: Workspace) -> Suite:
    """Return the suite that kills a command before each of its operations on files."""
    names = ["fresh", "longer", "data", "eval", *(["export"] if workspace.exports else [])]
    points = [
        (name, number)
        for name in names
        for number in range(len(scenario(workspace, name).operations))
        if name != "export" or number % 6 == 0  # an export takes ten seconds
    ]
    random.Random(1).shuffle(points)  # so that a few of them are spread over all

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        name, number = points[index % len(points)]
        tested = scenario(workspace, name)
        tested.prepare(folder)
        share = rng.choice([0.0, rng.random(), 1.0])
        ended = tested.begin(folder, first=partial(kill_before, folder, number, share))
        if ended.code != -signal.SIGKILL:
            raise Failed(f"{name}: no operation {number}: {ended.cause()}")
        with during(f"{name} killed before operation {number} ({tested.operations[number]})"):
            if name == "longer":
                check(translate(folder), code=0)
            tested.finish(folder)

    return Suite(len(points), trial)


def random_stops(rng: random.Random, longest_s: float) -> list[tuple[float, int]]:
    """Return a random moment in seconds and a signal; one time in five, the signal comes twice."""
    seconds, number = rng.random() * longest_s, rng.choice([signal.SIGKILL, *STOPS])
    again = [(seconds + rng.random() * 0.05, number)] if rng.random() < 0.2 else []
    return [(seconds, number), *again]


def described(stops: list[tuple[float, int]]) -> str:
    return " and ".join(f"{signal.Signals(n).name} at {seconds:.2f} s" for seconds, n in stops)


def updates(run: Path) -> int:
    """Return how many lines a run's metrics have."""
    with suppress(OSError):
        return (run / "metrics.jsonl").read_bytes().count(b"\n")
    return 0


def kills(workspace: Workspace) -> Suite:
    """Return the suite that kills runs of training at random moments, each several times."""
    fresh = scenario(workspace, "fresh")

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        run, history = folder / "run", list[str]()
        for _ in range(rng.randint(1, 4)):
            at_stop: list[int] = []
            stops = random_stops(rng, 1.2 * fresh.seconds)
            history.append(described(stops))
            with during(", ".join(history)):
                ended = fresh.begin(
                    folder, stops=stops, on_stop=lambda seen=at_stop: seen.append(updates(run))
                )
                check(ended)
                if ended.code == 0 and at_stop and updates(run) - at_stop[0] > UPDATES:
                    raise Failed("the signal was lost")
                if ended.code in [128 + number for number in STOPS] and updates(run):
                    check(translate(folder), code=0)
        with during(", ".join(history)):
            fresh.finish(folder)

    return Suite(100, trial)


def signals(workspace: Workspace) -> Suite:
    """Return the suite that stops commands, as users start them, at any moment of their life."""
    commands = [
        (4.0, workspace.train()),
        (3.0, ("translate", "--model", str(workspace.run))),
        (3.5, ("eval", "--model", str(workspace.run))),
        (1.5, ("data", "--config", workspace.config, "--out", "out")),
        (0.6, ("train", "--help")),
    ]
    stdin = "".join(f"{line}\n" for line in SENTENCES * 300).encode()

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        longest_s, arguments = commands[index % len(commands)]
        stops = [(s, n) for s, n in random_stops(rng, longest_s) if n != signal.SIGKILL] or [
            (rng.random() * longest_s, signal.SIGINT)
        ]
        with during(described(stops)):
            first = partial(start_python, arguments)
            check(gru_mt(*arguments, folder=folder, stdin=stdin, first=first, stops=stops))

    return Suite(20, trial)
