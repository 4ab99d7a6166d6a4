"""What a command prints: results to stdout, as UTF-8; everything else to stderr, printable.

Either may be closed, full, or made for another encoding.
"""

import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, TextIO

from gru_mt.errors import UserError, printable


def open_streams() -> None:
    """Have stdout write UTF-8, and the null device stand in for streams that are closed.

    `sys.stdout` stays None where it is closed; see `require_stdout`.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            # Opening takes the lowest free descriptor, so that no file of ours becomes this stream.
            null = os.open(os.devnull, os.O_RDWR)
            if name == "stderr":  # else `print(..., file=None)` would print to stdout
                sys.stderr = os.fdopen(null, "w", encoding="utf-8", closefd=False)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")


def require_stdout() -> None:
    """Raise UserError where stdout is closed: for a command with results, before its work."""
    if sys.stdout is None:
        raise UserError("stdout: is closed, and the results go there")


def print_result(text: str) -> None:
    """Print a line, or lines, to stdout; see `flush_results`."""
    require_stdout()
    with _told_of_stdout():
        print(text)  # noqa: T201 results go to stdout


def print_json(values: Mapping[str, Any]) -> None:
    """Print a JSON object on a line of its own."""
    print_result(json.dumps(values, ensure_ascii=False))


def flush_results() -> None:
    """Write what was printed.

    Raises UserError where stdout cannot be written, on a full disk above all. Leaves without a word
    where whoever read it has closed it.
    """
    with _told_of_stdout():
        if sys.stdout is not None:
            sys.stdout.flush()


@contextmanager
def results_flushed() -> Iterator[None]:
    """Flush results at the end, also where what was printed last was not ours, as help is."""
    try:
        yield
    finally:
        flush_results()


@contextmanager
def _told_of_stdout() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        _silence(sys.stdout)
        if isinstance(error, BrokenPipeError):
            sys.exit(128 + signal.SIGPIPE)
        raise UserError(f"stdout: cannot be written: {error.strerror}") from None


def say(text: str) -> None:
    """Print a message to stderr."""
    try:
        print(printable(text), file=sys.stderr)  # noqa: T201 as above
    except OSError:  # it is full, or nobody reads it: the results matter more
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """Send what `stream` still holds into nothing: Python flushes it once more as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
