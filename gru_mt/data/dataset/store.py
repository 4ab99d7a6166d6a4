"""Arrays and texts in files that grow at their end, so that a corpus takes no memory.

A file is mapped for one read at a time, as pages that were read count as memory while they are.

Shapes: N items, M rows.
"""

import tempfile
import weakref
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

from gru_mt.storage import os_errors_as

Ints = npt.NDArray[np.int64]
Array = npt.NDArray[Any]
T = TypeVar("T", covariant=True)
U = TypeVar("U")

CHUNK = 10_000  # items that are read, or worked on, at a time
_RECORDS = 100_000  # mapped at a time, of which one field is copied


class DiskArray:
    """An array in a file, of numbers or of records. The file is closed with it."""

    def __init__(self, file: IO[bytes], dtype: npt.DTypeLike, name: object = None) -> None:
        """Take a file and the items in it. Errors call it `name`, by default the file's name."""
        self.file, self.dtype, self._name = file, np.dtype(dtype), name or file.name
        self._length = file.seek(0, 2) // self.dtype.itemsize
        weakref.finalize(self, _close, file)

    @classmethod
    def scratch(cls, dtype: npt.DTypeLike, folder: Path | None = None) -> Self:
        """Return an empty array in a file without a name, in `folder` or where the system has such.

        The file is gone when nothing holds it open, even after a kill.
        """
        name = folder or Path(tempfile.gettempdir())
        with os_errors_as(name):
            return cls(tempfile.TemporaryFile(dir=name), dtype, name)

    def __len__(self) -> int:
        return self._length

    def append(self, values: npt.ArrayLike) -> None:
        """Add items at the end."""
        items = np.ascontiguousarray(values, self.dtype)
        with os_errors_as(self._name):
            self.file.seek(0, 2)
            self.file.write(items.tobytes())
            self.file.flush()
        self._length += len(items)

    def read(self, start: int, stop: int) -> Array:
        """Return the items from `start` to before `stop`; for a few this is quicker than a map."""
        self.file.seek(start * self.dtype.itemsize)
        return np.frombuffer(self.file.read((stop - start) * self.dtype.itemsize), self.dtype)

    def at(self, row_M: Ints) -> Array:
        """Return the items at some rows."""
        return np.array(self.mapped()[row_M])

    def field(self, name: str, start: int, stop: int) -> Array:
        """Return one field of the records from `start` to before `stop`."""
        found_N = np.empty(stop - start, self.dtype[name])
        for first in range(start, stop, _RECORDS):
            last = min(first + _RECORDS, stop)
            found_N[first - start : last - start] = self.mapped()[name][first:last]
        return found_N

    def mapped(self) -> Array:
        """Return all items, mapped into memory; no map may be empty."""
        if not self._length:
            return np.empty(0, self.dtype)
        return np.memmap(self.file, self.dtype, "r", shape=(self._length,))


def _close(file: IO[bytes]) -> None:
    """Close a file. What could not be written to it was an error when it was appended."""
    with suppress(OSError):
        file.close()


@contextmanager
def npy_writer(path: Path, dtype: npt.DTypeLike) -> Iterator[DiskArray]:
    """Yield an array to append to, but not to read. In the end its file is one of numpy (.npy)."""
    with os_errors_as(path):
        array = DiskArray(path.open("wb"), dtype)
        _write_header(array)  # with room for a longer length
    yield array
    with os_errors_as(path), array.file:
        _write_header(array)


def _write_header(array: DiskArray) -> None:
    header = {"descr": np.lib.format.dtype_to_descr(array.dtype), "fortran_order": False}
    array.file.seek(0)
    np.lib.format.write_array_header_1_0(array.file, header | {"shape": (len(array),)})
    array.file.flush()


