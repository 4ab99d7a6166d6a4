"""No room: for files, on stdout, for the log."""

import os
import random
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from faults.checks import Failed, check, during
from faults.commands import gru_mt
from faults.workspace import Scenario, Suite, Workspace, copy, scenario


def disks(workspace: Workspace) -> Suite:
    """Return the suite in which there is no room: for files, on stdout, for the log."""
    scenarios = [scenario(workspace, name) for name in ("fresh", "longer", "data", "eval")]
    mountable = can_mount(workspace.folder)
    if not mountable:
        print("disks: no real full disk, since mounting is not permitted", file=sys.stderr)

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        tested = rng.choice(scenarios)
        match index % 4:
            case 0 | 1:
                _small_files(tested, folder, rng)
            case 2 if mountable:
                with mounted(folder) as disk:
                    _full_disk(tested, disk, rng)
            case _:
                rng.choice([_full_stdout, _full_log, _full_output])(workspace, folder, rng)

    return Suite(80, trial)


def _small_files(tested: Scenario, folder: Path, rng: random.Random) -> None:
    """At first no file may grow past a size, as on a full disk; then the limit is gone."""
    size = int(rng.choice([0, 10 ** rng.uniform(0, 5)]))

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    tested.prepare(folder)
    with during(f"{tested.name}, no file above {size} bytes"):
        check(tested.begin(folder, first=limit))
        tested.finish(folder)


def can_mount(folder: Path) -> bool:
    """Return whether this process may mount a file system."""
    (folder / "mountable").mkdir()
    with suppress(subprocess.CalledProcessError, FileNotFoundError), mounted(folder / "mountable"):
        return True
    return False


@contextmanager
def mounted(folder: Path) -> Iterator[Path]:
    """Mount a small disk in `folder` for the length of the block."""
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def _full_disk(tested: Scenario, disk: Path, rng: random.Random) -> None:
    """At first the disk has only a little room; then it has enough."""
    tested.prepare(disk)
    room = int(rng.choice([0, rng.uniform(0, 200_000)]))
    filler = disk / "filler"
    free = os.statvfs(disk)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - room)
    with during(f"{tested.name}, a disk with room for {room} bytes"):
        check(tested.begin(disk))
        filler.unlink()
        tested.finish(disk)


def _full_stdout(workspace: Workspace, folder: Path, rng: random.Random) -> None:
    """Results cannot be printed: the command must end with exit 2 and a line."""
    copy(workspace.run, folder)
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
        ended = check(gru_mt(*command, "--model", "run", *options, folder=folder, first=first))
        if first is not ascii_alone and ended.code != 2:
            raise Failed(f"{ended.cause()} (exit 2 was due)")


def _full_log(workspace: Workspace, folder: Path, rng: random.Random) -> None:
    """A run's log lies on a full disk; once the disk has room, the run must be able to finish."""
    run = copy(workspace.run, folder)
    name = rng.choice(["train.log", "metrics.jsonl"])
    (run / name).unlink()
    (run / name).symlink_to("/dev/full")
    train = workspace.train("--set=training.max_epochs=3")
    with during(f"{name} on a full disk"):
        check(gru_mt(*train, folder=folder))
        (run / name).unlink(missing_ok=True)
        check(gru_mt(*train, folder=folder), code=0)
        (run / "summary.json").stat()


def _full_output(workspace: Workspace, folder: Path, rng: random.Random) -> None:
    """Translations go to a device or to a link to one, which must not become a file."""
    copy(workspace.run, folder)
    output = folder / "out"
    if rng.random() < 0.5 or os.getuid() != 0:
        output.symlink_to(rng.choice(["/dev/full", "/dev/null"]))
    else:
        os.mknod(output, 0o666 | stat.S_IFCHR, os.makedev(1, rng.choice([3, 7])))  # null, full
    before = output.lstat()
    check(gru_mt("eval", "--model", "run", "--output", "out", folder=folder))
    after = output.lstat()
    if (before.st_mode, before.st_ino) != (after.st_mode, after.st_ino):
        raise Failed("eval --output replaced a link or a device by a file")
