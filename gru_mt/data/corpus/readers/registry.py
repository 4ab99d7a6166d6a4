"""The rows of a file, or of two parallel files, by what they are: a new format is added here."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from typing import Any

from gru_mt.data.corpus.files import JSON_LINES, FileGroup
from gru_mt.data.corpus.readers.header import is_header
from gru_mt.data.corpus.readers.json_lines import json_cells
from gru_mt.data.corpus.readers.layout import TableOptions
from gru_mt.data.corpus.readers.parquet import ParquetTable, is_parquet, parquet_cells
from gru_mt.data.corpus.readers.sgml import is_markup, side_lines
from gru_mt.data.corpus.readers.table import table_rows, table_texts
from gru_mt.data.corpus.readers.tmx import tmx_rows
from gru_mt.data.corpus.report import Dropped, DropReason, Row
from gru_mt.data.corpus.text_stream import TextStream, open_text
from gru_mt.errors import UserError

_LINES = 3  # that tell whether a file has JSON lines

Source = TextStream | ParquetTable


@contextmanager
def open_group(
    group: FileGroup, encoding: str | None = None, missing: str = ""
) -> Iterator[list[Source]]:
    """Yield what is in a table, or in two parallel files; see `open_text`."""
    with ExitStack() as stack:
        if len(group) == 1 and is_parquet(group[0]):
            yield [stack.enter_context(ParquetTable(group[0]))]
        else:
            yield [
                stack.enter_context(open_text(file, encoding=encoding, missing=missing))
                for file in group
            ]


def pair_rows(sources: Sequence[Source], options: TableOptions) -> Iterator[Row]:
    """Yield the row of each line of a table, of two parallel files or of a translation memory.

    Raises UserError, here or at reading, for a file of another kind.
    """
    source = sources[0]
    if isinstance(source, ParquetTable):
        return _rows_of(parquet_cells(source, options))
    texts = [text for text in sources if isinstance(text, TextStream)]
    memories = [text for text in texts if _is_tmx(text)]
    if len(texts) == 2:
        if memories:
            raise UserError(
                f"{memories[0].file}: a translation memory has both sides; give it alone"
            )
        return _parallel_rows(texts[0], texts[1], options.languages)
    if memories:
        return tmx_rows(source, options.languages)
    if is_markup(source):
        raise UserError(
            f"{source.file}: markup of one language; for two such files set path: [FILE, FILE]"
        )
    if _is_json(source):
        return _rows_of(json_cells(source, options))
    return table_rows(source, options)


def text_rows(source: Source, options: TableOptions, *, second: bool) -> Iterator[Row]:
    """Yield a row for each line of text in one language, as its first or its `second` side.

    The other side is empty. Raises UserError for a file of another kind.
    """
    for text in _texts(source, options):
        if isinstance(text, Dropped):
            yield text
        else:
            yield ("", text, "") if second else (text, "", "")


def _texts(source: Source, options: TableOptions) -> Iterable[str | Dropped]:
    if isinstance(source, ParquetTable):
        return _first_cells(parquet_cells(source, options))
    if _is_tmx(source):
        raise UserError(
            f"{source.file}: a translation memory has both sides; leave out side: target"
        )
    if is_markup(source):
        return side_lines(source)
    if _is_json(source):
        return _first_cells(json_cells(source, options))
    return table_texts(source, options)


def _first_cells(records: Iterable[list[str] | Dropped]) -> Iterator[str | Dropped]:
    for cells in records:
        yield cells if isinstance(cells, Dropped) else cells[0]


def _rows_of(records: Iterable[list[str] | Dropped]) -> Iterator[Row]:
    for cells in records:
        yield cells if isinstance(cells, Dropped) else (cells[0], cells[1], "")


def _parallel_rows(
    first: TextStream, second: TextStream, languages: Sequence[str]
) -> Iterator[Row]:
    """Yield the row of each line. Raises UserError if one text has more lines than the other."""
    counts = [0, 0]
    for sides in zip_longest(side_lines(first), side_lines(second)):
        counts = [count + (side is not None) for count, side in zip(counts, sides, strict=True)]
        if None in sides:
            continue
        texts = [side.text if isinstance(side, Dropped) else side for side in sides]
        dropped = [side.reason for side in sides if isinstance(side, Dropped)]
        if counts == [1, 1] and not dropped and is_header(texts, languages):
            dropped = [DropReason.HEADER]
        yield Dropped(dropped[0], " | ".join(texts)) if dropped else (texts[0], texts[1], "")
    if counts[0] != counts[1]:
        raise UserError(
            f"{first.file} and {second.file}: {counts[0]:,} and {counts[1]:,} lines; parallel "
            "files need as many"
        )


def _is_tmx(text: TextStream) -> bool:
    start = text.sample.lstrip(b"\xef\xbb\xbf \t\r\n")
    return text.file.ending == ".tmx" or (start.startswith(b"<") and b"<tmx" in start)


def _is_json(text: TextStream) -> bool:
    """Return whether a file has JSON lines; UserError for other JSON."""
    start = text.sample.removeprefix(b"\xef\xbb\xbf")
    lines = [line for line in start.split(b"\n") if line.strip() not in (b"", b"[")][:_LINES]
    if text.file.ending not in (*JSON_LINES, ".json"):
        return bool(lines) and isinstance(_json(lines[0]), dict)
    if lines and not any(map(_json, lines)):
        raise UserError(f"{text.file}: not JSON lines: write one object a line")
    return True


def _json(line: bytes) -> dict[str, Any] | list[str] | None:
    """Return what a line of JSON lines holds: an object, or a list of texts; None for others."""
    try:
        value = json.loads(line.rstrip().removesuffix(b","))
    except (ValueError, RecursionError):
        return None
    is_texts = isinstance(value, list) and all(isinstance(text, str) for text in value)
    return value if isinstance(value, dict) or is_texts else None
