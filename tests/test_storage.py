"""Files are whole or absent; a damaged one is a UserError that names it, and none runs code."""

import errno
import hashlib
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
from torch import Tensor

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


def assert_refused(read: Callable[[Path], object], path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


# Tensors


def test_tensors_and_header_come_back_as_they_were(saved: Path) -> None:
    tensors, header = load_tensors(saved)
    assert header == HEADER
    assert tensors.keys() == TENSORS.keys()
    for name, tensor in TENSORS.items():
        assert tensors[name].dtype == tensor.dtype
        assert tensors[name].shape == tensor.shape
        assert torch.equal(tensors[name], tensor)


def test_there_may_be_no_tensors(tmp_path: Path) -> None:
    save_tensors(tmp_path / "none", {}, {"step": 1})
    assert load_tensors(tmp_path / "none") == ({}, {"step": 1})


def test_other_programs_read_the_tensors(saved: Path) -> None:
    tensors: dict[str, Tensor] = safetensors.torch.load_file(saved)
    assert torch.equal(tensors["whole"], TENSORS["whole"])


def test_the_same_values_give_the_same_bytes(tmp_path: Path) -> None:
    for place in range(10):
        save_tensors(tmp_path / str(place), TENSORS, HEADER)
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


def test_a_file_cut_off_anywhere_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for length in range(0, len(whole), 3):
        saved.write_bytes(whole[:length])
        assert_refused(load_tensors, saved)


def test_a_flipped_bit_anywhere_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        saved.write_bytes(damaged)
        assert_refused(load_tensors, saved)


@pytest.mark.parametrize(
    "changed",
    [
        {"half": TENSORS["half"].reshape(3, 2)},
        {"scalar": TENSORS["scalar"].view(torch.int32)},
        {"whole": TENSORS["whole"].flip(0)},
        {"more": torch.zeros(0)},
    ],
)
def test_tensors_that_another_program_changed_are_refused(
    saved: Path, changed: dict[str, Tensor]
) -> None:
    with safetensors.safe_open(saved, framework="pt") as file:
        metadata = file.metadata()
    tensors = {name: tensor.contiguous() for name, tensor in (TENSORS | changed).items()}
    safetensors.torch.save_file(tensors, saved, metadata)
    assert_refused(load_tensors, saved)


def test_more_bytes_at_the_end_are_refused(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes() + b"\0")
    assert_refused(load_tensors, saved)


class Trap:
    """Unpickling one creates a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return os.mkdir, (str(self.path),)


def test_a_foreign_file_is_refused_and_nothing_in_it_runs(tmp_path: Path) -> None:
    path, trap = tmp_path / "foreign", tmp_path / "trap"
    torch.save({"weights": Trap(trap)}, path)
    assert_refused(load_tensors, path)
    for foreign in (pickle.dumps(Trap(trap)), b"", b"hello", b"\xff" * 100):
        path.write_bytes(foreign)
        assert_refused(load_tensors, path)
    assert not trap.exists()


@pytest.mark.parametrize("metadata", [None, {"format": "pt"}])
def test_tensors_of_another_program_are_refused(
    tmp_path: Path, metadata: dict[str, str] | None
) -> None:
    path = tmp_path / "foreign.safetensors"
    safetensors.torch.save_file({"weight": torch.ones(2)}, path, metadata)
    assert_refused(load_tensors, path)


@pytest.mark.parametrize("read", [load_tensors, read_json, file_digest])
def test_a_missing_file_and_a_folder_are_refused(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    assert_refused(read, tmp_path / "missing")
    assert_refused(read, tmp_path)
    assert_refused(read, tmp_path / "missing" / "below")


# JSON and digests


def test_json_comes_back_as_it_was_and_people_can_read_it(tmp_path: Path) -> None:
    write_json(tmp_path / "values.json", HEADER)
    assert read_json(tmp_path / "values.json") == HEADER
    assert "où ?" in (tmp_path / "values.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [b"", b'{"a": 1', b"[1]", b"null", b"\xff", b"\x80\x04K\x01."])
def test_what_is_no_json_object_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "values.json").write_bytes(content)
    assert_refused(read_json, tmp_path / "values.json")


def test_the_digest_is_sha_256(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abc")  # the example of FIPS 180-2
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert file_digest(tmp_path / "abc") == expected
    (tmp_path / "long").write_bytes(b"abc" * 1_000_000)
    assert file_digest(tmp_path / "long") == hashlib.sha256(b"abc" * 1_000_000).hexdigest()


# Writing


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (b"one", b"another", b""):
        write_file(path, content)
        assert path.read_bytes() == content
    assert [*tmp_path.iterdir()] == [path]


def test_who_reads_the_old_content_goes_on_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_file(path, b"old, and whole")
    with path.open("rb", buffering=0) as reader:
        assert reader.read(3) == b"old"
        write_file(path, b"new")
        assert reader.read() == b", and whole"


def full_disk(_: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_old_content_and_no_other_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    write_file(path, b"old")
    monkeypatch.setattr(os, "fsync", full_disk)

    def write(path: Path) -> None:
        write_file(path, b"new")

    assert_refused(write, path)
    assert path.read_bytes() == b"old"
    assert_refused(write, tmp_path / "first")
    assert [*tmp_path.iterdir()] == [path]


def test_an_interrupt_while_writing_leaves_the_old_content_and_no_other_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "file"
    write_file(path, b"old")
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]


def test_where_nothing_can_be_written_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a file, not a folder")
    (tmp_path / "folder").mkdir()

    def write(path: Path) -> None:
        write_file(path, b"new")

    assert_refused(write, tmp_path / "missing" / "file")
    assert_refused(write, tmp_path / "folder")
    assert_refused(write, tmp_path / "file" / "below")
    assert_refused(write, tmp_path / ("n" * 255))
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_a_folder_without_permission_leaves_the_old_content(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    write_file(folder / "file", b"old")
    folder.chmod(mode)
    try:
        assert_refused(lambda path: write_file(path, b"new"), folder / "file")
    finally:
        folder.chmod(0o700)
    assert (folder / "file").read_bytes() == b"old"
    assert [path.name for path in folder.iterdir()] == ["file"]


def test_lines_are_added_and_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    for line in ("eins", "zwei"):
        append_line(tmp_path / "log", line)
    assert (tmp_path / "log").read_text() == "eins\nzwei\n"
    with pytest.raises(UserError, match=r"none.log: cannot be written: No such file"):
        append_line(tmp_path / "none" / "log", "drei")


# What killed processes leave, and who may read


def test_files_are_as_readable_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "plain", b"x")
        save_tensors(tmp_path / "tensors", TENSORS, HEADER)
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("plain", "tensors")] == [
        0o640
    ] * 2


def test_a_file_that_may_not_be_read_is_not_called_missing(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(self: Path, *_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(UserError, match="cannot be read: Permission denied"):
        load_tensors(saved)


def killed_while(writing: str, folder: Path) -> None:
    """Have another process killed at a line of `writing`, which has `kill()` in it."""
    program = f"""
import os
from pathlib import Path
from gru_mt.storage import replacing, replacing_folder
kill = lambda *_: os.kill(os.getpid(), 9)
folder = Path({str(folder)!r})
{writing}
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False)
    assert killed.returncode == -9


