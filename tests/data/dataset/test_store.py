"""What is on disk reads as a list or an array in memory does."""

import random
import resource
import signal
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from gru_mt.data.dataset.store import ArrayWriter, DiskArray, Subset, TextArray, TextColumn
from gru_mt.errors import UserError

TEXTS = ["", "one", "zwei\u202f?", "三つ", "", "🙂" * 9, "last"]


def stored(texts: list[str], *, at_once: int) -> TextColumn:
    file = TextColumn.scratch()
    for place in range(0, len(texts), at_once):
        file.append(TextArray.of(texts[place : place + at_once]))
    return file


@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_stored_texts_are_those_of_a_list(at_once: int) -> None:
    file = stored(TEXTS, at_once=at_once)
    assert file == TEXTS
    assert [file[place] for place in range(-len(TEXTS), len(TEXTS))] == TEXTS * 2
    assert file[1:6:2] == TEXTS[1:6:2]
    assert file[::-1] == TEXTS[::-1]
    assert file != [*TEXTS[:-1], "other"]
    assert file != TEXTS[:-1]
    with pytest.raises(IndexError):
        file[len(TEXTS)]


def test_rows_in_any_order_are_read_near_and_far_apart() -> None:
    texts = [f"{number}{'x' * (number % 7)}" for number in range(2_000)]
    file, rng = stored(texts, at_once=300), random.Random(1)
    for count in (0, 1, 50, 1_500):
        rows = np.array(rng.choices(range(2_000), k=count), np.int64)
        assert file.read(rows) == [texts[row] for row in rows]
        assert file.read(np.sort(rows)) == [texts[row] for row in sorted(rows.tolist())]


def test_a_subset_has_the_items_at_some_rows() -> None:
    subset = Subset(stored(TEXTS, at_once=2), np.array([6, 1, 1, 3]))
    assert subset == [TEXTS[row] for row in (6, 1, 1, 3)]
    assert Subset(subset, np.array([3, 0]))[:] == [TEXTS[3], TEXTS[6]]


def test_an_array_on_disk_has_the_records_that_were_added() -> None:
    kind = np.dtype([("line", np.int64), ("key", np.uint64, 2)])
    records = np.zeros(500, kind)
    records["line"] = np.arange(500)
    records["key"] = np.arange(1_000).reshape(-1, 2)
    array = DiskArray.scratch(kind)
    for part in np.array_split(records, 7):
        array.append(part)
    assert len(array) == 500
    assert (array.read(0, 500) == records).all()
    assert (array.read(20, 30) == records[20:30]).all()
    assert (array.field("key", 100, 450) == records["key"][100:450]).all()
    rows = np.array([3, 499, 7, 8, 8])
    assert (array.at(rows) == records[rows]).all()
    assert len(array.at(rows[:0])) == len(array.read(9, 9)) == 0
    assert len(DiskArray.scratch(kind).at(rows[:0])) == 0


def test_an_array_written_part_by_part_is_one_of_numpy(tmp_path: Path) -> None:
    path = tmp_path / "ids.npy"
    with closing(ArrayWriter(path, np.uint16)) as writer:
        for part in ([], [1, 2, 3], [], [65_535]):
            writer.append(part)
    for mode in (None, "r"):
        array = np.load(path, mmap_mode=mode)
        assert (array.dtype, array.tolist()) == (np.uint16, [1, 2, 3, 65_535])


def test_a_full_disk_is_one_line_that_names_the_file() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(UserError, match=r"^/dev/full: cannot be written: No space left on device$"):
        DiskArray(full.open("r+b", buffering=0), np.int64).append([1])
    with (
        pytest.raises(UserError, match="/dev/full: cannot be written"),
        closing(ArrayWriter(full, "u2")) as file,
    ):
        file.append([1])


def test_a_full_disk_under_a_file_without_a_name_names_the_folder(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    file = TextColumn.scratch(tmp_path)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, before[1]))
        with pytest.raises(UserError, match=f"^{tmp_path}: cannot be written: File too large$"):
            file.append(TextArray.of(["a" * 5_000]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
