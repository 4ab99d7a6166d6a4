"""A table: each line has the two sides, and perhaps an attribution, with tabs between them.

A table whose name ends in .csv has commas or semicolons between its columns, and quotes around what
holds such marks.
"""

import csv
import io
from collections.abc import Iterator, Sequence

from gru_mt.data.corpora.rows import Dropped, DropReason, Row, text_lines

_SAMPLE = 100_000  # bytes in which commas and semicolons are counted


def table_rows(data: bytes, columns: Sequence[int] | None = None) -> Iterator[Row]:
    """Yield the row of each line; `columns`, counted from 1, are those of the two sides."""
    for line in text_lines(data):
        try:
            cells = line.decode().rstrip("\r\n").split("\t")
        except UnicodeDecodeError:
            yield Dropped(DropReason.NOT_UTF8, line.decode(errors="replace"))
        else:
            yield _row(cells, columns, DropReason.NO_TAB)


def csv_rows(data: bytes, columns: Sequence[int] | None = None) -> Iterator[Row]:
    """Yield the row of each record, whose lines may be several; an empty line is no record."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode(errors="surrogateescape")
    mark = max(",;\t", key=text[:_SAMPLE].count)
    csv.field_size_limit(len(text) + 1)  # a quotation mark that is never closed is a long field
    for cells in csv.reader(io.StringIO(text, newline=""), delimiter=mark):
        if any("\udc80" <= letter <= "\udcff" for cell in cells for letter in cell):
            yield Dropped(DropReason.NOT_UTF8, mark.join(cells))
        else:
            yield _row(cells, columns, DropReason.FEW_COLUMNS)


def _row(cells: list[str], columns: Sequence[int] | None, single: DropReason) -> Row:
    """Return the row of a line; `single` is the reason to drop a line of one column."""
    if columns:
        if max(columns) > len(cells):
            return Dropped(DropReason.FEW_COLUMNS, "\t".join(cells))
        first, second = (cells[column - 1] for column in columns)
        return first, second, ""
    match cells:
        case [first, second]:
            return first, second, ""
        case [first, second, attribution]:
            return first, second, attribution
        case [] | [_]:
            return Dropped(single, "".join(cells))
    return Dropped(DropReason.COLUMNS, "\t".join(cells))
