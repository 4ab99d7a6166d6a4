"""Parquet tables; a column in a struct, {"translation": {"en": ...}}, is "translation.en"."""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any, Self

from gru_mt.data.corpus.detect import LOOKED_AT, PARQUET, kind_of
from gru_mt.data.corpus.files import CorpusFile, read_errors_as
from gru_mt.data.corpus.readers.columns import ReadOptions, choose_names
from gru_mt.data.corpus.report import Dropped, DropReason, Record
from gru_mt.errors import UserError, require_packages
from gru_mt.storage import file_digest

_ROWS, _LOOKED_AT = 10_000, 1_000  # read at a time; looked at to choose columns
_BUFFER_BYTES = 1 << 20  # of a column; else pyarrow holds a whole row group, which may be a file
_TEXT = {"string", "large_string", "string_view", "binary", "large_binary"}  # binary is of old ones


def is_parquet(file: CorpusFile) -> bool:
    """Return whether a file is a Parquet table by its name or its first bytes."""
    if file.member or not os.path.isfile(file.path):
        return False
    try:
        with file.path.open("rb") as opened:
            return file.ending == ".parquet" or kind_of(opened.read(LOOKED_AT)) is PARQUET
    except OSError:  # open_text says what is wrong
        return False


class ParquetTable:
    """An open Parquet file; it has of a `TextStream` what is not about text."""

    sample = b""

    def __init__(self, file: CorpusFile) -> None:
        """Open a file; UserError where it cannot be read, or pyarrow is not installed."""
        require_packages(f"{file}: Parquet", "parquet", "pyarrow")
        from pyarrow import parquet

        self.file = file
        self.notes: list[str] = []  # what to tell a user about how it was read
        with read_errors_as(file.path):
            settings = {"buffer_size": _BUFFER_BYTES, "pre_buffer": False}
            self._table = parquet.ParquetFile(file.path, **settings)
            schema = _plain(self._table.schema_arrow.empty_table()).schema
            if twice := [name for name, count in Counter(schema.names).items() if count > 1]:
                raise UserError(f"{file}: two columns are called {twice[0]!r}; rename one")
            self.types = dict(zip(schema.names, map(str, schema.types), strict=True))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._table.close(force=True)

    @property
    def sha256(self) -> str:
        """The digest of the file."""
        return file_digest(self.file.path)

    def batches(self, names: list[str], rows: int = _ROWS) -> Iterator[list[list[bytes | None]]]:
        """Yield the UTF-8 of some columns, so many rows at a time; None for a null."""
        from pyarrow import Table, large_binary

        with read_errors_as(self.file.path):
            for batch in self._table.iter_batches(rows, columns=names, use_threads=False):
                columns = map(_plain(Table.from_batches([batch])).column, names)
                # As bytes: pyarrow does not say whether they are UTF-8.
                yield [column.cast(large_binary()).to_pylist() for column in columns]


def parquet_records(table: ParquetTable, options: ReadOptions) -> Iterator[Record]:
    """Yield the sides of each row that are asked for; one with a null is dropped.

    Raises UserError where neither names nor values decide which columns are meant.
    """
    texts = [name for name, kind in table.types.items() if kind in _TEXT]
    nothing: list[list[bytes | None]] = [[]] * len(texts)
    sample = next(table.batches(texts, _LOOKED_AT), nothing)
    columns = {
        name: [value.decode(errors="replace") for value in values if value is not None]
        for name, values in zip(texts, sample, strict=True)
    }
    names = choose_names([*table.types], columns, options, table.file, table.notes)
    for name in names:
        if name not in columns:
            raise UserError(f"{table.file}: column {name!r} has {table.types[name]}, and no text")
    for batch in table.batches(names):
        yield from map(_record, zip(*batch, strict=True))


def _record(values: tuple[bytes | None, ...]) -> Record:
    texts = [(value or b"").decode(errors="replace") for value in values]
    if None in values:
        return Dropped(DropReason.EMPTY, " | ".join(texts))
    is_utf8 = [text.encode() for text in texts] == [*values]
    return texts if is_utf8 else Dropped(DropReason.NOT_UTF8, " | ".join(texts))


def _plain(table: Any) -> Any:
    """Return a table of pyarrow with the columns of its structs, and no dictionaries."""
    from pyarrow import types

    while any(map(types.is_struct, table.schema.types)):
        table = table.flatten()
    for index, kind in enumerate(table.schema.types):
        if types.is_dictionary(kind):
            name, column = table.column_names[index], table.column(index)
            table = table.set_column(index, name, column.cast(kind.value_type))
    return table
