"""Training pairs, dev sets and test sets of all that a configuration names, without leaks.

The split depends on the pairs only, so scores can be compared between seeds, machines, versions and
directions of translation: see `components`.

Shapes: N pairs, M pairs of a split.
"""

import logging
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gru_mt.config.data import CorpusConfig, DataConfig
from gru_mt.data.corpus.builder import Corpus
from gru_mt.data.corpus.filters import KEYS
from gru_mt.data.corpus.load import load_corpora
from gru_mt.data.dataset.components import (
    DEV,
    TEST,
    TRAIN,
    capped,
    component_of,
    digests,
    key,
    split_components,
)
from gru_mt.data.dataset.store import Ints, LazySequence, Subset
from gru_mt.data.evaluation_set import EvaluationSet, load_evaluation_set
from gru_mt.data.types import Example
from gru_mt.errors import UserError, short_repr

log = logging.getLogger(__name__)

Sets = dict[str, list[EvaluationSet]]  # of dev and of test
SplitOfPairs = npt.NDArray[np.int8]  # DEV, TEST or TRAIN of N pairs


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
    split_N_of: list[SplitOfPairs] = field(default_factory=list)  # of each corpus

    def lines(self) -> list[str]:
        """Return lines for a person to read: what became of each corpus, and the sizes."""
        said = [(corpus.name, line) for corpus in self.corpora for line in corpus.report.lines()]
        several = len(self.corpora) > 1
        return [*(f"{name}: {line}" if several else line for name, line in said), *self.summary()]

    def summary(self) -> list[str]:
        """Return lines about leaks, limits, sizes and credits."""
        done = "kept, as data.leaks says" if self.leaks_are_kept else "dropped"
        lines = []
        for title, count_of, end in (
            ("training pairs that share a sentence with dev or test", self.leaks, f": {done}"),
            ("training pairs beyond a limit, left out", self.beyond_limit, ""),
        ):
            counts = ", ".join(f"{name} {count:,}" for name, count in count_of.items())
            lines += [f"{title}: {counts}{end}"] if counts else []
        return [*lines, self.sizes(), *self.attributions()]

    def sizes(self) -> str:
        """Return how many pairs the splits have, for a person to read."""
        texts = f" and {len(self.monolingual):,} monolingual texts" if self.monolingual else ""
        pieces = [f"train {len(self.train):,} pairs{texts}"]
        for split, sets in (("dev", self.dev), ("test", self.test)):
            counts = {found.name: sum(map(len, found.references)) for found in sets}
            several = " and ".join(f"{name} {count:,}" for name, count in counts.items())
            pieces.append(f"{split} {several if len(sets) > 1 else f'{sum(counts.values()):,}'}")
        return ", ".join(pieces)

    def attributions(self) -> list[str]:
        """Return the credits that the corpora's licences ask for, without repetition."""
        return [*dict.fromkeys(corpus.attribution for corpus in self.corpora if corpus.attribution)]

    def to_json(self) -> dict[str, Any]:
        """Return what became of each corpus's lines as JSON values."""
        return {
            "corpora": [
                {"name": corpus.name, "sha256": corpus.sha256} | asdict(corpus.report)
                for corpus in self.corpora
            ],
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

    def keys(self, side: Literal["source", "target"]) -> set[str]:
        """Return the keys of a side of dev and test, which no training pair may share."""
        sets = [] if self.leaks_are_kept else [*self.dev, *self.test]
        return {key(getattr(pair, side)) for found in sets for pair in found.examples}

    def warnings(self) -> list[str]:
        """Return what wants attention."""
        return [*self.notes, *(said for corpus in self.corpora for said in corpus.warnings)]


class LazyExamples(LazySequence[Example]):
    """Pairs of several corpora, one corpus after the other, in the direction of translation."""

    def __init__(self, corpora: Sequence[Corpus], rows: Sequence[Ints], *, reverse: bool) -> None:
        """Take the corpora, which one store holds, and of each the rows of its pairs."""
        stored = [corpus.row_N[row_M] for corpus, row_M in zip(corpora, rows, strict=True)]
        self._pairs, self._reverse = Subset(corpora[0].stored, np.concatenate(stored)), reverse
        self._ends = np.cumsum([*map(len, rows)])

    def __len__(self) -> int:
        return len(self._pairs)

    def read(self, row_M: Ints) -> list[Example]:
        corpora = np.searchsorted(self._ends, row_M, side="right").tolist()
        pairs = zip(self._pairs.read(row_M), corpora, strict=True)
        if self._reverse:
            return [Example(second, first, line, corpus) for (first, second, line), corpus in pairs]
        return [Example(first, second, line, corpus) for (first, second, line), corpus in pairs]


def load_splits(
    config: DataConfig,
    others: Mapping[str, Sequence[EvaluationSet]] | None = None,
    *,
    folder: Path | None = None,
    back: Splits | None = None,
) -> Splits:
    """Return the splits of the corpora and a user's own sets, which come first.

    `others` are more sets, by dev and test; those that are not there already come last. The pairs
    of train are in files without names, in `folder` if it is given. `back` are the splits of the
    other direction, if they are known: then no corpus is read or split again.

    Each corpus is split by itself, so its dev and test stay the same beside other corpora. A
    training pair that has the `key` of a sentence of dev or test, on the side of that sentence's
    language, is a leak. Raises UserError as `load_corpora` and `load_evaluation_set` do, and where
    two sets have one name.
    """
    sets, notes = load_own_sets(config)
    if back is None:
        corpora = load_corpora(config, folder)
        log.info("splitting")
        split_N_of = [*map(split_of, corpora, config.corpus)]
    else:
        corpora, split_N_of = back.corpora, back.split_N_of
    for name, split in (("dev", DEV), ("test", TEST)):
        for corpus, split_N in zip(corpora, split_N_of, strict=True):
            row_M = np.flatnonzero(split_N == split)
            if examples := LazyExamples([corpus], [row_M], reverse=config.reversed):
                sets[name].append(EvaluationSet.from_examples(examples, corpus.name))
    _add_others(sets, others or {})
    keys = _keys_by_side(sets, config)
    leaks: dict[str, int] = {}
    beyond: dict[str, int] = {}
    train, monolingual = [], []
    for corpus, settings, split_N in zip(corpora, config.corpus, split_N_of, strict=True):
        row_M = np.flatnonzero(split_N == TRAIN)
        sides = (0, 1) if settings.side is None else (int(not config.reversed),)
        in_side = [np.isin(corpus.metadata(KEYS[side])[row_M, 0], keys[side]) for side in sides]
        is_leak_M = np.logical_or.reduce(in_side)
        if is_leak_M.any():
            leaks[corpus.name] = int(is_leak_M.sum())
        kept_M = row_M if config.leaks == "keep" else row_M[~is_leak_M]
        limited_M = _drawn(kept_M, settings.limit)
        if len(limited_M) < len(kept_M):
            beyond[corpus.name] = len(kept_M) - len(limited_M)
        train.append(limited_M if settings.side is None else limited_M[:0])
        monolingual.append(limited_M[:0] if settings.side is None else limited_M)
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
        [len(pairs) + len(texts) for pairs, texts in zip(train, monolingual, strict=True)],
        split_N_of,
    )


