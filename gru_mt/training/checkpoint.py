"""What resuming needs, on disk.

A checkpoint holds everything that the next update depends on and that cannot be computed again: the
order of batches and all random numbers are functions of the seed and of `Progress`.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gru_mt.errors import UserError
from gru_mt.tensors import load_tensors, save_tensors
from gru_mt.training.optimizer import Optimizer

CHECKPOINTS = "checkpoints"  # their folder in that of the run
KEPT = 2  # the newest, and the one before in case of damage


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is."""

    step: int = 0  # optimizer updates, skipped ones too
    epoch: int = 0  # complete epochs
    epoch_step: int = 0  # updates of the epoch under way
    best_bleu: float = -1.0  # of all validations, on dev; below 0: there was none yet
    best_loss: float | None = None  # the same, nats a token
    stale: int = 0  # validations since the best
    kept_step: int = 0  # the updates after which the bundle was kept; 0: not yet
    skipped: int = 0  # updates left out because fp16 overflowed
    elapsed_s: float = 0.0  # on the clock, preparation included, over all resumptions


def save_checkpoint(
    folder: Path, optimizer: Optimizer, progress: Progress, fingerprints: dict[str, str]
) -> None:
    """Write a checkpoint of training on what `fingerprints` name; drop all but the newest."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made: {error.strerror}") from None
    header = {
        "progress": asdict(progress),
        "counters": optimizer.counters(),
        "fingerprints": fingerprints,
    }
    save_tensors(_path(folder, progress.step), optimizer.tensors(), header)
    for old in _newest_first(folder)[KEPT:]:
        old.unlink()


def resume(
    folder: Path,
    optimizer: Optimizer,
    fingerprints: dict[str, str],
    warn: Callable[[str], None],
) -> Progress:
    """Load the newest checkpoint into `optimizer` and return its progress; zero where none is.

    A damaged one is named through `warn` and the one before is used. Raises UserError where all are
    damaged, or where one was trained on something else than `fingerprints` say.
    """
    paths = _newest_first(folder)
    for path in paths:
        try:
            tensors, header = load_tensors(path)
        except UserError as error:
            warn(f"{error}; going back to the checkpoint before it")
            continue
        _refuse_others(path, header["fingerprints"], fingerprints)
        optimizer.load(tensors, header["counters"], path)
        return Progress(**header["progress"])
    if paths:
        raise UserError(f"{folder}: every checkpoint is damaged; start anew with --fresh")
    return Progress()


def _refuse_others(path: Path, theirs: dict[str, Any], ours: dict[str, str]) -> None:
    for name, digest in ours.items():
        if theirs.get(name) != digest:
            raise UserError(
                f"{path}: the {name} has changed since; restore it, or start anew with --fresh"
            )


def _path(folder: Path, step: int) -> Path:
    return folder / f"step-{step:08d}.safetensors"


def has_checkpoint(folder: Path) -> bool:
    """Return whether a run's folder has something to go on with, be it damaged."""
    return bool(_newest_first(folder / CHECKPOINTS))


def _newest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*.safetensors"), reverse=True)
