"""Parallel files: line by line, one holds the first sides and the other the second."""

from collections.abc import Iterator

from gru_mt.data.corpora.rows import Dropped, DropReason, Row, text_lines
from gru_mt.errors import UserError


def parallel_rows(first: bytes, second: bytes, *, where: str) -> Iterator[Row]:
    """Return the row of each line. Raises UserError if one text has more lines than the other.

    The message calls them `where`.
    """
    firsts, seconds = [*text_lines(first)], [*text_lines(second)]
    if len(firsts) != len(seconds):
        raise UserError(
            f"{where}: {len(firsts):,} and {len(seconds):,} lines; parallel files need as many"
        )
    return map(_row, firsts, seconds)


def _row(first: bytes, second: bytes) -> Row:
    try:
        return first.decode(), second.decode(), ""
    except UnicodeDecodeError:
        sides = (side.decode(errors="replace") for side in (first, second))
        return Dropped(DropReason.NOT_UTF8, " | ".join(sides))
