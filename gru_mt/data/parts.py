"""Training pairs, dev sets and test sets of all that a configuration names, without leaks."""

import logging
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from gru_mt.config.data import CorpusConfig, DataConfig
from gru_mt.data.corpus.builder import Corpus
from gru_mt.data.corpus.filters import KEYS
from gru_mt.data.corpus.load import load_corpora
from gru_mt.data.dataset.store import Digests, Ints, LazySequence, Subset, digests
from gru_mt.data.evaluation_set import EvaluationSet, load_evaluation_set
from gru_mt.data.splits import DEV, TEST, TRAIN, as_examples, key
from gru_mt.data.types import Example
from gru_mt.errors import UserError, short_repr

log = logging.getLogger(__name__)
Sets = dict[str, list[EvaluationSet]]  # of dev and of test


@dataclass(frozen=True, slots=True)
class Splits:
    """What is trained on, and what it is measured on. The first set of dev decides."""

    corpora: list[Corpus]
    train: LazySequence[Example]  # in the order of the corpora and of their lines
    dev: list[EvaluationSet]
    test: list[EvaluationSet]
    leaks: dict[str, int]  # training pairs of each corpus that share a sentence with dev or test
    leaks_are_kept: bool
    one_sided: list[Example] = field(default_factory=list)  # text whose sources are still to make
    beyond_limit: dict[str, int] = field(default_factory=dict)  # left out of each corpus
    notes: list[str] = field(default_factory=list)  # on how dev and test were read
    sizes_of: list[int] = field(default_factory=list)  # training pairs or texts of each corpus

    def lines(self) -> list[str]:
        """Return lines for a person to read: what became of each corpus, and the sizes."""
        several = len(self.corpora) > 1
        lines = [
            f"{corpus.name}: {line}" if several else line
            for corpus in self.corpora
            for line in corpus.report.lines()
        ]
        return [*lines, *self.summary()]

    def summary(self) -> list[str]:
        """Return lines about leaks, limits, sizes and credits."""
        lines = []
        if self.leaks:
            each = ", ".join(f"{name} {count:,}" for name, count in self.leaks.items())
            done = "kept, as data.leaks says" if self.leaks_are_kept else "dropped"
            lines.append(f"training pairs that share a sentence with dev or test: {each}: {done}")
        if self.beyond_limit:
            each = ", ".join(f"{name} {count:,}" for name, count in self.beyond_limit.items())
            lines.append(f"training pairs beyond a limit, left out: {each}")
        return [*lines, self.sizes(), *self.attributions()]

    def sizes(self) -> str:
        """Return how many pairs the splits have, for a person to read."""
        alone = f" and {len(self.one_sided):,} texts alone" if self.one_sided else ""
        return (
            f"train {len(self.train):,} pairs{alone}, dev {_sizes(self.dev)}, "
            f"test {_sizes(self.test)}"
        )

    def attributions(self) -> list[str]:
        """Return the credits that the corpora's licences ask for, each once."""
        return [*dict.fromkeys(each.attribution for each in self.corpora if each.attribution)]

    def to_json(self) -> dict[str, Any]:
        """Return what became of each corpus's lines as JSON values."""
        corpora = [
            {"name": each.name, "sha256": each.sha256} | asdict(each.report)
            for each in self.corpora
        ]
        return {
            "corpora": corpora,
            "leaks": self.leaks,
            "leaks_are_kept": self.leaks_are_kept,
            "beyond_limit": self.beyond_limit,
        }

    def sentences(self) -> dict[str, dict[str, int]]:
        """Return how many sentences each set of dev and of test has, by its name."""
        return {
            split: {each.name: len(each.sources) for each in sets}
            for split, sets in (("dev", self.dev), ("test", self.test))
        }

    def warnings(self) -> list[str]:
        """Return what wants attention."""
        return [*self.notes, *(said for corpus in self.corpora for said in corpus.warnings)]


