"""Kills and signals: before each operation on files, and at random moments."""

import os
import random
import signal
from contextlib import suppress
from functools import partial
from pathlib import Path

from torturing.judging import Failed, judge
from torturing.places import SENTENCES, Campaign, Place, scene, translate, watch
from torturing.processes import STOPS, started_gru_mt

UPDATES = 10  # that a run may make after a signal before the signal counts as lost


def killed_at(folder: Path, number: int, share: float) -> None:
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
        for torn, before in last:
            if torn.suffix in (".part", ".log", ".jsonl") and torn.is_file():
                written = torn.stat().st_size - before
                os.truncate(torn, before + int(share * max(0, written)))
        os.kill(os.getpid(), signal.SIGKILL)

    watch(folder, act)


def operations(place: Place) -> Campaign:
    """Return the campaign that kills a command before each of its operations on files."""
    names = ["fresh", "longer", "data", "eval", *(["export"] if place.exports else [])]
    points = [
        (name, number)
        for name in names
        for number in range(len(scene(place, name).operations))
        if name != "export" or number % 6 == 0  # an export takes ten seconds
    ]
    count = max(1, round(len(points) * min(1.0, place.times)))

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        name, number = points[index * len(points) // count]
        attacked = scene(place, name)
        attacked.prepare(folder)
        share = rng.choice([0.0, rng.random(), 1.0])
        ended = attacked.begin(folder, first=partial(killed_at, folder, number, share))
        where = f"{name} killed before operation {number} ({attacked.operations[number]})"
        if ended.code != -signal.SIGKILL:
            raise Failed(f"{name}: no operation {number}: {ended.cause()}")
        try:
            if name == "longer":
                judge(translate(folder), code=0)
            attacked.finish(folder)
        except Failed as failure:
            raise Failed(f"{where}: {failure}") from None

    return Campaign(count, trial)


def stops(rng: random.Random, longest_s: float) -> list[tuple[float, int]]:
    """Return a random moment in seconds and a signal; one time in five, the signal comes twice."""
    seconds = rng.random() * longest_s
    number = rng.choice([signal.SIGKILL, *STOPS])
    again = [(seconds + rng.random() * 0.05, number)] if rng.random() < 0.2 else []
    return [(seconds, number), *again]


def told(stop: list[tuple[float, int]]) -> str:
    """Return the first signal in words: "SIGINT twice at 0.25 s"."""
    seconds, number = stop[0]
    return f"{signal.Signals(number).name}{' twice' * (len(stop) > 1)} at {seconds:.2f} s"


def updates(run: Path) -> int:
    """Return how many lines a run's metrics have."""
    with suppress(OSError):
        return (run / "metrics.jsonl").read_bytes().count(b"\n")
    return 0


def kills(place: Place) -> Campaign:
    """Return the campaign that kills runs of training at random moments, each several times."""
    fresh = scene(place, "fresh")

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        run, history = folder / "run", []
        try:
            for _ in range(rng.randint(1, 4)):
                at_stop: list[int] = []
                stop = stops(rng, 1.2 * fresh.seconds)
                history.append(told(stop))
                ended = fresh.begin(
                    folder, stops=stop, on_stop=lambda seen=at_stop: seen.append(updates(run))
                )
                judge(ended)
                if ended.code == 0 and at_stop and updates(run) - at_stop[0] > UPDATES:
                    raise Failed("the signal was lost")
                if ended.code in [128 + number for number in STOPS] and updates(run):
                    judge(translate(folder), code=0)
            fresh.finish(folder)
        except Failed as failure:
            raise Failed(f"{', '.join(history)}: {failure}") from None

    return Campaign(max(1, round(100 * place.times)), trial)


def signals(place: Place) -> Campaign:
    """Return the campaign that stops commands, as users start them, at any moment of their life."""
    commands = [
        (4.0, place.train()),
        (3.0, ("translate", "--model", str(place.run))),
        (3.5, ("eval", "--model", str(place.run))),
        (1.5, ("data", "--config", place.config, "--out", "out")),
        (0.6, ("train", "--help")),
    ]

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        longest_s, arguments = commands[index % len(commands)]
        stop = [(s, n) for s, n in stops(rng, longest_s) if n != signal.SIGKILL] or [
            (rng.random() * longest_s, signal.SIGINT)
        ]
        stdin = "".join(f"{line}\n" for line in SENTENCES * 300).encode()
        ended = started_gru_mt(*arguments, folder=folder, stdin=stdin, stops=stop)
        try:
            judge(ended)
        except Failed as failure:
            raise Failed(f"{told(stop)}: {failure}") from None

    return Campaign(max(1, round(20 * place.times)), trial)
