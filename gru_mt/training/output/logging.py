"""The log of a run: what is logged while it trains, with the time, for people."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gru_mt.progress import MessageFormatter
from gru_mt.storage import append_line


class RunLog(logging.Handler):
    """Appends messages to a file. Those before `open` wait for it, and the file is not touched."""

    def __init__(self, path: Path) -> None:
        super().__init__(logging.DEBUG)
        self._path, self._is_open = path, False
        self._waiting: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Append a message, or let it wait; UserError where the file cannot be written."""
        self._waiting.append(record)
        if self._is_open:
            self.open()

    def open(self) -> None:
        """Append the messages that wait, and from now on every one as it comes."""
        waiting, self._waiting, self._is_open = self._waiting, [], True
        for record in waiting:
            time = logging.Formatter().formatTime(record, "%Y-%m-%d %H:%M:%S")
            append_line(self._path, f"{time}  {MessageFormatter().format(record)}")


@contextmanager
def logging_to(path: Path, *, is_main: bool = True) -> Iterator[RunLog]:
    """Log all messages of gru-mt to a run's log, once it is opened.

    A process beside process 0 of its group logs and prints nothing: it has the same messages.
    """
    logger, log = logging.getLogger("gru_mt"), RunLog(path)
    before = logger.level
    logger.setLevel(logging.DEBUG if is_main else logging.CRITICAL)
    logger.addHandler(log)
    try:
        yield log
    finally:
        logger.removeHandler(log)
        logger.setLevel(before)
