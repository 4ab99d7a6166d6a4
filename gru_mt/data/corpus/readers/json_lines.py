"""JSON lines: each is an object with the two sides by name, {"en": "Go.", "fr": "Va !"}.

The sides may stand deeper, as in {"translation": {"en": ..., "fr": ...}}.
"""

import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from gru_mt.data.corpus.readers.layout import TableOptions, chosen_columns, note, text_columns
from gru_mt.data.corpus.readers.table import text_lines
from gru_mt.data.corpus.report import Dropped, DropReason
from gru_mt.data.corpus.text_stream import TextStream
from gru_mt.errors import UserError, short_repr

_BETWEEN = ("", "[", "]")  # lines that are no object, also of an array with an object a line
_LOOKED_AT = 1_000  # lines whose values tell which are text
_Object = dict[str, Any]  # values by their names, those of objects in it as "translation.en"


def json_cells(text: TextStream, options: TableOptions) -> Iterator[list[str] | Dropped]:
    """Yield the sides of each line that are asked for, or why it has none; no empty line counts.

    Raises UserError where no names or values tell which ones are meant.
    """
    lines = (_parsed(line) for line in text_lines(text) if line not in _BETWEEN)
    begun = [*islice(lines, _LOOKED_AT)]
    names = _names(begun, options, text)
    for each in chain(begun, lines):
        if isinstance(each, Dropped):
            yield each
            continue
        sides = [each.get(name) for name in names]
        if all(isinstance(side, str) for side in sides):
            yield [str(side) for side in sides]
        else:
            yield Dropped(DropReason.LANGUAGE, f"has {short_repr([*each])}")


def _names(begun: list[_Object | Dropped], options: TableOptions, text: TextStream) -> list[str]:
    """Return the names of the sides, as the first object and the values of others tell them."""
    objects = [each for each in begun if not isinstance(each, Dropped)]
    if not objects:
        return []
    first = objects[0]
    keys = [*first]
    columns = chosen_columns(keys, options, text.place)
    if columns is None:
        keys = [key for key in keys if isinstance(first[key], str)]
        table = [[str(each.get(key)) for key in keys] for each in objects]
        columns = text_columns(table, len(keys))
        if len(columns) == len(options.languages) < len(first):
            text.notes.append(f"{text.place}: {note([keys[each] for each in columns], options)}")
    if len(columns) != len(options.languages) or max(columns) >= len(keys):
        raise UserError(
            f"{text.place}: {short_repr([*first])} do not tell which are "
            f"{' and '.join(options.languages)}: set columns to their numbers"
        )
    return [keys[column] for column in columns]


def _parsed(line: str | Dropped) -> _Object | Dropped:
    if isinstance(line, Dropped):
        return line
    try:
        value = json.loads(line.rstrip().removesuffix(","))
    except (ValueError, RecursionError):
        return Dropped(DropReason.JSON, line)
    if isinstance(value, list):
        value = {str(place): each for place, each in enumerate(value, start=1)}
    return _flat(value) if isinstance(value, dict) else Dropped(DropReason.JSON, line)


def _flat(value: dict[str, Any]) -> _Object:
    """Return the values of an object and of those in it, by the names on the way to them."""
    found: _Object = {}
    for name, each in value.items():
        if isinstance(each, dict):
            found |= {f"{name}.{inner}": deep for inner, deep in _flat(each).items()}
        else:
            found[name] = each
    return found
