"""How a run begins: from scratch, with the weights of another run, or where it was stopped."""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import torch

from gru_mt.bundle import load_bundle
from gru_mt.config.load import load_config
from gru_mt.config.schema import Config, ResolvedConfig
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.corpus.files import user_path
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError, short_repr
from gru_mt.evaluation.evaluate import find_sets
from gru_mt.inference.published import local_folder
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.run import Run, flatten
from gru_mt.storage import read_json
from gru_mt.training.distributed import Group
from gru_mt.training.optim.lr_schedule import AUTO, PLANNED
from gru_mt.training.optim.optimizer import Optimizer
from gru_mt.training.output.checkpoint import has_checkpoint
from gru_mt.training.state import TrainState

log = logging.getLogger(__name__)

MAY_CHANGE = (  # files only to another place: a digest checks their contents
    "training.max_epochs",
    "training.max_steps",
    "training.patience",
    "training.device",
    "training.reduce",
    "training.log_steps",
    "training.tensorboard",
    "training.checkpoint_minutes",
    "decoding",
    "data.corpus.*.path",
    "data.back_translate",
    "data.dev.*.path",
    "data.test.*.path",
)

_INHERITED = ("model", "tokenizer")  # sections that go from a model folder into a run's
# Keys of theirs that decide no weight's shape
_FREE = ("model.dropout", "model.may_shrink", "tokenizer.sampling")
VISIBLE_S = 60.0  # a network drive may show a new file this late
OF_START = " (start)"  # ends the name of a set that the run before was measured on


@dataclass(frozen=True, slots=True)
class Start:
    """What a run begins with; by default its configuration alone."""

    config: Config
    tokenizer: Tokenizer | None = None  # None: trained on the run's corpus, or in the run's folder
    weights: Seq2Seq | None = None  # None: as drawn, or in a checkpoint
    sets: Mapping[str, Sequence[EvaluationSet]] = field(default_factory=dict)  # more dev and test
    provenance: Mapping[str, Any] = field(default_factory=dict)  # of the first weights
    is_resumed: bool = False


def choose_start(config: Config, run: Run) -> Start:
    """Return how a run begins; UserError where `config` contradicts what it is to begin with."""
    if has_checkpoint(run.checkpoints):
        return resume(config, run)
    if run.summary.is_file():
        raise UserError(
            f"{run.folder}: is finished, and without its checkpoints it cannot go on; --fresh "
            f"starts anew beside it, and --fresh --from {run.folder} does with its weights"
        )
    return Start(config) if config.training.start is None else fine_tune(config)


def fine_tune(config: Config) -> Start:
    """Return the start of a run with the weights, tokenizer and model of another.

    Its sections `model` and `tokenizer` are those of the other; UserError for a value that differs,
    but for dropout and sampling, and for another direction. Its dev and test sets include the other
    run's, so that what is forgotten shows.
    """
    assert config.training.start is not None, "only then a run is fine-tuned"
    folder = user_path(config.training.start)
    bundle = load_bundle(local_folder(folder), torch.device("cpu"))
    before, data = bundle.config, config.data
    config = _shrunk(config, before)
    if (data.source, data.target) != (before.data.source, before.data.target):
        raise UserError(
            f"{folder}: translates {before.data.source} to {before.data.target}, not "
            f"{data.source} to {data.target}; training from it keeps the direction"
        )
    config = _inherit(config, before)
    for name, theirs, ours in _changes(before, config):
        if name.startswith(_INHERITED) and name not in _FREE:
            raise UserError(
                f"{name} {ours}: {folder} has {theirs}; training from it keeps that, so leave it "
                "out"
            )
    provenance = {"start": {"folder": str(folder), **bundle.provenance}}
    return Start(config, bundle.tokenizer, bundle.model, _sets_of_start(folder), provenance)


