"""A run's folder: which trainings may go on in it, and one process at a time."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.errors import UserError
from gru_mt.run import Run
from gru_mt.training.optim.lr_schedule import resolve_config
from gru_mt.training.output.lock import locked
from gru_mt.training.resume import choose_start, resume

Configure = Callable[..., Config]


def begin(folder: Path, config: Config) -> None:
    """Make a run's folder with a checkpoint, as training does."""
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "data").mkdir()
    (folder / "lock").touch()
    (folder / "checkpoints" / "step-00000001.safetensors").touch()
    (folder / "config.yaml").write_text(dump_config(config))


@contextmanager
def opened(folder: Path, config: Config) -> Iterator[Config]:
    """Lock a run's folder and choose how it begins, as `train` does."""
    run = Run(folder)
    with locked(run):
        yield choose_start(config, run).config


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_before_the_first_checkpoint_everything_may_change(
    small_config: Configure, tmp_path: Path
) -> None:
    """After a mistyped corpus name, the same folder must accept the right one."""
    begin(tmp_path, small_config("data.corpus=mistyped.tsv"))
    (tmp_path / "checkpoints" / "step-00000001.safetensors").unlink()
    (tmp_path / "data").rmdir()
    with opened(tmp_path, small_config("model.dropout=0")) as config:
        assert config == small_config("model.dropout=0")


def test_opening_writes_nothing_but_the_lock(small_config: Configure, tmp_path: Path) -> None:
    with opened(tmp_path / "a" / "b", small_config()):
        assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["lock"]


@pytest.mark.parametrize(
    "change",
    [
        "training.max_epochs=9",
        "training.max_steps=99",
        "training.patience=9",
        "training.device=cpu",
        "training.log_steps=7",
        "training.checkpoint_minutes=1",
        "decoding.beam_size=2",
        "decoding.max_source_tokens=99",
        "data.corpus=moved.tsv",
        "data.corpus={path: [a, b]}",
    ],
)
def test_what_no_result_depends_on_may_change(
    change: str, small_config: Configure, tmp_path: Path
) -> None:
    begin(tmp_path, small_config())
    with opened(tmp_path, small_config(change)) as config:
        assert config.model_dump() == small_config(change).model_dump()


def test_any_other_change_is_refused_by_name_and_changes_nothing(
    small_config: Configure, tmp_path: Path
) -> None:
    begin(tmp_path, small_config())
    before = contents(tmp_path)
    changed = small_config("training.learning_rate=0.5", "model.dropout=0", "training.max_epochs=9")
    with pytest.raises(UserError) as refused, opened(tmp_path, changed):
        pass
    message = str(refused.value)
    assert "model.dropout from 0.2 to 0" in message
    assert "training.learning_rate from 0.002 to 0.5" in message
    assert "training.max_epochs from" not in message
    assert "--fresh" in message
    assert contents(tmp_path) == before


def test_auto_is_what_the_run_chose(small_config: Configure, tmp_path: Path) -> None:
    begin(tmp_path, small_config())
    auto = small_config("training.warmup_steps=auto", "training.batch_tokens=auto")
    with opened(tmp_path, auto) as config:
        assert config.model_dump() == small_config().model_dump()
    other = small_config("training.warmup_steps=6", "training.batch_tokens=auto")
    with (
        pytest.raises(UserError, match=r"training\.warmup_steps from 5 to 6 changed"),
        opened(tmp_path, other),
    ):
        pass


def test_what_killed_processes_left_is_no_content_and_goes(
    small_config: Configure, tmp_path: Path
) -> None:
    for name in (".config.yaml.7-1.part", ".config.yaml.8.part", "thesis"):
        (tmp_path / name).touch()
    with pytest.raises(UserError, match="something else than a run"):
        opened(tmp_path, small_config()).__enter__()
    for name in (".config.yaml.8.part", "thesis"):
        (tmp_path / name).unlink()
    with opened(tmp_path, small_config()):
        assert [path.name for path in tmp_path.iterdir()] == ["lock"]


@pytest.mark.parametrize("name", ["lock", "checkpoints"])
def test_a_part_of_the_wrong_kind_is_named(
    name: str, small_config: Configure, tmp_path: Path
) -> None:
    begin(tmp_path, small_config())
    if name == "lock":
        (tmp_path / name).unlink()
        (tmp_path / name).mkdir()
    else:
        shutil.rmtree(tmp_path / name)
        (tmp_path / name).touch()
    with pytest.raises(UserError, match=f"{name}: is not what a run has there"):
        opened(tmp_path, small_config()).__enter__()


def test_a_folder_that_is_no_run_is_left_alone(small_config: Configure, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match="something else than a run"):
        opened(tmp_path, small_config()).__enter__()
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(UserError, match="is a file"):
        opened(tmp_path / "thesis.txt", small_config()).__enter__()


def test_a_second_training_is_refused_until_the_first_ends(
    small_config: Configure, tmp_path: Path
) -> None:
    with opened(tmp_path, small_config()), pytest.raises(UserError, match="another training"):
        opened(tmp_path, small_config()).__enter__()
    with opened(tmp_path, small_config()):
        pass


def test_the_lock_dies_with_its_process(small_config: Configure, tmp_path: Path) -> None:
    program = """
import os, sys
from pathlib import Path
from gru_mt.run import Run
from gru_mt.training.optim.lr_schedule import resolve_config
from gru_mt.training.output.lock import locked
locked(Run(Path(sys.argv[1]))).__enter__()
os.kill(os.getpid(), 9)
"""
    run = tmp_path / "run"
    killed = subprocess.run([sys.executable, "-c", program, run], check=False)
    assert killed.returncode == -9
    with opened(run, small_config()):
        pass


def test_a_resumed_run_needs_no_pairs_for_its_settings(
    small_config: Configure, tmp_path: Path
) -> None:
    """With sampling each buffer's pairs are encoded anew, which takes long."""
    begin(tmp_path, small_config())
    start = resume(small_config(), Run(tmp_path))
    loader = cast("Any", None)  # nothing is asked of it
    assert resolve_config(start.config, loader).model_dump() == small_config().model_dump()
