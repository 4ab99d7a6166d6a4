"""A table: a line has the texts in some of its columns, and perhaps an attribution.

A table whose name ends in .csv has commas, semicolons or other marks between its columns; others
have tabs.
"""

from collections.abc import Iterator

from gru_mt.data.corpus.readers.layout import Layout, ReadOptions, find_layout
from gru_mt.data.corpus.readers.records import records
from gru_mt.data.corpus.report import Dropped, DropReason, Record
from gru_mt.data.corpus.text_stream import TextStream


def table_records(text: TextStream, options: ReadOptions) -> Iterator[Record]:
    """Yield the texts of each record, in the order of the languages, then its attribution.

    Raises UserError where the header contradicts the options.
    """
    layout, is_csv = find_layout(text.sample, options, text.file), text.file.ending == ".csv"
    if layout.note:
        text.notes.append(f"{text.file}: {layout.note}")
    for number, cells in enumerate(records(text_lines(text), layout.form, layout.usual)):
        if isinstance(cells, Dropped):
            yield cells
            continue
        reason = _reason(cells, layout, options, is_csv=is_csv)
        if number < layout.skipped:
            reason = DropReason.HEADER
        if reason or not layout.columns:
            yield Dropped(reason or DropReason.COLUMNS, "\t".join(cells))
            continue
        found = [cells[column] for column in layout.columns]
        if layout.attribution is not None:
            found += cells[layout.attribution :][:1]
        yield found


def text_lines(text: TextStream) -> Iterator[str | Dropped]:
    """Yield the lines of a file without their ends, or why one is no text."""
    for line in text.lines():
        try:
            yield line.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            yield Dropped(DropReason.NOT_UTF8, line.decode(errors="replace"))


def _reason(
    cells: list[str], layout: Layout, options: ReadOptions, *, is_csv: bool
) -> DropReason | None:
    """Return why a record has not the columns that are read; None if it has them."""
    width, is_single = layout.width or len(cells), options.side is not None
    is_wider = any(cells[width:]) or (len(cells) > width and not is_csv and not is_single)
    if layout.columns is None or is_wider:
        if is_single:
            return DropReason.SEVERAL_COLUMNS
        return DropReason.OTHER_COLUMNS if is_csv and layout.columns else DropReason.COLUMNS
    if max(layout.columns) < len(cells):
        return None
    has_marks = is_csv or is_single or options.columns or len(cells) > 1
    return DropReason.FEW_COLUMNS if has_marks else DropReason.NO_TAB
