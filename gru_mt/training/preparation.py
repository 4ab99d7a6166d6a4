"""From a configuration to what the training loop reads."""

import hashlib
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import torch

from gru_mt.bundle import build_model
from gru_mt.config import Config
from gru_mt.data.augment import Noise, Texts
from gru_mt.data.corpus import Corpus, load_corpus
from gru_mt.data.dictionary import learn_short_texts
from gru_mt.data.encoding import EncodedPairs, encode_pairs
from gru_mt.data.literals import mask_pair
from gru_mt.data.split import EvaluationSet, Example, Split, split_corpus
from gru_mt.data.tokenizer import Tokenizer
from gru_mt.errors import UserError
from gru_mt.training.journal import Journal
from gru_mt.training.progress import derived_seed
from gru_mt.training.start import Start


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The three parts of a corpus, the tokenizer of its training part, and the corpus's origin."""

    tokenizer: Tokenizer
    train: list[Example]  # as the model reads them; pairs of single words last
    dev: EvaluationSet
    test: EvaluationSet
    dev_pairs: EncodedPairs
    fingerprints: dict[str, str]  # SHA-256 of what a checkpoint belongs to
    provenance: dict[str, Any]
    corpus_report: dict[str, Any]


class TrainingPairs:
    """The ids of the training pairs, as each epoch reads them."""

    def __init__(self, config: Config, tokenizer: Tokenizer, train: list[Example]) -> None:
        """Take the training part and what encodes it."""
        self._config, self._tokenizer, self._train = config, tokenizer, train
        augment = config.data.augment
        self._noise = augment and Noise(augment, train, seed=config.training.seed)
        self._clean: tuple[int, EncodedPairs] | None = None  # the last epoch encoded, its pairs
        self._noisy: tuple[int, EncodedPairs] | None = None  # the same with its noise

    def of_epoch(self, epoch: int) -> EncodedPairs:
        """Return the pairs of an epoch. Each has its own noise and, with sampling, other subwords.

        Only what differs from the epoch before is encoded anew.
        """
        if self._clean is None or (self._config.tokenizer.sampling and self._clean[0] != epoch):
            self._clean = epoch, self._encode(self._train, epoch)
        if not self._noise:
            return self._clean[1]
        if self._noisy is None or self._noisy[0] != epoch:
            changed = self._noise.of_epoch(epoch)
            rows = np.fromiter(changed, np.int64)
            noisy = self._encode([*changed.values()], epoch)
            self._noisy = epoch, self._clean[1].overlaid(rows, noisy)
        return self._noisy[1]

    def _encode(self, examples: Sequence[Example | Texts], epoch: int) -> EncodedPairs:
        training = self._config.training
        return encode_pairs(
            self._tokenizer,
            examples,
            sampling=self._config.tokenizer.sampling,
            seed=derived_seed("subwords", training.seed, epoch) >> 32,  # it takes 31 bits
            cut_tokens=training.cut_tokens,
        )


def prepare(config: Config, start: Start, journal: Journal) -> TrainingData:
    """Read and split the corpus, train or load the tokenizer, and say what came out.

    Nothing is written; `keeping.keep` writes once all checks have passed. Raises UserError where no
    pair is left to train on, or where the model is too large for this machine.
    """
    corpus = load_corpus(config.data)
    split = split_corpus(corpus, config.data)
    for line in [*corpus.report.lines(), split.summary()]:
        journal.say(line)
    for warning in corpus.warnings:
        journal.warn(warning)
    if corpus.attribution:
        journal.say(corpus.attribution)
    if not split.train:
        raise UserError(f"data.corpus: no pair is left to train on: {split.summary()}")
    if not split.dev:
        journal.warn("the corpus is too small for a dev part: the last weights will be kept")
    train = [*map(_masked, split.train)]
    tokenizer = start.tokenizer(config.tokenizer, train, journal)
    _refuse_too_large(config, tokenizer)
    if config.data.augment and config.data.augment.words:
        short = learn_short_texts(train)
        journal.say(f"{len(short):,} words and short phrases of these pairs are trained on too")
        train = [*train, *short]
    report = {"corpus": config.data.model_dump()["corpus"], "sha256": corpus.sha256}
    return TrainingData(
        tokenizer,
        _truecased(train, tokenizer),
        EvaluationSet.from_examples(split.dev),
        EvaluationSet.from_examples(split.test),
        encode_pairs(tokenizer, _truecased(map(_masked, split.dev), tokenizer)),
        {
            "corpus": corpus.sha256,
            "tokenizer": hashlib.sha256(b"".join(tokenizer.files().values())).hexdigest(),
        },
        _provenance(report, corpus, split),
        report | asdict(corpus.report),
    )


def _masked(example: Example) -> Example:
    """Return a pair with what is copied masked on both sides."""
    return Example(*mask_pair(example.source, example.target), example.line)


def _truecased(examples: Iterable[Example], tokenizer: Tokenizer) -> list[Example]:
    """Return pairs with their sources as translation reads them too."""
    truecased = tokenizer.lexicon.truecased
    return [pair._replace(source=truecased(pair.source)) for pair in examples]


def _refuse_too_large(config: Config, tokenizer: Tokenizer) -> None:
    """Raise UserError for a model that is too large to train in this machine's memory.

    Otherwise the system would promise more memory than it has, and later kill the process.
    """
    with torch.device("meta"):  # this device takes no memory
        size = sum(parameter.numel() for parameter in build_model(config, tokenizer).parameters())
    needed_bytes = 5 * 4 * size  # weights, gradients, two moments and an average, in fp32
    if "SC_PHYS_PAGES" in os.sysconf_names:  # not on every system
        there_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if needed_bytes > there_bytes:
            raise UserError(
                f"model: {size:,} parameters take {needed_bytes / 1e9:,.0f} GB to train, and this "
                f"machine has {there_bytes / 1e9:,.0f}; make model.*_size or *_layers smaller"
            )


def _provenance(report: dict[str, Any], corpus: Corpus, split: Split) -> dict[str, Any]:
    return {
        **report,
        "attribution": corpus.attribution,
        "pairs": {"train": len(split.train), "dev": len(split.dev), "test": len(split.test)},
        "gru_mt": version("gru-mt"),
        "torch": torch.__version__,
        "python": platform.python_version(),
    }
