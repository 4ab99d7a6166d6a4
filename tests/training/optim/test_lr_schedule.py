"""Learning rates by hand."""

from itertools import product
from typing import Literal

import pytest

from gru_mt.config.schema import ResolvedTraining, TrainingConfig
from gru_mt.data.dataset.ids import EncodedPairs, IdSequences
from gru_mt.training.optim.lr_schedule import (
    constant_lr,
    cosine_lr,
    learning_rate,
    linear_lr,
    resolve_auto,
)


def test_cosine_warms_up_then_follows_a_half_cosine() -> None:
    rates = {0: 0.1, 9: 1.0, 10: 1.0, 60: 0.55, 35: 0.8681981, 110: 0.1, 999: 0.1}
    # A quarter of the way: 0.1 + 0.9 * (1 + cos 45 degrees) / 2.
    found = {step: cosine_lr(step, peak=1.0, floor=0.1, warmup=10, total=110) for step in rates}
    assert found == pytest.approx(rates)


def test_a_whole_period_of_the_cosine_climbs_again() -> None:
    rates = {10: 1.0, 35: 0.55, 60: 0.1, 85: 0.55, 110: 1.0, 999: 1.0}
    config = ResolvedTraining(
        learning_rate=1.0,
        final_learning_rate=0.1,
        warmup_steps=10,
        batch_tokens=1,
        cosine_periods=1,
    )
    assert {step: learning_rate(step, 110, config) for step in rates} == pytest.approx(rates)


def test_linear_warms_up_then_falls_in_a_straight_line() -> None:
    rates = {0: 0.1, 4: 0.5, 9: 1.0, 10: 1.0, 35: 0.775, 60: 0.55, 110: 0.1, 999: 0.1}
    found = {step: linear_lr(step, peak=1.0, floor=0.1, warmup=10, total=110) for step in rates}
    assert found == pytest.approx(rates)


def test_constant_warms_up_then_stays() -> None:
    rates = {0: 0.2, 4: 1.0, 9: 2.0, 10: 2.0, 999: 2.0}
    assert {step: constant_lr(step, peak=2.0, warmup=10) for step in rates} == pytest.approx(rates)


def test_without_warm_up_the_peak_comes_first() -> None:
    assert cosine_lr(0, peak=0.3, floor=0.0, warmup=0, total=8) == pytest.approx(0.3)
    assert linear_lr(0, peak=0.3, floor=0.0, warmup=0, total=8) == pytest.approx(0.3)
    assert constant_lr(0, peak=0.3, warmup=0) == pytest.approx(0.3)


def test_the_last_update_still_moves_the_weights() -> None:
    # Update 7 of 0 to 7: an eighth of the straight line is left.
    assert linear_lr(7, peak=0.8, floor=0.0, warmup=0, total=8) == pytest.approx(0.1)
    assert cosine_lr(7, peak=0.8, floor=0.0, warmup=0, total=8) > 0


def test_a_run_no_longer_than_its_warm_up_only_warms_up() -> None:
    for schedule, total in product((cosine_lr, linear_lr), (0, 1, 5, 10)):
        rates = [
            schedule(step, peak=1.0, floor=0.1, warmup=10, total=total) for step in range(total)
        ]
        assert rates == pytest.approx([(step + 1) / 10 for step in range(total)])


@pytest.mark.parametrize(
    ("schedule", "lr"),  # a quarter of the way: (1 + cos 45 degrees) / 2, and 3/4
    [("cosine", 0.8535534), ("linear", 0.75), ("constant", 1.0)],
)
def test_the_configuration_names_the_schedule(
    schedule: Literal["cosine", "linear", "constant"], lr: float
) -> None:
    config = ResolvedTraining(schedule=schedule, learning_rate=1.0, warmup_steps=10, batch_tokens=1)
    assert learning_rate(35, 110, config) == pytest.approx(lr)
    assert learning_rate(4, 110, config) == pytest.approx(0.5)


def pairs_of(count: int, tokens: int) -> EncodedPairs:
    """Return pairs whose targets have `tokens` with <eos>."""
    side = IdSequences.of([[7] * (tokens - 1)] * count)
    return EncodedPairs(side, side)


@pytest.mark.parametrize(
    ("pairs", "settings", "batch_tokens", "warmup_steps"),
    [
        # 1,500 x 10 tokens: a hundredth is 150, below the smallest; 25 pairs a batch, 60 an epoch.
        ((1_500, 10), {}, 256, 600 // 8),
        # 8,000 x 10: a hundredth is 800, so 512; 51 pairs a batch, 157 an epoch.
        ((8_000, 10), {"max_epochs": 1}, 512, 157 // 8),
        # The largest; 204 pairs a batch, 148 an epoch, 1,480 in all, the longest warm-up.
        ((30_000, 10), {}, 2_048, 148 * 10 // 8),
        ((30_000, 10), {"max_epochs": 20}, 2_048, 200),
        ((30_000, 10), {"max_steps": 80}, 2_048, 10),
        # Two microbatches an update, each half as large: 25 pairs, 320 of them, 160 updates.
        ((8_000, 10), {"accumulation": 2, "max_epochs": 1}, 256, 320 // 2 // 8),
        ((1_500, 10), {"batch_tokens": 500, "warmup_steps": 7}, 500, 7),
    ],
)
def test_batches_and_warm_up_fit_the_corpus(
    pairs: tuple[int, int], settings: dict[str, int], batch_tokens: int, warmup_steps: int
) -> None:
    config = resolve_auto(TrainingConfig.model_validate(settings), pairs_of(*pairs))
    assert (config.batch_tokens, config.warmup_steps) == (batch_tokens, warmup_steps)
    assert config.max_steps == settings.get("max_steps")
