"""What is wrong with translations: cases written by hand."""

import pytest

from gru_mt.evaluation.overlap import TrainOverlap
from gru_mt.report.failures import calibration_bins, failures_of, wilson, word_accuracy
from tests.report.made import hypotheses

TEN = "un deux trois quatre cinq six sept huit neuf dix"


CASES = [
    ("empty", "Hi.", " ", ["Salut."], True),
    ("empty", "Hi.", "Salut.", ["Salut."], False),
    ("too long", "Hi.", "Salut toi là.", ["Salut."], True),
    ("too long", "Hi.", "Salut toi.", ["Salut."], False),
    ("too long", "Hi.", TEN, ["Salut.", TEN], False),
    ("too short", "x", "un deux trois", [TEN], True),  # 10 / 2 - 1: four words are enough
    ("too short", "x", "un deux trois quatre", [TEN], False),
    ("repeated", "x", "non non non non", ["non"], True),
    ("repeated", "x", "non non non non", ["non non non"], False),
    ("copied", "See you!", "see you", ["À plus !"], True),
    ("copied", "Taxi!", "Taxi !", ["Taxi !"], False),
    ("copied", "!", "!", ["Oui"], False),
    ("lost number", "I am 25.", "J'ai 20 ans.", ["J'ai 25 ans."], True),
    ("lost number", "I am 25.", "J'ai 25 ans.", ["J'ai 25 ans."], False),
    ("lost number", "I am 25.", "J'ai vingt ans.", ["J'ai vingt-cinq ans."], False),
    ("lost number", "2 pm", "à 14 h", ["à 14 h", "à 2 h"], False),
    ("lost name", "I saw Tom.", "J'ai vu Jean.", ["J'ai vu Tom.", "Je vis Tom."], True),
    ("lost name", "I saw Mary.", "J'ai vu Marie.", ["J'ai vu Marie."], False),
    ("lost name", "Tom left.", "Il est parti.", ["Tom est parti."], True),
    ("lost name", "Part I.", "La fin.", ["Volume I."], False),
]  # fmt: skip


def test_a_translation_fails_or_not() -> None:
    rows = [(source, text, references) for _, source, text, references, _ in CASES]
    found = {failure.name: failure.rows for failure in failures_of(hypotheses(*rows))}
    for row, (name, *_, fails) in enumerate(CASES):
        assert (row in found[name]) is fails, CASES[row]


def test_the_models_own_marks_are_counted() -> None:
    marks = [["under-translated"], [], ["under-translated", "limit"]]
    found = failures_of(hypotheses(*[("a", "b", ["b"])] * 3, warnings=marks))
    assert [(each.name, each.rows) for each in found[-2:]] == [
        ("marked: limit", [2]),
        ("marked: under-translated", [0, 2]),
    ]
    assert [each.share.value for each in found[-2:]] == pytest.approx([100 / 3, 200 / 3])


def test_words_are_right_by_how_often_training_has_them() -> None:
    counts = {"le": 5_000, "chien": 2, "dort": 0, "et": 12, "un": 7}
    found = word_accuracy(
        hypotheses(
            ("x", "Le chien mange le.", ["Un dort et dort", "Le chien dort et le chien dort."]),
            ("y", "", ["Un"]),
        ),
        TrainOverlap([], [], [], counts),
    )
    # The second reference fits: le 2 of 2, chien 1 of 2, dort 0 of 2, et 0 of 1.
    assert [(each.name, each.words, each.right.value) for each in found] == [
        ("0", 2, 0.0),
        ("1 to 2", 2, 50.0),
        ("3 to 9", 1, 0.0),
        ("10 to 99", 1, 0.0),
        ("1,000 and more", 2, 100.0),
    ]


def test_bins_of_confidence_have_as_many_sentences_each() -> None:
    rows = [("a", "b", ["b"])] * 21
    confidences = [None, *(each / 20 for each in range(19, -1, -1))]
    chrf = [0.0, *([80.0] * 10), *([20.0] * 10)]
    found = calibration_bins(hypotheses(*rows, confidences=confidences), chrf)
    assert [each.sentences for each in found] == [2] * 10
    expected = [(4 * place + 1) / 40 for place in range(10)]
    assert [each.confidence for each in found] == pytest.approx(expected)
    assert [each.right.value for each in found] == [0.0] * 5 + [100.0] * 5
    assert calibration_bins(hypotheses(*rows), chrf) == []


def test_wilsons_interval() -> None:
    # z * z is 3.8415. The middle is (5 + 1.9207) / 13.8415 = 50 %, and half of the interval
    # 1.96 * sqrt(0.025 + 3.8415 / 400) / 1.38415 = 26.34 %.
    assert wilson(5, 10) == pytest.approx((50, 23.66, 76.34), abs=0.01)
    assert wilson(0, 10) == pytest.approx((0, 0, 384.15 / 13.8415), abs=0.01)
