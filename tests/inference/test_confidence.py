"""How far a translation can be trusted: features, the fit, and what is odd about it."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

from gru_mt.data.text.truecase import Truecaser
from gru_mt.errors import UserError
from gru_mt.inference.confidence import (
    LOW,
    Calibration,
    features,
    fitted,
    is_under_translated,
    warnings_of,
)
from gru_mt.inference.preprocessing.sentence import Sentence
from gru_mt.inference.search import Hypothesis

TRUECASER = Truecaser({word: word for word in ("the", "cat", "sees", "a")}, copies_names=False)


def hypothesis(
    *, ids: int = 3, lowest: float = -1.5, ended: bool = True, coverage: list[float] | None = None
) -> Hypothesis:
    return Hypothesis([5] * ids, -2.0, -2.0, lowest, ended, coverage)


def test_features_by_hand() -> None:
    read = hypothesis(coverage=[0.0, 0.5, 1.0, 3.0, 0.5])
    # Four tokens with <eos>; (1 + 0.5 + 0 + 0 + 0.5) / 5 left out; one of four words unknown.
    # Zbigniew is a name.
    assert features("the cat saw Zbigniew", 5, read, TRUECASER) == pytest.approx(
        [-0.5, -1.5, math.log(5), math.log(5 / 4), 0.4, 0.25]
    )
    stopped = features("a", 2, hypothesis(ids=4, ended=False), TRUECASER)
    assert stopped == pytest.approx([-0.5, -1.5, math.log(2), math.log(2), 0, 0])
    worst = features("", 1, hypothesis(ids=0, lowest=-math.inf), TRUECASER)
    assert worst == pytest.approx([-2, -20, 0, 0, 0, 0])


@pytest.mark.parametrize("value", [1.5, 1e4, 1e308])
def test_the_chance_is_logistic_and_never_overflows(value: float) -> None:
    calibration = Calibration((1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.5))
    for sign in (-1, 1):
        chance = calibration.confidence([sign * value, sign * value, 0, 0, 0, 0])
        logit = max(-30, min(30, sign * 3 * value + 0.5))
        assert chance == pytest.approx(1 / (1 + math.exp(-logit)))


@pytest.mark.parametrize(
    "weights",
    [[], [1.0] * 6, [1.0] * 8, 3, "1234567", {"a": 1}, [1.0] * 6 + [None], [1.0] * 6 + [True],
     [1.0] * 6 + ["2"], [1.0] * 6 + [math.nan], [math.inf] + [1.0] * 6, [10**400] * 7, [[1.0] * 7]],
)  # fmt: skip
def test_only_weights_make_a_calibration(weights: object) -> None:
    with pytest.raises(UserError, match=r"^model\.json: damaged: calibration must be 7 numbers"):
        Calibration.of(weights, "model.json")
    assert Calibration.of(None) is None
    assert Calibration.of([1, 2, 3, 4, 5, 6, 7]) == Calibration((1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0))


@pytest.mark.parametrize(("penalty", "noise"), [(1.0, 0.3), (10.0, 3.0)])
def test_the_fit_is_where_the_loss_with_its_penalty_has_no_slope(
    penalty: float, noise: float
) -> None:
    """It is convex, so that is its minimum."""
    rng = np.random.default_rng(1)
    feature_NF = rng.normal(size=(300, 3)) * [1.0, 5.0, 0.1] + [0.0, -3.0, 2.0]
    logit_N = feature_NF @ [1.0, -0.5, 4.0] + noise * rng.normal(size=300) - 9
    right_N = (logit_N > 0).astype(float)
    assert 30 < right_N.sum() < 270
    *weights, constant = fitted(feature_NF, right_N, penalty=penalty).weights
    x_NF, right = torch.tensor(feature_NF), torch.tensor(right_N)
    deviation_F, mean_F = x_NF.std(dim=0, correction=0), x_NF.mean(dim=0)
    weight_F = (torch.tensor(weights, dtype=torch.float64) * deviation_F).requires_grad_()
    shift = torch.tensor(constant + weights @ feature_NF.mean(axis=0), requires_grad=True)
    logit = (x_NF - mean_F) / deviation_F @ weight_F + shift
    loss = nn.functional.binary_cross_entropy_with_logits(logit, right, reduction="sum")
    slopes = torch.autograd.grad(loss + penalty / 2 * weight_F.square().sum(), [weight_F, shift])
    assert max(slope.abs().max().item() for slope in slopes) < 1e-6


def test_a_fit_of_one_kind_alone_or_of_a_feature_that_never_changes_is_finite() -> None:
    feature_NF = np.random.default_rng(2).normal(size=(50, 3))
    for right in (0.0, 1.0):
        found = fitted(feature_NF, np.full(50, right))
        assert found.confidence([0.0, 0.0, 0.0]) == pytest.approx(right, abs=1e-3)
    one_N = np.arange(40.0)
    found = fitted(np.column_stack([one_N, np.full(40, 7.0)]), (one_N >= 20).astype(float))
    chances = [found.confidence([value, 7.0]) for value in one_N]
    assert all(low < high for low, high in pairwise(chances))
    assert chances[19] < 0.5 < chances[20]


def warned(
    text: str,
    *,
    source: str = "the cat",
    ended: bool = True,
    confidence: float | None = None,
    is_part: bool = False,
) -> tuple[str, ...]:
    sentence = Sentence(
        source, "", "", "", source, source, (), frozenset(), "model", False, is_part=is_part
    )
    return warnings_of(sentence, [], text, hypothesis(ended=ended), confidence, TRUECASER)


def test_what_is_odd_is_named_once_and_in_order() -> None:
    assert warned("le chat") == ()
    assert warned("le", ended=False) == ("limit",)
    assert warned("le", confidence=LOW) == ()
    assert warned("le", confidence=0.2) == ("low confidence",)
    assert warned("a a a", source="Es ist so", ended=False, confidence=0.0, is_part=True) == (
        "split", "limit", "repetition", "language", "low confidence"
    )  # fmt: skip


OTHER, AGAIN = ("language",), ("repetition",)


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("the cat", "le chat", ()),
        ("the mouse likes", "le chat", ()),  # a third of unknown words
        ("the mouse likes cheese", "le chat", OTHER),
        ("a mouse", "le chat", OTHER),  # a single letter says nothing beside words
        ("Es ist so the", "le chat", OTHER),
        ("b", "le chat", OTHER),
        ("\ue010, \ue011", "le chat", ()),
        ("我明白", "le chat", OTHER),
        ("the cat", "très très", ()),
        ("the cat", "très très bien, très", ()),
        ("the cat", "non, non, non!", AGAIN),
        ("cat, cat, cat", "non, non, non!", ()),  # one of the source is none
        ("the cat", "le chat, le chat. le chat", AGAIN),
        ("the cat", "le chat - le chat", ()),
        ("the cat", "un deux un deux trois un deux", ()),
        ("the cat", "a ha ha hat", ()),
        ("the cat", "क क कि", ()),
        ("the cat", "\ue010 \ue010 \ue010", ()),
    ],
)
def test_a_text_of_unknown_words_and_three_times_the_same_in_a_row_are_odd(
    source: str, text: str, expected: tuple[str, ...]
) -> None:
    assert warned(text, source=source) == expected


@pytest.mark.parametrize(
    ("unit", "odd"),
    [("a-", True), ("a b ", True), (f"a{',' * 100}b{' ' * 100}", False), ("ab", False)],
)
def test_a_long_text_is_looked_through_in_linear_time(unit: str, odd: bool) -> None:
    for end in ("", "x_", " ?"):
        text = unit * (100_000 // len(unit)) + end
        assert warned(text) == (("repetition",) if odd else ())


@pytest.mark.parametrize(
    ("coverage", "odd"),
    [
        ([0.9, 1.0, 0.8, 0.5], False),
        ([0.9, 0.05, 0.04, 0.5], True),  # "mouse" in two pieces
        ([0.9, 0.05, 0.06, 0.5], False),  # together they were read
        ([0.0, 1.0, 1.0, 0.5], False),  # "the" is one of the most common words
        ([], False),  # a model without attention
    ],
)
def test_a_word_that_attention_hardly_touched_was_not_read(
    coverage: list[float], odd: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gru_mt.data.text.truecase.MOST_COMMON", 1)
    truecaser = Truecaser({"the": "the", "mouse": "mouse"}, copies_names=False)
    assert is_under_translated(["\u2581the", "\u2581mou", "se"], coverage, truecaser) == odd
