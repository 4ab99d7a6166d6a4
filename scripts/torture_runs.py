"""Attacks on commands that write: kills, signals, full disks, damaged files."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from torturing import (
    LIMIT_S,
    STOPS,
    Campaign,
    Ended,
    Failed,
    Files,
    Place,
    compare,
    copy,
    gru_mt,
    judge,
    results,
    started_gru_mt,
)

SENTENCES = [
    "I see cats.",
    "Anne want maps.",
    "nobody sell cars.",
    "they take dogs.",
    "",
    "you zzz",
]
UPDATES = 10  # after a signal that a run may make before it counts as lost


class Scene:
    """A command, what is there before it, and the folder that it makes."""

    def __init__(self, place: Place, name: str, made: str, *arguments: str) -> None:
        """Run it once, undisturbed, to know what comes out."""
        self.place, self.name, self.made, self.arguments = place, name, made, arguments
        self.folder = Path(tempfile.mkdtemp(dir=place.folder))
        self.prepare(self.folder)
        self.operations: list[str] = self._count(self.folder)
        self.wanted: Files = results(self.folder / made)

    def prepare(self, folder: Path) -> None:
        """Put there what is there before."""
        if self.name in ("longer", "eval", "export"):
            copy(self.place.run, folder)
        if self.name == "eval":
            (folder / "out").mkdir()
            (folder / "out" / "text").write_text("what was there before\n")

    def begin(self, folder: Path, **how: Any) -> Ended:
        """Run the command as `how` says to `gru_mt`, and judge how it ends, but for kills."""
        limit_s = 4 * LIMIT_S if self.name == "export" else LIMIT_S
        return gru_mt(*self.arguments, folder=folder, limit_s=limit_s, **how)

    def finish(self, folder: Path) -> None:
        """Run the command again; what it makes must be what it makes undisturbed."""
        judge(self.begin(folder), code=0)
        compare(results(folder / self.made), self.wanted, f"{self.name}, run again")

    def _count(self, folder: Path) -> list[str]:
        """Run the command; return its operations on files."""
        notes = folder.with_suffix(".operations")
        file = os.open(notes, os.O_WRONLY | os.O_CREAT)

        def note(number: int, operation: str, path: Path) -> None:
            os.write(file, f"{operation} {path.relative_to(folder)}\n".encode())

        judge(self.begin(folder, first=partial(watch, folder, note)), code=0)
        os.close(file)
        return notes.read_text().splitlines()


def scenes(place: Place, *names: str) -> list[Scene]:
    """Return the scenes of these names; an export only where there is time for it."""
    commands = {
        "fresh": ("run", *place.train()),
        "longer": ("run", *place.train("--set=training.max_epochs=3")),
        "data": ("out", "data", "--config", place.config, "--out", "out"),
        "eval": ("out", "eval", "--model", "run", "--output", "out/text"),
        "export": ("run/onnx", "export", "--model", "run"),
    }
    place.run  # noqa: B018 it is made here
    return [
        Scene(place, name, *commands[name]) for name in names if name != "export" or place.exports
    ]


# Operations on files


def watch(folder: Path, act: Callable[[int, str, Path], None]) -> None:
    """Call `act` before each operation below `folder` that changes a file: number, kind and path.

    They are told by Python's audit events, so what other languages write is not among them.
    """
    kinds = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.chmod"}
    kinds |= {"os.symlink", "os.link"}
    numbers = iter(range(sys.maxsize))
    start, acting = f"{folder}{os.sep}", False

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal acting
        if acting or (event != "open" and event not in kinds):
            return
        name = arguments[0]
        if event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR):
            return
        if not isinstance(name, int):
            path = os.path.abspath(os.fsdecode(name))
            if path.startswith(start):
                acting = True
                act(next(numbers), event, Path(path))
                acting = False

    sys.addaudithook(hook)


def killed_at(folder: Path, number: int, share: float) -> None:
    """Have this process killed before its operation of this number.

    What it wrote last is on disk up to `share`: so much of a file is there when a kill comes while
    it is written.
    """
    last: list[tuple[Path, int]] = []  # the file opened last, and its size then

    def act(count: int, operation: str, path: Path) -> None:
        size = path.stat().st_size if operation == "open" and path.is_file() else 0
        if count < number:
            last[:] = [(path, 0 if path.suffix == ".part" else size)] if operation == "open" else []
            return
        torn, before = (path, 0) if path.suffix == ".part" and size else (last or [(path, 0)])[0]
        if torn.suffix in (".part", ".log", ".jsonl") and torn.is_file():
            written = torn.stat().st_size - before
            os.truncate(torn, before + int(share * max(0, written)))
        os.kill(os.getpid(), signal.SIGKILL)

    watch(folder, act)


def operations(place: Place) -> Campaign:
    """Return the campaign that kills a command before each of its operations on files."""
    all_scenes = scenes(place, "fresh", "longer", "data", "eval", "export")
    points = [
        (scene, number)
        for scene in all_scenes
        for number in range(len(scene.operations))
        if scene.name != "export" or number % 6 == 0  # each takes ten seconds
    ]
    count = max(1, round(len(points) * min(1.0, place.times)))

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        scene, number = points[index * len(points) // count]
        scene.prepare(folder)
        share = rng.choice([0.0, rng.random(), 1.0])
        ended = scene.begin(folder, first=partial(killed_at, folder, number, share))
        where = f"{scene.name} killed before operation {number} ({scene.operations[number]})"
        if ended.code != -signal.SIGKILL:
            raise Failed(f"{scene.name}: no operation {number}: {ended.cause()}")
        try:
            if scene.name == "longer":
                judge(translate(folder), code=0)
            scene.finish(folder)
        except Failed as failure:
            raise Failed(f"{where}: {failure}") from None

    return Campaign(count, trial)


def translate(folder: Path) -> Ended:
    """Translate with the run there, if it can."""
    return gru_mt("translate", "--model", "run", *SENTENCES, folder=folder)


# Kills and signals


def stops(rng: random.Random, longest_s: float) -> list[tuple[float, int]]:
    """Return a signal at a random moment; some of those that ask are sent twice."""
    seconds = rng.random() * longest_s
    number = rng.choice([signal.SIGKILL, *STOPS])
    again = [(seconds + rng.random() * 0.05, number)] if rng.random() < 0.2 else []
    return [(seconds, number), *again]


def updates(run: Path) -> int:
    """Return the lines of a run's metrics."""
    with suppress(OSError):
        return (run / "metrics.jsonl").read_bytes().count(b"\n")
    return 0


