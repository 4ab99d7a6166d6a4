"""A table: each line has the two sides, and perhaps an attribution, with tabs between them."""

from collections.abc import Iterator

from gru_mt.data.corpora.rows import DropReason, Row, text_lines


def table_rows(data: bytes) -> Iterator[Row]:
    """Yield the row of each line."""
    for line in text_lines(data):
        try:
            match line.decode().split("\t"):
                case [first, second]:
                    yield first, second, ""
                case [first, second, attribution]:
                    yield first, second, attribution
                case [_]:
                    yield DropReason.NO_TAB
                case _:
                    yield DropReason.COLUMNS
        except UnicodeDecodeError:
            yield DropReason.NOT_UTF8
