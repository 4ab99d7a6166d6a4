"""Parallel files: line by line, one holds the first sides and the other the second."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from gru_mt.data.corpus.readers.header import is_header
from gru_mt.data.corpus.readers.rows import Dropped, DropReason, Row
from gru_mt.data.corpus.readers.sgml import side_lines
from gru_mt.data.corpus.text_stream import TextStream
from gru_mt.errors import UserError


def parallel_rows(first: TextStream, second: TextStream, languages: Sequence[str]) -> Iterator[Row]:
    """Yield the row of each line. Raises UserError if one text has more lines than the other."""
    lines = [0, 0]
    for pair in zip_longest(side_lines(first), side_lines(second)):
        lines = [count + (line is not None) for count, line in zip(lines, pair, strict=True)]
        if None not in pair and lines[0] == lines[1]:
            yield _row(*pair, languages, is_first=lines[0] == 1)
    if lines[0] != lines[1]:
        raise UserError(
            f"{first.place} and {second.place}: {lines[0]:,} and {lines[1]:,} lines; parallel "
            "files need as many"
        )


def _row(
    first: str | Dropped, second: str | Dropped, languages: Sequence[str], *, is_first: bool
) -> Row:
    texts = [side.text if isinstance(side, Dropped) else side for side in (first, second)]
    for side in (first, second):
        if isinstance(side, Dropped):
            return Dropped(side.reason, " | ".join(texts))
    if is_first and is_header(texts, languages):
        return Dropped(DropReason.HEADER, " | ".join(texts))
    return texts[0], texts[1], ""
