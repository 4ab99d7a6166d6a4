"""What goes wrong in single translations, word by word, and whether the model knows it.

A sentence's own reference is here the one that fits the translation best, by chrF.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gru_mt.data.dataset.components import key
from gru_mt.data.text.normalize import count_words, words
from gru_mt.evaluation.calibration import BINS, RIGHT_CHRF
from gru_mt.evaluation.hypotheses import Hypotheses
from gru_mt.evaluation.overlap import TrainOverlap
from gru_mt.evaluation.score import sentence_chrf
from gru_mt.inference.confidence import is_repetitive
from gru_mt.report.tables import Estimate, SentenceScores, Table, tables_of

COUNTS = (0, 2, 9, 99, 999)  # training targets with a word: the most of each row but the last
TOO_LONG, TOO_SHORT = 1.5, 0.5  # times the words of the longest reference, of the shortest
SLACK = 1  # words that a translation may always be longer or shorter


@dataclass(frozen=True, slots=True)
class Failure:
    """What is wrong with some translations."""

    name: str
    about: str
    rows: list[int]  # places of the sentences in their set
    share: Estimate  # of all sentences, %


@dataclass(frozen=True, slots=True)
class WordAccuracy:
    """Of the words of the references that training had so often: how many were translated so."""

    name: str
    words: int
    right: Estimate  # %


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Sentences of about one confidence: how many are right, which is a chrF of at least 50."""

    confidence: float  # mean, 0 to 1
    sentences: int
    right: Estimate  # %


def failures_of(hypotheses: Hypotheses) -> list[Failure]:
    """Return each kind of failure, and the sentences that have it."""
    rows = [*zip(hypotheses.set.sources, hypotheses.texts, hypotheses.set.references, strict=True)]
    found = [
        _failure(name, about, [fails(*each) for each in rows]) for name, about, fails in _KINDS
    ]
    marks = dict.fromkeys(mark for marks in hypotheses.warnings for mark in marks)
    marked = [
        _failure(
            f"marked: {mark}",
            "The model's own warning; see `gru-mt translate --json`.",
            [mark in marks for marks in hypotheses.warnings],
        )
        for mark in sorted(marks)
    ]
    return [*found, *marked]


def _failure(name: str, about: str, failed: Sequence[bool]) -> Failure:
    rows = [row for row, fails in enumerate(failed) if fails]
    return Failure(name, about, rows, wilson(len(rows), len(failed)))


Fails = Callable[[str, str, Sequence[str]], bool]


def _is_empty(_source: str, text: str, _references: Sequence[str]) -> bool:
    return not text.strip()


def _is_too_long(_source: str, text: str, references: Sequence[str]) -> bool:
    return count_words(text) > TOO_LONG * max(map(count_words, references)) + SLACK


def _is_too_short(_source: str, text: str, references: Sequence[str]) -> bool:
    return count_words(text) < TOO_SHORT * min(map(count_words, references)) - SLACK


def _is_repeated(_source: str, text: str, references: Sequence[str]) -> bool:
    return is_repetitive(text) and not any(map(is_repetitive, references))


def _is_copied(source: str, text: str, references: Sequence[str]) -> bool:
    read = key(source)
    return bool(read) and key(text) == read and all(key(each) != read for each in references)


def _loses_number(source: str, text: str, references: Sequence[str]) -> bool:
    return _loses(_numbers, source, text, references)


def _loses_name(source: str, text: str, references: Sequence[str]) -> bool:
    return _loses(_names, source, text, references)


def _loses(
    items: Callable[[str], set[str]], source: str, text: str, references: Sequence[str]
) -> bool:
    """Return whether an item of the source is in every reference but not in the text."""
    return bool(items(source).intersection(*map(items, references)) - items(text))


def _numbers(text: str) -> set[str]:
    return {*re.findall(r"\d+", text)}


def _names(text: str) -> set[str]:
    return {word for word in words(text) if len(word) > 1 and word[0].isupper()}


