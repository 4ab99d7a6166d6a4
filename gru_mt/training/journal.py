"""What a run tells the person who waits."""

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Never

from tqdm import tqdm

from gru_mt.errors import printable
from gru_mt.storage import append_line

LINE_SECONDS = 30.0  # between lines of progress where stderr is no terminal


class Journal:
    """Prints lines to stderr, writes them into a log, and shows progress.

    The log is not touched before `start`, which writes the lines that were said until then.
    """

    def __init__(self, log: Path, *, silent: bool = False) -> None:
        """Take the file of the log; a silent journal prints nothing."""
        self._log, self._silent = log, silent
        self._waiting: list[str] | None = []  # lines said before `start`
        self._bar: tqdm[Never] | None = None
        self._said_s = time.perf_counter()
        self._done = 0
        self._started_s = 0.0

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

    def start(self, done: int) -> None:
        """Begin to write the log and to show progress, after `done` updates."""
        for line in self._waiting or []:
            append_line(self._log, line)
        self._waiting = None
        self._started_s, self._done = time.perf_counter(), done
        if sys.stderr.isatty():
            self._bar = tqdm(initial=done, unit=" updates", dynamic_ncols=True)

    def progress(self, step: int, total: int, shown: dict[str, str]) -> None:
        """Show that `step` of `total` updates are done, and the names and values of `shown`."""
        if self._bar is not None:
            self._bar.total = total
            self._bar.set_postfix(shown, refresh=False)
            self._bar.update(step - self._bar.n)
        elif time.perf_counter() - self._said_s > LINE_SECONDS:
            self._said_s = time.perf_counter()
            pace_s = (self._said_s - self._started_s) / max(1, step - self._done)
            facts = [f"{name} {value}" for name, value in shown.items()]
            left = f"{(total - step) * pace_s / 60:.1f} min left"
            self.say(", ".join([f"update {step:,} of {total:,}", *facts, left]))

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
