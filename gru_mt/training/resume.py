"""How a run begins: afresh, with the weights of another run, or where it was stopped.

`start_of` makes this choice once.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor

from gru_mt.bundle import Bundle, load_bundle, load_named_tensors, named_tensors
from gru_mt.config.fields import Section
from gru_mt.config.load import load_config
from gru_mt.config.schema import Config, ResolvedConfig, TokenizerConfig
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.corpus.files import user_path
from gru_mt.data.dataset.ids import EpochPairs
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.text.translation_memory import TranslationMemory
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.tokenizer import Tokenizer, train_tokenizer
from gru_mt.data.types import Example
from gru_mt.errors import UserError, short_repr
from gru_mt.evaluation.evaluate import find_sets
from gru_mt.run import Run, flatten
from gru_mt.storage import read_json
from gru_mt.training.checkpoint import check_same_data, has_checkpoint, load_checkpoint
from gru_mt.training.distributed import Group
from gru_mt.training.lr_schedule import AUTO, planned_updates, resolve_auto
from gru_mt.training.optimizer import Optimizer
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

_KEPT = ("model", "tokenizer")  # sections that go from a bundle into the run that starts from it
_FREE = ("model.dropout", "tokenizer.sampling")  # keys of theirs that decide no weight's shape
VISIBLE_S = 60.0  # a network drive may show a new file this late
OF_START = " (start)"  # ends the name of a set that the run before was measured on
FirstBlock = Callable[[], EpochPairs]  # the pairs of the first block; a resumed run needs none


class Fresh:
    """A new run: its weights stay as drawn, and its tokenizer is trained on the training split."""

    def accept(self, config: Config) -> Config:
        """Return the configuration to train with: here `config` itself."""
        return config

    def sets(self, split: str) -> list[EvaluationSet]:
        """Return sets of dev or test that come with the start: here none."""
        return []

    def check_same_data(self, fingerprints: dict[str, str]) -> None:
        """Raise UserError for data that the run did not begin with: here any data may be."""

    def provenance(self) -> dict[str, Any]:
        """Return where the first weights are from: here from no run."""
        return {}

    def tokenizer(
        self, config: TokenizerConfig, train: list[Example], made: list[Example]
    ) -> Tokenizer:
        """Return the tokenizer of the run, here by training it.

        Pairs with a source that a model `made` give subwords, but no word that is known.
        """
        log.info(f"training the {config.kind} tokenizer")
        pairs = [(pair.source, pair.target) for pair in [*train, *made]]
        sources, targets = zip(*pairs, strict=True)
        return train_tokenizer(config, sources, targets, written=len(train), warn=log.warning)

    def fit(self, config: Config, first: FirstBlock, blocks: int) -> ResolvedConfig:
        """Return `config` with every `auto` chosen for epochs of `blocks`; say what was chosen."""
        pairs = first()
        training = resolve_auto(config.training, pairs, blocks)
        total = planned_updates(training, pairs, training.batch_tokens, blocks)
        for name in AUTO:
            if getattr(config.training, name) == "auto":
                chosen = getattr(training, name)
                log.info(f"training.{name}: {chosen:,} (auto, for {total:,} updates)")
        if training.warmup_steps >= total:
            log.warning(
                f"training.warmup_steps {training.warmup_steps:,}: the run ends with update "
                f"{total:,}, before the learning rate falls; lower it, or set it to auto"
            )
        return ResolvedConfig.of(config, training)

    def load(self, optimizer: Optimizer, fingerprints: dict[str, str]) -> TrainState:
        """Return the progress of a run that has not begun; `optimizer` stays as it is."""
        return TrainState()


@dataclass(frozen=True)
class FromBundle(Fresh):
    """A new run that begins with the weights of another, and keeps its tokenizer and model."""

    folder: Path
    bundle: Bundle

    def accept(self, config: Config) -> Config:
        """Return `config` with the bundle's sections `model` and `tokenizer`.

        Dropout and sampling may be others. Raises UserError for any other value of these sections
        that contradicts the bundle's, and for another direction.
        """
        before, data = self.bundle.config, config.data
        if (data.source, data.target) != (before.data.source, before.data.target):
            raise UserError(
                f"{self.folder}: translates {before.data.source} to {before.data.target}, not "
                f"{data.source} to {data.target}; training from it keeps the direction"
            )
        sections = {name: _over(getattr(config, name), getattr(before, name)) for name in _KEPT}
        for section, ours in sections.items():
            theirs = getattr(before, section).model_dump()
            for name, value in ours.model_dump().items():
                if value != theirs[name] and f"{section}.{name}" not in _FREE:
                    raise UserError(
                        f"{section}.{name} {short_repr(value)}: {self.folder} has "
                        f"{short_repr(theirs[name])}; training from it keeps that, so leave it out"
                    )
        return config.model_copy(update=sections)

    def tokenizer(
        self, config: TokenizerConfig, train: list[Example], made: list[Example]
    ) -> Tokenizer:
        """Return the bundle's tokenizer, with the words and the short texts that are new."""
        log.info(f"training goes on from {self.folder}, with its tokenizer")
        log.info("learning new words")
        tokenizer = self.bundle.tokenizer
        sources, targets = [pair.source for pair in train], [pair.target for pair in train]
        return replace(
            tokenizer,
            truecaser=tokenizer.truecaser.extended(Truecaser.learn(sources, targets)),
            memory=TranslationMemory.learn(sources, targets).extended(tokenizer.memory),
        )

    def sets(self, split: str) -> list[EvaluationSet]:
        """Return the other run's sets, where they are there, so that what is forgotten shows."""
        return [
            replace(each, name=f"{each.name.removesuffix(OF_START)}{OF_START}")
            for each in find_sets(self.folder, split) or []
        ]

    def provenance(self) -> dict[str, Any]:
        """Return what the bundle says of itself."""
        return {"start": {"folder": str(self.folder), **self.bundle.provenance}}

    def load(self, optimizer: Optimizer, fingerprints: dict[str, str]) -> TrainState:
        """Put the bundle's weights into `optimizer`; return the progress of a new run."""
        weights = named_tensors(self.bundle.model)
        for model in (optimizer.model, optimizer.average):
            load_named_tensors(model, weights, self.folder)
        return TrainState()


