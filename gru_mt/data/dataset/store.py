"""Arrays and texts in files that grow at their end, so that a corpus takes no memory.

They are read, and not mapped into memory: what was read stays in the system's cache, which gives
way to other needs, and is no memory of this process.

Shapes: N items, M rows.
"""

import hashlib
import io
import tempfile
import weakref
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

from gru_mt.errors import UserError

Ints = npt.NDArray[np.int64]
Array = npt.NDArray[Any]
Digests = npt.NDArray[np.uint64]  # N rows of two numbers: 128 bits of each text
T = TypeVar("T", covariant=True)

CHUNK = 10_000  # items that are read, or worked on, at a time
_RECORDS = 100_000  # read at a time, of which one field stays
_CLOSE = 100  # rows from one to the next, of those that are read at once


@contextmanager
def os_errors_as(place: object) -> Iterator[None]:
    """Raise UserError that names `place` where nothing more can be written there."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{place}: cannot be written: {error.strerror}") from None


def _write(file: IO[bytes], data: bytes) -> None:
    """Write all of `data` into a file without a buffer, which may take it part by part."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


class DiskArray:
    """An array in a file, of numbers or of records. The file is closed with it."""

    def __init__(self, file: IO[bytes], dtype: npt.DTypeLike, place: object = None) -> None:
        """Take a file; what is in it are the first items. Mistakes name `place`, else the file."""
        self._file, self._dtype, self._place = file, np.dtype(dtype), place or file.name
        self._length = file.seek(0, 2) // self._dtype.itemsize
        weakref.finalize(self, file.close)

    @classmethod
    def scratch(cls, dtype: npt.DTypeLike, folder: Path | None = None) -> Self:
        """Return no items yet, in a file without a name, in `folder` or where the system has such.

        It is gone when nothing holds it open, even after a kill.
        """
        place = folder or Path(tempfile.gettempdir())
        with os_errors_as(place):
            return cls(tempfile.TemporaryFile(dir=place, buffering=0), dtype, place)

    def __len__(self) -> int:
        return self._length

    def append(self, values: npt.ArrayLike) -> None:
        """Add items at the end."""
        items = np.ascontiguousarray(values, self._dtype)
        with os_errors_as(self._place):
            self._file.seek(0, 2)
            _write(self._file, items.tobytes())
        self._length += len(items)

    def read(self, start: int = 0, stop: int | None = None) -> Array:
        """Return the items from `start` to before `stop`, or to the end."""
        last = self._length if stop is None else min(stop, self._length)
        size = self._dtype.itemsize
        self._file.seek(start * size)
        return np.frombuffer(bytearray(self._file.read(max(0, last - start) * size)), self._dtype)

    def field(self, name: str, start: int, stop: int) -> Array:
        """Return one field of the records from `start` to before `stop`."""
        starts = range(start, max(start + 1, stop), _RECORDS)
        parts = [self.read(each, min(each + _RECORDS, stop))[name] for each in starts]
        return np.concatenate(parts)

    def at(self, row_M: Ints) -> Array:
        """Return the items at some rows. Rows that stand close together are read at once."""
        if not len(row_M):
            return self.read(0, 0)
        runs = close_runs(row_M)
        return np.concatenate([self.read(run[0], run[-1] + 1)[run - run[0]] for run in runs])


class ArrayWriter:
    """Writes an array of numpy's format (.npy), of which nobody knows the length beforehand."""

    def __init__(self, path: Path, dtype: npt.DTypeLike) -> None:
        """Take the file to write."""
        self._path, self._dtype, self._length = path, np.dtype(dtype), 0

    def __enter__(self) -> Self:
        with os_errors_as(self._path):
            self._file = self._path.open("wb", buffering=0)
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        with os_errors_as(self._path), self._file:
            if kind is None:
                self._file.seek(0)
                self._write_header()  # it has room for a longer length

    def _write_header(self) -> None:
        header = io.BytesIO()
        shape = {"descr": np.lib.format.dtype_to_descr(self._dtype), "fortran_order": False}
        np.lib.format.write_array_header_1_0(header, shape | {"shape": (self._length,)})
        _write(self._file, header.getvalue())

    def append(self, values: npt.ArrayLike) -> None:
        """Add items at the end."""
        items = np.ascontiguousarray(values, self._dtype)
        with os_errors_as(self._path):
            if not self._file.tell():
                self._write_header()
            _write(self._file, items.tobytes())
        self._length += len(items)


