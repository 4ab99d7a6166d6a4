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

from torturing.judging import Failed, judge
from torturing.places import Campaign, Place, Scene, copy, scene
from torturing.processes import gru_mt


def disks(place: Place) -> Campaign:
    """Return the campaign in which there is no room: for files, on stdout, for the log."""
    scenes = [scene(place, name) for name in ("fresh", "longer", "data", "eval")]
    mountable = can_mount(place.folder)
    if not mountable:
        print("disks: no real full disk, since mounting is not permitted", file=sys.stderr)

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        attacked = rng.choice(scenes)
        match index % 4:
            case 0 | 1:
                _small_files(attacked, folder, rng)
            case 2 if mountable:
                with mounted(folder) as disk:
                    _full_disk(attacked, disk, rng)
            case _:
                rng.choice([_full_stdout, _full_log, _full_output])(place, folder, rng)

    return Campaign(max(1, round(80 * place.times)), trial)


def _small_files(attacked: Scene, folder: Path, rng: random.Random) -> None:
    """At first no file may grow past a size, as on a full disk; then the limit is gone."""
    size = int(rng.choice([0, 10 ** rng.uniform(0, 5)]))

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    attacked.prepare(folder)
    try:
        judge(attacked.begin(folder, first=limit))
        attacked.finish(folder)
    except Failed as failure:
        raise Failed(f"{attacked.name}, no file above {size} bytes: {failure}") from None


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


def _full_disk(attacked: Scene, disk: Path, rng: random.Random) -> None:
    """At first the disk has only a little room; then it has enough."""
    attacked.prepare(disk)
    room = int(rng.choice([0, rng.uniform(0, 200_000)]))
    filler = disk / "filler"
    free = os.statvfs(disk)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - room)
    try:
        judge(attacked.begin(disk))
        filler.unlink()
        attacked.finish(disk)
    except Failed as failure:
        raise Failed(f"{attacked.name}, a disk with room for {room} bytes: {failure}") from None


def _full_stdout(place: Place, folder: Path, rng: random.Random) -> None:
    """Results cannot be printed: the command must end with exit 2 and a line."""
    copy(place.run, folder)
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
    try:
        ended = judge(gru_mt(*command, "--model", "run", *options, folder=folder, first=first))
        if first is not ascii_alone and ended.code != 2:
            raise Failed(f"{ended.cause()} (exit 2 was due)")
    except Failed as failure:
        raise Failed(f"{first.__name__} stdout, {options}: {failure}") from None


def _full_log(place: Place, folder: Path, rng: random.Random) -> None:
    """A run's log lies on a full disk; once the disk has room, the run must be able to finish."""
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
    """Translations go to a device or to a link to one, which must not become a file."""
    copy(place.run, folder)
    output = folder / "out"
    if rng.random() < 0.5 or os.getuid() != 0:
        output.symlink_to(rng.choice(["/dev/full", "/dev/null"]))
    else:
        os.mknod(output, 0o666 | stat.S_IFCHR, os.makedev(1, rng.choice([3, 7])))  # null, full
    before = output.lstat()
    judge(gru_mt("eval", "--model", "run", "--output", "out", folder=folder))
    after = output.lstat()
    if (before.st_mode, before.st_ino) != (after.st_mode, after.st_ino):
        raise Failed("eval --output replaced a link or a device by a file")
