"""The lock of a run's folder: one process at a time trains in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import portalocker

from gru_mt.errors import UserError
from gru_mt.run import Run
from gru_mt.storage import clear_leftovers, is_leftover


@contextmanager
def locked(run: Run) -> Iterator[None]:
    """Hold the lock of a run's folder, which is made if it is not there.

    Only files that killed processes left half-written are removed. Raises UserError where the
    folder cannot be written, holds something else than a run, or is in use by another training.
    The lock ends with its process.
    """
    _refuse_others(run)
    try:
        run.folder.mkdir(parents=True, exist_ok=True)
        lock = run.lock.open("a")
    except OSError as error:
        raise UserError(f"{run.folder}: cannot be written: {error.strerror}") from None
    with lock:
        _lock(lock, run.folder)
        for place in (run.folder, run.checkpoints, run.bundle):
            clear_leftovers(place)
        yield


def is_locked(run: Run) -> bool:
    """Return whether a process trains in a run's folder."""
    if not run.lock.is_file():
        return False
    with run.lock.open("rb") as lock:
        try:
            portalocker.lock(
                lock, portalocker.LockFlags.SHARED | portalocker.LockFlags.NON_BLOCKING
            )
        except portalocker.LockException:
            return True
    return False


def _refuse_others(run: Run) -> None:
    folder = run.folder
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file; name another folder with --run")
    if not folder.is_dir():
        return
    for path in (run.lock, run.checkpoints):
        if path.exists() and path.is_dir() != (path == run.checkpoints):
            raise UserError(
                f"{path}: is not what a run has there; move it away, or name another with --run"
            )
    before_config = (run.lock, run.back_translations, run.shards)
    strange = any(
        path not in before_config and not is_leftover(path.name) for path in folder.iterdir()
    )
    if strange and not run.config.is_file():
        raise UserError(f"{folder}: holds something else than a run; name another with --run")


def _lock(file: IO[str], folder: Path) -> None:
    try:
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.LockException:
        raise UserError(
            f"{folder}: another training runs in it; wait for it, or name another with --run"
        ) from None
