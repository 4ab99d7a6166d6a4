"""How a run begins: afresh, or where it was stopped. `start_of` makes this choice once.

One process at a time trains in a run's folder: `locked` sees to it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import IO, Any

import portalocker

from gru_mt.config import Config, FittedConfig, TokenizerConfig
from gru_mt.config_file import load_config
from gru_mt.data.encoding import EpochPairs
from gru_mt.data.example import Example
from gru_mt.data.tokenizer import Tokenizer, train_tokenizer
from gru_mt.errors import UserError, quoted
from gru_mt.run import Run
from gru_mt.storage import clear_leftovers, is_leftover
from gru_mt.training.checkpoint import has_checkpoint, load_checkpoint
from gru_mt.training.journal import Journal
from gru_mt.training.optimizer import Optimizer
from gru_mt.training.progress import Progress
from gru_mt.training.schedule import AUTO, fitted, planned_updates

MAY_CHANGE = (  # files only to another place: a digest checks their contents
    "training.max_epochs",
    "training.max_steps",
    "training.patience",
    "training.device",
    "training.log_steps",
    "training.checkpoint_minutes",
    "decoding",
    "data.corpus.*.path",
    "data.dev.*.path",
    "data.test.*.path",
)

PairsOfEpoch = Callable[[int], EpochPairs]  # epoch -> its pairs; a resumed run asks for none here


class Fresh:
    """A new run: its weights stay as drawn, and its tokenizer is trained on the training part."""

    def accept(self, config: Config) -> Config:
        """Return the configuration to train with: here `config` itself."""
        return config

    def tokenizer(
        self, config: TokenizerConfig, train: list[Example], journal: Journal
    ) -> Tokenizer:
        """Return the tokenizer of the run, here by training it."""
        journal.say(f"training the {config.kind} tokenizer")
        sources, targets = zip(*((pair.source, pair.target) for pair in train), strict=True)
        return train_tokenizer(config, sources, targets, warn=journal.warn)

    def fit(self, config: Config, of_epoch: PairsOfEpoch, journal: Journal) -> FittedConfig:
        """Return `config` with every `auto` chosen for the pairs; say what was chosen."""
        pairs = of_epoch(0)
        training = fitted(config.training, pairs)
        total = planned_updates(training, pairs, training.batch_tokens)
        for name in AUTO:
            if getattr(config.training, name) == "auto":
                chosen = getattr(training, name)
                journal.say(f"training.{name}: {chosen:,} (auto, for {total:,} updates)")
        if training.warmup_steps >= total:
            journal.warn(
                f"training.warmup_steps {training.warmup_steps:,}: the run ends with update "
                f"{total:,}, before the learning rate falls; lower it, or set it to auto"
            )
        return FittedConfig.of(config, training)

    def load(
        self, optimizer: Optimizer, fingerprints: dict[str, str], journal: Journal
    ) -> Progress:
        """Return the progress of a run that has not begun; `optimizer` stays as it is."""
        return Progress()


@dataclass(frozen=True, slots=True)
class Resumed:
    """A run that was stopped: it goes on with what its folder and newest checkpoint hold."""

    run: Run

    def accept(self, config: Config) -> Config:
        """Return `config` with the run's own value in place of each `auto`.

        Raises UserError where any field outside `MAY_CHANGE` differs from the run's.
        """
        before = load_config(self.run.config)
        chosen = {
            name: getattr(before.training, name)
            for name in AUTO
            if getattr(config.training, name) == "auto"
        }
        training = config.training.model_copy(update=chosen)
        config = config.model_copy(update={"training": training})
        _refuse_changes(self.run, before, config)
        return config

    def tokenizer(
        self, config: TokenizerConfig, train: list[Example], journal: Journal
    ) -> Tokenizer:
        """Return the run's own tokenizer."""
        return Tokenizer.load(self.run.folder)

    def fit(self, config: Config, of_epoch: PairsOfEpoch, journal: Journal) -> FittedConfig:
        """Return `config`, which already has what was chosen when the run began."""
        return FittedConfig.model_validate(config.model_dump())

    def load(
        self, optimizer: Optimizer, fingerprints: dict[str, str], journal: Journal
    ) -> Progress:
        """Load the newest undamaged checkpoint into `optimizer`; return its progress.

        Raises UserError where there is none, or where its fingerprints are not `fingerprints`.
        """
        return load_checkpoint(self.run.checkpoints, optimizer, fingerprints, journal.warn)


Start = Fresh | Resumed


def start_of(run: Run) -> Start:
    """Return how this run begins."""
    return Resumed(run) if has_checkpoint(run.checkpoints) else Fresh()


def _refuse_changes(run: Run, before: Config, now: Config) -> None:
    old, new = _flat(before.model_dump()), _flat(now.model_dump())
    changed = [
        f"{name} from {quoted(old.get(name))} to {quoted(new.get(name))}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
        and not any(fnmatch(name, may) or fnmatch(name, f"{may}.*") for may in MAY_CHANGE)
    ]
    if changed:
        raise UserError(
            f"{run.folder}: the run was started with another configuration: {', '.join(changed)} "
            f"changed (only {', '.join(MAY_CHANGE)} may); start anew beside it with --fresh"
        )


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the leaves of nested `values` by full name: {"a": [{"b": 1}]} -> {"a.0.b": 1}."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            flat |= _flat({str(place): each for place, each in enumerate(value)}, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


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
    strange = any(path != run.lock and not is_leftover(path.name) for path in folder.iterdir())
    if strange and not run.config.is_file():
        raise UserError(f"{folder}: holds something else than a run; name another with --run")


def _lock(file: IO[str], folder: Path) -> None:
    try:
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.LockException:
        raise UserError(
            f"{folder}: another training runs in it; wait for it, or name another with --run"
        ) from None
