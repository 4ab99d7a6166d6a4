"""Files are whole or absent; a damaged one is a UserError that names it, and none runs code."""

import errno
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

from gru_mt.errors import UserError
from gru_mt.storage import (
    append_line,
    check_output,
    clear_temporaries,
    file_digest,
    read_checksummed_json,
    read_json,
    replacing_folder,
    write_checksummed_json,
    write_file,
    write_json,
    write_output,
)
from gru_mt.tensors import load_tensors, save_tensors

TENSORS = {
    "half": torch.tensor([[1.5, -2.0, 3.0], [0.1, 1e30, -0.0]], dtype=torch.bfloat16),
    "scalar": torch.tensor(2.5),
    "whole": torch.tensor([1, -1, 2**62]),
    "empty": torch.empty(0, 3),
    "flags": torch.tensor([True, False, True]),
    "transposed": torch.arange(6.0).reshape(2, 3).T,
    "double": torch.tensor([0.1], dtype=torch.float64),
}
HEADER: dict[str, Any] = {"step": 7, "name": "où ?", "nothing": None, "deep": {"list": [1, 2.5]}}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "saved.safetensors"
    save_tensors(path, TENSORS, HEADER)
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    write_file(tmp_path / "file", b"old")
    return tmp_path / "file"


def assert_refused(read: Callable[[Path], object], path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


# Tensors


def test_tensors_and_header_come_back_as_they_were(saved: Path, tmp_path: Path) -> None:
    tensors, header = load_tensors(saved)
    assert header == HEADER
    torch.testing.assert_close(tensors, TENSORS, rtol=0, atol=0, check_stride=False)
    assert torch.equal(safetensors.torch.load_file(saved)["whole"], TENSORS["whole"])
    save_tensors(tmp_path / "none", {}, {"step": 1})
    assert load_tensors(tmp_path / "none") == ({}, {"step": 1})
    for place in range(10):
        save_tensors(tmp_path / str(place), TENSORS, HEADER)
        assert (tmp_path / str(place)).read_bytes() == saved.read_bytes()


def test_a_file_that_is_cut_off_or_longer_or_foreign_or_has_a_flipped_bit_is_refused(
    saved: Path,
) -> None:
    whole = saved.read_bytes()
    for place in range(0, len(whole), 5):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        for content in (damaged, whole[:place]):
            saved.write_bytes(content)
            assert_refused(load_tensors, saved)
    torch.save(TENSORS, saved)
    foreign = saved.read_bytes()
    for content in (whole + b"\0", foreign, pickle.dumps(HEADER), b"hello", b"\xff" * 100):
        saved.write_bytes(content)
        assert_refused(load_tensors, saved)


def test_tensors_that_another_program_changed_are_refused(saved: Path) -> None:
    with safetensors.safe_open(saved, framework="pt") as file:
        metadata = file.metadata()
    for changed in (
        {"half": TENSORS["half"].reshape(3, 2)},
        {"scalar": TENSORS["scalar"].view(torch.int32)},
        {"whole": TENSORS["whole"].flip(0)},
        {"more": torch.zeros(0)},
    ):
        tensors = {name: tensor.contiguous() for name, tensor in (TENSORS | changed).items()}
        for said in (metadata, None):
            safetensors.torch.save_file(tensors, saved, said)
            assert_refused(load_tensors, saved)


@pytest.mark.parametrize("read", [load_tensors, read_json, file_digest])
def test_what_cannot_be_read_is_refused_and_not_called_missing(
    tmp_path: Path, read: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (tmp_path / "missing", tmp_path, tmp_path / "missing" / "below"):
        assert_refused(read, path)

    def denied(self: Path, *_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(UserError, match="cannot be read: Permission denied"):
        read(tmp_path / "file")


# JSON and digests


@pytest.mark.parametrize("content", [b"", b"[1]", b"null", b"\xff"])
def test_what_is_no_json_object_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "values.json").write_bytes(content)
    assert_refused(read_json, tmp_path / "values.json")


def test_checksummed_json_comes_back_as_it_was_and_people_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    write_checksummed_json(path, HEADER)
    assert read_checksummed_json(path) == HEADER
    assert "où ?" in path.read_text(encoding="utf-8")
    compact = json.dumps(dict(sorted(read_json(path).items())))
    path.write_text(compact)  # the digest is of the values, not of how they are written
    assert read_checksummed_json(path) == HEADER


def test_checksummed_json_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    write_checksummed_json(path, HEADER)
    whole = read_json(path)
    less = [{key: value for key, value in whole.items() if key != name} for name in whole]
    changes: list[dict[str, Any]] = [{"step": "7"}, {"more": None}, {"sha256": None}]
    for values in (*(whole | change for change in changes), *less, {}):
        write_json(path, values)
        assert_refused(read_checksummed_json, path)


# Writing


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_the_old_content_and_no_other_file(
    error: BaseException, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    for path in (old, old.with_name("first")):
        with pytest.raises((UserError, KeyboardInterrupt)):
            write_file(path, b"new")
    assert old.read_bytes() == b"old"
    assert [*old.parent.iterdir()] == [old]


def test_where_nothing_can_be_written_it_is_said(old: Path) -> None:
    folder = old.parent / "folder"
    folder.mkdir()
    for path in (folder, folder / "missing" / "file", old / "below", folder / ("n" * 255)):
        assert_refused(lambda path: write_file(path, b"new"), path)
    assert {*old.parent.iterdir()} == {old, folder}
    with pytest.raises(UserError, match=r"none.log: cannot be written: No such file"):
        append_line(folder / "none" / "none.log", "drei")


def test_a_file_is_as_readable_as_the_umask_says_and_its_rename_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    genuine, before = os.fsync, os.umask(0o027)

    def fsync(descriptor: int) -> None:
        synced.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
        genuine(descriptor)

    monkeypatch.setattr("os.fsync", fsync)
    try:
        save_tensors(tmp_path / "file", TENSORS, HEADER)
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640
    assert synced == [f".file.{os.getpid()}.part", tmp_path.name]


# What killed processes leave


def killed_while(writing: str, folder: Path) -> None:
    """Have another process killed where `writing` renames something to `file`."""
    program = f"""
import os
from pathlib import Path
from gru_mt.storage import replacing_folder
kill = lambda: os.kill(os.getpid(), 9)
genuine = Path.rename
Path.rename = lambda self, to: kill() if to.name == "file" else genuine(self, to)
{writing}
"""
    killed = subprocess.run([sys.executable, "-c", program], cwd=folder, check=False)
    assert killed.returncode == -9


def test_a_folder_that_was_moved_away_comes_back(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "old").touch()
    killed_while("with replacing_folder(Path('file')) as path: (path / 'new').touch()", tmp_path)
    (tmp_path / ".tmpAb3xYz").touch()  # a file that safetensors had begun
    assert not (tmp_path / "file").exists()
    clear_temporaries(tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["file", "old"]


def test_what_an_ended_process_left_goes_and_what_a_living_one_writes_stays(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                           capture_output=True, text=True, check=True)  # fmt: skip
    for pid in (int(ended.stdout), os.getpid()):  # ours is of a process that had the same id
        (tmp_path / f".file.{pid}.part").mkdir()
        (tmp_path / f".file.{pid}-71.part").mkdir()  # of an older version
    living = tmp_path / f".file.{os.getppid()}.part"
    other = tmp_path / f".other.{os.getpid()}.part"
    living.touch()
    other.touch()
    with replacing_folder(tmp_path / "file") as folder:
        (folder / "new").touch()
    assert set(tmp_path.iterdir()) == {tmp_path / "file", living, other}
    write_file(tmp_path / "other", b"whole")
    assert set(tmp_path.iterdir()) == {tmp_path / "file", living, tmp_path / "other"}


def test_a_folder_is_replaced_whole_and_stays_where_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for name in ("one", "two"):
        with replacing_folder(path) as folder:
            (folder / name).touch()
        assert [each.name for each in path.iterdir()] == [name]
    with pytest.raises(UserError, match="File exists"), replacing_folder(path) as folder:
        folder.mkdir()
    assert [each.name for each in tmp_path.rglob("*")] == ["file", "two"]


# Output that goes where the user says


@pytest.mark.parametrize("there", [True, False])
def test_output_replaces_a_file_in_one_step_through_a_symlink_too(
    there: bool, tmp_path: Path
) -> None:
    link, target = tmp_path / "link", tmp_path / "folder" / "target"
    target.parent.mkdir()
    link.symlink_to("folder/target")
    if there:
        target.write_bytes(b"before")
    check_output(link)
    assert target.exists() == there, "checking writes nothing"
    write_output(link, b"after")
    with target.open("rb") as reader:
        write_output(target, b"again")
        assert reader.read() == b"after", "whoever read the old file still does"
    assert link.is_symlink()
    assert target.read_bytes() == b"again"
    assert [*target.parent.iterdir()] == [target]


def test_output_goes_into_a_fifo_and_a_device(tmp_path: Path) -> None:
    fifo, link = tmp_path / "fifo", tmp_path / "link"
    os.mkfifo(fifo)
    link.symlink_to("/dev/null")
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    for path in (fifo, link, Path("/dev/null")):
        check_output(path)
        write_output(path, b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert fifo.is_fifo()
    assert link.is_char_device()


def test_output_into_a_stdout_that_is_a_file_stands_before_what_is_printed_later(
    tmp_path: Path,
) -> None:
    stdout = os.dup(1)
    try:
        with (tmp_path / "out").open("wb") as file:
            os.dup2(file.fileno(), 1)
        check_output(Path("/dev/stdout"))
        write_output(Path("/dev/stdout"), b"output, ")
        os.write(1, b"scores")
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)
    assert (tmp_path / "out").read_bytes() == b"output, scores"


def test_output_that_cannot_be_written_is_refused_before(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path, *(tmp_path / name for name in ("none/x", "file/x", "loop", "x" * 300))):
        assert_refused(check_output, path)
        assert_refused(lambda path: write_output(path, b""), path)
    monkeypatch.setattr("os.access", lambda *_: False)
    assert_refused(check_output, old)
    assert_refused(check_output, Path("/dev/zero"))  # no worker's stdout
