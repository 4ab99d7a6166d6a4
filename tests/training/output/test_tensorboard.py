"""What training writes for TensorBoard is what its metrics have."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gru_mt.config.schema import Config
from gru_mt.errors import Interrupted, UserError
from gru_mt.run import Run, flatten
from gru_mt.training.output.tensorboard import TensorBoardWriter
from gru_mt.training.train import train

Configure = Callable[..., Config]
Points = set[tuple[int, str, float]]
pytest.importorskip("tensorboard", reason="it comes with the extra gru-mt[tensorboard]")


def shown(run: Run) -> list[tuple[int, str, float]]:
    """Return each point that TensorBoard shows of a run: update, name, value."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = EventAccumulator(str(run.tensorboard), {"scalars": 0})
    found.Reload()
    return [
        (point.step, name, point.value)
        for name in found.Tags()["scalars"]
        for point in found.Scalars(name)
    ]


def kept(run: Run) -> list[tuple[int, str, Any]]:
    """Return the same of the run's metrics."""
    return [
        (line["step"], name, pytest.approx(value, rel=1e-6))  # event files have 32 bits
        for line in run.read_metrics()[0]
        for name, value in flatten(line).items()
        if name != "step" and value is not None
    ]


def by_name(points: list[tuple[int, str, Any]]) -> list[tuple[int, str, Any]]:
    return sorted(points, key=lambda point: (point[1], point[0]))


def test_a_resumed_run_shows_every_value_once(
    small_config: Configure,
    tmp_path: Path,
    stop_at: Callable[[int, int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = small_config(
        "training.log_steps=2", "training.max_steps=14", "training.tensorboard=true"
    )
    run = Run(tmp_path / "run")
    with monkeypatch.context():
        stop_at(7, signal.SIGTERM)
        with pytest.raises(Interrupted):
            train(config, run.folder)
    monkeypatch.undo()
    # As if it had been killed at update 11, after the checkpoint of update 7.
    writer = TensorBoardWriter(run, 7)
    writer.add(8, {"loss": 99.0})
    writer.add(11, {"loss": 99.0})
    writer.close()
    train(config, run.folder)
    assert by_name(shown(run)) == by_name(kept(run))
    assert {"loss", "dev_bleu", "elapsed_s"} <= {name for _, name, _ in shown(run)}


def test_event_files_that_begin_later_have_all_values(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path / "run")
    with monkeypatch.context() as context:
        context.setitem(sys.modules, "torch.utils.tensorboard", None)  # importing it fails
        train(small_config("training.max_steps=5", "training.log_steps=2"), run.folder)
    assert not run.tensorboard.exists()
    train(
        small_config("training.tensorboard=true", "training.max_steps=9", "training.log_steps=2"),
        run.folder,
    )
    assert by_name(shown(run)) == by_name(kept(run))


def test_without_the_package_nothing_begins(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gru_mt.training.output.tensorboard.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'gru-mt\[tensorboard\]'"):
        train(small_config("training.tensorboard=true"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_folder_that_cannot_be_written_is_one_line(
    small_config: Configure, tmp_path: Path
) -> None:
    run = Run(tmp_path / "run")
    run.folder.mkdir()
    run.tensorboard.write_text("a file")
    with pytest.raises(UserError, match="tensorboard: cannot be written: "):
        TensorBoardWriter(run, 0)
