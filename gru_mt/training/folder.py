"""A run's folder: one training at a time, of one configuration."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import portalocker

from gru_mt.config import Config
from gru_mt.config_file import dump_config, load_config
from gru_mt.errors import UserError
from gru_mt.storage import write_file
from gru_mt.training.checkpoint import CHECKPOINTS

CONFIG, LOCK = "config.yaml", "lock"
MAY_CHANGE = ("training.max_epochs", "training.max_steps", "training.patience")


def fresh_folder(folder: Path) -> Path:
    """Return `folder`, or the first of folder-2, folder-3 ... that is not there yet."""
    candidate, number = folder, 1
    while candidate.exists():
        number += 1
        candidate = folder.with_name(f"{folder.name}-{number}")
    return candidate


@contextmanager
def open_folder(folder: Path, config: Config) -> Iterator[None]:
    """Hold the lock of a new run's folder, or of one to go on with, and keep `config` in it.

    Raises UserError where the folder is something else, where another process trains in it (the
    lock dies with its process), or where its run has a checkpoint of a configuration that differs
    in more than `MAY_CHANGE`.
    """
    known = folder / CONFIG
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file; name another folder with --run")
    if (
        folder.is_dir()
        and {path.name for path in folder.iterdir()} - {LOCK}
        and not known.is_file()
    ):
        raise UserError(f"{folder}: holds something else than a run; name another with --run")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made: {error.strerror}") from None
    with (folder / LOCK).open("w") as lock:
        try:
            portalocker.lock(
                lock, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
            )
        except portalocker.LockException:
            raise UserError(
                f"{folder}: another training runs in it; wait for it, or name another with --run"
            ) from None
        if (folder / CHECKPOINTS).is_dir():
            _refuse_changes(folder, load_config(known), config)
        write_file(known, dump_config(config).encode())
        yield


def _refuse_changes(folder: Path, before: Config, now: Config) -> None:
    old, new = _flat(before.model_dump()), _flat(now.model_dump())
    changed = [
        f"{name} from {old.get(name)} to {new.get(name)}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name) and name not in MAY_CHANGE
    ]
    if changed:
        raise UserError(
            f"{folder}: the run was started with another configuration: {', '.join(changed)} "
            f"changed (only {', '.join(MAY_CHANGE)} may); start anew beside it with --fresh"
        )


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
