"""What is on disk reads as a list or an array in memory does."""

import resource
import signal
from pathlib import Path

import numpy as np
import pytest

from gru_mt.data.dataset.store import DiskArray, Subset, TextColumn, npy_writer
from gru_mt.errors import UserError

TEXTS = ["", "one", "zwei\u202f?", "三つ", "", "🙂" * 9, "last"]


def stored(texts: list[str], *, at_once: int) -> TextColumn:
    file = TextColumn.scratch()
    for place in range(0, len(texts), at_once):
        file.append(texts[place : place + at_once])
    return file


@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_stored_texts_are_those_of_a_list(at_once: int) -> None:
    file = stored(TEXTS, at_once=at_once)
    assert file == TEXTS
    assert [file[place] for place in range(-len(TEXTS), len(TEXTS))] == TEXTS * 2
    assert (file[1:6:2], file[::-1]) == (TEXTS[1:6:2], TEXTS[::-1])
    assert file not in ([*TEXTS[:-1], "other"], TEXTS[:-1])
    with pytest.raises(IndexError):
        file[len(TEXTS)]
    assert stored([""] * 3, at_once=at_once)[:] == [""] * 3
    subset = Subset(file, np.array([6, 1, 1, 3]))
    assert subset == [TEXTS[row] for row in (6, 1, 1, 3)]
    assert file.read(np.array([], np.int64)) == []
    assert Subset(subset, np.array([3, 0]))[:] == [TEXTS[3], TEXTS[6]]


def test_an_array_on_disk_has_the_records_that_were_added(tmp_path: Path) -> None:
    kind = np.dtype([("line", np.int64), ("key", np.uint64, 2)])
    records = np.zeros(500, kind)
    records["line"] = np.arange(500)
    records["key"] = np.arange(1_000).reshape(-1, 2)
    array = DiskArray.scratch(kind)
    assert len(array.at(np.array([], np.int64))) == 0
    with npy_writer(tmp_path / "a.npy", kind) as writer:
        for part in np.array_split(records, 7):
            array.append(part)
            writer.append(part)
    assert len(array) == 500
    assert (array.read(20, 30) == records[20:30]).all()
    assert (array.field("key", 100, 450) == records["key"][100:450]).all()
    rows = np.array([3, 499, 7, 8, 8])
    assert (array.at(rows) == records[rows]).all()
    for mode in (None, "r"):
        assert (np.load(tmp_path / "a.npy", mmap_mode=mode) == records).all()
    np.save(tmp_path / "b.npy", records)
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


def test_a_full_disk_is_one_line_that_names_the_file_or_the_folder(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(UserError, match=r"^/dev/full: cannot be written: No space left on device$"):
        DiskArray(full.open("r+b", buffering=0), np.int64).append([1])
    with pytest.raises(UserError, match="/dev/full: cannot be written"), npy_writer(full, "u2"):
        pass
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    file = TextColumn.scratch(tmp_path)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, before[1]))
        with pytest.raises(UserError, match=f"^{tmp_path}: cannot be written: File too large$"):
            file.append(["a" * 5_000])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
