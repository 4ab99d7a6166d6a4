"""Training pairs, dev sets and test sets of all that a configuration names, without leaks.

Pairs that share a sentence, but for case and punctuation, stay together. The split depends on the
pairs only, so scores on dev and test can be compared between seeds, machines, versions and
directions of translation. Dev and test do not grow with a large corpus: see `capped`.

Shapes: N pairs, M pairs of a split.
"""

import logging
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from gru_mt.config.data import CorpusConfig, DataConfig
from gru_mt.data.corpus.builder import Corpus
from gru_mt.data.corpus.filters import KEYS
from gru_mt.data.corpus.load import load_corpora
from gru_mt.data.dataset.components import (
    DEV,
    TEST,
    TRAIN,
    Digests,
    capped,
    component_of,
    digests,
    is_in,
    key,
    split_components,
)
from gru_mt.data.dataset.store import Ints, LazySequence, Subset
from gru_mt.data.evaluation_set import EvaluationSet, load_evaluation_set
from gru_mt.data.types import Example, Pair
from gru_mt.errors import UserError, short_repr

log = logging.getLogger(__name__)

Sets = dict[str, list[EvaluationSet]]  # of dev and of test


@dataclass(frozen=True, slots=True)
class Splits:
    """What is trained on, and what it is measured on. The first dev set decides."""

    corpora: list[Corpus]
    train: LazySequence[Example]  # in the order of the corpora and of their lines
    dev: list[EvaluationSet]
    test: list[EvaluationSet]
    leaks: dict[str, int]  # training pairs of each corpus that share a sentence with dev or test
    leaks_are_kept: bool
    monolingual: list[Example] = field(default_factory=list)  # whose sources are still to make
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
            done = "kept, as data.leaks says" if self.leaks_are_kept else "dropped"
            lines.append(
                f"training pairs that share a sentence with dev or test: {_counts(self.leaks)}: "
                f"{done}"
            )
        if self.beyond_limit:
            lines.append(f"training pairs beyond a limit, left out: {_counts(self.beyond_limit)}")
        return [*lines, self.sizes(), *self.attributions()]

    def sizes(self) -> str:
        """Return how many pairs the splits have, for a person to read."""
        texts = f" and {len(self.monolingual):,} monolingual texts" if self.monolingual else ""
        return (
            f"train {len(self.train):,} pairs{texts}, dev {_sizes(self.dev)}, "
            f"test {_sizes(self.test)}"
        )

    def attributions(self) -> list[str]:
        """Return the credits that the corpora's licences ask for, without repetition."""
        attributions = (corpus.attribution for corpus in self.corpora)
        return [*dict.fromkeys(filter(None, attributions))]

    def to_json(self) -> dict[str, Any]:
        """Return what became of each corpus's lines as JSON values."""
        corpora = [
            {"name": corpus.name, "sha256": corpus.sha256} | asdict(corpus.report)
            for corpus in self.corpora
        ]
        return {
            "corpora": corpora,
            "leaks": self.leaks,
            "leaks_are_kept": self.leaks_are_kept,
            "beyond_limit": self.beyond_limit,
        }

    def sentences(self) -> dict[str, dict[str, int]]:
        """Return how many sentences each dev set and each test set has, by its name."""
        return {
            name: {found.name: len(found.sources) for found in sets}
            for name, sets in (("dev", self.dev), ("test", self.test))
        }

    def warnings(self) -> list[str]:
        """Return what wants attention."""
        return [*self.notes, *(said for corpus in self.corpora for said in corpus.warnings)]


def _counts(count_of: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in count_of.items())


def _sizes(sets: Sequence[EvaluationSet]) -> str:
    """Return how many pairs sets have: "12", or "mine 12 and fra-eng 1,646"."""
    counts = [sum(map(len, found.references)) for found in sets]
    if len(sets) < 2:
        return f"{sum(counts):,}"
    return " and ".join(f"{found.name} {n:,}" for found, n in zip(sets, counts, strict=True))


class LazyExamples(LazySequence[Example]):
    """Pairs of several corpora, one corpus after the other, in the direction of translation."""

    def __init__(self, corpora: Sequence[Corpus], rows: Sequence[Ints], *, reverse: bool) -> None:
        """Take the corpora, and of each the rows of its pairs."""
        self._pairs = [Subset(corpus.pairs, row_N) for corpus, row_N in
                       zip(corpora, rows, strict=True)]  # fmt: skip
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


