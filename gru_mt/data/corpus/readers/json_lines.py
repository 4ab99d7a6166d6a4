"""JSON lines: each is an object with the two sides by name, {"en": "Go.", "fr": "Va !"}.

The sides may stand deeper, as in {"translation": {"en": ...}}. A list has the names 1, 2, ...
"""

import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from gru_mt.data.corpus.files import JSON_LINES
from gru_mt.data.corpus.readers.columns import ReadOptions, choose_names
from gru_mt.data.corpus.report import Dropped, DropReason, Record
from gru_mt.data.corpus.text_stream import TextStream
from gru_mt.errors import UserError, short_repr

_BETWEEN = ("", "[", "]")  # lines that are no object, also of an array with an object a line
_FEW, _LOOKED_AT = 3, 1_000  # lines that decide whether it is JSON, and which keys hold text


def is_json(text: TextStream) -> bool:
    """Return whether a file has JSON lines; UserError for other JSON."""
    lines = [line for line in text.start.split("\n") if line.strip() not in ("", "[")][:_FEW]
    if text.file.ending not in (*JSON_LINES, ".json"):
        return bool(lines) and lines[0].lstrip().startswith("{") and _parsed(lines[0]) is not None
    if lines and not any(map(_parsed, lines)):
        raise UserError(f"{text.file}: not JSON lines: write one object a line")
    return True


def json_records(text: TextStream, options: ReadOptions) -> Iterator[Record]:
    """Yield the sides of each line that are asked for, or why it has none; no empty line counts.

    Raises UserError where neither names nor values decide which keys are meant.
    """
    lines = _objects(text)
    begun = [*islice(lines, _LOOKED_AT)]
    objects = [value for value in begun if isinstance(value, dict)]
    names: list[str] = []
    if objects:
        texts = {
            name: [str(value.get(name)) for value in objects]
            for name, first in objects[0].items()
            if isinstance(first, str)
        }
        names = choose_names([*objects[0]], texts, options, text.file, text.notes)
    for value in chain(begun, lines):
        if isinstance(value, Dropped):
            yield value
            continue
        sides = [value.get(name) for name in names]
        if all(isinstance(side, str) for side in sides):
            yield [str(side) for side in sides]
        else:
            yield Dropped(DropReason.LANGUAGE, f"has {short_repr([*value])}")


def _objects(text: TextStream) -> Iterator[dict[str, Any] | Dropped]:
    for line in text.lines():
        if isinstance(line, Dropped):
            yield line
        elif line not in _BETWEEN:
            value = _parsed(line)
            yield Dropped(DropReason.JSON, line) if value is None else value


def _parsed(line: str) -> dict[str, Any] | None:
    """Return the values of an object or of a list, by their names; None for other lines."""
    try:
        value = json.loads(line.rstrip().removesuffix(","))
        if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
            value = {str(number): item for number, item in enumerate(value, start=1)}
        return _flat(value) if isinstance(value, dict) else None
    except (ValueError, RecursionError):
        return None


def _flat(value: dict[str, Any]) -> dict[str, Any]:
    """Return the values of an object and of those in it, by the names on the way to them."""
    found: dict[str, Any] = {}
    for name, item in value.items():
        if isinstance(item, dict):
            found |= {f"{name}.{inner}": deep for inner, deep in _flat(item).items()}
        else:
            found[name] = item
    return found
