"""Where a translator fails: the scores of sentences that are alike in one respect.

The matches of a sentence are counted once, and every score and interval is computed from them.

Shapes: N sentences of a set, M those of a bucket, K counts of a metric.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
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
from gru_mt.report.pictures import Interval

LENGTHS = (3, 5, 8, 12, 20)  # words: the longest of each bucket but the last
RARITIES = (0, 2, 9, 99)  # training sentences
DISTANCES = (0.3, 0.4, 0.5, 0.6)
REFERENCES = (1, 2, 4)


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
    """What BLEU and chrF count in the sentences of a set."""

    def __init__(
        self, texts: Sequence[str], references: Sequence[Sequence[str]], tokenizer: str
    ) -> None:
        """Take the translations; `tokenizer` is sacreBLEU's name for a tokenizer."""
        streams = reference_streams(texts, references)
        self._metrics: tuple[Metric, Metric] = (BLEU(tokenize=tokenizer, force=True), CHRF())
        self._counts = [count_matches(metric, texts, streams) for metric in self._metrics]
        chrf_NK = self._counts[1]
        self.chrf = [score_of(self._metrics[1], row_K[None]) for row_K in chrf_NK]

    def bucket(self, name: str, rows: Sequence[int]) -> Bucket:
        """Return the scores of some sentences."""
        pairs = zip(self._metrics, self._counts, strict=True)
        bleu, chrf = (_interval(metric, count_NK[rows]) for metric, count_NK in pairs)
        return Bucket(name, len(rows), bleu, chrf)


def _interval(metric: Metric, count_MK: Ints) -> Interval:
    """Return a score and its bootstrap interval, as `Score` has it."""
    ends = (None, None) if len(count_MK) == 1 else interval_of(resampled(metric, count_MK))
    return Interval(score_of(metric, count_MK), *ends)


def tables_of(
    evaluation_set: EvaluationSet, overlap: TrainOverlap | None, scores: SentenceScores
) -> list[Table]:
    """Return the tables; without `overlap` those about the training split are left out."""

    def buckets(names: Sequence[str], bucket_N: npt.NDArray[np.int64]) -> list[Bucket]:
        rows = [np.flatnonzero(bucket_N == index).tolist() for index in range(len(names))]
        return [scores.bucket(name, some) for name, some in zip(names, rows, strict=True) if some]

    def by_number(numbers: Sequence[int], ends: Sequence[int]) -> list[Bucket]:
        return buckets(range_names(ends), np.searchsorted(ends, numbers))

    lengths = [count_words(source) for source in evaluation_set.sources]
    about = "By the number of words of the source."
    found = [Table("Short and long sentences", about, "words", by_number(lengths, LENGTHS))]
    if overlap:
        about = "By how many training sentences have the rarest word of the source."
        rare = by_number(overlap.rarest, RARITIES)
        found.append(Table("Rare words", about, "training sentences", rare))
        ends = ["0", *(f"{100 * end:.0f}" for end in DISTANCES), "100"]
        names = ["near-duplicate", *(f"{low} to {high} %" for low, high in pairwise(ends))]
        bucket_N = 1 + np.searchsorted(DISTANCES, overlap.distance, side="right")
        bucket_N[overlap.near_duplicate] = 0
        about = (
            "By the distance to the nearest training sentence: the share of the words of both that "
            "only one of them has. Near-duplicates, of five words and more, differ by one word."
        )
        found.append(Table("Train-test overlap", about, "distance", buckets(names, bucket_N)))
    counts = [len(texts) for texts in evaluation_set.references]
    if len({*counts}) > 1:
        about = "By how many references the sentence has. More references make a match more likely."
        found.append(Table("References", about, "references", by_number(counts, REFERENCES)))
    return found


def range_names(ends: Sequence[int]) -> list[str]:
    """Return the names of the numbers up to each of `ends`, and of larger ones.

    0, 2 and 9 -> "0", "1 to 2", "3 to 9", "10 and more"; 3 -> "1 to 3", "4 and more".
    """
    names = []
    for before, end in pairwise((-1, *ends)):
        first = max(before + 1, min(end, 1))
        names.append(f"{first}" if first == end else f"{first} to {end}")
    return [*names, f"{ends[-1] + 1:,} and more"]
