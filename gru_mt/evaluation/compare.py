"""Compare systems that translated the same sentences: runs, files of translations, groups of runs.

Tests of significance tell how far a score depends on the sentences. How far it depends on the seed,
only the spread tells of a group of runs, so groups are not tested.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import or_
from pathlib import Path
from statistics import mean, stdev

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.helpers import extract_all_word_ngrams

from gru_mt.config.yaml_text import yaml_inline
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.errors import UserError, as_path, as_paths
from gru_mt.evaluation.score import (
    MetricScores,
    corpus_bleu,
    corpus_chrf,
    differing,
    score_systems,
    sentence_chrf,
)
from gru_mt.evaluation.systems import System, SystemMetadata, common_sets, read_systems

LONGEST_NGRAM = 4  # words, as in BLEU

_Ngrams = Counter[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Change:
    """A key of the configuration that is not the same in all systems."""

    key: str
    values: list[str]  # of each system, as YAML; "-" where it has no such key


@dataclass(frozen=True, slots=True)
class NgramCounts:
    """How often two systems get an n-gram right: its words with spaces between."""

    ngram: str
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class SetComparison:
    """What systems made of one set. Lists have an item for each system, the baseline first."""

    set: EvaluationSet
    texts: list[list[str]]
    differing: list[int]  # sentences that are not as the baseline translates them
    metrics: list[MetricScores]  # BLEU and chrF
    chrf: list[list[float]]  # of each sentence
    ngrams: list[list[NgramCounts]]  # of each system against the baseline; see `compare_ngrams`

    def most_changed(self, system: int, most: int) -> tuple[list[int], list[int]]:
        """Return the indexes of sentences that gained most chrF, and that lost most."""
        gains = [two - one for one, two in zip(self.chrf[0], self.chrf[system], strict=True)]
        rows = sorted(range(len(gains)), key=gains.__getitem__, reverse=True)
        gained = [row for row in rows if gains[row] > 0]
        return gained[:most], [row for row in reversed(rows) if gains[row] < 0][:most]

    def most_changed_ngrams(
        self, system: int, most: int
    ) -> tuple[list[NgramCounts], list[NgramCounts]]:
        """Return the n-grams that the system has right more often, and less often."""
        more = [each for each in self.ngrams[system] if each.second > each.first]
        less = [each for each in reversed(self.ngrams[system]) if each.second < each.first]
        return more[:most], less[:most]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems that translated the same sentences; the first is the baseline."""

    split: str  # dev or test; "" for files
    systems: list[SystemMetadata]
    changes: list[Change]
    sets: list[SetComparison]
    left_out: list[str]  # names of sets that not all systems have


@dataclass(frozen=True, slots=True)
class Spread:
    """The scores of a group's runs by one metric."""

    values: list[float]  # of each run
    mean: float
    deviation: float | None  # sample standard deviation; a single run has none


@dataclass(frozen=True, slots=True)
class SetSpreads:
    """The scores of groups on one set: by metric, one spread for each group."""

    name: str
    sentences: int
    metrics: dict[str, list[Spread]]


@dataclass(frozen=True, slots=True)
class GroupComparison:
    """Groups of runs that translated the same sentences."""

    split: str
    groups: dict[str, list[SystemMetadata]]  # the runs of each group by its name
    changes: list[Change]  # with a value for each run, group after group
    sets: list[SetSpreads]
    left_out: list[str]  # names of sets that not all runs have


def compare(
    systems: Iterable[str | Path],
    references: Iterable[str | Path] = (),
    *,
    source: str | Path | None = None,
    split: str = "test",
    bleu_tokenizer: str | None = None,
) -> Comparison:
    """Compare two or more runs, or files of translations: is one better, or may it be chance?

    Args:
        systems: The folders of runs that `gru-mt eval` has scored, or with `references` text files
            with one translation per line. The first is the baseline.
        references: Text files with one reference per line, for a comparison of files.
        source: A text file of what the files are translations of.
        split: "dev" or "test" of the runs.
        bleu_tokenizer: One of sacreBLEU's tokenizers, or "auto"; by default that of the runs, or
            the one that fits the ending of the first reference, such as .ja.

    Returns:
        A Comparison: for each set BLEU and chrF with 95 % intervals and p-values, the sentences and
        the n-grams that differ, and for runs the keys of the configurations that differ.

    Raises:
        UserError: There are less than two systems, a folder is no run, a run keeps no translations,
            a file cannot be read, or the systems did not translate the same sentences.

    Example:
        >>> from gru_mt import compare
        >>> comparison = compare(["first.fr", "second.fr"], ["reference.fr"])
        >>> for metric in comparison.sets[0].metrics:
        ...     print(metric.name, [round(system.value) for system in metric.systems])
        BLEU [72, 54]
        chrF [89, 55]
    """
    paths = as_paths(systems, "systems")
    if len(paths) < 2:
        raise UserError("give two or more systems to compare")
    known = as_paths(references, "references")
    split = "" if known else split
    of_files = None if source is None else as_path(source, "source")
    return compare_systems(read_systems(paths, known, of_files, split, bleu_tokenizer), split)


