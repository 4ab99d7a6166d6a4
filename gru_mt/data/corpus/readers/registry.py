"""The rows of a file, or of two parallel files, by what they are: a new format is added here."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from typing import Any

from gru_mt.data.corpus.files import JSON_LINES, FileGroup
from gru_mt.data.corpus.readers.header import is_header
from gru_mt.data.corpus.readers.json_lines import json_records
from gru_mt.data.corpus.readers.layout import ReadOptions
from gru_mt.data.corpus.readers.parquet import ParquetTable, is_parquet, parquet_records
from gru_mt.data.corpus.readers.sgml import is_markup, side_lines
from gru_mt.data.corpus.readers.table import table_records
from gru_mt.data.corpus.readers.tmx import tmx_records
from gru_mt.data.corpus.report import Dropped, DropReason, Record, Row
from gru_mt.data.corpus.text_stream import TextStream, open_text
from gru_mt.errors import UserError

_LINES = 3  # at the beginning, that decide whether a file has JSON lines

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


def read_rows(sources: Sequence[Source], options: ReadOptions) -> Iterator[Row]:
    """Yield the row of each line of a table, of two parallel files or of a translation memory.

    Of a monolingual corpus the other side is empty. Raises UserError, here or at reading, for a
    file of another kind.
    """
    for record in _records(sources, options):
        if isinstance(record, Dropped):
            yield record
        elif options.side is None:
            yield record[0], record[1], record[2] if len(record) > 2 else ""
        else:
            yield ("", record[0], "") if options.side else (record[0], "", "")


def _records(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    source = sources[0]
    if isinstance(source, ParquetTable):
        return parquet_records(source, options)
    memory = next((text for text in sources if _is_tmx(text)), None)
    if memory and (len(sources) > 1 or options.side is not None):
        fix = "give it alone" if len(sources) > 1 else "leave out side: target"
        raise UserError(f"{memory.file}: a translation memory has both sides; {fix}")
    if len(sources) > 1:
        return _parallel_records(sources, options.languages)
    if memory:
        return tmx_records(source, options.languages)
    if is_markup(source):
        if options.side is None:
            raise UserError(
                f"{source.file}: markup of one language; for two such files set path: [FILE, FILE]"
            )
        return (line if isinstance(line, Dropped) else [line] for line in side_lines(source))
    if _is_json(source):
        return json_records(source, options)
    return table_records(source, options)


def _parallel_records(sources: Sequence[Source], languages: Sequence[str]) -> Iterator[Record]:
    """Yield the two texts of each line; UserError if one file has more lines than the other."""
    counts = [0, 0]
    lines = (side_lines(source) for source in sources if isinstance(source, TextStream))
    for sides in zip_longest(*lines):
        counts = [count + (side is not None) for count, side in zip(counts, sides, strict=True)]
        if None in sides:
            continue
        texts = [side.text if isinstance(side, Dropped) else side for side in sides]
        dropped = [side.reason for side in sides if isinstance(side, Dropped)]
        if counts == [1, 1] and not dropped and is_header(texts, languages):
            dropped = [DropReason.HEADER]
        yield Dropped(dropped[0], " | ".join(texts)) if dropped else texts
    if counts[0] != counts[1]:
        raise UserError(
            f"{sources[0].file} and {sources[1].file}: {counts[0]:,} and {counts[1]:,} lines; "
            "parallel files need as many"
        )


def _is_tmx(text: Source) -> bool:
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
