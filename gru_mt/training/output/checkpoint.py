"""What resuming needs, on disk.

A checkpoint holds everything that the next update depends on and that cannot be computed again. The
order of batches and all random numbers can be: they are functions of the seed and of `TrainState`.
"""

import logging
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from gru_mt.errors import UserError
from gru_mt.storage import os_errors_as
from gru_mt.tensors import load_tensors, save_tensors, tensors_info
from gru_mt.training.state import TrainState

if TYPE_CHECKING:  # what only lists runs need not import it
    from gru_mt.training.optim.optimizer import Optimizer

KEPT = 2  # the newest, and the one before it in case of damage
log = logging.getLogger(__name__)


def save_checkpoint(
    folder: Path, optimizer: "Optimizer", state: TrainState, fingerprints: dict[str, str]
) -> None:
    """Write a checkpoint of training on data with these `fingerprints`; keep the KEPT newest."""
    with os_errors_as(folder, "made"):
        folder.mkdir(exist_ok=True)
    header = {
        "progress": state.state_dict(),
        "counters": optimizer.counters(),
        "fingerprints": fingerprints,
        "threads": torch.get_num_threads(),
    }
    path = folder / f"step-{state.step:08d}.safetensors"
    save_tensors(path, optimizer.state_dict(), header)
    newest_first = _newest_first(folder)
    number = newest_first.index(path)  # those of later updates are damaged: the run went back
    for other in (*newest_first[:number], *newest_first[number + KEPT :]):
        other.unlink()


def load_checkpoint(
    folder: Path, optimizer: "Optimizer", fingerprints: dict[str, str]
) -> TrainState:
    """Load the newest checkpoint in `folder` into `optimizer`, and return its state.

    A damaged one is a warning, and the one before it is used. Raises UserError where all are
    damaged, or where the one used has other fingerprints, or is of another version.
    """
    for path in _newest_first(folder):
        try:
            tensors, header = load_tensors(path)
        except UserError as error:
            log.warning(f"{error}; going back to the checkpoint before it")
            continue
        _check_fingerprints(path, header, fingerprints)
        if header["progress"].keys() != TrainState().state_dict().keys():
            raise UserError(
                f"{path}: another version of gru-mt wrote it; go on with that one, or start anew "
                "with --fresh"
            )
        optimizer.load_state_dict(tensors, header["counters"], path)
        before, now = header.get("threads"), torch.get_num_threads()
        if before not in (None, now) and optimizer.device.type == "cpu":
            log.warning(
                f"{before} threads a process until now, and {now} from here on, so the last bits "
                f"may differ; OMP_NUM_THREADS={before} keeps them"
            )
        return TrainState.from_state_dict(header["progress"])
    raise UserError(f"{folder}: every checkpoint is damaged; start anew with --fresh")


def check_same_data(folder: Path, fingerprints: dict[str, str]) -> None:
    """Raise UserError where the newest checkpoint that can be read belongs to other data."""
    if newest := _newest_header(folder):
        _check_fingerprints(*newest, fingerprints)


def read_state(folder: Path) -> TrainState | None:
    """Return the state in the newest readable checkpoint; None without any, UserError for none."""
    if newest := _newest_header(folder):
        return TrainState.from_state_dict(newest[1]["progress"])
    if has_checkpoint(folder):
        raise UserError(f"{folder}: every checkpoint is damaged")
    return None


def has_checkpoint(folder: Path) -> bool:
    """Return whether there is a checkpoint to go on with, even a damaged one."""
    return bool(_newest_first(folder))


def _newest_header(folder: Path) -> tuple[Path, dict[str, Any]] | None:
    for path in _newest_first(folder):
        with suppress(UserError):
            return path, tensors_info(path).header
    return None


def _check_fingerprints(path: Path, header: dict[str, Any], fingerprints: dict[str, str]) -> None:
    for name, digest in fingerprints.items():
        if header["fingerprints"].get(name) != digest:
            raise UserError(
                f"{path}: the {name} has changed since; restore it, or start anew with --fresh"
            )


def _newest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*.safetensors"), reverse=True)