def kills(place: Place) -> Campaign:
    """Return the campaign that kills runs of training at random moments, each several times."""
    (scene,) = scenes(place, "fresh")
    started_s = time.perf_counter()
    judge(scene.begin(place.folder), code=0)
    run_s = time.perf_counter() - started_s

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        run, history = folder / "run", []
        try:
            for _ in range(rng.randint(1, 4)):
                at_stop: list[int] = []
                stop = stops(rng, 1.2 * run_s)
                ended = scene.begin(
                    folder, stops=stop, on_stop=lambda seen=at_stop: seen.append(updates(run))
                )
                history.append(f"{signal.Signals(stop[0][1]).name} at {stop[0][0]:.2f} s")
                judge(ended)
                if ended.code == 0 and at_stop and updates(run) - at_stop[0] > UPDATES:
                    raise Failed("the signal was lost")
                if ended.code in (130, 143) and updates(run):
                    judge(translate(folder), code=0)
            scene.finish(folder)
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
            at = f"{signal.Signals(stop[0][1]).name} at {stop[0][0]:.2f} s"
            raise Failed(f"{at}{' and again' * (len(stop) - 1)}: {failure}") from None

    return Campaign(max(1, round(20 * place.times)), trial)


# Full disks


def disks(place: Place) -> Campaign:
    """Return the campaign in which there is no room: for files, on stdout, for the log."""
    all_scenes = scenes(place, "fresh", "longer", "data", "eval")
    mountable = can_mount(place.folder)
    if not mountable:
        print("disks: no real full disk, since mounting is not permitted", file=sys.stderr)

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        scene = rng.choice(all_scenes)
        match index % 4:
            case 0 | 1:
                _small_files(scene, folder, rng)
            case 2 if mountable:
                with mounted(folder) as disk:
                    _full_disk(scene, disk, rng)
            case _:
                rng.choice([_full_stdout, _full_log, _full_output])(place, folder, rng)

    return Campaign(max(1, round(80 * place.times)), trial)


