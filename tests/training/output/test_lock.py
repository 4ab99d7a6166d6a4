"""A run's folder before its first checkpoint: whose it is, and what a start leaves behind."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.errors import UserError
from gru_mt.run import WEIGHTS, Run
from gru_mt.training.output.lock import InUse, hold, locked, unused
from gru_mt.training.train import train
from tests.kept_runs import make_run

Configure = Callable[..., Config]


class Killed(BaseException):
    """Ends a start as a kill does: nothing is done after it."""


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def weights(small_config: Configure, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the weights of a run of two updates that nothing stops."""
    folder = tmp_path_factory.mktemp("whole")
    train(small_config("training.max_steps=2"), folder)
    return (folder / "model" / WEIGHTS).read_bytes()


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("data.prepare:load_splits", 0),
        ("data.prepare:write_arrays", 0),
        ("training.train:Trainer", 0),
        ("training.output.run_writer:write_new", 0),
        ("training.output.run_writer:write_new", 1),
        ("training.output.run_writer:write_new", 4),
        ("training.output.logging:RunLog.open", 0),
        ("training.output.run_writer:save_bundle", 0),
        ("training.output.run_writer:save_checkpoint", 0),
    ],
)
def test_a_start_that_is_killed_at_any_moment_starts_again(
    name: str,
    calls: int,
    small_config: Configure,
    weights: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = small_config("training.max_steps=2")
    module, _, function = name.partition(":")
    owner: object = sys.modules[f"gru_mt.{module}"]
    *owners, function = function.split(".")
    for name in owners:
        owner = getattr(owner, name)
    called, left = getattr(owner, function), [None] * calls

    def kill(*arguments: object, **settings: object) -> object:
        if not left:
            raise Killed
        left.pop()
        return called(*arguments, **settings)

    monkeypatch.setattr(owner, function, kill)
    with pytest.raises(Killed):
        train(config, tmp_path / "killed")
    monkeypatch.undo()
    train(config, tmp_path / "killed")
    assert (tmp_path / "killed" / "model" / WEIGHTS).read_bytes() == weights
    assert not [*(tmp_path / "killed").glob(".*")]


def test_a_folder_of_something_else_is_refused_and_stays(
    small_config: Configure, tmp_path: Path
) -> None:
    """Not even a folder `data` and a config.yaml make a run."""
    config = small_config("training.max_steps=2")
    train(config, tmp_path / "run")
    other = tmp_path / "other"
    (other / "data").mkdir(parents=True)
    (other / "data" / "letters.txt").write_text("mine")

    def refuse(message: str) -> None:
        before = contents(other)
        with pytest.raises(UserError, match=f"{message}.* name another with --run"):
            train(config, other)
        assert contents(other) == before

    refuse("other: holds something else than a run")
    shutil.copy(tmp_path / "run" / "data" / "data.json", other / "data")
    refuse("other: holds something else than a run")
    (other / "config.yaml").write_text(dump_config(config))
    refuse("other: holds something else than a run")
    (other / "lock").touch()
    refuse("data: is not what a run has there")
    (other / "data" / "letters.txt").rename(other / "letters.txt")
    (other / "lock").unlink()
    refuse("other: holds something else than a run")
    (other / "letters.txt").unlink()
    train(config, other)


def test_a_start_that_is_refused_leaves_nothing(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing, config = small_config("data.corpus=missing.tsv"), small_config("training.max_steps=2")

    def refuse(folder: Path, config: Config) -> None:
        with pytest.raises(UserError):
            train(config, folder)

    refuse(tmp_path / "runs" / "a", missing)
    assert not [*tmp_path.iterdir()]
    (tmp_path / "runs").mkdir()
    refuse(tmp_path / "runs", missing)
    refuse(tmp_path / "runs" / "a", missing)
    assert contents(tmp_path) == {}
    assert [*tmp_path.iterdir()] == [tmp_path / "runs"]

    def refused(*arguments: object, **settings: object) -> None:
        raise UserError("refused after all was prepared")

    drawn = tmp_path / "runs" / "a" / "back_translations.jsonl"
    drawn.parent.mkdir()
    drawn.touch()
    monkeypatch.setattr("gru_mt.training.train.RunWriter", refused)
    refuse(tmp_path / "runs" / "a", config)
    assert contents(tmp_path) == {"runs/a/back_translations.jsonl": b""}
    (drawn.parent / "lock").touch()
    refuse(tmp_path / "runs" / "a", config)
    assert contents(tmp_path).keys() == {"runs/a/back_translations.jsonl", "runs/a/lock"}


def test_a_run_without_its_configuration_is_refused_and_stays(
    small_config: Configure, tmp_path: Path
) -> None:
    config = small_config("training.max_steps=2")
    train(config, tmp_path)
    (tmp_path / "config.yaml").unlink()
    before = contents(tmp_path)
    with pytest.raises(UserError, match=r"config\.yaml: cannot be read"):
        train(config, tmp_path)
    assert contents(tmp_path) == before


def test_an_unused_run_is_numbered_beside_it(small_config: Configure, tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    assert unused(run) == run
    make_run(run.folder, [], [])
    assert unused(run).folder == tmp_path / "run-2"
    (tmp_path / "run-2").write_text("a file")
    (tmp_path / "run-3").mkdir()
    (tmp_path / "run-3" / "letters.txt").touch()
    killed = Run(tmp_path / "run-4")
    killed.folder.mkdir()
    killed.lock.touch()
    (killed.folder / ".data.7-1.part").mkdir()
    assert unused(run) == killed
    with locked(killed):
        assert unused(run).folder == tmp_path / "run-5"
    assert unused(run) == killed


def test_a_lock_that_was_withdrawn_is_no_lock(tmp_path: Path) -> None:
    """Two starts opened it, and the first was refused and removed it."""
    run = Run(tmp_path / "run")
    run.folder.mkdir()
    with run.lock.open("a") as opened:
        run.lock.unlink()
        with pytest.raises(InUse, match="another training runs in it"):
            hold(opened, run)
        run.lock.touch()
        with pytest.raises(InUse, match="another training runs in it"):
            hold(opened, run)


@pytest.mark.skipif(sys.platform == "win32", reason="names there are always text")
def test_a_name_that_could_not_be_used_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path / os.fsdecode(b"x\xff"))
    refused = r"': is no name in UTF-8; name another folder with --run$"
    with pytest.raises(UserError, match=refused), locked(run):
        pass
    monkeypatch.setattr("os.fsencode", lambda path: b"\xff")  # as where the locale is ASCII
    monkeypatch.setattr("sys.getfilesystemencoding", lambda: "ascii")
    fix = "set PYTHONUTF8=1, as names are read as ascii here, or name another folder"
    with pytest.raises(UserError, match=fix), locked(Run(tmp_path / "x")):
        pass
    assert not [*tmp_path.iterdir()]
