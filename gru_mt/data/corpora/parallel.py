"""Parallel files: line by line, one holds the first sides and the other the second."""

from collections.abc import Iterator
from itertools import zip_longest

from gru_mt.data.corpora.reading import TextStream
from gru_mt.data.corpora.rows import Dropped, DropReason, Row
from gru_mt.errors import UserError


def parallel_rows(first: TextStream, second: TextStream, *, where: str) -> Iterator[Row]:
    """Yield the row of each line. Raises UserError if one text has more lines than the other.

    The message calls them `where`.
    """
    lines = [0, 0]
    for pair in zip_longest(first.lines(), second.lines()):
        lines = [count + (line is not None) for count, line in zip(lines, pair, strict=True)]
        if None not in pair and lines[0] == lines[1]:
            yield _row(*pair)
    if lines[0] != lines[1]:
        raise UserError(
            f"{where}: {lines[0]:,} and {lines[1]:,} lines; parallel files need as many"
        )


def _row(first: bytes, second: bytes) -> Row:
    try:
        return first.decode(), second.decode(), ""
    except UnicodeDecodeError:
        sides = (side.decode(errors="replace") for side in (first, second))
        return Dropped(DropReason.NOT_UTF8, " | ".join(sides))
