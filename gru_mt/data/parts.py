"""Training pairs, dev sets and test sets of all that a configuration names, without leaks."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from gru_mt.config import DataConfig
from gru_mt.data.account import Corpus
from gru_mt.data.corpus import load_corpora
from gru_mt.data.evaluation_set import EvaluationSet, load_evaluation_set
from gru_mt.data.example import Example
from gru_mt.data.split import as_examples, key, split_pairs
from gru_mt.data.stages import Tell, tell_nobody
from gru_mt.errors import UserError, quoted


@dataclass(frozen=True, slots=True)
class Parts:
    """What is trained on, and what it is measured on. The first set of dev decides."""

    corpora: list[Corpus]
    train: list[Example]  # in the order of the corpora and of their lines
    dev: list[EvaluationSet]
    test: list[EvaluationSet]
    leaks: dict[str, int]  # training pairs of each corpus that share a sentence with dev or test
    leaks_are_kept: bool
    one_sided: list[Example] = field(default_factory=list)  # text whose sources are still to make
    beyond_limit: dict[str, int] = field(default_factory=dict)  # left out of each corpus

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
        """Return how many pairs the parts have, for a person to read."""
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
            part: {each.name: len(each.sources) for each in sets}
            for part, sets in (("dev", self.dev), ("test", self.test))
        }

    def warnings(self) -> list[str]:
        """Return what wants attention."""
        return [warning for corpus in self.corpora for warning in corpus.warnings]


def _sizes(sets: Sequence[EvaluationSet]) -> str:
    """Return how many pairs sets have: "12", or "mine 12 and fra-eng 1,646"."""
    counts = [sum(map(len, each.references)) for each in sets]
    if len(sets) < 2:
        return f"{sum(counts):,}"
    return " and ".join(f"{each.name} {count:,}" for each, count in zip(sets, counts, strict=True))


def load_parts(
    config: DataConfig,
    *,
    dev: Sequence[EvaluationSet] = (),
    test: Sequence[EvaluationSet] = (),
    tell: Tell = tell_nobody,
) -> Parts:
    """Return the parts of the corpora and a user's own sets, which come first.

    The sets `dev` and `test` come last, but for those that are there already.

    Each corpus is split by itself, so its dev and test stay the same beside other corpora. A
    training pair that has the `key` of a sentence of dev or test, on the side of that sentence's
    language, is a leak. Raises UserError as `load_corpora` and `load_evaluation_set` do, and where
    two sets have one name.
    """
    corpora = load_corpora(config, tell)
    tell("splitting")
    train: list[Example] = []
    own = (("dev", config.dev, dev), ("test", config.test, test))
    sets_of = {
        part: [load_evaluation_set(each, config, f"data.{part}") for each in files]
        for part, files, _ in own
    }
    for place, (corpus, settings) in enumerate(zip(corpora, config.corpus, strict=True)):
        if settings.part == "train" or settings.side:
            pairs = as_examples(corpus.pairs, reverse=config.reversed)
        else:
            split = split_pairs(corpus.pairs, reverse=config.reversed)
            pairs = split.train
            for part, examples in (("dev", split.dev), ("test", split.test)):
                if examples:
                    sets_of[part].append(EvaluationSet.from_examples(examples, corpus.name))
        train += [pair._replace(corpus=place) for pair in pairs] if place else pairs
    for part, _, others in own:
        known = [each.sources for each in sets_of[part]]
        sets_of[part] += [each for each in others if each.sources not in known]
        names = Counter(each.name for each in sets_of[part])
        if twice := [name for name, count in names.items() if count > 1]:
            raise UserError(
                f"data.{part}: two sets are called {quoted(twice[0])}; give one another name"
            )
    clean, leaks = _without_leaks(train, [*sets_of["dev"], *sets_of["test"]])
    keep = config.leaks == "keep"
    kept, beyond = _limited(train if keep else clean, [each.limit for each in config.corpus])
    return Parts(
        corpora,
        [pair for pair in kept if pair.source],
        sets_of["dev"],
        sets_of["test"],
        {corpora[place].name: count for place, count in sorted(leaks.items())},
        keep,
        [pair for pair in kept if not pair.source],
        {corpora[place].name: count for place, count in sorted(beyond.items())},
    )


def _limited(
    train: Sequence[Example], limits: Sequence[int | None]
) -> tuple[list[Example], Counter[int]]:
    """Return as many pairs of each corpus as its limit allows, and how many it leaves out.

    The pairs of a smaller limit are among those of a larger one.
    """
    rows_of: defaultdict[int, list[int]] = defaultdict(list)
    for row, pair in enumerate(train):
        rows_of[pair.corpus].append(row)
    beyond = Counter[int]()
    out: set[int] = set()
    for place, rows in rows_of.items():
        limit = limits[place]
        if limit is not None and limit < len(rows):
            out.update(random.Random(0).sample(rows, len(rows))[limit:])
            beyond[place] = len(rows) - limit
    return [pair for row, pair in enumerate(train) if row not in out], beyond


def _without_leaks(
    train: Iterable[Example], sets: Iterable[EvaluationSet]
) -> tuple[list[Example], Counter[int]]:
    """Return the pairs that share no sentence with `sets`, and how many each corpus loses."""
    sources: set[str] = set()
    targets: set[str] = set()
    for each in sets:
        sources.update(map(key, each.sources))
        targets.update(key(text) for texts in each.references for text in texts)
    clean, leaks = [], Counter[int]()
    for pair in train:
        if (pair.source and key(pair.source) in sources) or key(pair.target) in targets:
            leaks[pair.corpus] += 1
        else:
            clean.append(pair)
    return clean, leaks
