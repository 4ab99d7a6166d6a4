"""Tables in text."""

from collections.abc import Collection, Sequence
from unicodedata import combining, east_asian_width

from gru_mt.errors import escape


def table(rows: Sequence[Sequence[str]], texts: Collection[int] = (0,)) -> list[str]:
    """Return rows of cells as lines: columns of `texts` begin at the left, the others end alike."""
    shown = [[escape(cell) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*shown, strict=True)]
    lines = []
    for row in shown:
        cells = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            gap = " " * (width - _width(cell))
            cells.append(cell + gap if place in texts else gap + cell)
        lines.append("  ".join(cells).rstrip())
    return lines


def number(value: float | None, form: str) -> str:
    """Return a number as `form` says; "-" for None."""
    return "-" if value is None else format(value, form)


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes: a Chinese character takes two."""
    return sum(
        0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text
    )
