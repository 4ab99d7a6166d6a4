"""One line at the foot of a terminal, drawn over and over, and never wider than the terminal."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from tqdm.utils import disp_len

REFRESH_S = 0.1  # between two drawings of the line
SHORTEST_BAR, LONGEST_BAR = 5, 30  # columns inside its brackets
_GAP = "  "  # between two parts


class Line:
    """The line at the foot of the terminal that stderr is."""

    def __init__(self) -> None:
        self._drawn_s: float | None = None  # None: nothing is there

    def draw(self, text_of: Callable[[int], str], *, now: bool = False) -> None:
        """Draw what `text_of` gives for a number of columns, in place of what is there.

        It is drawn at most every REFRESH_S, unless it must be `now`.
        """
        clock_s = time.perf_counter()
        if now or self._drawn_s is None or clock_s - self._drawn_s >= REFRESH_S:
            self._drawn_s = clock_s
            _replace(text_of)

    def clear(self) -> None:
        """Leave the line empty, with the cursor at its start."""
        if self._drawn_s is not None:
            self._drawn_s = None
            _replace(lambda width: "")


def columns() -> int:
    """Return how wide the terminal is now; 80 where it does not tell."""
    found = 0
    with suppress(OSError):
        found = os.get_terminal_size(sys.stderr.fileno()).columns
    return found or 80


def _replace(text_of: Callable[[int], str]) -> None:
    """Write what `text_of` gives for the columns there are over the line that the cursor is in."""
    width = columns() - 1  # in the last column some terminals begin a new line
    with suppress(OSError):  # the terminal may be gone
        sys.stderr.write(f"\r{' ' * width}\r{text_of(width)}")
        sys.stderr.flush()


def stage_line(stage: str, count: str, width: int) -> str:
    """Return a stage with its count, or as much of it as fits: "encoding: 1,000 of 2,000 pairs"."""
    shorter = (f"{stage}: {count}" if count else stage, stage, stage.split()[0], "")
    return next(text for text in shorter if disp_len(text) <= width)


def progress_line(head: str, share: float, facts: Sequence[str], left: str, width: int) -> str:
    """Return progress in at most `width` columns: `head`, a bar, per cent, `facts`, time `left`.

    What has no room is left out whole: first the bar, then the per cent, then of `facts` the last.
    """
    parts = [head, f"{int(100 * share)} %", *facts, left]
    chosen: list[int] = []
    room = width + len(_GAP)
    for place in (0, len(parts) - 1, *range(2, len(parts) - 1), 1):  # the most important first
        needed = len(_GAP) + len(parts[place])
        if needed <= room:
            chosen.append(place)
            room -= needed
    size = min(room - len("[] "), LONGEST_BAR)
    if 1 in chosen and size >= SHORTEST_BAR:
        parts[1] = f"[{bar(share, size)}] {parts[1]}"
    return _GAP.join(parts[place] for place in sorted(chosen))


def bar(share: float, size: int) -> str:
    """Return a bar of `size` columns: 0.5 of 6 is "===>  "."""
    return f"{'=' * int(share * size)}>".ljust(size)[:size]