HALF_A_FILE = """
with replacing(folder / "file") as path:
    path.write_text("half")
    kill()
"""
HALF_A_SWAP = """
genuine = Path.rename
Path.rename = lambda self, to: kill() if to.name == "file" else genuine(self, to)
with replacing_folder(folder / "file") as path:
    (path / "new").touch()
"""


def test_the_next_write_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    killed_while(HALF_A_FILE, tmp_path)
    assert len(left := list(tmp_path.iterdir())) == 1
    write_file(tmp_path / "other", b"x")
    assert left[0].exists()  # not of this file
    write_file(tmp_path / "file", b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "other"]


def test_what_an_ended_process_left_goes_and_what_a_living_one_writes_stays(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                           capture_output=True, text=True, check=True)  # fmt: skip
    for pid in (int(ended.stdout), os.getpid()):  # ours is of a process that had the same id
        (tmp_path / f".file.{pid}.part").mkdir()
        (tmp_path / f".file.{pid}-71.part").mkdir()  # of an older version
    living = tmp_path / f".file.{os.getppid()}.part"
    living.touch()
    with replacing_folder(tmp_path / "file") as folder:
        (folder / "new").touch()
    assert set(tmp_path.iterdir()) == {tmp_path / "file", living}


def test_a_folder_is_replaced_whole_and_stays_where_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for name in ("one", "two"):
        with replacing_folder(path) as folder:
            (folder / name).touch()
        assert [each.name for each in path.iterdir()] == [name]
    with pytest.raises(UserError, match="File exists"), replacing_folder(path) as folder:
        folder.mkdir()
    assert [each.name for each in tmp_path.rglob("*")] == ["file", "two"]


