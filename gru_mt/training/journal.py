"""What a run tells the person who waits."""

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Never

from tqdm import tqdm

from gru_mt.errors import printable
from gru_mt.storage import append_line

LINE_SECONDS = 30.0  # between lines of progress where stderr is no terminal


class Meter:
    """Progress of a long work: a bar on a terminal; elsewhere a line now and then."""

    def __init__(self, say: Callable[[str], None], unit: str, done: int) -> None:
        """Begin after `done` units of the work, such as "update"; `say` prints a line."""
        self._say, self._unit, self._done = say, unit, done
        self._started_s = self._said_s = time.perf_counter()
        self._bar: tqdm[Never] | None = None
        if sys.stderr.isatty():
            self._bar = tqdm(initial=done, unit=f" {unit}s", dynamic_ncols=True)

    def show(self, done: int, total: int, shown: dict[str, str]) -> None:
        """Show that `done` of `total` units are done, and the names and values of `shown`."""
        if self._bar is not None:
            self._bar.total = total
            self._bar.set_postfix(shown, refresh=False)
            self._bar.update(done - self._bar.n)
        elif time.perf_counter() - self._said_s > LINE_SECONDS:
            self._said_s = time.perf_counter()
            pace_s = (self._said_s - self._started_s) / max(1, done - self._done)
            facts = [f"{name} {value}" for name, value in shown.items()]
            left = f"{(total - done) * pace_s / 60:.1f} min left"
            self._say(", ".join([f"{self._unit} {done:,} of {total:,}", *facts, left]))

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Journal:
    """Prints lines to stderr, and writes them into a log.

    The log is not touched before `start`, which writes the lines that were said until then.
    """

    def __init__(self, log: Path, *, silent: bool = False) -> None:
        """Take the file of the log; a silent journal prints nothing."""
        self._log, self._silent = log, silent
        self._waiting: list[str] | None = []  # lines said before `start`

    def say(self, text: str) -> None:
        """Print a line to stderr, above the bar if there is one, and log it."""
        text = printable(text)
        if not self._silent:
            with suppress(OSError):  # stderr may be closed; the log has the line
                tqdm.write(text, file=sys.stderr)
        line = f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {text}"
        if self._waiting is None:
            append_line(self._log, line)
        else:
            self._waiting.append(line)

    def warn(self, text: str) -> None:
        """Say that something wants attention."""
        self.say(f"warning: {text}")

    def start(self) -> None:
        """Begin to write the log."""
        for line in self._waiting or []:
            append_line(self._log, line)
        self._waiting = None

    def meter(self, unit: str, done: int) -> Meter:
        """Return what shows the progress of a work of which `done` units are done before."""
        return Meter(self.say, unit, done)