def _small_files(scene: Scene, folder: Path, rng: random.Random) -> None:
    """No file may pass a size, as if the disk were full there; then they may."""
    size = int(rng.choice([0, 10 ** rng.uniform(0, 5)]))

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    scene.prepare(folder)
    try:
        judge(scene.begin(folder, first=limit))
        scene.finish(folder)
    except Failed as failure:
        raise Failed(f"{scene.name}, no file above {size} bytes: {failure}") from None


def can_mount(folder: Path) -> bool:
    """Return whether this process may mount a file system."""
    (folder / "mountable").mkdir()
    with suppress(subprocess.CalledProcessError, FileNotFoundError), mounted(folder / "mountable"):
        return True
    return False


@contextmanager
def mounted(folder: Path) -> Iterator[Path]:
    """Mount a small disk in `folder` for a while."""
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder]
    subprocess.run(command, check=True, capture_output=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def _full_disk(scene: Scene, disk: Path, rng: random.Random) -> None:
    """The disk is full but for a little room; then there is enough."""
    scene.prepare(disk)
    room = int(rng.choice([0, rng.uniform(0, 200_000)]))
    filler = disk / "filler"
    stat = os.statvfs(disk)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, stat.f_bavail * stat.f_frsize - room)
    try:
        judge(scene.begin(disk))
        filler.unlink()
        scene.finish(disk)
    except Failed as failure:
        raise Failed(f"{scene.name}, a disk with room for {room} bytes: {failure}") from None


def _full_stdout(place: Place, folder: Path, rng: random.Random) -> None:
    """Results cannot be printed: exit 2 and a line."""
    copy(place.run, folder)
    command = rng.choice([("translate", "I see cats."), ("eval",)])
    options = rng.choice([(), ("--json",)])

    def full() -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)

    def closed() -> None:
        os.close(1)
        sys.stdout = None  # as Python begins

    def ascii_alone() -> None:
        sys.stdout.reconfigure(encoding="ascii")  # type: ignore[union-attr]

    first = rng.choice([full, closed, ascii_alone])
    try:
        ended = judge(gru_mt(*command, "--model", "run", *options, folder=folder, first=first))
        if first is not ascii_alone and ended.code != 2:
            raise Failed(f"{ended.cause()} (exit 2 was due)")
    except Failed as failure:
        raise Failed(f"{first.__name__} stdout, {options}: {failure}") from None


def _full_log(place: Place, folder: Path, rng: random.Random) -> None:
    """A run's log lies on a full disk: a line, and nothing is lost when it has gone."""
    run = copy(place.run, folder)
    name = rng.choice(["train.log", "metrics.jsonl"])
    (run / name).unlink()
    (run / name).symlink_to("/dev/full")
    try:
        judge(gru_mt(*place.train("--set=training.max_epochs=3"), folder=folder))
        (run / name).unlink(missing_ok=True)
        judge(gru_mt(*place.train("--set=training.max_epochs=3"), folder=folder), code=0)
        (run / "summary.json").stat()
    except Failed as failure:
        raise Failed(f"{name} on a full disk: {failure}") from None


