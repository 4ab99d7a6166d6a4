"""How well a translation's confidence tells a good translation from a bad one.

A translation counts as right if its chrF is at least `RIGHT_CHRF`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gru_mt.evaluation.score import sentence_chrf

RIGHT_CHRF = 50.0  # 0 to 100
BINS = 10


def auc(scores: Sequence[float], right: Sequence[bool]) -> float | None:
    """Return how often a right one has a higher score than a wrong one; a tie counts a half.

    It is the area under the ROC curve (Mann and Whitney 1947), and 0.5 for scores that say nothing.
    None if all are right, or none is: auc([0.9, 0.4], [True, False]) -> 1.0.
    """
    pairs = sorted(zip(scores, right, strict=True))
    of_right = [score for score, is_right in pairs if is_right]
    of_wrong = [score for score, is_right in pairs if not is_right]
    if not of_right or not of_wrong:
        return None
    halves = sum(bisect_left(of_wrong, score) + bisect_right(of_wrong, score) for score in of_right)
    return halves / (2 * len(of_right) * len(of_wrong))


def confidence_bins(
    confidences: Sequence[float], right: Sequence[bool], *, bins: int = BINS
) -> list[list[tuple[float, bool]]]:
    """Return confidences with whether they are right, in bins of equal count by rising confidence.

    Equal confidences keep their order; a bin may be empty where there are few.
    """
    pairs = sorted(zip(confidences, right, strict=True), key=lambda pair: pair[0])
    ends = [len(pairs) * number // bins for number in range(bins + 1)]
    return [pairs[start:end] for start, end in pairwise(ends)]


def calibration_error(
    confidences: Sequence[float], right: Sequence[bool], *, bins: int = BINS
) -> float:
    """Return the expected calibration error, 0 to 1 (Naeini et al. 2015, with bins of equal count).

    A bin's error is the difference of its mean confidence and its share of right ones; bins weigh
    as many sentences as they hold. calibration_error([0.9, 0.9], [True, False], bins=1) -> 0.4.
    """
    # Of n sentences, those of a bin weigh size / n * |sum / size - sum / size|: sizes cancel out.
    pairs_of = confidence_bins(confidences, right, bins=bins)
    errors = (abs(sum(score - is_right for score, is_right in pairs)) for pairs in pairs_of)
    return sum(errors) / len(confidences)


@dataclass(frozen=True, slots=True)
class ConfidenceStats:
    """How far confidences can be relied on."""

    auc: float | None  # see `auc`
    calibration_error: float

    def __str__(self) -> str:
        area = "none" if self.auc is None else f"{self.auc:.3f}"
        return f"confidence: AUC {area}, calibration error {self.calibration_error:.3f}"


def measure_confidence(
    confidences: Sequence[float | None],
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
) -> ConfidenceStats | None:
    """Return how far confidences can be relied on; None where no translation has one."""
    rows = zip(confidences, hypotheses, references, strict=True)
    known = [(confidence, *row) for confidence, *row in rows if confidence is not None]
    if not known:
        return None
    certain, texts, alternatives = zip(*known, strict=True)
    right = [score >= RIGHT_CHRF for score in sentence_chrf(texts, alternatives)]
    return ConfidenceStats(auc(certain, right), calibration_error(certain, right))