def _sizes(sets: Sequence[EvaluationSet]) -> str:
    """Return how many pairs sets have: "12", or "mine 12 and fra-eng 1,646"."""
    counts = [sum(map(len, each.references)) for each in sets]
    if len(sets) < 2:
        return f"{sum(counts):,}"
    return " and ".join(f"{each.name} {count:,}" for each, count in zip(sets, counts, strict=True))


class LazyExamples(LazySequence[Example]):
    """Pairs of several corpora, one corpus after the other, in the direction of translation."""

    def __init__(self, corpora: Sequence[Corpus], rows: Sequence[Ints], *, reverse: bool) -> None:
        """Take the corpora, and of each the rows of its pairs."""
        self._pairs = [
            Subset(corpus.pairs, each) for corpus, each in zip(corpora, rows, strict=True)
        ]
        self._reverse = reverse
        self._starts = np.cumsum([0, *map(len, rows)])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def read(self, row_M: Ints) -> list[Example]:
        """Return the pairs at some rows."""
        corpus_M = np.searchsorted(self._starts, row_M, side="right") - 1
        examples = []
        for run in np.split(np.arange(len(row_M)), np.flatnonzero(np.diff(corpus_M)) + 1):
            for corpus in corpus_M[run[:1]].tolist():
                pairs = self._pairs[corpus].read(row_M[run] - self._starts[corpus])
                examples += as_examples(pairs, reverse=self._reverse, corpus=corpus)
        return examples


def load_splits(
    config: DataConfig,
    *,
    dev: Sequence[EvaluationSet] = (),
    test: Sequence[EvaluationSet] = (),
    folder: Path | None = None,
) -> Splits:
    """Return the splits of the corpora and a user's own sets, which come first.

    The sets `dev` and `test` come last, but for those that are there already. The pairs of train
    are in files without names, in `folder` if it is given.

    Each corpus is split by itself, so its dev and test stay the same beside other corpora. A
    training pair that has the `key` of a sentence of dev or test, on the side of that sentence's
    language, is a leak. Raises UserError as `load_corpora` and `load_evaluation_set` do, and where
    two sets have one name.
    """
    sets: Sets = {"dev": [], "test": []}
    notes: list[str] = []
    for split, files in (("dev", config.dev), ("test", config.test)):
        for each in files:
            found, said = load_evaluation_set(each, config, f"data.{split}")
            sets[split].append(found)
            notes += said
    corpora = load_corpora(config, folder)
    log.info("splitting")
    rows = [
        _divided(corpus, settings, sets, reverse=config.reversed)
        for corpus, settings in zip(corpora, config.corpus, strict=True)
    ]
    _add_others(sets, {"dev": dev, "test": test})
    wanted = _KeysOfSets.of([*sets["dev"], *sets["test"]], reverse=config.reversed)
    leaks: dict[str, int] = {}
    beyond: dict[str, int] = {}
    for place, (corpus, settings) in enumerate(zip(corpora, config.corpus, strict=True)):
        sides = (0, 1) if settings.side is None else (int(not config.reversed),)
        is_leak_N = wanted.in_pairs(corpus, rows[place], sides)
        if is_leak_N.any():
            leaks[corpus.name] = int(is_leak_N.sum())
        if config.leaks == "drop":
            rows[place] = rows[place][~is_leak_N]
        if settings.limit is not None and settings.limit < len(rows[place]):
            beyond[corpus.name] = len(rows[place]) - settings.limit
            rows[place] = _limited(rows[place], settings.limit)
    one_sided = [settings.side is not None for settings in config.corpus]
    alone = [each if is_alone else each[:0] for each, is_alone in zip(rows, one_sided, strict=True)]
    both = [each[:0] if is_alone else each for each, is_alone in zip(rows, one_sided, strict=True)]
    return Splits(
        corpora,
        LazyExamples(corpora, both, reverse=config.reversed),
        sets["dev"],
        sets["test"],
        leaks,
        config.leaks == "keep",
        [*LazyExamples(corpora, alone, reverse=config.reversed)],
        beyond,
        notes,
        [*map(len, rows)],
    )


