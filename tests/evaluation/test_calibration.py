"""How well confidence tells right from wrong: by hand, by brute force, and by sacreBLEU."""

import random
from itertools import product

import pytest

from gru_mt.evaluation.calibration import (
    ConfidenceStats,
    auc,
    calibration_error,
    measure_confidence,
)


def test_auc_counts_pairs() -> None:
    rng = random.Random(1)
    scores = [rng.randrange(8) / 8 for _ in range(40)]  # many ties
    right = [True, False, *(rng.random() < 0.7 for _ in range(38))]
    pairs = [
        (ours > theirs) + (ours == theirs) / 2
        for (ours, good), (theirs, also) in product(zip(scores, right, strict=True), repeat=2)
        if good and not also
    ]
    assert auc(scores, right) == pytest.approx(sum(pairs) / len(pairs))
    assert auc([0.9, 0.1], [True, True]) is auc([0.9, 0.1], [False, False]) is auc([], []) is None


@pytest.mark.parametrize(
    ("confidences", "right", "bins", "expected"),
    [
        # Bins of two, by rising confidence: (0.1, 0.3), of which none is right, and (0.6, 0.8), of
        # which both are. They are off by 0.2 and by 0.3.
        ([0.8, 0.1, 0.6, 0.3], [True, False, True, False], 2, (0.2 + 0.3) / 2),
        # A bin of one sentence, off by 0.2, and one of two: means 0.7 and 0.5.
        ([0.2, 0.6, 0.8], [False, True, False], 2, 1 / 3 * 0.2 + 2 / 3 * 0.2),
        ([0.25] * 4 + [0.75] * 4, [True, False, False, False, True, True, True, False], 2, 0),
        ([1.0, 0.0], [False, True], 10, 1),  # fewer sentences than bins
    ],
)
def test_calibration_error_by_hand(
    confidences: list[float], right: list[bool], bins: int, expected: float
) -> None:
    assert calibration_error(confidences, right, bins=bins) == pytest.approx(expected)


def test_only_translations_with_a_confidence_count() -> None:
    texts, references = ["Oui.", "x", "Non."], [["Oui."], ["y"], ["Bien sûr."]]
    found = measure_confidence([0.9, None, 0.4], texts, references)
    # The right one is 0.1 off, the wrong one 0.4; each has a bin of its own.
    assert found == ConfidenceStats(1.0, pytest.approx(0.25))  # type: ignore[arg-type]
    assert measure_confidence([None] * 3, texts, references) is None
