"""No room: for files, on stdout, for the log."""

import os
import random
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from faults.checks import Failed, check, during
from faults.commands import gru_mt
from faults.scenarios import Scenario, Scenarios


def disks(scenarios: Scenarios, index: int, rng: random.Random, folder: Path) -> None:
    """Let a command find no room: for files, on stdout, for its log, or on a device."""
    tested = scenarios[rng.choice(["fresh", "longer", "data", "eval"])]
    match index % 4:
        case 0 | 1:
            small_files(tested, folder, rng)
        case 2:
            with small_disk(folder) as is_mounted:
                (full_disk if is_mounted else small_files)(tested, folder, rng)
        case _:
            scenarios["longer"].prepare(folder)
            rng.choice([full_stdout, full_log, full_output])(scenarios, folder, rng)


def small_files(tested: Scenario, folder: Path, rng: random.Random) -> None:
    """At first no file may grow past a size, as on a full disk; then the limit is gone."""
    size = int(rng.choice([0, 10 ** rng.uniform(0, 5)]))

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    tested.prepare(folder)
    with during(f"{tested.name}, no file above {size} bytes"):
        check(tested.begin(folder, first=limit))
        tested.finish(folder)


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """Mount a small disk in `folder` for the length of the block; yield whether that is allowed."""
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    mounted = subprocess.run(command, check=False, capture_output=True)
    if mounted.returncode:
        print("disks: no real full disk, since mounting is not permitted", file=sys.stderr)
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def full_disk(tested: Scenario, disk: Path, rng: random.Random) -> None:
    """At first the disk has only a little room; then it has enough."""
    tested.prepare(disk)
    room = int(rng.choice([0, rng.uniform(0, 200_000)]))
    filler, free = disk / "filler", os.statvfs(disk)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - room)
    with during(f"{tested.name}, a disk with room for {room} bytes"):
        check(tested.begin(disk))
        filler.unlink()
        tested.finish(disk)


def full_stdout(scenarios: Scenarios, folder: Path, rng: random.Random) -> None:
    """Results cannot be printed: the command must end with exit 2 and a line."""
    command = rng.choice([("translate", "I see cats."), ("eval",)])
    options = rng.choice([(), ("--json",)])

    def full() -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)

    def closed() -> None:
        os.close(1)
        sys.stdout = None  # as Python begins without a stdout

    def ascii_alone() -> None:
        sys.stdout.reconfigure(encoding="ascii")  # type: ignore[union-attr]

    first = rng.choice([full, closed, ascii_alone])
    with during(f"{first.__name__} stdout, {options}"):
        ended = gru_mt(*command, "--model", "run", *options, folder=folder, first=first)
        check(ended, code=None if first is ascii_alone else 2)


def full_log(scenarios: Scenarios, folder: Path, rng: random.Random) -> None:
    """A run's log lies on a full disk; once the disk has room, the run must be able to finish."""
    name, longer = rng.choice(["train.log", "metrics.jsonl"]), scenarios["longer"]
    path = folder / "run" / name
    path.unlink()
    path.symlink_to("/dev/full")
    with during(f"{name} on a full disk"):
        check(longer.begin(folder))
        path.unlink(missing_ok=True)
        check(longer.begin(folder), code=0)
        (folder / "run" / "summary.json").stat()


def full_output(scenarios: Scenarios, folder: Path, rng: random.Random) -> None:
    """Translations go to a device or to a link to one, which must not become a file."""
    output = folder / "link"
    if rng.random() < 0.5 or os.getuid() != 0:
        output.symlink_to(rng.choice(["/dev/full", "/dev/null"]))
    else:
        os.mknod(output, 0o666 | stat.S_IFCHR, os.makedev(1, rng.choice([3, 7])))  # null, full
    before = output.lstat()
    check(gru_mt("eval", "--model", "run", "--output", "link", folder=folder))
    after = output.lstat()
    if (before.st_mode, before.st_ino) != (after.st_mode, after.st_ino):
        raise Failed("eval --output replaced a link or a device by a file")
