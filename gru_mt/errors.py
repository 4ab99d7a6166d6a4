"""Exceptions that a user sees, how their messages quote text, and checks of arguments."""

import os
import re
import reprlib
import shlex
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HIDDEN = re.compile(  # what a terminal obeys or hides, except the line feed
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80
_SHORT.maxlevel = 2


def shell_quoted(argument: object) -> str:
    """Return an argument of a command as a shell of this system takes it."""
    if sys.platform == "win32":  # where a single quote is a letter
        return f'"{argument}"' if " " in str(argument) else str(argument)
    return shlex.quote(str(argument))


class UserError(Exception):
    """A mistake that the user can fix; the message names the file, line or field and the fix.

    The command line prints the message and exits with 2. A training that is stopped, or that loses
    a process, raises another one: see `train`. All others are mistakes of ours, and keep their
    traceback. Control characters in a name are shown as escapes, such as \\x1b.

    Example:
        >>> from gru_mt import Glossary, UserError
        >>> try:
        ...     Glossary.read("none.tsv")
        ... except UserError as error:
        ...     print(error)
        none.tsv: cannot be read: No such file or directory
    """

    def __init__(self, message: str) -> None:
        super().__init__(escape(message))


class UserValueError(UserError, ValueError):
    """A value out of its range: pydantic wants a ValueError, and a user one line."""


class Interrupted(Exception):  # noqa: N818 it is no error
    """A signal asked to stop, and everything is saved; the command exits with 128 + `signal`."""

    def __init__(self, signal: int, message: str) -> None:
        super().__init__(message)
        self.signal = signal


class ProcessLost(Exception):  # noqa: N818 it is no error of this process
    """A process that trains with this one has ended or is silent; the command exits with 1."""


def escape(text: str) -> str:
    """Return `text` with control characters, surrogates and bidirectional controls as escapes.

    A line feed stays: "a\\x1b[2J\\n" -> "a\\\\x1b[2J\\n".
    """
    return HIDDEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def short_repr(value: object) -> str:
    """Return a short `repr`: at most 80 characters of a string, and a collection's first items."""
    return escape(_SHORT.repr(value))


def short_text(value: object) -> str:
    """Return a name, or another program's message, for a message of ours: quoted if it is odd.

    It is odd if it is empty, longer than 250 characters or not printable.
    """
    text = str(value)
    return text if text.isprintable() and 0 < len(text) <= 250 else short_repr(text)


def as_path(value: Any, name: str) -> Path:
    """Return a path that is given as text or as a path; UserError for anything else."""
    with suppress(TypeError, ValueError):
        path = Path(value)
        if b"\0" not in os.fsencode(path):  # which raises for half of a surrogate pair
            return path
    raise UserError(f"{name} must be a path, got {short_repr(value)}")


def as_paths(value: Any, name: str) -> list[Path]:
    """Return the paths of an iterable; UserError for anything else, one path among it."""
    if isinstance(value, str | bytes | Path) or not isinstance(value, Iterable):
        raise UserError(f"{name} must be a list of paths, got {short_repr(value)}")
    return [as_path(path, name) for path in value]


def as_texts(value: Any, name: str) -> list[str]:
    """Return the texts of an iterable, a generator too; UserError for anything else."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise UserError(f"{name} must be a list of texts, got {short_repr(value)}")
    texts = [*value]
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise UserError(f"{name}[{index}] must be text, got {short_repr(text)}")
    return texts


def require_packages(what: str, extra: str, *packages: str) -> None:
    """Raise UserError where packages of an extra of ours that `what` needs are not installed."""
    if missing := [name for name in packages if not find_spec(name)]:
        raise UserError(f'{what} needs {" and ".join(missing)}: pip install "gru-mt[{extra}]"')


def check_type(value: Any, kind: type, name: str) -> None:
    """Raise UserError where a value is not of the class `kind`."""
    if not isinstance(value, kind):
        raise UserError(f"{name} must be of type {kind.__name__}, got {short_repr(value)}")
