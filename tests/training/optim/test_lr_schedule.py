"""Learning rates, batches and warm-up by hand."""

from types import SimpleNamespace
from typing import Any

import pytest

from gru_mt.config.load import load_config
from gru_mt.config.schema import ResolvedTraining
from gru_mt.data.dataset.ids import EncodedPairs, IdSequences
from gru_mt.training.optim.lr_schedule import learning_rate, resolve_config


@pytest.mark.parametrize(
    ("settings", "total", "rates"),
    [
        # A quarter of the way: 0.1 + 0.9 * (1 + cos 45 degrees) / 2.
        ({}, 110, {0: 0.1, 9: 1.0, 10: 1.0, 35: 0.8681981, 60: 0.55, 110: 0.1, 999: 0.1}),
        ({"cosine_periods": 1.0}, 110, {10: 1.0, 35: 0.55, 60: 0.1, 85: 0.55, 110: 1.0, 999: 1.0}),
        ({"schedule": "linear"}, 110, {0: 0.1, 4: 0.5, 9: 1.0, 35: 0.775, 60: 0.55, 110: 0.1}),
        ({"schedule": "constant"}, 110, {0: 0.1, 4: 0.5, 9: 1.0, 10: 1.0, 999: 1.0}),
        # Without warm-up the peak comes first, and the last update still moves the weights.
        ({"schedule": "linear", "warmup_steps": 0}, 9, {0: 1.0, 8: 0.2}),
        ({"warmup_steps": 0}, 9, {0: 1.0}),
        ({"schedule": "constant", "warmup_steps": 0}, 9, {0: 1.0}),
        # A run no longer than its warm-up only warms up.
        ({}, 5, {0: 0.1, 4: 0.5}),
        ({"schedule": "linear"}, 10, {0: 0.1, 9: 1.0}),
    ],
)
def test_the_rate_warms_up_then_follows_its_schedule(
    settings: dict[str, Any], total: int, rates: dict[int, float]
) -> None:
    default = {"learning_rate": 1.0, "final_learning_rate": 0.1, "warmup_steps": 10}
    config = ResolvedTraining.model_validate(default | {"batch_tokens": 1} | settings)
    assert {step: learning_rate(step, total, config) for step in rates} == pytest.approx(rates)


@pytest.mark.parametrize(
    ("pairs", "settings", "batch_tokens", "warmup_steps"),
    [
        # 1,500 x 10 tokens: a hundredth is 150, below the smallest; 24 pairs a batch, 63 an epoch.
        (1_500, {}, 256, 630 // 8),
        # 8,000 x 10: a hundredth is 800, so 512; 48 pairs a batch, 167 an epoch.
        (8_000, {"max_epochs": 1}, 512, 167 // 8),
        # The largest; 192 pairs a batch, 157 an epoch, 1,570 in all, the longest warm-up.
        (30_000, {}, 2_048, 157 * 10 // 8),
        (30_000, {"max_epochs": 20}, 2_048, 200),
        (30_000, {"max_steps": 80}, 2_048, 10),
        # Two microbatches an update, each half as large: 24 pairs, 334 of them, 167 updates.
        (8_000, {"accumulation": 2, "max_epochs": 1}, 256, 334 // 2 // 8),
        (1_500, {"batch_tokens": 500, "warmup_steps": 7}, 500, 7),
    ],
)
def test_batches_and_warm_up_fit_the_corpus(
    pairs: int, settings: dict[str, int], batch_tokens: int, warmup_steps: int
) -> None:
    side = IdSequences.of([[7] * 9] * pairs)  # ten tokens with <eos>
    loader: Any = SimpleNamespace(load=lambda _: EncodedPairs(side, side), buffers=1)
    config = load_config({"data": {"corpus": "a.tsv"}, "training": settings})
    found = resolve_config(config, loader).training
    assert (found.batch_tokens, found.warmup_steps) == (batch_tokens, warmup_steps)
    assert found.max_steps == settings.get("max_steps")
