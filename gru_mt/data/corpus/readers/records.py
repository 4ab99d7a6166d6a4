"""From the lines of a table to records: cells between delimiters, perhaps in quotation marks.

A quotation mark that nothing closes would swallow all up to the next one. So a record is read line
by line; it has several lines only where its quotation marks balance no sooner, and where none of
these lines could be a record of its own.
"""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gru_mt.data.corpus.report import Dropped, DropReason

_MOST_LINES = 100  # of a record
_MAX_CELL = 100_000_000  # characters; lines are shorter
_END = "unexpected end of data"  # csv's words where a quotation mark is not closed


class Form(NamedTuple):
    """How the cells of a table are written."""

    delimiter: str
    quoted: bool  # cells may stand in quotation marks, where two are a mark (RFC 4180)
    quote: str = '"'  # the quotation mark
    escape: str | None = None  # a character that stands before a mark instead: \"


def records(
    lines: Iterable[str | Dropped], form: Form, width: int | None = None
) -> Iterator[list[str] | Dropped]:
    """Yield the cells of each record, or why a line has none; `width` is how many most have.

    With quotation marks an empty line is no record, and marks that end amid a cell are text. A line
    is dropped where one stays open, and so are lines that may be one record or several.
    """
    if not form.quoted:
        for line in lines:
            yield line if isinstance(line, Dropped) else line.split(form.delimiter)
        return
    csv.field_size_limit(max(_MAX_CELL, csv.field_size_limit()))  # for the whole process
    rest = _Lookahead(lines)
    for line in rest:
        if isinstance(line, Dropped):
            yield line
        elif line.strip():
            cells, is_open = quoted_cells(line, form)
            if is_open:
                yield from _unbalanced(line, rest, form, width)
            else:
                yield line.split(form.delimiter) if cells is None else cells


def is_closed(cell: str) -> bool:
    """Return whether a cell stands in quotation marks, and each mark in it is doubled."""
    return len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in cell[1:-1].replace('""', "")


def has_doubled(cell: str) -> bool:
    """Return whether a cell stands in quotation marks, and has others that are doubled."""
    return is_closed(cell) and '""' in cell[1:-1]


def quoted_cells(text: str, form: Form) -> tuple[list[str] | None, bool]:
    """Return the cells of a record, and whether a quotation mark in it is still open.

    Cells are None where the marks do not fit.
    """
    if form.quote not in text:
        return text.split(form.delimiter), False
    follows_space = f"{form.delimiter} {form.quote}" in text
    try:
        [cells] = csv.reader(
            [text],
            delimiter=form.delimiter,
            quotechar=form.quote,
            escapechar=form.escape,
            skipinitialspace=follows_space,
            strict=True,
        )
    except (csv.Error, ValueError) as error:  # ValueError: several records, by a line feed
        return None, str(error) == _END
    return cells, False


class _Lookahead(Iterator[str | Dropped]):
    """The lines of a file, of which the next ones can be seen before they are taken."""

    def __init__(self, lines: Iterable[str | Dropped]) -> None:
        self._lines, self._seen = iter(lines), deque[str | Dropped]()

    def __next__(self) -> str | Dropped:
        return self._seen.popleft() if self._seen else next(self._lines)

    def ahead(self) -> Iterator[str | Dropped]:
        """Yield the next lines, which stay."""
        for place in range(_MOST_LINES - 1):
            if place == len(self._seen):
                line = next(self._lines, None)
                if line is None:
                    return
                self._seen.append(line)
            yield self._seen[place]


def _unbalanced(
    line: str, rest: _Lookahead, form: Form, width: int | None
) -> Iterator[list[str] | Dropped]:
    """Yield the record that begins with a line that leaves a mark open, or why there is none."""
    lines = [line] if width == 1 else _lines_of_record(line, rest, form)
    cells, _ = quoted_cells("\n".join(lines), form)
    for _ in lines[1:]:
        next(rest)
    if cells is None or width not in (None, len(cells)) or _are_records(lines, form, width):
        yield from (Dropped(DropReason.QUOTES, each) for each in lines)
    else:
        yield cells


def _lines_of_record(line: str, rest: _Lookahead, form: Form) -> list[str]:
    """Return a line and those after it up to the one that balances the marks; else it alone."""
    lines = [line]
    for following in rest.ahead():
        if isinstance(following, Dropped):
            break
        lines.append(following)
        if form.quote in following:
            cells, is_open = quoted_cells("\n".join(lines), form)
            if cells is not None:
                return lines
            if not is_open:
                break
    return [line]


def _are_records(lines: list[str], form: Form, width: int | None) -> bool:
    """Return whether lines may be records of their own, between two marks that mean nothing."""
    within = [quoted_cells(line, form)[0] for line in lines[1:-1]]
    as_text = [line.split(form.delimiter) for line in lines]
    return any(cells is not None and len(cells) == width for cells in within) or all(
        len(cells) == width for cells in as_text
    )