_KINDS: tuple[tuple[str, str, Fails], ...] = (
    ("empty", "Nothing was written.", _is_empty),
    ("too long", f"More than {TOO_LONG} times the longest reference, and a word.", _is_too_long),
    ("too short", "Less than half of the shortest reference, less a word.", _is_too_short),
    ("repeated", "A word or phrase three times in a row; no reference does so.", _is_repeated),
    ("copied", "The source itself; no reference is that.", _is_copied),
    (
        "lost number",
        "Digits of the source that every reference has, and it has not.",
        _loses_number,
    ),
    (
        "lost name",
        "A capitalised word of the source that every reference has, and it has not.",
        _loses_name,
    ),
)


def word_accuracy(hypotheses: Hypotheses, known: TrainOverlap) -> list[WordAccuracy]:
    """Return how many words of the references are in the translations, by training count.

    A word counts as often as its reference has it. Intervals are Wilson's, of words as if each were
    drawn by itself.
    """
    totals, hits = Counter[int](), Counter[int]()
    for text, references in zip(hypotheses.texts, hypotheses.set.references, strict=True):
        reference = references[0] if len(references) == 1 else _best(text, references)
        wanted, has = Counter(words(reference.lower())), Counter(words(text.lower()))
        for word, count in wanted.items():
            place = sum(known.target_words[word] > end for end in COUNTS)
            totals[place] += count
            hits[place] += min(count, has[word])
    starts = [
        "0",
        *(f"{low + 1} to {high:,}" for low, high in itertools.pairwise(COUNTS)),
    ]
    names = [*starts, f"{COUNTS[-1] + 1:,} and more"]
    return [
        WordAccuracy(name, totals[place], wilson(hits[place], totals[place]))
        for place, name in enumerate(names)
        if totals[place]
    ]


def _best(text: str, references: Sequence[str]) -> str:
    fit = sentence_chrf([text] * len(references), [[each] for each in references])
    return references[max(range(len(fit)), key=fit.__getitem__)]


def calibration_bins(hypotheses: Hypotheses, chrf: Sequence[float]) -> list[CalibrationBin]:
    """Return bins of as many sentences each, by rising confidence; none without confidences."""
    known = [
        (confidence, score >= RIGHT_CHRF)
        for confidence, score in zip(hypotheses.confidences, chrf, strict=True)
        if confidence is not None
    ]
    known.sort(key=lambda pair: pair[0])
    ends = [len(known) * place // BINS for place in range(BINS + 1)]
    bins = [known[start:end] for start, end in itertools.pairwise(ends) if end > start]
    return [
        CalibrationBin(
            sum(confidence for confidence, _ in each) / len(each),
            len(each),
            wilson(sum(right for _, right in each), len(each)),
        )
        for each in bins
    ]


def wilson(hits: int, total: int) -> Estimate:
    """Return a share in % and its 95 % interval by Wilson (1927): wilson(0, 10) -> 0, 0 to 28."""
    z = 1.959964
    share, room = hits / total, z * z / total
    middle = (share + room / 2) / (1 + room)
    half = z * math.sqrt(share * (1 - share) / total + room / (4 * total)) / (1 + room)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Estimate(100 * share, 100 * low, 100 * high)


@dataclass(frozen=True, slots=True)
class Analysis:
    """Where a translator fails on a set."""

    chrf: list[float]  # of each sentence
    tables: list[Table]
    word_accuracy: list[WordAccuracy]  # empty where the training split is not known
    failures: list[Failure]
    calibration: list[CalibrationBin]  # empty where there are no confidences


def analyse(hypotheses: Hypotheses, known: TrainOverlap | None, tokenizer: str) -> Analysis:
    """Return where a translator fails; `tokenizer` is sacreBLEU's name for the way to cut text."""
    scores = SentenceScores(hypotheses.texts, hypotheses.set.references, tokenizer)
    return Analysis(
        scores.chrf,
        tables_of(hypotheses.set, known, scores),
        word_accuracy(hypotheses, known) if known else [],
        failures_of(hypotheses),
        calibration_bins(hypotheses, scores.chrf),
    )
