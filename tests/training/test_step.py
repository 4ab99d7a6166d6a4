"""One update: what its microbatches share, and what they do not; the figures of several."""

import time

import numpy as np
import pytest
import torch

from gru_mt.config.schema import ModelConfig, TrainingConfig
from gru_mt.data.batching import make_batch
from gru_mt.data.dataset.ids import EncodedPairs, EpochPairs, IdSequences
from gru_mt.data.dataset.store import Ints
from gru_mt.model.loss import forced_loss
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.training.optimizer import Optimizer
from gru_mt.training.step import MetricsWindow, StepRecord, StepStats, TrainStep


def pairs_of(*targets: list[int]) -> EncodedPairs:
    """Return pairs whose sources are their targets."""
    return EncodedPairs(IdSequences(targets), IdSequences(targets))


def rows(*batches: list[int]) -> list[Ints]:
    return [np.array(batch) for batch in batches]


def make_update(optimizer: Optimizer) -> TrainStep:
    return TrainStep(optimizer, TrainingConfig(label_smoothing=0.0), torch.float32)


def make_optimizer() -> Optimizer:
    torch.manual_seed(1)
    config = ModelConfig(embedding_size=8, encoder_size=6, decoder_size=12, dropout=0.5)
    model = Seq2Seq(config, source_size=20, target_size=20, joint=True)
    return Optimizer(model, TrainingConfig(max_grad_norm=1e6), torch.float32)


def test_a_microbatch_has_its_dropout_whoever_computes_it_and_in_whatever_order() -> None:
    pairs = pairs_of([5, 6, 7], [8, 9], [10, 11, 12, 13], [14])
    microbatches = rows([0], [1, 2], [3])
    updated, alone = make_optimizer(), make_optimizer()
    figures = make_update(updated)(pairs, microbatches, learning_rate=0.0, seed=7, done=0)
    loss = torch.zeros(())
    for place in (2, 0, 1):
        rng = torch.Generator().manual_seed(7 + place)
        part = (
            forced_loss(alone.model, make_batch(pairs, microbatches[place]), rng) / 14
        )  # 4 + 3 + 5 + 2 tokens
        part.backward()
        loss += part.detach()
    gradients = [weight.grad for weight in alone.model.parameters() if weight.grad is not None]
    assert figures.tokens == 14
    torch.testing.assert_close(figures.loss, loss)
    torch.testing.assert_close(figures.grad_norm, torch.nn.utils.get_total_norm(gradients))


def test_microbatches_that_are_equal_have_other_dropout() -> None:
    pairs = pairs_of([5, 6, 7, 8, 9])
    losses = [
        make_update(make_optimizer())(
            pairs, rows([0]) * count, learning_rate=0.0, seed=7, done=0
        ).loss
        for count in (1, 2)
    ]
    assert losses[0] != losses[1]  # with the same masks the mean would be the same


PAIRS = EpochPairs(IdSequences([]), IdSequences([]), np.array([]))


def taken(step: int, tokens: int, loss: float, norm: float) -> StepRecord:
    figures = StepStats(torch.tensor(loss), torch.tensor(norm), tokens, 0.1 * step)
    return StepRecord(step, PAIRS, [np.array([step])], figures)


def test_every_token_counts_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    clock_s = 10.0
    monkeypatch.setattr(time, "perf_counter", lambda: clock_s)
    window = MetricsWindow()
    window.add(taken(1, 30, 2.0, 0.5))
    window.add(taken(2, 10, 6.0, 1.5))
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
    window = MetricsWindow()
    window.add(taken(1, 30, 2.0, 0.5))
    window.add(taken(2, 10, loss, norm))
    reading = window.read()
    assert reading is not None
    assert [each.step for each in reading.not_finite] == [2]
    assert reading.loss == pytest.approx(2.0)


def test_a_reading_empties_the_window() -> None:
    window = MetricsWindow()
    window.add(taken(1, 30, float("nan"), 0.5))
    reading = window.read()
    assert reading is not None
    assert reading.loss is None
    assert window.read() is None