def as_examples(pairs: Iterable[Pair], *, reverse: bool, corpus: int = 0) -> list[Example]:
    """Return pairs in the direction from the first side to the second, or with `reverse` back."""
    if reverse:
        return [Example(second, first, line, corpus) for first, second, line in pairs]
    return [Example(first, second, line, corpus) for first, second, line in pairs]


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
    sets, notes = _own_sets(config)
    corpora = load_corpora(config, folder)
    log.info("splitting")
    rows = [
        _divided(corpus, settings, sets, reverse=config.reversed)
        for corpus, settings in zip(corpora, config.corpus, strict=True)
    ]
    _add_others(sets, {"dev": [*dev], "test": [*test]})
    keys = _keys_of_sides([*sets["dev"], *sets["test"]], reverse=config.reversed)
    leaks: dict[str, int] = {}
    beyond: dict[str, int] = {}
    for index, (corpus, settings) in enumerate(zip(corpora, config.corpus, strict=True)):
        is_leak_M = np.zeros(len(rows[index]), np.bool_)
        for side in (0, 1) if settings.side is None else (int(not config.reversed),):
            is_leak_M |= is_in(corpus.metadata(KEYS[side])[rows[index]], keys[side])
        if is_leak_M.any():
            leaks[corpus.name] = int(is_leak_M.sum())
        if config.leaks == "drop":
            rows[index] = rows[index][~is_leak_M]
        if settings.limit is not None and settings.limit < len(rows[index]):
            beyond[corpus.name] = len(rows[index]) - settings.limit
            rows[index] = _limited(rows[index], settings.limit)
    train, monolingual = (
        [row_M if (settings.side is not None) == is_wanted else row_M[:0]
         for row_M, settings in zip(rows, config.corpus, strict=True)]
        for is_wanted in (False, True)
    )  # fmt: skip
    return Splits(
        corpora,
        LazyExamples(corpora, train, reverse=config.reversed),
        sets["dev"],
        sets["test"],
        leaks,
        config.leaks == "keep",
        [*LazyExamples(corpora, monolingual, reverse=config.reversed)],
        beyond,
        notes,
        [*map(len, rows)],
    )


def check_epochs(splits: Splits, config: DataConfig) -> None:
    """Raise UserError unless a corpus gives each epoch a pair, by its weight."""
    drawn = [
        size * corpus.weight for size, corpus in zip(splits.sizes_of, config.corpus, strict=True)
    ]
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


def _own_sets(config: DataConfig) -> tuple[Sets, list[str]]:
    """Return the user's own sets, and what to say about how they were read."""
    sets: Sets = {"dev": [], "test": []}
    notes: list[str] = []
    for split, files in (("dev", config.dev), ("test", config.test)):
        for settings in files:
            found, said = load_evaluation_set(settings, config, f"data.{split}")
            sets[split].append(found)
            notes += said
    return sets, notes


def split_of(corpus: Corpus) -> Ints:
    """Return the split of each pair of a corpus: DEV, TEST or TRAIN."""
    component_N = component_of(*map(corpus.metadata, KEYS))
    firsts = Subset(corpus.stored.sides[0], corpus.row_N)
    split_N = split_components(component_N, corpus.metadata("bucket"), firsts)
    return capped(split_N, component_N, corpus.metadata(KEYS[0]))


def _divided(corpus: Corpus, config: CorpusConfig, sets: Sets, *, reverse: bool) -> Ints:
    """Return the rows of a corpus that are trained on; the others go into `sets`."""
    if config.part == "train" or config.side:
        return np.arange(len(corpus.row_N))
    split_N = split_of(corpus)
    for name, split in (("dev", DEV), ("test", TEST)):
        pairs = corpus.pairs.read(np.flatnonzero(split_N == split))
        if examples := as_examples(pairs, reverse=reverse):
            sets[name].append(EvaluationSet.from_examples(examples, corpus.name))
    return np.flatnonzero(split_N == TRAIN)


def _add_others(sets: Sets, others: Sets) -> None:
    """Put the others last, but for those that are there already."""
    for split, own in sets.items():
        known = [found.sources for found in own]
        own += [other for other in others[split] if other.sources not in known]
        names = Counter(found.name for found in own)
        if twice := [name for name, count in names.items() if count > 1]:
            raise UserError(
                f"data.{split}: two sets are called {short_repr(twice[0])}; give one another name"
            )


def _limited(row_N: Ints, limit: int) -> Ints:
    """Return as many rows as a limit allows. Those of a smaller limit are among a larger one's."""
    drawn = random.Random(0).sample(range(len(row_N)), len(row_N))[:limit]
    limited_N: Ints = row_N[np.sort(drawn)]
    return limited_N


def _keys_of_sides(sets: Sequence[EvaluationSet], *, reverse: bool) -> tuple[Digests, Digests]:
    """Return the digests of the keys of sets' sentences: of first sides, and of second sides."""
    sources = digests(key(text) for found in sets for text in found.sources)
    targets = digests(key(text) for found in sets for texts in found.references for text in texts)
    return (targets, sources) if reverse else (sources, targets)
