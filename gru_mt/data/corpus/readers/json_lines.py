"""JSON lines: each is an object with the two sides by name, {"en": "Go.", "fr": "Va !"}.

Other JSON is a list of such objects, perhaps as the only list of an object. The sides may stand
deeper, as in {"translation": {"en": ...}}. A list has the names 1, 2, ...

Of two files the texts of the same name are a pair, as in en.json and fr.json of a program.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from gru_mt.data.corpus.files import JSON_LINES, FileGroup
from gru_mt.data.corpus.readers.columns import ReadOptions, choose_names
from gru_mt.data.corpus.report import Dropped, DropReason, Record
from gru_mt.data.corpus.text_stream import TextStream
from gru_mt.errors import UserError, short_repr, short_text

MOST_BYTES, DEEPEST = 1_000_000_000, 10  # of a file that is no lines; objects in one another
_BETWEEN = ("", "[", "]")  # lines that are no object, also of an array with an object a line
_MOST_NAMES = 20  # of an object that is a line
_FEW, _LOOKED_AT = 3, 1_000  # lines that decide whether it is JSON, and which keys hold text


def are_named(files: FileGroup) -> bool:
    """Return whether two files have their texts by name: see `named_records`.

    Raises UserError for JSON beside other files, or more of it.
    """
    of_json = [file for file in files if file.ending in (*JSON_LINES, ".json")]
    if of_json and len(files) > 1 and not len(of_json) == len(files) == 2:
        raise UserError(
            f"{of_json[0]}: JSON is read alone, or from two files that have one name for a text "
            "and its translation; write such files as plain lines"
        )
    return len(of_json) == 2


def is_json(text: TextStream) -> bool:
    """Return whether a file has JSON, in lines or not."""
    if text.file.ending in (*JSON_LINES, ".json"):
        return True
    lines = _first_lines(text)
    return bool(lines) and lines[0].lstrip().startswith("{") and _parsed(lines[0]) is not None


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
        if names and all(isinstance(side, str) for side in sides):
            yield [str(side) for side in sides]
        else:
            yield Dropped(DropReason.LANGUAGE, f"has {short_repr([*value])}")


def named_records(texts: Sequence[TextStream]) -> Iterator[Record]:
    """Yield the texts of the same name in two files: en.json and fr.json of a program.

    A name that has text in only one of them is dropped. Raises UserError where a
    file is no object or list.
    """
    sides = [*map(_named_texts, texts)]
    for name in sides[0] | sides[1]:
        found = [value for side in sides if isinstance(value := side.get(name), str)]
        if len(found) == len(sides):
            yield found
        elif found:
            yield Dropped(DropReason.EMPTY, " ".join([f"{name}:", *found]))


def _named_texts(text: TextStream) -> dict[str, Any]:
    """Return the values of the object or list that is the whole file, by their names."""
    try:
        whole = json.loads(b"".join(_limited(text)))
        value = _numbered(whole) if isinstance(whole, list) else whole
        values = _flat(value) if isinstance(value, dict) else None
    except (ValueError, RecursionError) as error:
        fix = "give JSON lines as one file with both sides"
        raise UserError(f"{text.file}: not JSON: {short_text(error)}; {fix}") from None
    if values is None:
        raise UserError(f"{text.file}: JSON without an object or a list")
    return values


def _first_lines(text: TextStream) -> list[str]:
    return [line for line in text.start.split("\n") if line.strip() not in ("", "[")][:_FEW]


def _objects(text: TextStream) -> Iterator[dict[str, Any] | Dropped]:
    lines = _first_lines(text)
    first = [values for line in lines if (values := _parsed(line))]
    is_pairs = len(lines) == 1 and any(len(values) > _MOST_NAMES for values in first)
    has_texts = any(len(lines) > 1 or str in map(type, values.values()) for values in first)
    if lines and (is_pairs or not has_texts):
        yield from _items(text)
        return
    for line in text.lines():
        if isinstance(line, Dropped):
            yield line
        elif line not in _BETWEEN:
            value = _parsed(line)
            yield Dropped(DropReason.JSON, line) if value is None else value


def _items(text: TextStream) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list that is the whole file, or the only list of its object.

    Of an object of texts alone they are its names and texts: {"Go.": "Va !", ...}.
    """
    try:
        whole = json.loads(b"".join(_limited(text)))
        values = whole.values() if isinstance(whole, dict) else [whole]
        lists = [value for value in values if isinstance(value, list)]
        if isinstance(whole, dict) and all(isinstance(value, str) for value in values):
            lists = [[*map(list, whole.items())]]
        objects = [*filter(None, map(_named, lists[0]))] if len(lists) == 1 else []
    except (ValueError, RecursionError) as error:
        raise UserError(f"{text.file}: neither JSON lines nor JSON: {short_text(error)}") from None
    if not objects:
        raise UserError(f"{text.file}: no list of objects; write one object a line")
    yield from objects


def _limited(text: TextStream) -> Iterator[bytes]:
    """Yield the pieces of a file that memory has room for; UserError for a longer one."""
    size = 0
    for piece in text.pieces():
        size += len(piece)
        if size > MOST_BYTES:
            raise UserError(
                f"{text.file}: has more than {MOST_BYTES:,} bytes; write an object a line"
            )
        yield piece


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        return _named(json.loads(line.rstrip().removesuffix(",")))
    except (ValueError, RecursionError):
        return None


def _named(value: Any) -> dict[str, Any] | None:
    """Return the values of an object or of a list, by their names; None for other values."""
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        value = _numbered(value)
    return _flat(value) if isinstance(value, dict) else None


def _numbered(values: list[Any]) -> dict[str, Any]:
    return {str(number): item for number, item in enumerate(values, start=1)}


def _flat(value: dict[str, Any], depth: int = 0) -> dict[str, Any]:
    """Return the values of an object and of those in it, by the names on the way to them.

    Raises ValueError where more than DEEPEST are in one another.
    """
    if depth > DEEPEST:
        raise ValueError(f"more than {DEEPEST} objects in one another")
    found: dict[str, Any] = {}
    for name, item in value.items():
        if isinstance(item, dict):
            inside = _flat(item, depth + 1).items()
            found |= {f"{name}.{inner}": deep for inner, deep in inside}
        else:
            found[name] = item
    return found