def resume(config: Config, run: Run) -> Start:
    """Return how a run goes on that was stopped: with what its folder and newest checkpoint hold.

    `config` gets the run's own values in place of each `auto` and of `minutes`. Raises UserError
    where any field outside `MAY_CHANGE` differs from the run's.
    """
    before = load_config(run.config)
    config = _shrunk(config, before)
    if before.training.start is not None:
        config = _inherit(config, before)
    training = config.training.model_dump()
    chosen = {name: getattr(before.training, name) for name in AUTO if training[name] == "auto"}
    if training["minutes"] is not None:
        chosen |= {name: getattr(before.training, name) for name in PLANNED} | {"minutes": None}
        log.info(
            f"training.minutes {training['minutes']:g} is not used: the run was planned at its "
            "start; --fresh plans anew, and without minutes max_epochs and max_steps count"
        )
    config = ResolvedConfig.model_validate(config.model_dump() | {"training": training | chosen})
    changed = [
        f"{name} from {theirs} to {ours}"
        for name, theirs, ours in _changes(before, config)
        if not any(fnmatch(name, may) or fnmatch(name, f"{may}.*") for may in MAY_CHANGE)
    ]
    if changed:
        raise UserError(
            f"{run.folder}: the run was started with another configuration: {', '.join(changed)} "
            f"changed (only {', '.join(MAY_CHANGE)} may); start anew beside it with --fresh"
        )
    if run.data.exists():
        return Start(config, is_resumed=True)
    report = read_json(run.corpus_report) if run.corpus_report.is_file() else {}
    return Start(
        config,
        Tokenizer.load(run.folder),
        sets=_sets_of_start(run.folder, OF_START),
        provenance={"start": report["start"]} if "start" in report else {},
        is_resumed=True,
    )


def receive_run(group: Group) -> tuple[Run, ResolvedConfig]:
    """Wait until process 0 sends which run it has prepared, and its configuration.

    Raises UserError where this process does not see what process 0 wrote.
    """
    run, config = group.broadcast()
    path, until_s = run.config, time.monotonic() + VISIBLE_S
    while not (path.is_file() and path.read_bytes() == dump_config(config).encode()):
        if time.monotonic() > until_s:
            raise UserError(
                f"{path}: process {group.rank} does not see what process 0 wrote there; all "
                "hosts need the run's folder at the same path, such as on a network drive"
            )
        time.sleep(0.1)
    return run, config


def share_state(group: Group, run: Run, optimizer: Optimizer, state: TrainState) -> TrainState:
    """Load the weights and all else of process 0 into `optimizer`; return where its run is."""
    if group.is_main and group.size > 1:
        tensors = {name: value.cpu() for name, value in optimizer.state_dict().items()}
        group.broadcast((state, tensors, optimizer.counters()))
    elif not group.is_main:
        state, tensors, counters = group.broadcast()
        optimizer.load_state_dict(tensors, counters, run.checkpoints)
    return state


def _shrunk(config: Config, before: Config) -> Config:
    """Return `config` with the smaller model of the run before, where it may be that."""
    small = config.model.smaller()
    free = {"dropout": small.dropout, "may_shrink": small.may_shrink}
    if config.model.may_shrink and before.model.model_copy(update=free) == small:
        return config.model_copy(update={"model": small})
    return config


def _inherit(config: Config, before: Config) -> Config:
    """Return `config` with sections of the run before, but for the keys that it states itself.

    Raises UserError where they do not go together.
    """
    values = config.model_dump(exclude_unset=True)
    for name in _INHERITED:
        values[name] = getattr(before, name).model_dump() | values.get(name, {})
    return load_config(values)


def _changes(before: Config, now: Config) -> list[tuple[str, str, str]]:
    """Return the full name of each key that differs, and in short its value before and now."""
    old, new = flatten(before.model_dump()), flatten(now.model_dump())
    return [
        (name, short_repr(old.get(name)), short_repr(new.get(name)))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def _sets_of_start(folder: Path, suffix: str = "") -> dict[str, list[EvaluationSet]]:
    """Return the dev and test sets in a folder whose names end so; all names end in OF_START."""
    return {
        split: [
            found if suffix else replace(found, name=f"{found.name}{OF_START}")
            for found in find_sets(folder, split) or []
            if found.name.endswith(suffix)
        ]
        for split in ("dev", "test")
    }