def close_runs(row_M: Ints) -> list[Ints]:
    """Return rows in runs, in each of which they ascend and stand close together."""
    gap_M = np.diff(row_M)
    return np.split(row_M, np.flatnonzero((gap_M < 0) | (gap_M > _CLOSE)) + 1)


class LazySequence(Sequence[T]):
    """Items on disk, which are read chunk by chunk; as equal as a list to what has the same."""

    @abstractmethod
    def read(self, row_M: Ints) -> list[T]:
        """Return the items at some rows, in their order."""

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        rows = range(len(self))[place]
        if isinstance(rows, int):
            return self.one(rows)
        return self.read(np.array(rows, np.int64))

    def one(self, row: int) -> T:
        """Return the item at a row."""
        return self.read(np.array([row]))[0]

    def __iter__(self) -> Iterator[T]:
        for start in range(0, len(self), CHUNK):
            yield from self.read(np.arange(start, min(start + CHUNK, len(self))))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        pairs = zip(self, other, strict=False)
        return len(self) == len(other) and all(one == two for one, two in pairs)

    __hash__ = None  # type: ignore[assignment]


class TextArray(NamedTuple):
    """Texts as the bytes of all, and how many of them each has."""

    data: bytes  # UTF-8
    length_N: Ints

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        """Return texts packed."""
        encoded = [text.encode() for text in texts]
        return cls(b"".join(encoded), np.array([*map(len, encoded)], np.int64))


def digests(texts: Iterable[str]) -> Digests:
    """Return 128 bits of BLAKE2b for each text (RFC 7693), so that equal ones are found."""
    joined = b"".join(hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts)
    return np.frombuffer(joined, np.uint64).reshape(-1, 2)


class TextColumn(LazySequence[str]):
    """Texts on disk: their UTF-8 in one file, and in another 0 and where each ends."""

    def __init__(self, data: DiskArray, bounds: DiskArray) -> None:
        """Take bytes and whole numbers; what is in them are the first texts."""
        self._data, self._bounds = data, bounds
        if not len(self._bounds):
            self._bounds.append([0])

    @classmethod
    def scratch(cls, folder: Path | None = None) -> Self:
        """Return no texts yet; see `DiskArray.scratch`."""
        return cls(DiskArray.scratch(np.uint8, folder), DiskArray.scratch(np.int64, folder))

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def append(self, texts: TextArray) -> None:
        """Add texts at the end."""
        before = len(self._data)
        self._data.append(np.frombuffer(texts.data, np.uint8))
        self._bounds.append(before + np.cumsum(texts.length_N))

    def read(self, row_M: Ints) -> list[str]:
        """Return the texts at some rows. Rows that stand close together are read at once."""
        return [text for run in close_runs(row_M) if len(run) for text in self._run(run)]

    def one(self, row: int) -> str:
        """Return the text at a row."""
        start, end = self._bounds.read(row, row + 2).tolist()
        return self._data.read(start, end).tobytes().decode()

    def _run(self, row_M: Ints) -> list[str]:
        """Return the texts at ascending rows."""
        first = int(row_M[0])
        bound_N = self._bounds.read(first, int(row_M[-1]) + 2)
        data = self._data.read(int(bound_N[0]), int(bound_N[-1])).tobytes()
        start_M, end_M = (bound_N[row_M - first + past] - bound_N[0] for past in (0, 1))
        bounds = zip(start_M.tolist(), end_M.tolist(), strict=True)
        return [data[start:end].decode() for start, end in bounds]


class Subset(LazySequence[T]):
    """The items at N rows of others."""

    def __init__(self, items: LazySequence[T], row_N: Ints) -> None:
        self._items, self._row_N = items, row_N

    def __len__(self) -> int:
        return len(self._row_N)

    def read(self, row_M: Ints) -> list[T]:
        """Return the items at some rows."""
        return self._items.read(self._row_N[row_M])

    def one(self, row: int) -> T:
        """Return the item at a row."""
        return self._items.one(int(self._row_N[row]))
