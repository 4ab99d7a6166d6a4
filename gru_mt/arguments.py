"""Checks of what a program gives to public functions: a wrong type is a UserError, in one line."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gru_mt.errors import UserError, short_repr


def as_path(value: Any, name: str) -> Path:
    """Return a path that is given as text or as a path; UserError for anything else."""
    try:
        path = Path(value)
        os.fsencode(path)  # raises for half of a surrogate pair
        if "\0" not in str(path):
            return path
    except (TypeError, ValueError):
        pass
    raise UserError(f"{name} must be a path, got {short_repr(value)}")


def as_texts(value: Any, name: str) -> list[str]:
    """Return the texts of an iterable, a generator too; UserError for anything else."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise UserError(f"{name} must be a list of texts, got {short_repr(value)}")
    texts = [*value]
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise UserError(f"{name}[{place}] must be text, got {short_repr(text)}")
    return texts


def check_type(value: Any, kind: type, name: str) -> None:
    """Raise UserError where a value is not of the class `kind`."""
    if not isinstance(value, kind):
        raise UserError(f"{name} must be of type {kind.__name__}, got {short_repr(value)}")
