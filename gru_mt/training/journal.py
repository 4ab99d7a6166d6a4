"""What a run tells the person who waits."""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from gru_mt.errors import escape
from gru_mt.storage import append_line
from gru_mt.training.display import Line, progress_line, stage_line

LINE_SECONDS = 30.0  # between lines of progress where stderr is no terminal


class Meter:
    """Progress of a long work: one line on a terminal; elsewhere a new line now and then."""

    def __init__(self, say: Callable[[str], None], line: Line | None, unit: str, done: int) -> None:
        """Begin after `done` units of the work, such as "update".

        `line` is the terminal's, and without a terminal `say` prints a new one.
        """
        self._say, self._line, self._unit, self._done = say, line, unit, done
        self._started_s = self._said_s = time.perf_counter()

    def show(self, done: int, total: int, facts: Sequence[str]) -> None:
        """Show that `done` of `total` units are done, and `facts`, the most important first.

        On a terminal the first fact stands for the count of units, if there is one.
        """
        now_s = time.perf_counter()
        pace_s = (now_s - self._started_s) / max(1, done - self._done)
        left = f"{(total - done) * pace_s / 60:,.1f} min left"
        count = f"{self._unit} {done:,} of {total:,}"
        if self._line is not None:
            head, *others = facts or [count]
            share = done / total
            self._line.draw(lambda width: progress_line(head, share, others, left, width))
        elif now_s - self._said_s > LINE_SECONDS:
            self._said_s = now_s
            self._say(", ".join([count, *facts, left]))

    def close(self) -> None:
        """Take the terminal's line away."""
        if self._line is not None:
            self._line.clear()


class Journal:
    """Prints lines to stderr, and writes them into a log.

    The log is not touched before `start`, which writes the lines that were said until then.
    """

    def __init__(self, log: Path, *, silent: bool = False) -> None:
        """Take the file of the log; a silent journal prints nothing."""
        self._log, self._silent = log, silent
        self._waiting: list[str] | None = []  # lines said before `start`
        self._line = Line() if sys.stderr.isatty() and not silent else None
        self._stages: dict[str, float] = {}  # when each was named, in seconds
        self._said_s = 0.0  # when a line was said of one

    def say(self, text: str) -> None:
        """Print a line to stderr, above the terminal's line of progress, and log it."""
        if not self._silent:
            self.close()
            with suppress(OSError):  # stderr may be closed; the log has the line
                sys.stderr.write(f"{escape(text)}\n")
                sys.stderr.flush()
        self.note(text)

    def note(self, text: str) -> None:
        """Log a line, and print nothing."""
        line = f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {escape(text)}"
        if self._waiting is None:
            append_line(self._log, line)
        else:
            self._waiting.append(line)

    def warn(self, text: str) -> None:
        """Say that something wants attention."""
        self.say(f"warning: {text}")

    def stage(self, stage: str, count: str = "", share: float | None = None) -> None:
        """Show what is being done and how much of it is, on a terminal in one line.

        With a `share` of the work, from 0 to 1, it says how long the rest will take. The log, and
        stderr where it is no terminal, get a line when a stage is first named, and another every so
        often.
        """
        now_s = time.perf_counter()
        is_new = stage not in self._stages
        if is_new:
            self._stages[stage] = self._said_s = now_s
        left = ""
        if share:
            left_s = (now_s - self._stages[stage]) * (1 - share) / share
            left = f"{left_s / 60:,.1f} min left"
        if share and self._line is not None:
            head = f"{escape(stage)}: {count}"
            self._line.draw(lambda width: progress_line(head, share, [], left, width))
        else:
            self.show(stage, count, now=is_new)
        if is_new:
            (self.say if self._line is None else self.note)(stage)
        elif share and self._line is None and now_s - self._said_s > LINE_SECONDS:
            self._said_s = now_s
            self.say(f"{stage}: {count}, {left}")

    def show(self, stage: str, count: str = "", *, now: bool = True) -> None:
        """Show on a terminal what is being done, at once unless it may wait for the next count."""
        if self._line is not None:
            name = escape(stage)
            self._line.draw(lambda width: stage_line(name, count, width), now=now)

    def start(self) -> None:
        """Begin to write the log."""
        for line in self._waiting or []:
            append_line(self._log, line)
        self._waiting = None

    def meter(self, unit: str, done: int) -> Meter:
        """Return what shows the progress of a work of which `done` units are done before."""
        return Meter(self.say, self._line, unit, done)

    def close(self) -> None:
        """Take the terminal's line of progress away, before something else is printed."""
        if self._line is not None:
            self._line.clear()
