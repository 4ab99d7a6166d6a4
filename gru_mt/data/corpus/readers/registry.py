"""The rows of a file, or of two parallel files, by what they are."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from gru_mt.data.corpus.files import JSON_LINES
from gru_mt.data.corpus.readers.header import is_header
from gru_mt.data.corpus.readers.json_lines import json_cells
from gru_mt.data.corpus.readers.layout import TableOptions
from gru_mt.data.corpus.readers.sgml import is_markup, side_lines
from gru_mt.data.corpus.readers.table import table_rows, table_texts
from gru_mt.data.corpus.readers.tmx import tmx_rows
from gru_mt.data.corpus.report import Dropped, DropReason, Row
from gru_mt.data.corpus.text_stream import TextStream
from gru_mt.errors import UserError

_LINES = 3  # that tell whether a file has JSON lines


def pair_rows(texts: Sequence[TextStream], options: TableOptions) -> Iterable[Row]:
    """Yield the row of each line of a table, of two parallel files or of a translation memory.

    Raises UserError, here or at reading, for a file of another kind.
    """
    if len(texts) == 2:
        for text in texts:
            if _is_tmx(text):
                raise UserError(f"{text.place}: a translation memory has both sides; give it alone")
        return _parallel_rows(texts[0], texts[1], options.languages)
    [text] = texts
    if _is_tmx(text):
        return tmx_rows(text, options.languages)
    if is_markup(text):
        raise UserError(
            f"{text.place}: markup of one language; for two such files set path: [FILE, FILE]"
        )
    if _is_json(text):
        return _rows_of(json_cells(text, options))
    return table_rows(text, options, is_csv=text.place.ending == ".csv")


def text_rows(text: TextStream, options: TableOptions, *, second: bool) -> Iterator[Row]:
    """Yield a row for each line of text in one language, as its first or its `second` side.

    The other side is empty. Raises UserError for a file of another kind.
    """
    for line in _texts(text, options):
        if isinstance(line, Dropped):
            yield line
        else:
            yield ("", line, "") if second else (line, "", "")


def _texts(text: TextStream, options: TableOptions) -> Iterable[str | Dropped]:
    if _is_tmx(text):
        raise UserError(
            f"{text.place}: a translation memory has both sides; leave out side: target"
        )
    if is_markup(text):
        return side_lines(text)
    if _is_json(text):
        cells = json_cells(text, options)
        return (each if isinstance(each, Dropped) else each[0] for each in cells)
    return table_texts(text, options, is_csv=text.place.ending == ".csv")


def _parallel_rows(
    first: TextStream, second: TextStream, languages: Sequence[str]
) -> Iterator[Row]:
    """Yield the row of each line. Raises UserError if one text has more lines than the other."""
    lines = [0, 0]
    for pair in zip_longest(side_lines(first), side_lines(second)):
        lines = [count + (line is not None) for count, line in zip(lines, pair, strict=True)]
        if None not in pair and lines[0] == lines[1]:
            yield _parallel_row(*pair, languages, is_first=lines[0] == 1)
    if lines[0] != lines[1]:
        raise UserError(
            f"{first.place} and {second.place}: {lines[0]:,} and {lines[1]:,} lines; parallel "
            "files need as many"
        )


def _parallel_row(
    first: str | Dropped, second: str | Dropped, languages: Sequence[str], *, is_first: bool
) -> Row:
    texts = [side.text if isinstance(side, Dropped) else side for side in (first, second)]
    for side in (first, second):
        if isinstance(side, Dropped):
            return Dropped(side.reason, " | ".join(texts))
    if is_first and is_header(texts, languages):
        return Dropped(DropReason.HEADER, " | ".join(texts))
    return texts[0], texts[1], ""


def _rows_of(cells: Iterable[list[str] | Dropped]) -> Iterator[Row]:
    for each in cells:
        yield each if isinstance(each, Dropped) else (each[0], each[1], "")


def _is_tmx(text: TextStream) -> bool:
    start = text.beginning().lstrip(b"\xef\xbb\xbf \t\r\n")
    return text.place.ending == ".tmx" or (start.startswith(b"<") and b"<tmx" in start)


def _is_json(text: TextStream) -> bool:
    """Return whether a file has JSON lines; UserError for other JSON."""
    start = text.beginning().removeprefix(b"\xef\xbb\xbf")
    lines = [line for line in start.split(b"\n") if line.strip() not in (b"", b"[")][:_LINES]
    if text.place.ending not in (*JSON_LINES, ".json"):
        return bool(lines) and isinstance(_json(lines[0]), dict)
    if lines and not any(map(_json, lines)):
        raise UserError(f"{text.place}: not JSON lines: write one object a line")
    return True


def _json(line: bytes) -> dict[str, Any] | list[str] | None:
    """Return what a line of JSON lines holds: an object, or a list of texts; None for others."""
    try:
        value = json.loads(line.rstrip().removesuffix(b","))
    except (ValueError, RecursionError):
        return None
    is_texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return value if isinstance(value, dict) or is_texts else None