def _keys_by_side(sets: Sets, config: DataConfig) -> list[npt.NDArray[np.uint64]]:
    """Return the digests of the keys of dev and test, by the side of their language."""
    examples = [example for found in (*sets["dev"], *sets["test"]) for example in found.examples]
    sides = [example.source for example in examples], [example.target for example in examples]
    keys = [digests(map(key, side))[:, 0] for side in sides]  # 64 bits are enough
    return keys[::-1] if config.reversed else keys


def _drawn(row_M: Ints, limit: int | None) -> Ints:
    """Return up to `limit` rows in their order; those of a smaller limit are among them."""
    if limit is None or limit >= len(row_M):
        return row_M
    drawn = random.Random(0).sample(range(len(row_M)), len(row_M))[:limit]
    return row_M[np.array(sorted(drawn), np.int64)]


def check_epochs(splits: Splits, config: DataConfig) -> None:
    """Raise UserError unless a corpus gives each epoch a pair, by its weight."""
    weights = [corpus.weight for corpus in config.corpus]
    drawn = [size * weight for size, weight in zip(splits.sizes_of, weights, strict=True)]
    most = drawn.index(max(drawn))
    if drawn[most] < 1:
        size = splits.sizes_of[most]
        digits = len(str(size)) + 2
        least = Decimal(-(-(10**digits) // size)).scaleb(-digits).normalize()  # 3 -> 0.334
        raise UserError(
            f"data.corpus.{most}.weight: an epoch would be empty, as it takes {weights[most]:g} of "
            f"{size:,} pairs; set it to {least:f} or more"
        )


def load_own_sets(config: DataConfig) -> tuple[Sets, list[str]]:
    """Return a user's own sets, by dev and test, and notes about how they were read."""
    sets: Sets = {"dev": [], "test": []}
    notes: list[str] = []
    for split, files in (("dev", config.dev), ("test", config.test)):
        for own in files:
            found, said = load_evaluation_set(own, config, f"data.{split}")
            sets[split].append(found)
            notes += said
    return sets, notes


def split_of(corpus: Corpus, config: CorpusConfig) -> SplitOfPairs:
    """Return the split of each pair of a corpus, which may train as a whole."""
    if config.part == "train" or config.side:
        return np.full(len(corpus.row_N), TRAIN, np.int8)
    component_N = component_of(*map(corpus.metadata, KEYS))
    firsts = Subset(corpus.stored.sides[0], corpus.row_N)
    split_N = split_components(component_N, corpus.metadata("bucket"), firsts)
    return capped(split_N, component_N, corpus.metadata(KEYS[0])).astype(np.int8)


def _add_others(sets: Sets, others: Mapping[str, Sequence[EvaluationSet]]) -> None:
    """Put the others last, but for those that are there already."""
    for split, own in sets.items():
        known = [found.sources for found in own]
        own += [other for other in others.get(split, ()) if other.sources not in known]
        names = Counter(found.name for found in own)
        if twice := [name for name, count in names.items() if count > 1]:
            raise UserError(
                f"data.{split}: two sets are called {short_repr(twice[0])}; give one another name"
            )
