"""A run's folder: whose it is, one process at a time, and what a start leaves behind."""

import errno
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from pkgutil import resolve_name

import pytest
from portalocker import LockException, LockFlags, lock

from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.errors import UserError
from gru_mt.run import WEIGHTS, Run
from gru_mt.training.output import lock as lock_module
from gru_mt.training.output.lock import InUse, hold, is_locked, locked, unused
from gru_mt.training.train import train
from tests.conftest import Configure


class Killed(BaseException):
    """Ends a start as a kill does: nothing is done after it."""


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("data.prepare:load_splits", 0),
        ("training.output.run_writer:write_new", 4),
        ("training.output.logging:RunLog.open", 0),
        ("training.trainer:save_checkpoint", 0),
    ],
)
def test_a_start_that_is_killed_at_any_moment_starts_again(
    name: str, calls: int, small_config: Configure, made_once: Callable[..., Path], tmp_path: Path
) -> None:
    whole = made_once("two-updates", partial(train, small_config("training.max_steps=2")))
    config = small_config("training.max_steps=2")
    called, left = resolve_name(f"gru_mt.{name}"), [None] * calls

    def kill(*arguments: object, **settings: object) -> object:
        if not left:
            raise Killed
        left.pop()
        return called(*arguments, **settings)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"gru_mt.{name}".replace(":", "."), kill)
        with pytest.raises(Killed):
            train(config, tmp_path / "killed")
    run = Run(tmp_path / "killed")
    if run.config.exists():
        run.attribution.touch()  # as if it had been of another corpus
    train(config, run.folder)
    assert not run.attribution.exists()
    found, expected = (run / "model" / WEIGHTS for run in (tmp_path / "killed", whole))
    assert found.read_bytes() == expected.read_bytes()
    assert not [*(tmp_path / "killed").glob(".*")]


def test_the_folder_beside_one_that_is_named_by_a_dot_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my" / "inner").mkdir(parents=True)
    (tmp_path / "my" / "config.yaml").touch()
    monkeypatch.chdir(tmp_path / "my")
    assert unused(Run(Path("."))) == [Run(tmp_path / "my-2")]
    monkeypatch.chdir(tmp_path / "my" / "inner")
    assert unused(Run(Path(".."))) == [Run(tmp_path / "my-2")]


def test_a_folder_of_something_else_is_refused_and_stays(
    small_config: Configure, tmp_path: Path
) -> None:
    """Not even a folder `data` and a config.yaml make a run."""
    config = small_config("training.max_steps=2")
    train(config, tmp_path / "run")
    other = tmp_path / "other"
    (other / "data").mkdir(parents=True)
    (other / "data" / "letters.txt").write_text("mine")

    def refuse(message: str, folder: Path = other) -> None:
        before = contents(other)
        with pytest.raises(UserError, match=f"{message}.* name another with --run"):
            train(config, folder)
        assert contents(other) == before

    refuse("other: holds something else than a run")
    shutil.copy(tmp_path / "run" / "data" / "data.json", other / "data")
    (other / "config.yaml").write_text(dump_config(config))
    refuse("other: holds something else than a run")
    (other / "lock").touch()
    refuse("data: is not what a run has there")
    (other / "data" / "letters.txt").rename(other / "letters.txt")
    (other / "lock").unlink()
    refuse("other: holds something else than a run")
    (other / "letters.txt").rename(tmp_path / "letters.txt")
    for name in ("lock", "checkpoints"):
        path, moved = tmp_path / "run" / name, tmp_path / name
        path.rename(moved)
        path.mkdir() if name == "lock" else path.touch()
        refuse(f"{name}: is not what a run has there", tmp_path / "run")
        path.rmdir() if name == "lock" else path.unlink()
        moved.rename(path)
    with pytest.raises(UserError, match=r"letters\.txt: is a file; name another folder"):
        train(config, tmp_path / "letters.txt")
    (tmp_path / "run" / "config.yaml").unlink()
    before = contents(tmp_path / "run")
    with pytest.raises(UserError, match=r"config\.yaml: cannot be read"):
        train(config, tmp_path / "run")
    assert contents(tmp_path / "run") == before
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
    monkeypatch.setattr("gru_mt.training.train.write_inputs", refused)
    refuse(tmp_path / "runs" / "a", config)
    assert contents(tmp_path) == {"runs/a/back_translations.jsonl": b""}


def test_an_unused_run_is_numbered_beside_it(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    assert unused(run) == [run]
    run.folder.mkdir()
    run.config.touch()
    assert unused(run) == [Run(tmp_path / "run-2")]
    (tmp_path / "run-2").write_text("a file")
    (tmp_path / "run-3").mkdir()
    (tmp_path / "run-3" / "letters.txt").touch()
    killed = Run(tmp_path / "run-4")
    killed.folder.mkdir()
    killed.lock.touch()
    (killed.folder / ".data.7-1.part").mkdir()
    assert unused(run) == [killed]
    with locked(killed):
        assert unused(run) == [Run(tmp_path / "run-5")]
    assert unused(Run(tmp_path / "new"), run) == [Run(tmp_path / "new-4"), killed]


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # as of Python 3.12
def test_a_lock_ends_with_its_process_or_its_file(tmp_path: Path) -> None:
    run, child = Run(tmp_path / "run"), os.fork()
    if not child:
        try:
            locked(run).__enter__()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert run.lock.exists()
    with locked(run), pytest.raises(InUse, match="another training runs in it"), locked(run):
        pass
    with run.lock.open("a") as opened:  # by two starts; the first was refused and removed it
        run.lock.unlink()
        with pytest.raises(InUse):
            hold(opened, run)
        run.lock.touch()
        with pytest.raises(InUse):
            hold(opened, run)


def test_a_training_begins_though_another_process_asks_whether_one_runs(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.lock.touch()
    with run.lock.open("rb") as asking, run.lock.open("a") as file:
        lock(asking, LockFlags.SHARED)  # as `is_locked` does
        threading.Timer(0.02, asking.close).start()
        hold(file, run)


def test_a_file_system_without_locks_is_named_and_nobody_trains_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise LockException(OSError(errno.ENOLCK, "No locks available"))

    monkeypatch.setattr(lock_module, "lock", refused)
    run = Run(tmp_path / "run")
    with (
        pytest.raises(UserError, match=r"run/lock: cannot be locked: .*--run elsewhere"),
        locked(run),
    ):
        pass
    assert not is_locked(run)


@pytest.mark.skipif(sys.platform == "win32", reason="names there are always text")
def test_a_name_that_could_not_be_used_is_refused_at_once(tmp_path: Path) -> None:
    run = Run(tmp_path / os.fsdecode(b"x\xff"))
    refused = r"': is no name in UTF-8; name another folder with --run$"
    with pytest.raises(UserError, match=refused), locked(run):
        pass
    assert not [*tmp_path.iterdir()]
