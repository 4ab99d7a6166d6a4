"""A run's folder: one training at a time, of one configuration."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import portalocker

from gru_mt.config import Config
from gru_mt.config_file import load_config
from gru_mt.errors import UserError, quoted
from gru_mt.storage import CONFIG, bundle_folder, clear_leftovers, is_leftover
from gru_mt.training.checkpoint import CHECKPOINTS, has_checkpoint
from gru_mt.training.schedule import AUTO

LOCK = "lock"
MAY_CHANGE = (  # a corpus only to another place: its contents are checked by their digest
    "training.max_epochs",
    "training.max_steps",
    "training.patience",
    "training.device",
    "training.log_steps",
    "training.checkpoint_minutes",
    "decoding",
    "data.corpus",
)


def fresh_folder(folder: Path) -> Path:
    """Return `folder`, or the first of folder-2, folder-3 ... that is not there yet."""
    candidate, number = folder, 1
    while candidate.exists():
        number += 1
        candidate = folder.with_name(f"{folder.name}-{number}")
    return candidate


@contextmanager
def open_folder(folder: Path, config: Config) -> Iterator[Config]:
    """Hold the lock of a new run's folder, or of one to go on with; change nothing in it.

    Yields `config`, its `auto` values as the run that it goes on with has chosen them. Raises
    UserError where the folder is something else, where another process trains in it (the lock dies
    with its process), or where its run has a checkpoint of a configuration that differs in more
    than `MAY_CHANGE`.
    """
    _refuse_others(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / LOCK).open("a")
    except OSError as error:
        raise UserError(f"{folder}: cannot be written: {error.strerror}") from None
    with lock:
        _lock(lock, folder)
        for place in (folder, folder / CHECKPOINTS, bundle_folder(folder)):
            clear_leftovers(place)
        if has_checkpoint(folder):
            before = load_config(folder / CONFIG)
            config = _as_chosen(config, before)
            _refuse_changes(folder, before, config)
        yield config


def _refuse_others(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file; name another folder with --run")
    if not folder.is_dir():
        return
    for name in (LOCK, CHECKPOINTS):
        path = folder / name
        if path.exists() and path.is_dir() != (name == CHECKPOINTS):
            raise UserError(
                f"{path}: is not what a run has there; move it away, or name another with --run"
            )
    strange = any(path.name != LOCK and not is_leftover(path.name) for path in folder.iterdir())
    if strange and not (folder / CONFIG).is_file():
        raise UserError(f"{folder}: holds something else than a run; name another with --run")


def _lock(file: IO[str], folder: Path) -> None:
    try:
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.LockException:
        raise UserError(
            f"{folder}: another training runs in it; wait for it, or name another with --run"
        ) from None


def _as_chosen(config: Config, before: Config) -> Config:
    """Return `config` with the values of `before` for those that are `auto`."""
    chosen = {
        name: getattr(before.training, name)
        for name in AUTO
        if getattr(config.training, name) == "auto"
    }
    return config.model_copy(update={"training": config.training.model_copy(update=chosen)})


def _refuse_changes(folder: Path, before: Config, now: Config) -> None:
    old, new = _flat(before.model_dump()), _flat(now.model_dump())
    changed = [
        f"{name} from {quoted(old.get(name))} to {quoted(new.get(name))}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
        and not any(name == may or name.startswith(f"{may}.") for may in MAY_CHANGE)
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