def _full_output(place: Place, folder: Path, rng: random.Random) -> None:
    """Translations go to a device, through a link or not: it stays one."""
    copy(place.run, folder)
    output = folder / "out"
    if rng.random() < 0.5 or os.getuid() != 0:
        output.symlink_to(rng.choice(["/dev/full", "/dev/null"]))
    else:
        os.mknod(output, 0o666 | 0o020000, os.makedev(1, rng.choice([3, 7])))  # null or full
    before = output.lstat()
    judge(gru_mt("eval", "--model", "run", "--output", "out", folder=folder))
    after = output.lstat()
    if (before.st_mode, before.st_ino) != (after.st_mode, after.st_ino):
        raise Failed("eval --output replaced a link or a device by a file")


# Damaged files


def damage(place: Place) -> Campaign:
    """Return the campaign that damages a file of a finished run, and then uses it."""
    (longer,) = scenes(place, "longer")
    exports = [scene.folder / "run" for scene in scenes(place, "export")]
    said = judge(translate(place.folder), code=0).out
    score = _evaluated(place.folder)
    assert len(set(said.splitlines())) > 3, "the model tells sentences apart"

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        run = copy(exports[0] if exports and index % 4 == 0 else place.run, folder)
        victim = rng.choice(sorted(path for path in run.rglob("*") if path.is_file()))
        how = _damaged(victim, rng)
        use = rng.choice(["eval", "train", "longer"])
        name = victim.relative_to(run)
        try:
            _same_or_refused(translate(folder), said)
            if use == "eval":
                if _evaluated(folder) not in (None, score):
                    raise Failed("eval: exit 0, but another result")
            elif use == "train":
                if judge(gru_mt(*place.train(), folder=folder)).code == 0:
                    if not (run / "summary.json").is_file():
                        raise Failed("train: exit 0 without a summary.json")
                    _same_or_refused(translate(folder), said)
            elif judge(longer.begin(folder)).code == 0:
                found = results(run)
                ours = {key: found[key] for key in found if not key.startswith("onnx/")}
                if victim.name == "metrics.jsonl":
                    ours["metrics.jsonl"] = longer.wanted["metrics.jsonl"]
                compare(ours, longer.wanted, "longer")
        except Failed as failure:
            raise Failed(f"{name} {how}: {failure}") from None

    return Campaign(max(1, round(500 * place.times)), trial)


def _evaluated(folder: Path) -> bytes | None:
    """Return what the run there makes of its test part, and the scores; None where it refuses."""
    ended = judge(gru_mt("eval", "--model", "run", "--json", "--output", "text", folder=folder))
    if ended.code:
        return None
    scores = json.dumps(json.loads(ended.out)["scores"])
    return (folder / "text").read_bytes() + scores.encode()


def _same_or_refused(ended: Ended, said: bytes) -> None:
    if judge(ended).code == 0 and ended.out != said:
        raise Failed(f"{ended.command}: exit 0, but another result")


def _damaged(path: Path, rng: random.Random) -> str:
    """Damage a file; return how."""
    content = path.read_bytes()
    kinds = ["flipped", "flipped", "cut", "emptied", "lengthened", "folder", "link", "removed"]
    kind = rng.choice(kinds if content else kinds[3:])
    at = rng.randrange(max(1, len(content)))
    match kind:
        case "flipped":
            bit = 1 << rng.randrange(8)
            path.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
            return f"with bit {bit} of byte {at} flipped"
        case "cut":
            path.write_bytes(content[:at])
            return f"cut to {at} of {len(content)} bytes"
        case "emptied":
            path.write_bytes(b"")
        case "lengthened":
            path.write_bytes(content + rng.randbytes(20))
        case _:
            path.unlink()
            if kind == "folder":
                path.mkdir()
            elif kind == "link":
                path.symlink_to("nowhere")
    return {"folder": "as a folder", "link": "as a link to nowhere"}.get(kind, kind)