def compare_systems(
    systems: Sequence[System], split: str = "", say: Callable[[str], None] = lambda _: None
) -> Comparison:
    """Return how two or more systems differ on the sets that all of them have.

    `say` gets a line before it begins, because it takes seconds. Raises UserError where there is no
    such set, or the BLEU tokenizers differ.
    """
    sets, left_out = common_sets(systems, split)
    known = [system.metadata for system in systems]
    say(f"comparing {', '.join(one.name for one in known[1:])} with {known[0].name}")
    found = [_compare_set(one, systems) for one in sets]
    return Comparison(split, known, _changes(systems), found, left_out)


def _compare_set(one: EvaluationSet, systems: Sequence[System]) -> SetComparison:
    tokenizer = systems[0].bleu_tokenizer
    texts = [system.texts(one) for system in systems]
    right = [right_ngrams(others, one.references, tokenizer=tokenizer) for others in texts]
    return SetComparison(
        one,
        texts,
        [differing(texts[0], others) for others in texts],
        score_systems(texts, one.references, tokenizer=tokenizer),
        [sentence_chrf(others, one.references) for others in texts],
        [compare_ngrams(right[0], others) for others in right],
    )


def compare_groups(groups: Mapping[str, Sequence[System]], split: str) -> GroupComparison:
    """Return how the scores of one or more groups of runs spread, on the sets that all runs have.

    Raises UserError as `compare_systems` does.
    """
    systems = [*chain(*groups.values())]
    tokenizer = systems[0].bleu_tokenizer
    sets, left_out = common_sets(systems, split)
    spreads = []
    for one in sets:
        metrics: dict[str, list[Spread]] = {"BLEU": [], "chrF": []}
        for group in groups.values():
            texts = [system.texts(one) for system in group]
            bleu = [corpus_bleu(each, one.references, tokenizer=tokenizer) for each in texts]
            metrics["BLEU"].append(_spread(bleu))
            metrics["chrF"].append(_spread([corpus_chrf(each, one.references) for each in texts]))
        spreads.append(SetSpreads(one.name, len(one.sources), metrics))
    known = {name: [system.metadata for system in group] for name, group in groups.items()}
    return GroupComparison(split, known, _changes(systems), spreads, left_out)


def _spread(values: list[float]) -> Spread:
    return Spread(values, mean(values), stdev(values) if len(values) > 1 else None)


def _changes(systems: Sequence[System]) -> list[Change]:
    """Return the keys whose values are not the same in all configurations, in their order."""
    found = []
    for key in dict.fromkeys(chain(*(system.config for system in systems))):
        values = [yaml_inline(one.config[key]) if key in one.config else "-" for one in systems]
        if len({*values}) > 1:
            found.append(Change(key, values))
    return found


def compare_ngrams(first: _Ngrams, second: _Ngrams) -> list[NgramCounts]:
    """Return what one of two has right more often, by `right_ngrams`: the second's gains first.

    Of equal gains longer n-grams come first. A part of a longer one with the same two counts is
    left out.
    """
    counts = {(ngram, first[ngram], second[ngram]) for ngram in first | second}
    changed = {(ngram, one, two) for ngram, one, two in counts if one != two}
    inside = {(part, *both) for ngram, *both in changed for part in (ngram[1:], ngram[:-1])}
    ranked = sorted(changed - inside, key=lambda each: (each[1] - each[2], -len(each[0]), each[0]))
    return [NgramCounts(" ".join(ngram), one, two) for ngram, one, two in ranked]


def right_ngrams(
    texts: Sequence[str], references: Sequence[Sequence[str]], *, tokenizer: str
) -> _Ngrams:
    """Return how often `texts` have each n-gram that a reference of the sentence has too.

    A sentence counts it at most as often as the reference that has most of it, as BLEU does.
    """
    tokenize = BLEU(tokenize=tokenizer).tokenizer

    def ngrams(text: str) -> _Ngrams:
        return extract_all_word_ngrams(tokenize(text), 1, LONGEST_NGRAM)[0]

    right: _Ngrams = Counter()
    for text, known in zip(texts, references, strict=True):
        right.update(ngrams(text) & reduce(or_, map(ngrams, known)))
    return right