class LazySequence(Sequence[T]):
    """Items on disk, read chunk by chunk. Equals a list of the same items."""

    @abstractmethod
    def read(self, row_M: Ints) -> list[T]:
        """Return the items at some rows, in their order."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        rows = range(len(self))[index]
        if isinstance(rows, int):
            return self.read(np.array([rows]))[0]
        return self.read(np.arange(rows.start, rows.stop, rows.step))

    def __iter__(self) -> Iterator[T]:
        for chunk in chunked(self):
            yield from chunk

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]


def chunked(items: Sequence[U]) -> Iterator[Sequence[U]]:
    """Yield CHUNK items at a time."""
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]


class TextColumn(LazySequence[str]):
    """Texts on disk: their UTF-8 in one file, and in another 0 and where each text ends."""

    def __init__(self, data: DiskArray, bounds: DiskArray) -> None:
        """Take bytes and whole numbers; what is in them are the first texts."""
        self._data, self._bounds = data, bounds
        if not len(self._bounds):
            self._bounds.append([0])

    @classmethod
    def scratch(cls, folder: Path | None = None) -> Self:
        """Return a column without texts; see `DiskArray.scratch`."""
        return cls(DiskArray.scratch(np.uint8, folder), DiskArray.scratch(np.int64, folder))

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def append(self, texts: Iterable[str]) -> None:
        encoded = [text.encode() for text in texts]
        ends = len(self._data) + np.cumsum([*map(len, encoded)], dtype=np.int64)
        self._data.append(np.frombuffer(b"".join(encoded), np.uint8))
        self._bounds.append(ends)

    def read(self, row_M: Ints) -> list[str]:
        if len(row_M) == 1:
            start, end = self._bounds.read(int(row_M[0]), int(row_M[0]) + 2).tolist()
            return [self._data.read(start, end).tobytes().decode()]
        data, bound = self._data.mapped().data, self._bounds.mapped()
        bounds = zip(bound[row_M].tolist(), bound[row_M + 1].tolist(), strict=True)
        return [str(data[start:end], "utf-8") for start, end in bounds]


class TupleStore(LazySequence[T]):
    """Named tuples on disk: two texts, and a record that has their other fields, and more."""

    def __init__(
        self, kind: type[T], sides: Sequence[TextColumn], records: DiskArray | None = None
    ) -> None:
        """Take columns; what is in them are the first items."""
        self._kind, self.sides, self._records = kind, sides, records

    @classmethod
    def scratch(cls, kind: type[T], dtype: npt.DTypeLike, folder: Path | None) -> Self:
        """Return a store without items; see `DiskArray.scratch`."""
        sides = TextColumn.scratch(folder), TextColumn.scratch(folder)
        return cls(kind, sides, DiskArray.scratch(dtype, folder))

    def __len__(self) -> int:
        return len(self.sides[0])

    def append(self, sides: Iterable[Iterable[str]], records: npt.ArrayLike = ()) -> None:
        for column, texts in zip(self.sides, sides, strict=True):
            column.append(texts)
        if self._records is not None:
            self._records.append(records)

    def read(self, row_M: Ints) -> list[T]:
        columns: list[list[Any]] = [side.read(row_M) for side in self.sides]
        if self._records is not None:
            record_M = self._records.at(row_M)
            fields = [*self._kind.__annotations__][2:]
            columns += (record_M[name].tolist() for name in fields)
        return [*map(self._kind, *columns)]

    def field(self, name: str, start: int, stop: int) -> Array:
        """Return one field of the records from `start` to before `stop`."""
        assert self._records is not None, "only stores with records are asked"
        return self._records.field(name, start, stop)


class Subset(LazySequence[T]):
    """The items at N rows of others."""

    def __init__(self, items: LazySequence[T], row_N: npt.NDArray[np.integer]) -> None:
        self._items, self._row_N = items, row_N

    def __len__(self) -> int:
        return len(self._row_N)

    def read(self, row_M: Ints) -> list[T]:
        return self._items.read(self._row_N[row_M].astype(np.int64))
