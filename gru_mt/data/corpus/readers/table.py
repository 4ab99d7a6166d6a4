"""A table: a line has the two sides in two of its columns, and perhaps an attribution.

A table whose name ends in .csv has commas, semicolons or other marks between its columns; others
have tabs.
"""

from collections.abc import Iterator

from gru_mt.data.corpus.readers.layout import Layout, TableOptions, find_layout
from gru_mt.data.corpus.readers.records import records
from gru_mt.data.corpus.report import Dropped, DropReason, Row
from gru_mt.data.corpus.text_stream import TextStream


def table_rows(text: TextStream, options: TableOptions) -> Iterator[Row]:
    """Yield the row of each record; see `records`.

    Raises UserError where the header contradicts the options.
    """
    layout, is_csv = find_layout(text.sample, options, text.file), text.file.ending == ".csv"
    if layout.note:
        text.notes.append(f"{text.file}: {layout.note}")
    single = DropReason.FEW_COLUMNS if is_csv or options.columns else DropReason.NO_TAB
    for cells in _records(text, layout):
        yield cells if isinstance(cells, Dropped) else _row(cells, layout, single, is_csv=is_csv)


def table_texts(text: TextStream, options: TableOptions) -> Iterator[str | Dropped]:
    """Yield each text of a file in one language: a whole line, or one column of a table."""
    layout = find_layout(text.sample, options, text.file)
    for cells in _records(text, layout):
        if isinstance(cells, Dropped):
            yield cells
        elif layout.columns is None or any(cells[layout.width or len(cells) :]):
            yield Dropped(DropReason.SEVERAL_COLUMNS, "\t".join(cells))
        elif layout.columns[0] >= len(cells):
            yield Dropped(DropReason.FEW_COLUMNS, "\t".join(cells))
        else:
            yield cells[layout.columns[0]]


def _records(text: TextStream, layout: Layout) -> Iterator[list[str] | Dropped]:
    """Yield the records of a table; those at its beginning that are no data are dropped."""
    for number, cells in enumerate(records(text_lines(text), layout.form, layout.usual)):
        is_header = number < layout.skipped and not isinstance(cells, Dropped)
        yield Dropped(DropReason.HEADER, "\t".join(cells)) if is_header else cells


def text_lines(text: TextStream) -> Iterator[str | Dropped]:
    """Yield the lines of a file without their ends, or why one is no text."""
    for line in text.lines():
        try:
            yield line.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            yield Dropped(DropReason.NOT_UTF8, line.decode(errors="replace"))


def _row(cells: list[str], layout: Layout, single: DropReason, *, is_csv: bool) -> Row:
    """Return the row of a record; `single` is the reason to drop one of a single column."""
    width, columns = layout.width or len(cells), layout.columns
    if columns is None or any(cells[width:]) or (not is_csv and len(cells) > width):
        reason = DropReason.OTHER_COLUMNS if is_csv and columns else DropReason.COLUMNS
        return Dropped(reason, "\t".join(cells))
    if max(columns) >= len(cells):
        return Dropped(single if len(cells) < 2 else DropReason.FEW_COLUMNS, "\t".join(cells))
    attribution = layout.attribution
    third = cells[attribution] if attribution is not None and attribution < len(cells) else ""
    first, second = (cells[column] for column in columns)
    return first, second, third
