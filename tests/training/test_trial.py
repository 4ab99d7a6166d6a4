"""A trial of a few updates tells how long a training takes, and keeps nothing."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gru_mt.config import Config
from gru_mt.training.trial import try_updates

Configure = Callable[..., Config]


def test_a_trial_counts_what_training_would_do_and_writes_nothing(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    trial = try_updates(small_config("training.max_epochs=7", "training.max_steps=9"))
    assert (trial.updates, trial.epochs) == (9, 7)
    assert trial.parameters > 1_000
    assert 0 < trial.minutes < 10
    assert trial.peak_mb is None or trial.peak_mb > 50
    assert os.listdir(tmp_path) == []
    assert capsys.readouterr() == ("", "")