def check_epochs(splits: Splits, config: DataConfig) -> None:
    """Raise UserError unless a corpus gives each epoch a pair, by its weight."""
    drawn = [size * each.weight for size, each in zip(splits.sizes_of, config.corpus, strict=True)]
    most = max(range(len(drawn)), key=drawn.__getitem__)
    if drawn[most] < 1:
        size, weight = splits.sizes_of[most], config.corpus[most].weight
        raise UserError(
            f"data.corpus.{most}.weight: an epoch would be empty, as it takes {weight:g} of "
            f"{size:,} pairs; set it to {least_weight(size)} or more"
        )


def least_weight(size: int) -> str:
    """Return the smallest weight, of a few digits, that draws one of `size` pairs: 3 -> 0.334."""
    digits = len(str(size)) + 2
    return f"{Decimal(-(-(10**digits) // size)).scaleb(-digits).normalize():f}"


def _divided(corpus: Corpus, settings: CorpusConfig, sets: Sets, *, reverse: bool) -> Ints:
    """Return the rows of a corpus that are trained on; the others go into `sets`."""
    row_N = np.arange(len(corpus.row_N))
    if settings.part == "train" or settings.side:
        return row_N
    part_N = corpus.splits()
    for split, number in (("dev", DEV), ("test", TEST)):
        pairs = corpus.pairs.read(row_N[part_N == number])
        if examples := as_examples(pairs, reverse=reverse):
            sets[split].append(EvaluationSet.from_examples(examples, corpus.name))
    train_M: Ints = row_N[part_N == TRAIN]
    return train_M


def _add_others(sets: Sets, others: Mapping[str, Sequence[EvaluationSet]]) -> None:
    """Put the others last, but for those that are there already."""
    for split, own in sets.items():
        known = [each.sources for each in own]
        own += [each for each in others[split] if each.sources not in known]
        names = Counter(each.name for each in own)
        if twice := [name for name, count in names.items() if count > 1]:
            raise UserError(
                f"data.{split}: two sets are called {short_repr(twice[0])}; give one another name"
            )


def _limited(row_N: Ints, limit: int) -> Ints:
    """Return as many rows as a limit allows. Those of a smaller limit are among a larger one's."""
    drawn = random.Random(0).sample(range(len(row_N)), len(row_N))[:limit]
    limited_N: Ints = row_N[np.sort(drawn)]
    return limited_N


class _KeysOfSets(NamedTuple):
    """The digests of the keys of sentences of dev and test, by their side in a corpus."""

    sides: tuple[Digests, Digests]  # of first sides, and of second sides

    @classmethod
    def of(cls, sets: Sequence[EvaluationSet], *, reverse: bool) -> Self:
        """Return the keys of sets."""
        sources = digests(key(text) for each in sets for text in each.sources)
        targets = digests(key(text) for each in sets for texts in each.references for text in texts)
        return cls((targets, sources) if reverse else (sources, targets))

    def in_pairs(self, corpus: Corpus, row_N: Ints, sides: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Return which of N pairs of a corpus share a key on one of its `sides`."""
        found_N = np.zeros(len(row_N), np.bool_)
        for side in sides:
            found_N |= _is_in(corpus.metadata(KEYS[side])[row_N], self.sides[side])
        return found_N


def _is_in(digest_N: Digests, wanted: Digests) -> npt.NDArray[np.bool_]:
    """Return which digests are among others; their halves tell most apart."""
    found_N = np.isin(digest_N[:, 0], wanted[:, 0])
    known = {*map(tuple, wanted.tolist())}
    found_N[found_N] = [tuple(digest) in known for digest in digest_N[found_N].tolist()]
    return found_N
