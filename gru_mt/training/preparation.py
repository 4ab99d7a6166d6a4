"""From a configuration to what the training loop reads."""

import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import torch

from gru_mt.bundle import build_model
from gru_mt.config import Config
from gru_mt.data.augment import Noise, Texts
from gru_mt.data.dictionary import learn_short_texts
from gru_mt.data.encoding import EncodedPairs, EpochPairs, Ints, encode_pairs
from gru_mt.data.example import Example
from gru_mt.data.literals import mask_pair
from gru_mt.data.parts import Parts, load_parts
from gru_mt.data.stages import Tell, counted, tell_nobody
from gru_mt.data.text import clean
from gru_mt.data.tokenizer import Tokenizer
from gru_mt.errors import UserError
from gru_mt.training.journal import Journal
from gru_mt.training.progress import derived_seed
from gru_mt.training.start import Start

ADDING_NOISE = "adding noise"  # a stage


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What a run reads: the training pairs as the model reads them, and where all is from."""

    tokenizer: Tokenizer
    train: list[Example]  # masked and truecased; pairs of single words and short phrases last
    parts: Parts
    dev_pairs: list[EncodedPairs]  # of each set of dev
    fingerprints: dict[str, str]  # SHA-256 of what a checkpoint belongs to
    provenance: dict[str, Any]
    start: dict[str, Any]  # where the first weights are from; empty for a run of its own

    def where(self, row: int) -> str:
        """Return the file and the line of a training pair."""
        pair = self.train[row]
        return self.parts.corpora[pair.corpus].lines.where(pair.line)


class TrainingPairs:
    """The ids of the training pairs, as each epoch reads them."""

    def __init__(
        self,
        config: Config,
        tokenizer: Tokenizer,
        train: list[Example],
        tell: Tell = tell_nobody,
    ) -> None:
        """Take the training part and what encodes it; `tell` is told what takes its time."""
        self._config, self._tokenizer, self._train = config, tokenizer, train
        self._tell = tell
        one_sided = [corpus.side is not None for corpus in config.data.corpus]
        self._made_N = [one_sided[pair.corpus] for pair in train]
        augment = config.data.augment
        if augment:
            tell(ADDING_NOISE)
        self._noise = augment and Noise(augment, train, seed=config.training.seed)
        self._clean: tuple[int, EncodedPairs] | None = None  # the last epoch encoded, all its pairs
        self._epoch: tuple[int, EpochPairs] | None = None  # the last one asked for

    def of_epoch(self, epoch: int) -> EpochPairs:
        """Return the pairs of an epoch. Each has its own noise and, with sampling, other subwords.

        Only what differs from the epoch before is encoded anew.
        """
        if self._clean is None or (self._config.tokenizer.sampling and self._clean[0] != epoch):
            self._clean = epoch, self._encode(self._train, self._made_N, epoch)
        if self._epoch is None or self._epoch[0] != epoch:
            row_N = self._rows(epoch)
            pairs = self._clean[1].taken(row_N)
            if self._noise:
                rows = counted(row_N.tolist(), self._tell, ADDING_NOISE, "pairs", total=len(row_N))
                changed = self._noise.of_epoch(epoch, rows)
                place_M = np.fromiter(changed, np.int64)
                made_M = [self._made_N[row] for row in row_N[place_M]]
                noisy = self._encode([*changed.values()], made_M, epoch)
                pairs = pairs.overlaid(place_M, noisy)
            self._epoch = epoch, EpochPairs(pairs.source, pairs.target, row_N)
        return self._epoch[1]

    def _rows(self, epoch: int) -> Ints:
        """Return the rows that an epoch takes, in their order.

        A corpus of weight 2.5 gives each row twice, and half of its rows once more. The next epoch
        takes the other half.
        """
        corpus_N = np.array([pair.corpus for pair in self._train])
        rows = []
        for place, corpus in enumerate(self._config.data.corpus):
            [own_M] = np.nonzero(corpus_N == place)
            rng = np.random.default_rng((self._config.training.seed, place))
            turn_M = rng.permutation(own_M)
            first, last = (round(len(own_M) * corpus.weight * each) for each in (epoch, epoch + 1))
            rows.append(turn_M[np.arange(first, last) % max(1, len(own_M))])
        return np.sort(np.concatenate(rows))

    def _encode(
        self, examples: Sequence[Example | Texts], made_N: Sequence[bool], epoch: int
    ) -> EncodedPairs:
        training = self._config.training
        return encode_pairs(
            self._tokenizer,
            examples,
            made_N=made_N,
            sampling=self._config.tokenizer.sampling,
            seed=derived_seed("subwords", training.seed, epoch) >> 32,  # it takes 31 bits
            cut_tokens=training.cut_tokens,
            tell=self._tell,
        )


def prepare(
    config: Config,
    start: Start,
    journal: Journal,
    made_sources: Callable[[Sequence[str]], list[str]] = list,
    *,
    parts: Parts | None = None,
) -> TrainingData:
    """Read and divide the corpora, train or load the tokenizer, and say what came out.

    `made_sources` gives the sources of text without translations. By default that is the text
    itself, which is enough to see how long a training takes. `parts` are those of the corpora, if
    they have been read.

    Nothing is written; `keeping.keep` writes once all checks have passed. Raises UserError where no
    pair is left to train on, or where the model is too large for this machine.
    """
    if parts is None:
        dev, test = start.sets("dev"), start.sets("test")
        parts = load_parts(config.data, dev=dev, test=test, tell=journal.stage)
    for line in parts.lines():
        journal.say(line)
    for warning in parts.warnings():
        journal.warn(warning)
    if not parts.train:
        raise UserError(f"data.corpus: no pair is left to train on: {parts.sizes()}")
    if not parts.dev:
        journal.warn("the corpus is too small for a dev part: the last weights will be kept")
    if len(parts.dev) > 1:
        journal.say(f"the dev set {parts.dev[0].name} decides which weights are kept")
    size = len(parts.train)
    pairs = counted(parts.train, journal.stage, "masking what is copied", "pairs", total=size)
    train = [*map(_masked, pairs)]
    made = _with_sources(parts.one_sided, made_sources) if parts.one_sided else []
    tokenizer = start.tokenizer(config.tokenizer, train, made, journal)
    _refuse_too_large(config, tokenizer)
    if config.data.augment and config.data.augment.words:
        journal.stage("finding words and short phrases")
        short = learn_short_texts(train)
        journal.say(f"{len(short):,} words and short phrases of these pairs are trained on too")
        train = [*train, *short]
    train += made
    dev_pairs = [
        encode_pairs(tokenizer, _truecased(map(_masked, each.examples), tokenizer))
        for each in parts.dev
    ]
    fingerprints = {
        "corpus": _digest(parts, made),
        "tokenizer": hashlib.sha256(b"".join(tokenizer.files().values())).hexdigest(),
    }
    begun = start.provenance()
    journal.stage("encoding")
    return TrainingData(
        tokenizer,
        _truecased(train, tokenizer),
        parts,
        dev_pairs,
        fingerprints,
        _provenance(config, parts, made, begun) | begun,
        begun,
    )


def _with_sources(
    one_sided: Sequence[Example], made_sources: Callable[[Sequence[str]], list[str]]
) -> list[Example]:
    """Return the pairs of text without translations, masked, but for those without a source."""
    sources = made_sources([pair.target for pair in one_sided])
    pairs = zip(one_sided, map(clean, sources), strict=True)
    return [_masked(pair._replace(source=source)) for pair, source in pairs if source]


def _digest(parts: Parts, made: Sequence[Example]) -> str:
    """Return the SHA-256 of what is trained on and measured on, whatever its names."""
    sets = json.dumps([[(each.sources, each.references) for each in sets]
                       for sets in (parts.dev, parts.test)])  # fmt: skip
    texts = "".join(each.sha256 for each in parts.corpora)
    texts += "".join(pair.source for pair in made)
    return hashlib.sha256(f"{texts}{sets}".encode()).hexdigest()


def _masked(example: Example) -> Example:
    """Return a pair with what is copied masked on both sides."""
    source, target = mask_pair(example.source, example.target)
    return example._replace(source=source, target=target)


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


def _provenance(
    config: Config, parts: Parts, made: Sequence[Example], begun: dict[str, Any]
) -> dict[str, Any]:
    before = begun.get("start", {}).get("attribution")
    attributions = dict.fromkeys([*parts.attributions(), *([before] if before else [])])
    back = {"model": config.data.back_translate, "training_pairs": len(made)}
    return {
        "corpora": [
            {"path": settings.path, "name": each.name, "sha256": each.sha256}
            for settings, each in zip(config.data.corpus, parts.corpora, strict=True)
        ],
        "attribution": "; ".join(attributions),
        "training_pairs": len(parts.train),
        "sentences": parts.sentences(),
        **({"back_translation": back} if made else {}),
        "gru_mt": version("gru-mt"),
        "torch": torch.__version__,
        "python": platform.python_version(),
    }