def test_a_folder_that_was_moved_away_comes_back(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "old").touch()
    killed_while(HALF_A_SWAP, tmp_path)
    (tmp_path / ".tmpAb3xYz").touch()  # a file that safetensors had begun
    assert not (tmp_path / "file").exists()
    clear_temporaries(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert [path.name for path in (tmp_path / "file").iterdir()] == ["old"]


def test_a_rename_is_synced_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    genuine = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        genuine(descriptor)

    monkeypatch.setattr("os.fsync", fsync)
    write_file(tmp_path / "file", b"x")
    assert [Path(path).name for path in synced] == [
        f".file.{os.getpid()}.part",
        tmp_path.name,
    ]


# Output that goes where the user says


def test_output_replaces_a_file_in_one_step_and_makes_one(tmp_path: Path) -> None:
    path = tmp_path / "out"
    for content in (b"first", b"second"):
        before = path.open("rb") if path.exists() else None
        check_output(path)
        write_output(path, content)
        assert path.read_bytes() == content
        if before:
            with before:
                assert before.read() == b"first", "whoever read the old file still does"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("there", [True, False])
def test_output_goes_through_a_symlink(there: bool, tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "folder" / "target"
    target.parent.mkdir()
    link.symlink_to("folder/target")
    if there:
        target.write_bytes(b"before")
    check_output(link)
    assert target.exists() == there, "checking writes nothing"
    write_output(link, b"after")
    assert link.is_symlink()
    assert target.read_bytes() == b"after"
    assert not target.is_symlink()


def test_output_goes_into_a_fifo(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    check_output(fifo)
    write_output(fifo, b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert fifo.is_fifo()


def test_output_goes_into_a_device(tmp_path: Path) -> None:
    for path in (Path("/dev/null"), tmp_path / "link"):
        if path.name == "link":
            path.symlink_to("/dev/null")
        check_output(path)
        write_output(path, b"nowhere")
        assert path.is_char_device()


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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to("loop")
    paths = [tmp_path, tmp_path / "none" / "x", tmp_path / "file" / "x", tmp_path / "loop",
             tmp_path / ("x" * 300)]  # fmt: skip
    for path in paths:
        assert_refused(check_output, path)
        assert_refused(lambda path: write_output(path, b""), path)
    monkeypatch.setattr("os.access", lambda *_: False)
    assert_refused(check_output, tmp_path / "file")
    assert_refused(check_output, Path("/dev/zero"))  # no worker's stdout


# Checksummed JSON


def test_checksummed_json_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    write_checksummed_json(path, HEADER)
    assert read_checksummed_json(path) == HEADER
    compact = json.dumps(dict(sorted(read_json(path).items())))
    path.write_text(compact)  # the digest is of the values, not of how they are written
    assert read_checksummed_json(path) == HEADER


def test_checksummed_json_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    write_checksummed_json(path, HEADER)
    whole = read_json(path)
    without = {name: value for name, value in whole.items() if name != "sha256"}
    for changed in (
        whole | {"step": 8},
        whole | {"step": "7"},
        whole | {"more": None},
        {name: value for name, value in whole.items() if name != "nothing"},
        whole | {"sha256": "0" * 64},
        whole | {"sha256": None},
        without,
        {},
    ):
        write_json(path, changed)
        assert_refused(read_checksummed_json, path)
