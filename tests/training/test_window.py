"""The figures of a stretch of updates."""

import time

import numpy as np
import pytest
import torch

from gru_mt.data.encoding import EncodedPairs, IdSequences
from gru_mt.training.update import Figures
from gru_mt.training.window import Taken, Window

PAIRS = EncodedPairs(IdSequences([]), IdSequences([]))


def update(step: int, tokens: int, loss: float, norm: float) -> Taken:
    figures = Figures(torch.tensor(loss), torch.tensor(norm), tokens, 0.1 * step)
    return Taken(step, PAIRS, [np.array([step])], figures)


def test_every_token_counts_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    clock_s = 10.0
    monkeypatch.setattr(time, "perf_counter", lambda: clock_s)
    window = Window()
    window.add(update(1, 30, 2.0, 0.5))
    window.add(update(2, 10, 6.0, 1.5))
    clock_s = 12.0
    reading = window.read()
    assert reading is not None
    assert reading.loss == pytest.approx(3.0)  # (30 * 2 + 10 * 6) / 40
    assert reading.grad_norm == pytest.approx(1.0)
    assert reading.learning_rate == pytest.approx(0.2)
    assert reading.tokens_s == pytest.approx(20.0)
    assert reading.not_finite == []


@pytest.mark.parametrize(("loss", "norm"), [(float("nan"), 1.0), (1.0, float("inf"))])
def test_updates_that_are_not_finite_are_set_apart(loss: float, norm: float) -> None:
    window = Window()
    window.add(update(1, 30, 2.0, 0.5))
    window.add(update(2, 10, loss, norm))
    reading = window.read()
    assert reading is not None
    assert [each.step for each in reading.not_finite] == [2]
    assert reading.loss == pytest.approx(2.0)


def test_a_reading_empties_the_window() -> None:
    window = Window()
    window.add(update(1, 30, float("nan"), 0.5))
    reading = window.read()
    assert reading is not None
    assert reading.loss is None
    assert window.read() is None
