"""How a run begins: from scratch, with the weights of another run, or where it was stopped."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from typing import Any

import torch
from torch import Tensor

from gru_mt.bundle import load_bundle, load_named_tensors, named_tensors
from gru_mt.config.fields import Section
from gru_mt.config.load import load_config
from gru_mt.config.schema import Config, ResolvedConfig
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.corpus.files import user_path
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError, short_repr
from gru_mt.evaluation.evaluate import find_sets
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.run import Run, flatten
from gru_mt.storage import read_json
from gru_mt.training.distributed import Group
from gru_mt.training.optim.lr_schedule import AUTO
from gru_mt.training.optim.optimizer import Optimizer
from gru_mt.training.output.checkpoint import has_checkpoint, load_checkpoint
from gru_mt.training.state import TrainState

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
_FREE = ("model.dropout", "tokenizer.sampling")  # keys of theirs that decide no weight's shape
VISIBLE_S = 60.0  # a network drive may show a new file this late
OF_START = " (start)"  # ends the name of a set that the run before was measured on


@dataclass(frozen=True, slots=True)
class Start:
    """What a run begins with."""

    config: Config
    tokenizer: Tokenizer | None = None  # None: trained on the run's corpus, or in the run's folder
    weights: Seq2Seq | None = None  # None: as drawn, or in a checkpoint
    sets: Mapping[str, Sequence[EvaluationSet]] = field(default_factory=dict)  # more dev and test
    provenance: Mapping[str, Any] = field(default_factory=dict)  # of the first weights
    is_resumed: bool = False


@dataclass(frozen=True, slots=True)
class SharedStart:
    """What process 0 of a group begins with, and the others get from it."""

    run: Run
    config: ResolvedConfig
    state: TrainState
    tensors: dict[str, Tensor]  # on the CPU
    counters: dict[str, Any]


def choose_start(config: Config, run: Run) -> Start:
    """Return how a run begins that `config` configures.

    Raises UserError where `training.start` is no model folder, or `config` contradicts it or the
    run that is resumed.
    """
    if has_checkpoint(run.checkpoints):
        return resume(config, run)
    return from_scratch(config) if config.training.start is None else fine_tune(config)


def from_scratch(config: Config) -> Start:
    """Return the start of a run with weights as drawn, and a tokenizer of its own."""
    return Start(config)


def fine_tune(config: Config) -> Start:
    """Return the start of a run with the weights, tokenizer and model of another.

    Its sections `model` and `tokenizer` are those of the other; only dropout and sampling may
    differ. Its dev and test sets include the other run's, so that what is forgotten shows. Raises
    UserError for any other value of these sections that differs, and for another direction.
    """
    assert config.training.start is not None, "only then a run is fine-tuned"
    folder = user_path(config.training.start)
    bundle = load_bundle(folder, torch.device("cpu"))
    before, data = bundle.config, config.data
    if (data.source, data.target) != (before.data.source, before.data.target):
        raise UserError(
            f"{folder}: translates {before.data.source} to {before.data.target}, not "
            f"{data.source} to {data.target}; training from it keeps the direction"
        )
    config = _inherit(config, before)
    for section in _INHERITED:
        theirs = getattr(before, section).model_dump()
        for name, value in getattr(config, section).model_dump().items():
            if value != theirs[name] and f"{section}.{name}" not in _FREE:
                raise UserError(
                    f"{section}.{name} {short_repr(value)}: {folder} has "
                    f"{short_repr(theirs[name])}; training from it keeps that, so leave it out"
                )
    sets = {
        split: [
            replace(found, name=f"{found.name.removesuffix(OF_START)}{OF_START}")
            for found in find_sets(folder, split) or []
        ]
        for split in ("dev", "test")
    }
    provenance = {"start": {"folder": str(folder), **bundle.provenance}}
    return Start(config, bundle.tokenizer, bundle.model, sets, provenance)


def resume(config: Config, run: Run) -> Start:
    """Return how a run goes on that was stopped: with what its folder and newest checkpoint hold.

    `config` gets the run's own value in place of each `auto`. Raises UserError where any field
    outside `MAY_CHANGE` differs from the run's.
    """
    before = load_config(run.config)
    if before.training.start is not None:
        config = _inherit(config, before)
    chosen = {
        name: getattr(before.training, name)
        for name in AUTO
        if getattr(config.training, name) == "auto"
    }
    training = config.training.model_copy(update=chosen)
    config = config.model_copy(update={"training": training})
    _check_unchanged(run, before, config)
    config = ResolvedConfig.model_validate(config.model_dump())
    if run.data.exists():
        return Start(config, is_resumed=True)
    sets = {
        split: [
            found for found in find_sets(run.folder, split) or [] if found.name.endswith(OF_START)
        ]
        for split in ("dev", "test")
    }
    report = read_json(run.corpus_report) if run.corpus_report.is_file() else {}
    provenance = {name: report[name] for name in ("start",) if name in report}
    tokenizer = Tokenizer.load(run.folder)
    return Start(config, tokenizer, sets=sets, provenance=provenance, is_resumed=True)


def load_state(
    start: Start | SharedStart, run: Run, optimizer: Optimizer, fingerprints: dict[str, str]
) -> TrainState:
    """Load what a run begins with into `optimizer`; return where the run is.

    Raises UserError where no checkpoint can be loaded, or it belongs to data with other
    `fingerprints`.
    """
    if isinstance(start, SharedStart):
        optimizer.load_state_dict(start.tensors, start.counters, run.checkpoints)
        return start.state
    if start.is_resumed:
        return load_checkpoint(run.checkpoints, optimizer, fingerprints)
    if start.weights is not None:
        weights = named_tensors(start.weights)
        for model in (optimizer.model, optimizer.average):
            load_named_tensors(model, weights, run.folder)
    return TrainState()


def share_start(
    group: Group, run: Run, config: ResolvedConfig, optimizer: Optimizer, state: TrainState
) -> None:
    """Send what process 0 has, and has written in the run's folder, to the others."""
    if group.size > 1:
        tensors = {name: value.cpu() for name, value in optimizer.state_dict().items()}
        group.broadcast(SharedStart(run, config, state, tensors, optimizer.counters()))


