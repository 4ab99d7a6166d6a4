"""Checkpoints: whole, damaged, foreign."""

from pathlib import Path

import pytest

from gru_mt.errors import UserError
from gru_mt.tensors import load_tensors, save_tensors
from gru_mt.training.output.checkpoint import has_checkpoint, load_checkpoint, save_checkpoint
from gru_mt.training.state import TrainState
from tests.training.optim.test_optimizer import loss_of, make_optimizer

PRINTS = {"corpus": "abc", "tokenizer": "def"}


def save_three(folder: Path) -> None:
    """Save checkpoints of the updates 1, 2 and 3."""
    optimizer = make_optimizer()
    for step in (1, 2, 3):
        loss_of(optimizer).backward()
        optimizer.step(0.1, step - 1)
        save_checkpoint(folder, optimizer, TrainState(step=step, epoch_step=step), PRINTS)


def test_a_damaged_newest_checkpoint_is_named_and_the_one_before_is_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    save_three(tmp_path)
    newest = tmp_path / "step-00000003.safetensors"
    content = newest.read_bytes()
    newest.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    assert load_checkpoint(tmp_path, make_optimizer(), PRINTS).step == 2
    [warning] = [record.getMessage() for record in caplog.records]
    assert str(newest) in warning


def test_two_are_kept_and_where_both_are_damaged_it_is_an_error_that_loses_nothing(
    tmp_path: Path,
) -> None:
    assert not has_checkpoint(tmp_path)
    save_three(tmp_path)
    kept = sorted(tmp_path.iterdir())
    assert [path.name[:13] for path in kept] == ["step-00000002", "step-00000003"]
    for path in kept:
        path.write_bytes(b"")
    with pytest.raises(UserError, match="every checkpoint is damaged"):
        load_checkpoint(tmp_path, make_optimizer(), PRINTS)
    assert sorted(tmp_path.iterdir()) == kept
    assert has_checkpoint(tmp_path)


def test_a_damaged_one_takes_no_place_of_those_that_come_after_it(tmp_path: Path) -> None:
    save_three(tmp_path)
    damaged = (tmp_path / "step-00000003.safetensors").rename(
        tmp_path / "step-00000009.safetensors"
    )
    damaged.write_bytes(b"")
    optimizer = make_optimizer()
    assert load_checkpoint(tmp_path, optimizer, PRINTS).step == 2
    save_checkpoint(tmp_path, optimizer, TrainState(step=3), PRINTS)
    kept = sorted(path.name[:13] for path in tmp_path.iterdir())
    assert kept == ["step-00000002", "step-00000003"]


def test_a_checkpoint_of_something_else_is_refused_by_name(tmp_path: Path) -> None:
    save_three(tmp_path)
    for name in ("corpus", "tokenizer"):
        with pytest.raises(UserError, match=f"the {name} has changed"):
            load_checkpoint(tmp_path, make_optimizer(), PRINTS | {name: "other"})
    tensors, header = load_tensors(tmp_path / "step-00000003.safetensors")
    del header["progress"]["block_step"]  # as before epochs had blocks
    save_tensors(tmp_path / "step-00000004.safetensors", tensors, header)
    with pytest.raises(UserError, match=r"step-00000004.*another version .* --fresh"):
        load_checkpoint(tmp_path, make_optimizer(), PRINTS)


def test_a_full_disk_leaves_the_previous_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_three(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UserError, match=r"step-00000004\.safetensors.*No space left on device"):
        save_checkpoint(tmp_path, make_optimizer(), TrainState(step=4), PRINTS)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