@dataclass(frozen=True, slots=True)
class Resumed:
    """A run that was stopped: it goes on with what its folder and newest checkpoint hold."""

    run: Run

    def accept(self, config: Config) -> Config:
        """Return `config` with the run's own value in place of each `auto`.

        Raises UserError where any field outside `MAY_CHANGE` differs from the run's.
        """
        before = load_config(self.run.config)
        if before.training.start is not None:  # its model and tokenizer were another run's
            sections = {name: _over(getattr(config, name), getattr(before, name)) for name in _KEPT}
            config = config.model_copy(update=sections)
        chosen = {
            name: getattr(before.training, name)
            for name in AUTO
            if getattr(config.training, name) == "auto"
        }
        training = config.training.model_copy(update=chosen)
        config = config.model_copy(update={"training": training})
        _check_unchanged(self.run, before, config)
        return config

    def tokenizer(
        self, config: TokenizerConfig, train: list[Example], made: list[Example]
    ) -> Tokenizer:
        """Return the run's own tokenizer."""
        return Tokenizer.load(self.run.folder)

    def sets(self, split: str) -> list[EvaluationSet]:
        """Return the sets of dev or test that came with the start of the run."""
        kept = find_sets(self.run.folder, split) or []
        return [each for each in kept if each.name.endswith(OF_START)]

    def check_same_data(self, fingerprints: dict[str, str]) -> None:
        """Raise UserError for data that the run did not begin with."""
        check_same_data(self.run.checkpoints, fingerprints)

    def provenance(self) -> dict[str, Any]:
        """Return where the run's first weights were from."""
        path = self.run.corpus_report
        found = read_json(path) if path.is_file() else {}
        return {"start": found["start"]} if "start" in found else {}

    def fit(self, config: Config, first: FirstBlock, blocks: int) -> ResolvedConfig:
        """Return `config`, which already has what was chosen when the run began."""
        return ResolvedConfig.model_validate(config.model_dump())

    def load(self, optimizer: Optimizer, fingerprints: dict[str, str]) -> TrainState:
        """Load the newest undamaged checkpoint into `optimizer`; return its progress.

        Raises UserError where there is none, or where its fingerprints are not `fingerprints`.
        """
        return load_checkpoint(self.run.checkpoints, optimizer, fingerprints, log.warning)


@dataclass(frozen=True)
class FromMain:
    """How a run begins in a process beside process 0 of its group: with what that one has."""

    run: Run
    config: ResolvedConfig
    progress: TrainState
    tensors: dict[str, Tensor]  # on the CPU
    counters: dict[str, Any]

    @classmethod
    def send(
        cls,
        group: Group,
        run: Run,
        config: ResolvedConfig,
        optimizer: Optimizer,
        progress: TrainState,
    ) -> None:
        """Send what process 0 has, and has written in the run's folder, to the others."""
        tensors = {name: value.cpu() for name, value in optimizer.tensors().items()}
        group.broadcast(cls(run, config, progress, tensors, optimizer.counters()))

    @classmethod
    def received(cls, group: Group) -> Self:
        """Wait for what process 0 sends.

        Raises UserError where this process does not see what process 0 wrote.
        """
        start: Self = group.broadcast()
        path, until_s = start.run.config, time.monotonic() + VISIBLE_S
        while not (path.is_file() and path.read_bytes() == dump_config(start.config).encode()):
            if time.monotonic() > until_s:
                raise UserError(
                    f"{path}: process {group.rank} does not see what process 0 wrote there; all "
                    "hosts need the run's folder at the same path, such as on a network drive"
                )
            time.sleep(0.1)
        return start

    def fit(self, config: Config, first: FirstBlock, blocks: int) -> ResolvedConfig:
        """Return the configuration of process 0."""
        return self.config

    def load(self, optimizer: Optimizer, fingerprints: dict[str, str]) -> TrainState:
        """Put the tensors of process 0 into `optimizer`; return its progress."""
        optimizer.load(self.tensors, self.counters, self.run.checkpoints)
        return self.progress


Start = Fresh | FromBundle | Resumed


def start_of(run: Run, config: Config) -> Start:
    """Return how this run begins. Raises UserError where `training.start` is no bundle."""
    if has_checkpoint(run.checkpoints):
        return Resumed(run)
    if config.training.start is None:
        return Fresh()
    folder = user_path(config.training.start)
    return FromBundle(folder, load_bundle(folder, torch.device("cpu")))


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
