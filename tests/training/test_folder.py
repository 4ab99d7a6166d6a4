"""A run's folder: what may go on in it, and who."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gru_mt.config import Config
from gru_mt.config_file import dump_config, load_config
from gru_mt.errors import UserError
from gru_mt.training.folder import fresh_folder, open_folder

Configure = Callable[..., Config]


def begin(folder: Path, config: Config) -> None:
    """Make a run's folder with a place for checkpoints, as training does."""
    with open_folder(folder, config):
        (folder / "checkpoints").mkdir()


def test_before_the_first_checkpoint_everything_may_change(
    small_config: Configure, tmp_path: Path
) -> None:
    """A corpus whose name was mistyped must not bind the folder to the mistake."""
    for corpus in ("mistyped.tsv", "right.tsv"):
        with open_folder(tmp_path, small_config(f"data.corpus={corpus}")):
            pass
    assert load_config(tmp_path / "config.yaml").data.corpus == "right.tsv"


def test_a_new_folder_holds_every_resolved_value(small_config: Configure, tmp_path: Path) -> None:
    config = small_config()
    with open_folder(tmp_path / "a" / "b", config):
        pass
    assert load_config(tmp_path / "a" / "b" / "config.yaml") == config


def test_the_fields_that_may_grow_may_change(small_config: Configure, tmp_path: Path) -> None:
    begin(tmp_path, small_config())
    grown = small_config("training.max_epochs=9", "training.max_steps=99", "training.patience=9")
    with open_folder(tmp_path, grown):
        pass
    assert load_config(tmp_path / "config.yaml") == grown


def test_any_other_change_is_refused_by_name(small_config: Configure, tmp_path: Path) -> None:
    begin(tmp_path, small_config())
    changed = small_config("training.learning_rate=0.5", "model.dropout=0", "training.max_epochs=9")
    with pytest.raises(UserError) as refused, open_folder(tmp_path, changed):
        pass
    message = str(refused.value)
    assert "model.dropout from 0.2 to 0" in message
    assert "training.learning_rate from 0.002 to 0.5" in message
    assert "training.max_epochs from" not in message
    assert "--fresh" in message
    assert load_config(tmp_path / "config.yaml") == small_config()


def test_a_corpus_of_another_shape_is_a_change(small_config: Configure, tmp_path: Path) -> None:
    begin(tmp_path, small_config())
    other = small_config("data.corpus={source: a, target: b}")
    with pytest.raises(UserError, match=r"data\.corpus"), open_folder(tmp_path, other):
        pass


def test_a_folder_that_is_no_run_is_left_alone(small_config: Configure, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match="something else than a run"):
        open_folder(tmp_path, small_config()).__enter__()
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(UserError, match="is a file"):
        open_folder(tmp_path / "thesis.txt", small_config()).__enter__()


def test_a_second_training_is_refused_until_the_first_ends(
    small_config: Configure, tmp_path: Path
) -> None:
    with open_folder(tmp_path, small_config()), pytest.raises(UserError, match="another training"):
        open_folder(tmp_path, small_config()).__enter__()
    with open_folder(tmp_path, small_config()):
        pass


def test_the_lock_dies_with_its_process(small_config: Configure, tmp_path: Path) -> None:
    program = """
import os, sys
from pathlib import Path
from gru_mt.config_file import load_config
from gru_mt.training.folder import open_folder
open_folder(Path(sys.argv[1]), load_config(Path(sys.argv[2]))).__enter__()
os.kill(os.getpid(), 9)
"""
    config = tmp_path / "config.yaml"
    config.write_text(dump_config(small_config()))
    run = tmp_path / "run"
    killed = subprocess.run([sys.executable, "-c", program, run, config], check=False)
    assert killed.returncode == -9
    with open_folder(run, small_config()):
        pass


def test_fresh_numbers_the_folder_beside(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for name in ("run", "run-2", "run-3"):
        assert fresh_folder(folder) == tmp_path / name
        (tmp_path / name).mkdir()
