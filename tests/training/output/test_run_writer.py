"""What a stretch of updates amounts to, and what TensorBoard shows of it."""

import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gru_mt.data.dataset.ids import EpochPairs, IdSequences
from gru_mt.errors import UserError
from gru_mt.run import Run, flatten
from gru_mt.training.optim.optimizer import Update
from gru_mt.training.output.run_writer import window_metrics
from gru_mt.training.train import train
from tests.conftest import Configure
from tests.training.processes import train_until

PAIRS = EpochPairs(IdSequences.of([]), IdSequences.of([]), np.array([]))


def make_update(step: int, tokens: int, loss: float, norm: float) -> Update:
    rows, rate = [np.array([step])], 0.1 * step
    return Update(step, PAIRS, rows, tokens, rate, torch.tensor(loss), torch.tensor(norm))


def test_every_token_counts_alike_and_updates_that_are_not_finite_are_set_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(time, "perf_counter", lambda: 12.0)
    updates = [make_update(1, 30, 2.0, 0.5), make_update(2, 10, 6.0, 1.5)]
    metrics, not_finite = window_metrics(updates, 10.0)
    assert metrics == pytest.approx(  # the loss: (30 * 2 + 10 * 6) / 40
        {"loss": 3.0, "learning_rate": 0.2, "grad_norm": 1.0, "tokens_s": 20}
    )
    assert not_finite == []
    for loss, norm in ((float("nan"), 1.0), (1.0, float("inf"))):
        bad = make_update(3, 10, loss, norm)
        metrics, not_finite = window_metrics([*updates, bad], 0.0)
        assert ([update.step for update in not_finite], metrics["loss"]) == ([3], 3.0)
        assert window_metrics([bad], 0.0)[0]["loss"] is None


def shown(run: Run) -> list[tuple[str, int, float]]:
    """Return each point that TensorBoard shows of a run: name, update, value."""
    pytest.importorskip("tensorboard", reason="it comes with the extra gru-mt[tensorboard]")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = EventAccumulator(str(run.tensorboard), {"scalars": 0})
    found.Reload()
    names = sorted(found.Tags()["scalars"])
    return [(name, point.step, point.value) for name in names for point in found.Scalars(name)]


def kept(run: Run) -> list[tuple[str, int, Any]]:
    """Return the same of the run's metrics."""
    points = [
        (name, line["step"], pytest.approx(value, rel=1e-6))  # event files have 32 bits
        for line in run.read_metrics()[0]
        for name, value in flatten(line).items()
        if name != "step" and value is not None
    ]
    return sorted(points, key=lambda point: point[:2])


def test_a_resumed_run_has_and_shows_every_value_once(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = pytest.importorskip("torch.utils.tensorboard")
    settings = ["training.log_steps=2", "training.max_steps=14", "training.tensorboard=true"]
    run = Run(tmp_path / "run")
    train_until(small_config(*settings), run.folder, 7, signal.SIGTERM)
    # As if it had been killed at update 11, after the checkpoint of update 7.
    with board.SummaryWriter(str(run.tensorboard)) as writer:
        writer.add_scalar("loss", 99.0, 8)
        writer.add_scalar("loss", 99.0, 11)
    with run.metrics.open("a") as file:
        file.write('{"step": 2, "lo')
    train(small_config(*settings), run.folder)
    assert "metrics.jsonl: unreadable lines were dropped: 1\n" in capsys.readouterr().err
    steps = [line["step"] for line in run.read_metrics()[0] if "loss" in line]
    assert steps == sorted({*steps})
    assert shown(run) == kept(run)
    assert {"loss", "dev_bleu", "elapsed_s"} <= {name for name, _, _ in shown(run)}


def test_event_files_that_begin_later_have_all_values(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, settings = Run(tmp_path / "run"), ["training.log_steps=2", "training.tensorboard=true"]
    with monkeypatch.context() as context:
        context.setitem(sys.modules, "torch.utils.tensorboard", None)  # importing it fails
        train(small_config("training.max_steps=5", settings[0]), run.folder)
    run.tensorboard.write_text("a file")
    with pytest.raises(UserError, match="tensorboard: cannot be written: "):
        train(small_config("training.max_steps=9", *settings), run.folder)
    run.tensorboard.unlink()
    train(small_config("training.max_steps=9", *settings), run.folder)
    assert shown(run) == kept(run)


def test_without_the_package_nothing_begins(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gru_mt.errors.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r'pip install "gru-mt\[tensorboard\]"'):
        train(small_config("training.tensorboard=true"), tmp_path / "run")
    assert not (tmp_path / "run").exists()
