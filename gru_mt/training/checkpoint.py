"""What resuming needs, on disk.

A checkpoint holds everything that the next update depends on and that cannot be computed again. The
order of batches and all random numbers can be: they are functions of the seed and of `TrainState`.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from gru_mt.errors import UserError
from gru_mt.tensors import load_tensors, save_tensors, tensors_header
from gru_mt.training.state import TrainState

if TYPE_CHECKING:
    from gru_mt.training.optimizer import Optimizer

KEPT = 2  # the newest, and the one before it in case of damage


def save_checkpoint(
    folder: Path, optimizer: "Optimizer", progress: TrainState, fingerprints: dict[str, str]
) -> None:
    """Write a checkpoint of training on data with these `fingerprints`; keep the KEPT newest."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made: {error.strerror}") from None
    header = {
        "progress": asdict(progress),
        "counters": optimizer.counters(),
        "fingerprints": fingerprints,
        "threads": torch.get_num_threads(),
    }
    save_tensors(_path(folder, progress.step), optimizer.tensors(), header)
    for old in _newest_first(folder)[KEPT:]:
        old.unlink()


def load_checkpoint(
    folder: Path,
    optimizer: "Optimizer",
    fingerprints: dict[str, str],
    warn: Callable[[str], None],
) -> TrainState:
    """Load the newest checkpoint in `folder` into `optimizer`, and return its progress.

    A damaged one is reported through `warn`, and the one before it is used. Raises UserError where
    all are damaged, or where the one used has other fingerprints, or is of another version.
    """
    for path in _newest_first(folder):
        try:
            tensors, header = load_tensors(path)
        except UserError as error:
            warn(f"{error}; going back to the checkpoint before it")
            continue
        _check_same(path, header["fingerprints"], fingerprints)
        _check_progress(path, header["progress"])
        optimizer.load(tensors, header["counters"], path)
        _warn_of_threads(header, optimizer, warn)
        return TrainState(**header["progress"])
    raise UserError(f"{folder}: every checkpoint is damaged; start anew with --fresh")


def check_same_data(folder: Path, fingerprints: dict[str, str]) -> None:
    """Raise UserError where the newest checkpoint that can be read belongs to other data."""
    for path in _newest_first(folder):
        try:
            header = tensors_header(path)
        except UserError:
            continue
        _check_same(path, header["fingerprints"], fingerprints)
        return


def read_progress(folder: Path) -> TrainState | None:
    """Return where the newest readable checkpoint in `folder` is; its tensors are not read.

    None where there is no checkpoint. Raises UserError where none of them can be read.
    """
    for path in _newest_first(folder):
        with suppress(UserError):
            return TrainState(**tensors_header(path)["progress"])
    if has_checkpoint(folder):
        raise UserError(f"{folder}: every checkpoint is damaged")
    return None


def _check_same(path: Path, theirs: dict[str, Any], ours: dict[str, str]) -> None:
    for name, digest in ours.items():
        if theirs.get(name) != digest:
            raise UserError(
                f"{path}: the {name} has changed since; restore it, or start anew with --fresh"
            )


def _check_progress(path: Path, progress: dict[str, Any]) -> None:
    """Raise UserError where it cannot be told from `progress` which update comes next."""
    if progress.keys() != {field.name for field in fields(TrainState)}:
        raise UserError(
            f"{path}: another version of gru-mt wrote it; go on with that one, or start anew with "
            "--fresh"
        )


def _warn_of_threads(
    header: dict[str, Any], optimizer: "Optimizer", warn: Callable[[str], None]
) -> None:
    """Warn where a run goes on with other threads on a CPU: its last bits depend on them."""
    now = torch.get_num_threads()
    before = header.get("threads", now)
    if before != now and next(optimizer.model.parameters()).device.type == "cpu":
        warn(
            f"{before} threads a process until now, and {now} from here on, so the last bits may "
            f"differ; OMP_NUM_THREADS={before} keeps them"
        )


def _path(folder: Path, step: int) -> Path:
    return folder / f"step-{step:08d}.safetensors"


def has_checkpoint(folder: Path) -> bool:
    """Return whether there is a checkpoint to go on with, even a damaged one."""
    return bool(_newest_first(folder))


def _newest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*.safetensors"), reverse=True)
