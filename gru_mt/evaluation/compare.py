"""Compare systems that translated the same sentences: runs, files of translations, groups of runs.

Two systems are compared by sacreBLEU's tests of significance, which tell how far a score depends on
the sentences. Groups of runs differ by their seeds; how far a score depends on these, only the
spread tells, so groups are not tested.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import mean, stdev

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.helpers import extract_all_word_ngrams

from gru_mt.config.yaml_text import yaml_inline
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.errors import UserError, as_path
from gru_mt.evaluation.score import corpus_bleu, corpus_chrf, sentence_chrf
from gru_mt.evaluation.significance import MetricScores, differing, score_systems
from gru_mt.evaluation.systems import System, SystemMetadata, common_sets, read_files, read_runs

LONGEST_NGRAM = 4  # words, as in BLEU


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

    def gains(self, system: int) -> list[tuple[float, int]]:
        """Return the sentences whose chrF differs from the baseline's, greatest gain first.

        The items are gains and indexes in the set.
        """
        pairs = zip(self.chrf[0], self.chrf[system], strict=True)
        gains = [(second - first, row) for row, (first, second) in enumerate(pairs)]
        return sorted((gain for gain in gains if gain[0]), key=lambda gain: -gain[0])


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
    paths = [as_path(path, "systems") for path in systems]
    if len(paths) < 2:
        raise UserError("give two or more systems to compare")
    if known := [as_path(path, "references") for path in references]:
        sources = None if source is None else as_path(source, "source")
        return compare_systems(read_files(paths, known, sources, bleu_tokenizer or "auto"))
    return compare_systems(read_runs(paths, split, bleu_tokenizer), split)


def compare_systems(
    systems: Sequence[System], split: str = "", say: Callable[[str], None] = lambda _: None
) -> Comparison:
    """Return how two or more systems differ on the sets that all of them have.

    `say` gets a line before it begins, because it takes seconds. Raises UserError where there is no
    such set, or the BLEU tokenizers differ.
    """
    sets, left_out = common_sets(systems, split)
    first, *others = (system.metadata.name for system in systems)
    say(f"comparing {', '.join(others)} with {first}")
    found = [_compare_set(one, systems) for one in sets]
    return Comparison(split, _metadata(systems), changes(systems), found, left_out)


def _metadata(systems: Iterable[System]) -> list[SystemMetadata]:
    return [system.metadata for system in systems]


def _compare_set(one: EvaluationSet, systems: Sequence[System]) -> SetComparison:
    tokenizer = systems[0].bleu_tokenizer
    texts = [system.texts(one) or [] for system in systems]
    return SetComparison(
        one,
        texts,
        [differing(texts[0], others) for others in texts],
        score_systems(texts, one.references, tokenizer=tokenizer),
        [sentence_chrf(others, one.references) for others in texts],
        [compare_ngrams(texts[0], others, one.references, tokenizer=tokenizer) for others in texts],
    )


def compare_groups(groups: Mapping[str, Sequence[System]], split: str) -> GroupComparison:
    """Return how the scores of one or more groups of runs spread, on the sets that all runs have.

    Raises UserError as `compare_systems` does.
    """
    systems = [system for group in groups.values() for system in group]
    sets, left_out = common_sets(systems, split)
    sizes = [len(group) for group in groups.values()]
    spreads = []
    for one in sets:
        texts = [system.texts(one) or [] for system in systems]
        tokenizer = systems[0].bleu_tokenizer
        bleu = [corpus_bleu(of_run, one.references, tokenizer=tokenizer) for of_run in texts]
        chrf = [corpus_chrf(of_run, one.references) for of_run in texts]
        metrics = {"BLEU": _spreads(bleu, sizes), "chrF": _spreads(chrf, sizes)}
        spreads.append(SetSpreads(one.name, len(one.sources), metrics))
    names = {name: _metadata(group) for name, group in groups.items()}
    return GroupComparison(split, names, changes(systems), spreads, left_out)


def _spreads(scores: Sequence[float], sizes: Sequence[int]) -> list[Spread]:
    rest = iter(scores)
    groups = [[*islice(rest, size)] for size in sizes]
    return [Spread(runs, mean(runs), stdev(runs) if len(runs) > 1 else None) for runs in groups]


def changes(systems: Sequence[System]) -> list[Change]:
    """Return the keys whose values are not the same in all configurations, in their order."""
    keys = dict.fromkeys(key for system in systems for key in system.config)
    rows = {
        key: [yaml_inline(one.config[key]) if key in one.config else "-" for one in systems]
        for key in keys
    }
    return [Change(key, row) for key, row in rows.items() if len({*row}) > 1]


def compare_ngrams(
    first: Sequence[str],
    second: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    tokenizer: str,
) -> list[NgramCounts]:
    """Return the n-grams that one system gets right more often, those of the second's first.

    They are sorted from the greatest gain to the greatest loss, and equal ones by length. Where an
    n-gram is part of a longer one with the same two counts, only the longer one is listed.
    """
    one, two = (right_ngrams(texts, references, tokenizer=tokenizer) for texts in (first, second))
    counts = {ngram: (one[ngram], two[ngram]) for ngram in one | two if one[ngram] != two[ngram]}
    inside = {
        (shorter, both) for ngram, both in counts.items() for shorter in (ngram[1:], ngram[:-1])
    }
    ngrams = sorted(counts, key=lambda ngram: (one[ngram] - two[ngram], -len(ngram), ngram))
    return [
        NgramCounts(" ".join(ngram), *counts[ngram])
        for ngram in ngrams
        if (ngram, counts[ngram]) not in inside
    ]


def right_ngrams(
    texts: Sequence[str], references: Sequence[Sequence[str]], *, tokenizer: str
) -> Counter[tuple[str, ...]]:
    """Return how often `texts` have each n-gram that a reference of the sentence has too.

    A sentence counts it at most as often as the reference that has most of it, as BLEU does: "the
    the" against [["the cat"], ["a the"]] counts "the" once.
    """
    tokenize = BLEU(tokenize=tokenizer).tokenizer

    def ngrams(text: str) -> Counter[tuple[str, ...]]:
        found: Counter[tuple[str, ...]] = extract_all_word_ngrams(tokenize(text), 1, LONGEST_NGRAM)[
            0
        ]
        return found

    right: Counter[tuple[str, ...]] = Counter()
    for text, alternatives in zip(texts, references, strict=True):
        most: Counter[tuple[str, ...]] = Counter()
        for reference in alternatives:
            most |= ngrams(reference)
        right.update(ngrams(text) & most)
    return right