def receive_start(group: Group) -> SharedStart:
    """Wait for what process 0 sends.

    Raises UserError where this process does not see what process 0 wrote.
    """
    start: SharedStart = group.broadcast()
    path, until_s = start.run.config, time.monotonic() + VISIBLE_S
    while not (path.is_file() and path.read_bytes() == dump_config(start.config).encode()):
        if time.monotonic() > until_s:
            raise UserError(
                f"{path}: process {group.rank} does not see what process 0 wrote there; all "
                "hosts need the run's folder at the same path, such as on a network drive"
            )
        time.sleep(0.1)
    return start


def _inherit(config: Config, before: Config) -> Config:
    """Return `config` with sections of the run before, but for the keys that it states itself."""
    return config.model_copy(
        update={name: _over(getattr(config, name), getattr(before, name)) for name in _INHERITED}
    )


def _over(ours: Section, theirs: Section) -> Section:
    """Return `theirs` with what the configuration of `ours` states itself."""
    stated = {name: getattr(ours, name) for name in ours.model_fields_set}
    return theirs.model_copy(update=stated)


def _check_unchanged(run: Run, before: Config, now: Config) -> None:
    old, new = flatten(before.model_dump()), flatten(now.model_dump())
    changed = [
        f"{name} from {short_repr(old.get(name))} to {short_repr(new.get(name))}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
        and not any(fnmatch(name, may) or fnmatch(name, f"{may}.*") for may in MAY_CHANGE)
    ]
    if changed:
        raise UserError(
            f"{run.folder}: the run was started with another configuration: {', '.join(changed)} "
            f"changed (only {', '.join(MAY_CHANGE)} may); start anew beside it with --fresh"
        )
