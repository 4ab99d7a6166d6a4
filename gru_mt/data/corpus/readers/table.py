"""A table: a line has the texts in some of its columns, and perhaps an attribution.

Its first lines decide on quotation marks, header, columns and the delimiter: a tab, or |||; in a
.csv others too.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from typing import NamedTuple

from gru_mt.data.corpus.readers.columns import (
    NAME,
    NEARLY_ALL,
    NUMBER,
    ReadOptions,
    chosen_columns,
    columns_note,
    is_header,
    is_mostly,
    is_text,
    named_columns,
)
from gru_mt.data.corpus.readers.records import Form, quoted_cells, records
from gru_mt.data.corpus.report import Dropped, DropReason, Record
from gru_mt.data.corpus.text_stream import TextStream
from gru_mt.errors import UserError

_DELIMITERS = ",;\t|"
_BARS = "|||"  # of Moses and fast_align
_FEW, _MOST = 5, 2_000  # lines to detect numbers; lines that are looked at
_CREDITS = 20  # different attributions to others than Tatoeba
_IN_PROSE = re.compile(r" .*[^\W\d].*", re.DOTALL)  # what follows a comma in a sentence
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # Excel's first line
_CLOSED = re.compile(r'"(?:[^"]|"")*"')  # a cell in quotation marks; those in it are doubled

_Table = Sequence[Sequence[str]]  # the cells of some records


class Layout(NamedTuple):
    """How to read a table's records."""

    form: Form
    skipped: int  # records at its beginning that are no data
    usual: int | None  # cells of most records
    width: int | None  # cells of a record, at most; records with more are dropped
    columns: tuple[int, ...] = ()  # of the languages, from 0; () if unknown
    attribution: slice = slice(0)  # the column with the source of each pair, or none


def table_records(text: TextStream, options: ReadOptions) -> Iterator[Record]:
    """Yield the texts of each record, in the order of the languages, then its attribution.

    Raises UserError where the header contradicts the options.
    """
    layout, is_csv = find_layout(text, options), text.file.ending == ".csv"
    left = layout.skipped
    for cells in records(text.lines(), layout.form, layout.usual):
        if isinstance(cells, Dropped):
            yield cells
        elif left:
            left -= 1
            yield Dropped(DropReason.HEADER, "\t".join(cells))
        elif reason := _reason(cells, layout, options, is_csv=is_csv):
            yield Dropped(reason, "\t".join(cells))
        else:
            yield [cells[column] for column in layout.columns] + cells[layout.attribution]


def _reason(
    cells: list[str], layout: Layout, options: ReadOptions, *, is_csv: bool
) -> DropReason | None:
    """Return why a record has not the columns that are read; None if it has them."""
    if not any(map(str.strip, cells)):
        return DropReason.BLANK
    width, is_single = layout.width or len(cells), options.side is not None
    is_wider = any(cells[width:]) or (len(cells) > width and not is_csv and not is_single)
    if is_wider or not layout.columns:
        if is_single:
            return DropReason.SEVERAL_COLUMNS
        return DropReason.OTHER_COLUMNS if is_csv and layout.columns else DropReason.COLUMNS
    if max(layout.columns) < len(cells):
        return None
    has_marks = is_csv or is_single or options.columns or len(cells) > 1
    return DropReason.FEW_COLUMNS if has_marks else DropReason.NO_TAB


def find_layout(text: TextStream, options: ReadOptions) -> Layout:
    """Return the layout of a table; its notes say what only the values decided, and not a name."""
    lines = [line.removesuffix("\r") for line in text.start.removesuffix("\n").split("\n")[:_MOST]]
    is_csv = text.file.ending == ".csv"
    separator = _SEPARATOR_LINE.fullmatch(lines[0]) if is_csv else None
    lines = lines[separator is not None :]
    delimiter = options.delimiter or (separator[1] if separator else "")
    if is_csv and len(delimiter) < 2:
        form = _csv_form(lines, delimiter or _DELIMITERS, options)
    else:
        has_two = len(options.languages) > 1
        has_bars = has_two and sum(_BARS in line for line in lines) >= NEARLY_ALL * len(lines)
        mark = delimiter or (_BARS if has_bars else "\t")
        may_be_quoted = len(mark) == 1 and has_two
        form = Form(mark, quoted=may_be_quoted and _is_quoted(lines, mark))
    read = [cells for cells in records(lines, form) if not isinstance(cells, Dropped)]
    table = [*dropwhile(lambda cells: not any(map(str.strip, cells)), read)]
    width = _usual_width(table)
    names = table[0] if table and _has_header(table, width, options.languages) else []
    skipped = int(separator is not None) + (len(read) - len(table) + 1 if names else 0)
    found = Layout(form, skipped, width or None, width if is_csv else None)
    if columns := chosen_columns(names, options, text.file):
        return found._replace(columns=columns)
    if len(options.languages) == 1:
        return found._replace(columns=(0,) if width < 2 else (), width=1)
    return _by_values(found, table[bool(names) :], width, options, text)


