"""What a stretch of updates amounts to."""

import time

import numpy as np
import pytest
import torch

from gru_mt.data.dataset.ids import EpochPairs, IdSequences
from gru_mt.training.optim.step import StepStats
from gru_mt.training.output.metrics import MetricsWindow, StepRecord

PAIRS = EpochPairs(IdSequences.of([]), IdSequences.of([]), np.array([]))


def record_of(step: int, tokens: int, loss: float, norm: float) -> StepRecord:
    stats = StepStats(torch.tensor(loss), torch.tensor(norm), tokens, 0.1 * step)
    return StepRecord(step, PAIRS, [np.array([step])], stats)


def test_every_token_counts_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    clock_s = 10.0
    monkeypatch.setattr(time, "perf_counter", lambda: clock_s)
    window = MetricsWindow()
    window.add(record_of(1, 30, 2.0, 0.5))
    window.add(record_of(2, 10, 6.0, 1.5))
    clock_s = 12.0
    report = window.report()
    assert report is not None
    assert report.loss == pytest.approx(3.0)  # (30 * 2 + 10 * 6) / 40
    assert report.grad_norm == pytest.approx(1.0)
    assert report.learning_rate == pytest.approx(0.2)
    assert report.tokens_s == pytest.approx(20.0)
    assert report.not_finite == []


@pytest.mark.parametrize(("loss", "norm"), [(float("nan"), 1.0), (1.0, float("inf"))])
def test_updates_that_are_not_finite_are_set_apart(loss: float, norm: float) -> None:
    window = MetricsWindow()
    window.add(record_of(1, 30, 2.0, 0.5))
    window.add(record_of(2, 10, loss, norm))
    report = window.report()
    assert report is not None
    assert [record.step for record in report.not_finite] == [2]
    assert report.loss == pytest.approx(2.0)


def test_a_report_empties_the_window() -> None:
    window = MetricsWindow()
    window.add(record_of(1, 30, float("nan"), 0.5))
    report = window.report()
    assert report is not None
    assert report.loss is None
    assert window.report() is None
