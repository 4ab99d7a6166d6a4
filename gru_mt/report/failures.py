"""What goes wrong in translations, word by word, and whether the model is calibrated.

A sentence's own reference is here the one that fits the translation best, by chrF.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gru_mt.data.dataset.components import key
from gru_mt.data.text.normalize import count_words, words
from gru_mt.evaluation.calibration import RIGHT_CHRF, confidence_bins
from gru_mt.evaluation.hypotheses import Hypotheses
from gru_mt.evaluation.overlap import TrainOverlap
from gru_mt.evaluation.score import sentence_chrf
from gru_mt.inference.confidence import is_repetitive
from gru_mt.report.tables import Interval, range_names

COUNTS = (0, 2, 9, 99, 999)  # training targets with a word
TOO_LONG, TOO_SHORT = 1.5, 0.5  # times the words of the longest reference, of the shortest
SLACK = 1  # words that a translation may always be longer or shorter
KINDS = {
    "empty": "Nothing was written.",
    "too long": f"More than {TOO_LONG} times the longest reference, and a word.",
    "too short": "Less than half of the shortest reference, less a word.",
    "repeated": "A word or phrase three times in a row; no reference does so.",
    "copied": "The source itself; no reference is that.",
    "lost number": "Digits of the source that every reference has, and it has not.",
    "lost name": "A capitalised word of the source that every reference has, and it has not.",
}
MARKED = "The model's own warning; see gru-mt translate --json."


@dataclass(frozen=True, slots=True)
class Failure:
    """What is wrong with some translations."""

    name: str
    about: str
    rows: list[int]  # indexes of the sentences in their set
    share: Interval  # of all sentences, %


@dataclass(frozen=True, slots=True)
class WordAccuracy:
    """Of the words of the references that training had so often: how many were translated so."""

    name: str
    words: int
    right: Interval  # %


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Sentences of about one confidence: how many are right, which is a chrF of at least 50."""

    confidence: float  # mean, 0 to 1
    sentences: int
    right: Interval  # %


def failures_of(hypotheses: Hypotheses) -> list[Failure]:
    """Return the kinds of failure, and the sentences that have them."""
    marks = sorted({warning for warnings in hypotheses.warnings for warning in warnings})
    about_of = KINDS | {f"marked: {mark}": MARKED for mark in marks}
    rows_of: dict[str, list[int]] = {name: [] for name in about_of}
    columns = hypotheses.set.sources, hypotheses.texts, hypotheses.set.references
    rows = zip(*columns, hypotheses.warnings, strict=True)
    for index, (source, text, references, warnings) in enumerate(rows):
        marked = {f"marked: {warning}" for warning in warnings}
        for name in _kinds(source, text, references) | marked:
            rows_of[name].append(index)
    total = len(hypotheses.texts)
    return [
        Failure(name, about_of[name], found, wilson(len(found), total))
        for name, found in rows_of.items()
    ]


def _kinds(source: str, text: str, references: Sequence[str]) -> set[str]:
    length, lengths = count_words(text), [*map(count_words, references)]
    read = key(source)
    fails: dict[str, object] = {
        "empty": not text.strip(),
        "too long": length > TOO_LONG * max(lengths) + SLACK,
        "too short": length < TOO_SHORT * min(lengths) - SLACK,
        "repeated": is_repetitive(text) and not any(map(is_repetitive, references)),
        "copied": read and key(text) == read and all(key(other) != read for other in references),
    }
    for name, items in (("lost number", _numbers), ("lost name", _names)):
        fails[name] = items(source).intersection(*map(items, references)) - items(text)
    return {name for name, failed in fails.items() if failed}


def _numbers(text: str) -> set[str]:
    return {*re.findall(r"\d+", text)}


def _names(text: str) -> set[str]:
    return {word for word in words(text) if len(word) > 1 and word[0].isupper()}


def word_accuracy(hypotheses: Hypotheses, overlap: TrainOverlap) -> list[WordAccuracy]:
    """Return how many words of the references are in the translations, by training count.

    A word counts as often as its reference has it. Intervals are Wilson's, of words as if they were
    drawn one by one.
    """
    totals, hits = Counter[int](), Counter[int]()
    for text, references in zip(hypotheses.texts, hypotheses.set.references, strict=True):
        reference = references[0] if len(references) == 1 else best_references(text, references)[0]
        wanted, has = Counter(words(reference.lower())), Counter(words(text.lower()))
        for word, count in wanted.items():
            bucket = sum(overlap.target_words[word] > end for end in COUNTS)
            totals[bucket] += count
            hits[bucket] += min(count, has[word])
    return [
        WordAccuracy(name, totals[bucket], wilson(hits[bucket], totals[bucket]))
        for bucket, name in enumerate(range_names(COUNTS))
        if totals[bucket]
    ]


def best_references(text: str, references: Sequence[str]) -> list[str]:
    """Return the references of a sentence, those that fit its translation best first."""
    fit = sentence_chrf([text] * len(references), [[reference] for reference in references])
    order = sorted(range(len(references)), key=lambda index: -fit[index])
    return [references[index] for index in order]


def calibration_bins(hypotheses: Hypotheses, chrf: Sequence[float]) -> list[CalibrationBin]:
    """Return bins of as many sentences, by rising confidence; none without confidences."""
    pairs = [*zip(hypotheses.confidences, chrf, strict=True)]
    confidences = [confidence for confidence, _ in pairs if confidence is not None]
    right = [score >= RIGHT_CHRF for confidence, score in pairs if confidence is not None]
    bins = []
    for found in filter(None, confidence_bins(confidences, right)):
        mean = sum(confidence for confidence, _ in found) / len(found)
        share = wilson(sum(is_right for _, is_right in found), len(found))
        bins.append(CalibrationBin(mean, len(found), share))
    return bins


def wilson(hits: int, total: int) -> Interval:
    """Return a share in % and its 95 % interval by Wilson (1927): wilson(0, 10) -> 0, 0 to 28."""
    z = 1.959964
    share, room = hits / total, z * z / total
    middle = (share + room / 2) / (1 + room)
    half = z * math.sqrt(share * (1 - share) / total + room / (4 * total)) / (1 + room)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Interval(100 * share, 100 * low, 100 * high)
