"""The lock of a run's folder: one process at a time trains in it."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from portalocker import AlreadyLocked, LockException, LockFlags, lock

from gru_mt.data.dataset.dataset import holds_dataset
from gru_mt.errors import UserError, short_text
from gru_mt.run import Run, named
from gru_mt.storage import clear_temporaries, is_temporary, os_errors_as, remove_folder
from gru_mt.training.output.checkpoint import has_checkpoint


class InUse(UserError):  # noqa: N818 as `UserError` says what it is
    """Another process trains in the folder."""


@contextmanager
def locked(run: Run) -> Iterator[None]:
    """Hold the lock of a run's folder, which is made if it is not there.

    What killed processes left half-written is removed. Raises UserError where the folder cannot be
    written, holds something else than a run, or is in use. The lock ends with its process. Where
    the block raises before anything of a run is kept, all that was made for it is removed.
    """
    check_folder(run)
    new = [path for path in (run.lock, run.folder, *run.folder.parents) if not path.exists()]
    with os_errors_as(run.folder):
        run.folder.mkdir(parents=True, exist_ok=True)
        file = run.lock.open("a")
    with file:
        hold(file, run)
        for folder in (run.folder, run.checkpoints, run.bundle):
            clear_temporaries(folder)
        try:
            yield
        except Exception:
            if not (run.config.exists() or has_checkpoint(run.checkpoints)):
                with suppress(OSError):  # something else is there
                    if holds_dataset(run.data):
                        remove_folder(run.data)
                    for path in new:
                        path.unlink() if path == run.lock else path.rmdir()
            raise


def hold(file: IO[str], run: Run) -> None:
    """Lock a run's open lock; InUse where another has it, or a start removed it meanwhile.

    Raises UserError where the file system has no locks.
    """
    for wait_s in (0.1, 0):  # `is_locked` holds it for an instant
        try:
            with suppress(AlreadyLocked, FileNotFoundError):
                lock(file, LockFlags.EXCLUSIVE | LockFlags.NON_BLOCKING)
                if os.path.samestat(os.fstat(file.fileno()), run.lock.stat()):
                    return
        except LockException as error:
            told = f"{run.lock}: cannot be locked: {error}; name a --run elsewhere"
            raise UserError(told) from None
        time.sleep(wait_s)
    raise InUse(
        f"{run.folder}: another training runs in it; wait for it, or name another with --run"
    )


def is_locked(run: Run) -> bool:
    """Return whether a process trains in a run's folder."""
    if not run.lock.is_file():
        return False
    with run.lock.open("rb") as file:
        try:
            lock(file, LockFlags.SHARED | LockFlags.NON_BLOCKING)
        except AlreadyLocked:
            return True
        except LockException:  # the file system has no locks, so none is held
            return False
    return False


def unused(*runs: Run) -> list[Run]:
    """Return these runs, or folder-2, folder-3 ... where none of them has kept anything."""
    folders, number = [named(run.folder) for run in runs], 1
    candidates = [*map(Run, folders)]
    while any(map(_is_used, candidates)):
        number += 1
        candidates = [Run(path.with_name(f"{path.name}-{number}")) for path in folders]
    return candidates


def _is_used(run: Run) -> bool:
    if not run.folder.exists():
        return False
    return not run.folder.is_dir() or run.config.exists() or _holds_more(run) or is_locked(run)


def _holds_more(run: Run) -> bool:
    """Return whether a folder holds more than a start leaves which is killed at its beginning."""
    first = (run.lock, run.back_translations, run.taught, run.config)
    return any(
        path not in first
        and not is_temporary(path.name)
        and not (path == run.data and holds_dataset(path))
        for path in run.folder.iterdir()
    )


def check_folder(run: Run) -> None:
    """Raise UserError for a folder that holds something else than a run, or has an odd name."""
    folder = run.folder
    try:
        str(folder).encode()  # libraries and reports could not use another name
        os.fsencode(folder).decode()
    except UnicodeError:
        encoding = sys.getfilesystemencoding()
        fix = f"set PYTHONUTF8=1, as names are read as {encoding} here, or "
        raise UserError(
            f"{short_text(folder)}: is no name in UTF-8; {fix if encoding != 'utf-8' else ''}"
            "name another folder with --run"
        ) from None
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UserError(f"{folder}: is a file; name another folder with --run")
    is_saved = has_checkpoint(run.checkpoints)
    if _holds_more(run) and not (is_saved or (run.config.is_file() and run.lock.is_file())):
        raise UserError(f"{folder}: holds something else than a run; name another with --run")
    is_run = {
        run.lock: run.lock.is_file(),
        run.checkpoints: run.checkpoints.is_dir(),
        run.data: is_saved or holds_dataset(run.data),  # without a checkpoint it is replaced
    }
    for path, is_its in is_run.items():
        if path.exists() and not is_its:
            raise UserError(
                f"{path}: is not what a run has there; move it away, or name another with --run"
            )
