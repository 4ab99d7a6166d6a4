"""Where a translator fails: the scores of sentences that are alike in one respect.

Shapes: N sentences of a set, M those of a bucket, K counts of a metric.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sacrebleu import BLEU, CHRF

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


class Interval(NamedTuple):
    """A value with its 95 % interval; None where a single sentence has none."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Bucket:
    """The scores of the sentences that a row of a table is about."""

    name: str
    sentences: int
    bleu: Interval  # against all references
    chrf: Interval


@dataclass(frozen=True, slots=True)
class Table:
    """A set in buckets: a sentence is in one; a bucket without sentences is left out."""

    title: str
    about: str
    unit: str  # of the names of its buckets
    buckets: list[Bucket]


class SentenceScores:
    """BLEU and chrF of any sentences of a set, whose matches are counted once."""

    def __init__(
        self, texts: Sequence[str], references: Sequence[Sequence[str]], tokenizer: str
    ) -> None:
        """Count the matches of translations; `tokenizer` is sacreBLEU's name for a tokenizer."""
        streams = reference_streams(texts, references)
        bleu, chrf = BLEU(tokenize=tokenizer, force=True), CHRF()
        self._counts = [(metric, count_matches(metric, texts, streams)) for metric in (bleu, chrf)]
        self.chrf = [score_of(chrf, row_K[None]) for row_K in self._counts[1][1]]

    def bucket(self, name: str, rows: Sequence[int]) -> Bucket:
        """Return the scores of some sentences."""
        found = []
        for metric, count_NK in self._counts:
            count_MK = count_NK[rows]
            ends = (None, None) if len(rows) == 1 else interval_of(resampled(metric, count_MK))
            found.append(Interval(score_of(metric, count_MK), *ends))
        return Bucket(name, len(rows), *found)


def tables_of(
    evaluation_set: EvaluationSet, overlap: TrainOverlap | None, scores: SentenceScores
) -> list[Table]:
    """Return the tables; without `overlap` those about the training split are left out."""
    tables = []

    def add(
        title: str, about: str, unit: str, names: list[str], bucket_N: npt.NDArray[np.int64]
    ) -> None:
        rows = [np.flatnonzero(bucket_N == index).tolist() for index in range(len(names))]
        pairs = zip(names, rows, strict=True)
        buckets = [scores.bucket(name, found) for name, found in pairs if found]
        tables.append(Table(title, about, unit, buckets))

    if any(evaluation_set.sources):  # files may be compared without them
        lengths = [count_words(source) for source in evaluation_set.sources]
        about = "By the number of words of the source."
        bucket_N = np.searchsorted(LENGTHS, lengths)
        add("Short and long sentences", about, "words", range_names(LENGTHS), bucket_N)
    if overlap:
        about = "By how many training sentences have the rarest word of the source."
        bucket_N = np.searchsorted(RARITIES, overlap.rarest)
        add("Rare words", about, "training sentences", range_names(RARITIES), bucket_N)
        about = (
            "By the distance to the nearest training sentence: the share of the words of both that "
            "only one of them has. Near-duplicates, of five words and more, differ by one word."
        )
        ends = ["0", *(f"{100 * end:.0f}" for end in DISTANCES), "100"]
        names = ["near-duplicate", *(f"{low} to {high} %" for low, high in pairwise(ends))]
        bucket_N = 1 + np.searchsorted(DISTANCES, overlap.distance, side="right")
        bucket_N[overlap.near_duplicate] = 0
        add("Train-test overlap", about, "distance", names, bucket_N)
    counts = [len(texts) for texts in evaluation_set.references]
    if len({*counts}) > 1:
        about = "By how many references the sentence has. More references make a match more likely."
        bucket_N = np.searchsorted(REFERENCES, counts)
        add("References", about, "references", range_names(REFERENCES), bucket_N)
    return tables


def range_names(ends: Sequence[int]) -> list[str]:
    """Return the names of the numbers up to each of `ends`, and of larger ones.

    0, 2 and 9 -> "0", "1 to 2", "3 to 9", "10 and more"; 3 -> "1 to 3", "4 and more".
    """
    names = []
    for before, end in pairwise((-1, *ends)):
        first = max(before + 1, min(end, 1))
        names.append(f"{first}" if first == end else f"{first} to {end}")
    return [*names, f"{ends[-1] + 1:,} and more"]
