"""The speed of training, by updates of made-up ids."""

import time
from typing import Any

import pytest
import torch

from gru_mt.training.optim import speed
from gru_mt.training.optim.optimizer import Optimizer
from gru_mt.training.optim.speed import measure_speeds
from tests.conftest import Configure

CPU = torch.device("cpu")


def test_a_speed_is_the_median_of_updates_after_the_first(
    small_config: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Updates take 9, 1, 4 and 2 seconds; each has 8 sentences of 12 target tokens.

    10 would fit, but there are batches of few sizes.
    """
    clock = iter([0, 9, 10, 11, 20, 24, 30, 32])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(speed, "MODEL_S", 0)
    assert measure_speeds([small_config()], CPU) == [(2, 8 * 12 / 2)]
    assert [*clock] == []


def test_what_differs_in_dropout_alone_is_measured_once_in_its_own_model_and_batch(
    small_config: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine, updated = Optimizer.update, []

    def update(self: Optimizer, pairs: Any, rows: Any, rate: float, step: int) -> Any:
        sizes = self.model.target_embedding.num_embeddings, self.model.encoder.directions
        updated.append((*sizes, len(pairs.target.ids)))
        return genuine(self, pairs, rows, rate, step)

    monkeypatch.setattr(Optimizer, "update", update)
    monkeypatch.setattr(speed, "MODEL_S", 0)
    small = ("model.bidirectional=false", "model.encoder_size=12", "tokenizer.vocabulary_size=90")
    configs = [
        small_config("model.dropout=0.1", "training.batch_tokens=auto"),
        small_config(*small, "training.batch_tokens=5"),
        small_config("model.dropout=0.4", "training.batch_tokens=2048"),
    ]
    first, second, third = measure_speeds(configs, CPU)
    assert first == third != second
    # 2,048 tokens are 170 sentences of 12, of which a batch takes 160; it has at least one.
    assert [*dict.fromkeys(updated)] == [(4_000, 2, 1_920), (90, 1, 12)]
    assert len(updated) == 8