def _by_values(
    found: Layout, table: _Table, width: int, options: ReadOptions, text: TextStream
) -> Layout:
    """Return a layout with the columns that hold text: the first two, where up to three may.

    Raises UserError for a third column of text that is no attribution.
    """
    columns = [_cells(table, column) for column in range(width)]
    texts = tuple(column for column, cells in enumerate(columns) if is_text(cells))
    in_prose = any(is_mostly(_IN_PROSE, cells) for cells in columns[1:])
    if in_prose and width > 2 and found.form.delimiter != "\t":
        return found._replace(width=1)  # a delimiter that stands in sentences divides nothing
    if width < 4 and (len(texts) != 2 or texts == (0, 1)):
        third = columns[2] if width == 3 else []
        is_credit = not (is_mostly(NUMBER, third) or is_mostly(NAME, third))
        others = [cell for cell in third if cell.strip() and "tatoeba.org" not in cell]
        if is_credit and len({*others}) > max(_CREDITS, len(others) // 2):
            raise UserError(
                f"{text.file}: column 3 is no attribution, as nearly every line has another text "
                f"in it: set columns to those of {' and '.join(options.languages)}, such as "
                "--columns 1,2 of gru-mt init"
            )
        most = 3 if found.width is None else max(2, width)
        return found._replace(columns=(0, 1), attribution=slice(2, 2 + is_credit), width=most)
    if len(texts) != 2:
        return found._replace(width=3)
    if texts != (0, 1):
        numbers = [str(column + 1) for column in texts]
        text.notes.append(f"{text.file}: {columns_note(numbers, options)}")
    return found._replace(columns=texts)


def _csv_form(lines: Sequence[str], marks: str, options: ReadOptions) -> Form:
    lines = [line for line in lines if line.strip()]
    escapes = [None, "\\"] if any('\\"' in line for line in lines) else [None]
    single = sum(line[0] == line[-1] == "'" for line in lines) >= NEARLY_ALL * len(lines)
    quote = "'" if single else '"'
    forms = [Form(mark, True, quote, escape) for mark in marks for escape in escapes]
    return max(forms, key=lambda form: _fitness(lines, form, options))


def _fitness(lines: Sequence[str], form: Form, options: ReadOptions) -> tuple[float, ...]:
    """Return whether nearly all records have as many cells; then what makes a form better.

    That is a header, no space after a delimiter, as in prose, no more columns than are read, and
    quotation marks that fit more lines.
    """
    read = [*records(lines, form)]
    table = [cells for cells in read if not isinstance(cells, Dropped)]
    width = _usual_width(table)
    least = max([len(options.languages), *(options.columns or ())])
    if width < least:
        return (0,)
    share = sum(len(cells) == width for cells in table) / len(read)
    after = [cell for cells in table for cell in cells[1:]]
    is_prose = 2 * sum(cell[:1] == " " for cell in after) > len(after)
    has_header = bool(named_columns(table[0], options.languages))
    sound = sum(quoted_cells(line, form) != (None, False) for line in lines)
    return share >= NEARLY_ALL, has_header, not is_prose, width == least, sound, share


def _is_quoted(lines: Sequence[str], delimiter: str) -> bool:
    """Return whether all cells but numbers are in quotation marks, or just those that hold some."""
    cells = [cell for line in lines for cell in line.split(delimiter) if cell.strip()]
    marked = [cell for cell in cells if '"' in cell]
    closed = [cell for cell in marked if _CLOSED.fullmatch(cell)]
    numbers = sum(NUMBER.fullmatch(cell) is not None for cell in cells)
    if closed and len(closed) + numbers >= NEARLY_ALL * len(cells):
        return True
    needed = sum('""' in cell[1:-1] for cell in closed)
    open_end = sum(cell.count('"') % 2 for cell in marked)  # of a cell of several lines
    return needed > 0 and needed + open_end == len(marked)


def _usual_width(table: _Table) -> int:
    widths = Counter(map(len, table))
    return max(widths, key=lambda width: (widths[width], width), default=0)


def _has_header(table: _Table, width: int, languages: Sequence[str]) -> bool:
    """Return whether the first record names the columns, at least one of numbers."""
    first, rest = table[0], table[1:]
    if is_header(first, languages):
        below = Counter(cell for cells in rest for cell in enumerate(cells))
        return not any(2 * below[cell] > len(rest) for cell in enumerate(first))
    return width > 2 and len(first) == width and len(rest) >= _FEW and any(
        not NUMBER.fullmatch(first[column]) and is_mostly(NUMBER, _cells(rest, column))
        for column in range(width)
    )  # fmt: skip


def _cells(table: _Table, column: int) -> list[str]:
    return [cells[column] for cells in table if column < len(cells)]
