"""JSON lines: each is an object with the two sides by name, {"en": "Go.", "fr": "Va !"}.

The sides may stand deeper, as in {"translation": {"en": ..., "fr": ...}}.
"""

import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from gru_mt.data.corpus.readers.layout import ReadOptions, choose_names
from gru_mt.data.corpus.readers.table import text_lines
from gru_mt.data.corpus.report import Dropped, DropReason, Record
from gru_mt.data.corpus.text_stream import TextStream
from gru_mt.errors import short_repr

_BETWEEN = ("", "[", "]")  # lines that are no object, also of an array with an object a line
_LOOKED_AT = 1_000  # lines whose values decide which keys hold text
_Object = dict[str, Any]  # values by their names, those of objects in it as "translation.en"


def json_records(text: TextStream, options: ReadOptions) -> Iterator[Record]:
    """Yield the sides of each line that are asked for, or why it has none; no empty line counts.

    Raises UserError where neither names nor values decide which keys are meant.
    """
    lines = (_parsed(line) for line in text_lines(text) if line not in _BETWEEN)
    begun = [*islice(lines, _LOOKED_AT)]
    objects = [value for value in begun if not isinstance(value, Dropped)]
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


def _parsed(line: str | Dropped) -> _Object | Dropped:
    if isinstance(line, Dropped):
        return line
    try:
        value = json.loads(line.rstrip().removesuffix(","))
    except (ValueError, RecursionError):
        return Dropped(DropReason.JSON, line)
    if isinstance(value, list):
        value = {str(number): item for number, item in enumerate(value, start=1)}
    return _flat(value) if isinstance(value, dict) else Dropped(DropReason.JSON, line)


def _flat(value: dict[str, Any]) -> _Object:
    """Return the values of an object and of those in it, by the names on the way to them."""
    found: _Object = {}
    for name, item in value.items():
        if isinstance(item, dict):
            found |= {f"{name}.{inner}": deep for inner, deep in _flat(item).items()}
        else:
            found[name] = item
    return found
