"""Where a translator fails: the scores of sentences that are alike in one respect.

Each sentence's matches are counted once, and every score and interval is computed from them.

Shapes: N sentences of a set, M those of a bucket, K counts of a metric.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sacrebleu import BLEU, CHRF
from sacrebleu.metrics.base import Metric

from gru_mt.data.dataset.store import Ints
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.text.normalize import count_words
from gru_mt.evaluation.overlap import TrainOverlap
from gru_mt.evaluation.score import (
    count_matches,
    interval_of,
    reference_streams,
    resampled,
    score_of,
)

LENGTHS = (3, 5, 8, 12, 20)  # words: the longest of each bucket but the last
RARITIES = (0, 2, 9, 99)  # training sentences
DISTANCES = (0.3, 0.4, 0.5, 0.6)
REFERENCES = (1, 2, 4)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its 95 % interval; None where a single sentence has none."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Bucket:
    """The scores of the sentences that a row of a table is about."""

    name: str
    sentences: int
    bleu: Estimate  # against all references
    chrf: Estimate


@dataclass(frozen=True, slots=True)
class Table:
    """A set in buckets: each sentence is in one; a bucket without sentences is left out."""

    title: str
    about: str
    unit: str  # of the names of its buckets
    buckets: list[Bucket]


class SentenceScores:
    """What BLEU and chrF count in each sentence of a set."""

    def __init__(
        self, texts: Sequence[str], references: Sequence[Sequence[str]], tokenizer: str
    ) -> None:
        """Take the translations; `tokenizer` is sacreBLEU's name for the way to cut text."""
        streams = reference_streams(texts, references)
        self._metrics: tuple[Metric, Metric] = (BLEU(tokenize=tokenizer, force=True), CHRF())
        self._counts = [count_matches(metric, texts, streams) for metric in self._metrics]
        chrf_NK = self._counts[1]
        self.chrf = [score_of(self._metrics[1], row_K[None]) for row_K in chrf_NK]

    def bucket(self, name: str, rows: Sequence[int]) -> Bucket:
        """Return the scores of some sentences."""
        bleu, chrf = (
            _estimate(metric, count_NK[rows])
            for metric, count_NK in zip(self._metrics, self._counts, strict=True)
        )
        return Bucket(name, len(rows), bleu, chrf)


def _estimate(metric: Metric, count_MK: Ints) -> Estimate:
    """Return a score and its bootstrap interval, as `Score` has it."""
    value = score_of(metric, count_MK)
    if len(count_MK) == 1:
        return Estimate(value, None, None)
    return Estimate(value, *interval_of(resampled(metric, count_MK)))


def tables_of(
    evaluation_set: EvaluationSet, known: TrainOverlap | None, scores: SentenceScores
) -> list[Table]:
    """Return the tables; without `known` those about the training split are left out."""
    lengths = [count_words(source) for source in evaluation_set.sources]
    found = [
        Table(
            "Short and long sentences",
            "By the number of words of the source.",
            "words",
            _by_number(scores, lengths, LENGTHS),
        )
    ]
    if known:
        found += [
            Table(
                "Rare words",
                "By how many training sentences have the rarest word of the source.",
                "training sentences",
                _by_number(scores, known.rarest, RARITIES),
            ),
            Table(
                "Memory or skill",
                "By the distance to the nearest training sentence: the share of the words of both "
                "that only one of them has. Near-duplicates, of five words and more, differ by one "
                "word.",
                "distance",
                _by_distance(scores, known),
            ),
        ]
    counts = [len(texts) for texts in evaluation_set.references]
    if len({*counts}) > 1:
        about = "By how many references the sentence has. More references make a match more likely."
        found.append(
            Table("References", about, "references", _by_number(scores, counts, REFERENCES))
        )
    return found


def _by_number(scores: SentenceScores, numbers: Sequence[int], ends: Sequence[int]) -> list[Bucket]:
    """Return buckets of numbers up to each of `ends`, and of larger ones."""
    names = []
    for start, end in zip((-1, *ends), ends, strict=False):
        first = max(start + 1, min(end, 1))
        names.append(f"{first}" if first == end else f"{first} to {end}")
    names.append(f"{ends[-1] + 1:,} and more")
    places = np.searchsorted(ends, numbers)
    return _buckets(scores, places.tolist(), names)


def _by_distance(scores: SentenceScores, known: TrainOverlap) -> list[Bucket]:
    ends = [f"{100 * each:.0f}" for each in DISTANCES]
    ranges = zip(["0", *ends], [*ends, "100"], strict=True)
    names = ["near-duplicate", *(f"{low} to {high} %" for low, high in ranges)]
    places = [
        0 if near else 1 + int(np.searchsorted(DISTANCES, distance, side="right"))
        for near, distance in zip(known.near_duplicate, known.distance, strict=True)
    ]
    return _buckets(scores, places, names)


def _buckets(scores: SentenceScores, places: Sequence[int], names: Sequence[str]) -> list[Bucket]:
    rows: list[list[int]] = [[] for _ in names]
    for row, place in enumerate(places):
        rows[place].append(row)
    pairs = zip(names, rows, strict=True)
    return [scores.bucket(name, found) for name, found in pairs if found]
