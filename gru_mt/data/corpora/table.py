"""A table: each line has the two sides, and perhaps an attribution, with tabs between them.

A table whose name ends in .csv has commas or semicolons between its columns, and quotes around what
holds such marks.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

from gru_mt.data.corpora.reading import MAX_LINE_BYTES, TextStream
from gru_mt.data.corpora.rows import Dropped, DropReason, Row
from gru_mt.errors import UserError

_SAMPLE = 100_000  # bytes in which commas and semicolons are counted


def table_rows(text: TextStream, columns: Sequence[int] | None = None) -> Iterator[Row]:
    """Yield the row of each line; `columns`, counted from 1, are those of the two sides."""
    return (_row(cells, columns, DropReason.NO_TAB) for cells in _table_cells(text))


def csv_rows(text: TextStream, columns: Sequence[int] | None = None) -> Iterator[Row]:
    """Yield the row of each record, whose lines may be several; an empty line is no record."""
    return (_row(cells, columns, DropReason.FEW_COLUMNS) for cells in _csv_cells(text))


def one_sided_rows(
    text: TextStream, columns: Sequence[int] | None, *, ending: str, second: bool
) -> Iterator[Row]:
    """Yield a row for each line of text in one language; its other side is empty.

    The text is the first side, or the `second`. It is the whole line, or the only one of `columns`
    of a table; `ending` is the file's.
    """
    for cells in _csv_cells(text) if ending == ".csv" else _table_cells(text):
        if isinstance(cells, Dropped):
            yield cells
        elif columns is None and len(cells) > 1:
            yield Dropped(DropReason.SEVERAL_COLUMNS, "\t".join(cells))
        elif columns and columns[0] > len(cells):
            yield Dropped(DropReason.FEW_COLUMNS, "\t".join(cells))
        else:
            alone = cells[columns[0] - 1] if columns else "".join(cells)
            yield ("", alone, "") if second else (alone, "", "")


def _table_cells(text: TextStream) -> Iterator[list[str] | Dropped]:
    for line in text.lines():
        try:
            yield line.decode().rstrip("\r\n").split("\t")
        except UnicodeDecodeError:
            yield Dropped(DropReason.NOT_UTF8, line.decode(errors="replace"))


def _csv_cells(text: TextStream) -> Iterator[list[str] | Dropped]:
    decoded = io.TextIOWrapper(
        io.BufferedReader(text), "utf-8-sig", errors="surrogateescape", newline=""
    )
    start = decoded.read(_SAMPLE)
    mark = max(",;\t", key=start.count)
    begun = io.StringIO(start + decoded.readline(MAX_LINE_BYTES), newline="")
    rest = iter(partial(decoded.readline, MAX_LINE_BYTES), "")
    csv.field_size_limit(max(MAX_LINE_BYTES, csv.field_size_limit()))  # for the whole process
    records = csv.reader(chain(begun, rest), delimiter=mark)
    try:
        for cells in records:
            if any("\udc80" <= letter <= "\udcff" for cell in cells for letter in cell):
                yield Dropped(DropReason.NOT_UTF8, mark.join(cells))
            else:
                yield cells
    except csv.Error as error:
        raise UserError(
            f"{text.place}: line {records.line_num:,}: {error}: does nothing close a quotation "
            "mark before it?"
        ) from None


def _row(cells: list[str] | Dropped, columns: Sequence[int] | None, single: DropReason) -> Row:
    """Return the row of a line; `single` is the reason to drop a line of one column."""
    if isinstance(cells, Dropped):
        return cells
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
