"""How well a translation's confidence tells a good translation from a bad one.

A translation counts as right if its chrF is at least `RIGHT_CHRF`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

RIGHT_CHRF = 50.0  # 0 to 100
BINS = 10


def sentence_chrf(hypotheses: Sequence[str], references: Sequence[Sequence[str]], /) -> list[float]:
    """Return each sentence's chrF2 (0 to 100) against that one of its references which fits best.

    The numbers are sacreBLEU's.
    """
    from sacrebleu import CHRF

    metric = CHRF()
    pairs = zip(hypotheses, references, strict=True)
    return [float(metric.sentence_score(text, alternatives).score) for text, alternatives in pairs]


def auc(scores: Sequence[float], right: Sequence[bool]) -> float | None:
    """Return how often a right one has a higher score than a wrong one; a tie counts a half.

    It is the area under the ROC curve (Mann and Whitney 1947), and 0.5 for scores that say nothing.
    None if all are right, or none is: auc([0.9, 0.4], [True, False]) -> 1.0.
    """
    pairs = list(zip(scores, right, strict=True))
    of_right = [score for score, is_right in pairs if is_right]
    of_wrong = sorted(score for score, is_right in pairs if not is_right)
    if not of_right or not of_wrong:
        return None
    halves = sum(bisect_left(of_wrong, each) + bisect_right(of_wrong, each) for each in of_right)
    return halves / (2 * len(of_right) * len(of_wrong))


def calibration_error(
    confidences: Sequence[float], right: Sequence[bool], *, bins: int = BINS
) -> float:
    """Return the expected calibration error, 0 to 1 (Naeini et al. 2015, with bins of equal count).

    The sentences, by rising confidence, are cut into bins. A bin's error is the difference of its
    mean confidence and its share of right ones; bins weigh as many sentences as they hold. Equal
    confidences keep their order. calibration_error([0.9, 0.9], [True, False], bins=1) -> 0.4.
    """
    pairs = sorted(zip(confidences, right, strict=True), key=lambda pair: pair[0])
    ends = [len(pairs) * bin_ // bins for bin_ in range(bins + 1)]
    parts = (pairs[start:end] for start, end in pairwise(ends))
    # Of n sentences, those of a bin weigh size / n * |sum / size - sum / size|: sizes cancel out.
    errors = [abs(sum(score - is_right for score, is_right in part)) for part in parts]
    return sum(errors) / len(pairs)


@dataclass(frozen=True, slots=True)
class Trust:
    """How far confidences can be relied on."""

    auc: float | None  # see `auc`
    calibration_error: float

    def __str__(self) -> str:
        area = "none" if self.auc is None else f"{self.auc:.3f}"
        return f"confidence: AUC {area}, calibration error {self.calibration_error:.3f}"


def measure_trust(
    confidences: Sequence[float | None],
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
) -> Trust | None:
    """Return how far the confidences of `hypotheses` can be relied on; None where none has any."""
    rows = zip(confidences, hypotheses, references, strict=True)
    known = [(each, *row) for each, *row in rows if each is not None]
    if not known:
        return None
    certain, texts, alternatives = zip(*known, strict=True)
    right = [chrf >= RIGHT_CHRF for chrf in sentence_chrf(texts, alternatives)]
    return Trust(auc(certain, right), calibration_error(certain, right))
