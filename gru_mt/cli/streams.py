"""What a command prints: results to stdout, as UTF-8; everything else to stderr. Only translations
are not escaped.

A user may have closed either of them, or sent it to a full disk or into a pipe that ends early.
"""

import logging
import os
import signal
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Any, TextIO, cast

from gru_mt.errors import UserError, escape


class _Results:
    """stdout, but writing raises UserError if the disk is full, and exits if the pipe has ended."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, text: str) -> int:
        if text == "":  # typer writes it as a trial, and would hide an error
            return 0
        with self._explained():
            return self._file.write(text)

    def flush(self) -> None:
        with self._explained():
            self._file.flush()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            _silence(self._file)
            if isinstance(error, BrokenPipeError):
                sys.exit(128 + signal.SIGPIPE)
            raise UserError(f"stdout: cannot be written: {error.strerror}") from None


def open_streams() -> None:
    """Make stdout UTF-8 and wrap it in `_Results`; make a closed stderr the null device.

    `sys.stdin` and `sys.stdout` stay None where they are closed; see `require_stdout`.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            # This takes the free descriptor. Else the next file that we open would get it.
            null = os.open(os.devnull, os.O_RDWR)
            if name == "stderr":  # else `print(..., file=None)` would print to stdout
                sys.stderr = os.fdopen(null, "w", encoding="utf-8", closefd=False)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")
        sys.stdout = cast("TextIO", _Results(sys.stdout))


def require_stdout() -> None:
    """Raise UserError if stdout is closed. A command that prints results calls this first."""
    if sys.stdout is None:
        raise UserError("stdout: is closed, and the results go there")


def print_result(text: str) -> None:
    """Print a line, or lines, to stdout; a name in it does nothing to a terminal."""
    print_translation(escape(text))


def print_translation(text: str) -> None:
    """Print a translation, or several, to stdout as they are."""
    require_stdout()
    print(text)  # noqa: T201 results go to stdout


def table(rows: Sequence[Sequence[str]], texts: Collection[int] = (0,)) -> list[str]:
    """Return rows of cells as lines: columns of `texts` begin at the left, the others end alike."""
    from rich.cells import cell_len  # a Chinese character takes two columns

    rows = [[escape(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]

    def padded(cell: str, column: int) -> str:
        gap = " " * (widths[column] - cell_len(cell))
        return cell + gap if column in texts else gap + cell

    return ["  ".join(map(padded, row, range(len(row)))).rstrip() for row in rows]


def number(value: float | None, form: str) -> str:
    """Return a number as `form` says; "-" for None."""
    return "-" if value is None else format(value, form)


def print_json(values: dict[str, Any]) -> None:
    """Print a JSON object on a line of its own."""
    from gru_mt.inference.preprocessing.lines import json_line

    print_result(json_line(values))


def flush_results() -> None:
    """Write what was printed."""
    if sys.stdout is not None:
        sys.stdout.flush()


def say(text: str) -> None:
    """Print a message to stderr."""
    try:
        print(escape(text), file=sys.stderr)  # noqa: T201 as above
    except OSError:  # the disk is full, or the pipe ended: the results matter more
        _silence(sys.stderr)


class MessageHandler(logging.Handler):
    """Prints what modules log to stderr, above a progress bar."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message."""
        from gru_mt.progress import MessageFormatter, ProgressBar

        with suppress(OSError), ProgressBar.external_write_mode(sys.stderr, nolock=True):
            say(MessageFormatter().format(record))


def print_messages(level: int = logging.WARNING) -> None:
    """Print what modules log to stderr, from `level` on; INFO tells the stages of long work."""
    logger = logging.getLogger("gru_mt")
    logger.setLevel(level)
    if not any(isinstance(handler, MessageHandler) for handler in logger.handlers):
        logger.addHandler(MessageHandler(logging.INFO))


def _silence(stream: TextIO) -> None:
    """Point `stream` at the null device, because Python flushes it again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
