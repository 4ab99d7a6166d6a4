"""What a person sees of long work: messages of the logger `gru_mt`, and progress bars.

Modules log what is done as INFO, what wants attention as WARNING, and for a run's log as DEBUG.
"""

import io
import logging
import sys
from collections.abc import Iterable
from typing import Any

from tqdm import tqdm

from gru_mt.errors import escape

WITH_TOTAL = "{desc}  [{bar:20}] {percentage:.0f} %, {remaining} left{postfix}"
LOG_S = 30.0  # between lines of progress where stderr is no terminal
log = logging.getLogger(__name__)


class MessageFormatter(logging.Formatter):
    """Formats a record as its text, with "warning: " before a warning."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the message, with what a terminal would obey in it escaped."""
        text = escape(record.getMessage())
        return f"warning: {text}" if record.levelno == logging.WARNING else text


class ProgressBar(tqdm):  # type: ignore[type-arg]  # it takes none at run time
    """A bar on a terminal; elsewhere a message at the beginning, and one every LOG_S seconds."""

    monitor_interval = 0  # no thread that looks after slow bars

    def __init__(
        self,
        description: str,
        *,
        unit: str,
        items: Iterable[Any] | None = None,
        total: float | None = None,
        initial: int = 0,
        delay_s: float = 0,
    ) -> None:
        """Begin with `initial` of `total` units done, such as "pairs"; iterating yields `items`.

        A `description` is logged at once; without one the caller sets it later. What ends within
        `delay_s` shows no bar.
        """
        is_silent = not log.isEnabledFor(logging.ERROR)  # as in all but one of several processes
        self._is_terminal = sys.stderr.isatty() and not is_silent
        super().__init__(
            items,
            description,
            total,
            file=sys.stderr if self._is_terminal else io.StringIO(),
            leave=False,
            dynamic_ncols=True,
            mininterval=0.1 if self._is_terminal else LOG_S,
            miniters=1,
            unit=unit,
            initial=initial,
            delay=delay_s,
            bar_format=WITH_TOTAL if total else "{desc}: {n:,} {unit}{postfix}",
        )
        if description:
            (log.debug if self._is_terminal else log.info)(description)

    def display(self, msg: str | None = None, pos: int | None = None) -> Any:  # bool
        """Show how far the work is; return whether the terminal's line has changed."""
        if self._is_terminal:
            return self.format_dict["elapsed"] >= self.delay and super().display(msg, pos)
        if msg is None and self.n > self.initial:
            text = f"{self.desc.removesuffix(': ')}: {self.n:,}"
            text += f" of {self.total:,} {self.unit}" if self.total else f" {self.unit}"
            text += f", {self.postfix}" if self.postfix else ""
            if self.total:
                elapsed_s = self.format_dict["elapsed"]
                left_s = elapsed_s / (self.n - self.initial) * (self.total - self.n)
                text += f", {left_s / 60:,.1f} min left"
            log.info(text)
        return False
