"""From the lines of a table to records: cells between delimiters, perhaps in quotation marks.

A mark that nothing closes swallows no line that could be a record of its own.
"""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from gru_mt.data.corpus.report import Dropped, DropReason

_MOST_LINES = 100  # of a record
_MAX_CELL = 100_000_000  # characters; lines are shorter


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
    is dropped where a mark stays open, and so are lines that may be one record or several.
    """
    if not form.quoted:
        for text in lines:
            yield text if isinstance(text, Dropped) else text.split(form.delimiter)
        return
    csv.field_size_limit(max(_MAX_CELL, csv.field_size_limit()))  # for the whole process
    following, ahead = iter(lines), deque[str | Dropped]()
    while (line := ahead.popleft() if ahead else next(following, None)) is not None:
        if isinstance(line, Dropped):
            yield line
            continue
        cells, is_open = quoted_cells(line, form)
        if not is_open:
            if line.strip():
                yield line.split(form.delimiter) if cells is None else cells
            continue
        ahead.extend(islice(following, _MOST_LINES - 1 - len(ahead)))
        record = [line] if width == 1 else _lines_of_record(line, ahead, form)
        for _ in record[1:]:
            ahead.popleft()
        cells, _ = quoted_cells("\n".join(record), form)
        if cells and width in (None, len(cells)) and not _are_records(record, form, width):
            yield cells
        else:
            yield from (Dropped(DropReason.QUOTES, text) for text in record)


def quoted_cells(text: str, form: Form) -> tuple[list[str] | None, bool]:
    """Return the cells of a record, and whether a quotation mark in it is still open.

    Cells are None where the marks do not fit.
    """
    if form.quote not in text:
        return text.split(form.delimiter), False
    follows_space = f"{form.delimiter} {form.quote}" in text
    try:
        [cells] = csv.reader(
            [text], delimiter=form.delimiter, quotechar=form.quote, escapechar=form.escape,
            skipinitialspace=follows_space, strict=True,
        )  # fmt: skip
    except (csv.Error, ValueError) as error:  # ValueError: several records, by a line feed
        closed = text.replace(f"{form.quote} {form.delimiter}", f"{form.quote}{form.delimiter}")
        if closed != text:  # "a" , "b"
            return quoted_cells(closed, form)
        return None, str(error) == "unexpected end of data"
    return cells, False


def _lines_of_record(line: str, ahead: Iterable[str | Dropped], form: Form) -> list[str]:
    """Return a line and those after it up to the one that closes its mark; else the line."""
    lines = [line]
    for following in ahead:
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
    within = (quoted_cells(line, form)[0] for line in lines[1:-1])
    are_full = all(len(line.split(form.delimiter)) == width for line in lines)
    return are_full or any(cells is not None and len(cells) == width for cells in within)
