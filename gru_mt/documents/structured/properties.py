"""Texts of Java programs: .properties, in UTF-8, or in Latin-1 with escapes."""

import json
import re
from functools import partial

from gru_mt.documents.document import Document, Source, TextFile, replacing
from gru_mt.documents.structured.program_text import is_text, program_place

_LINE = re.compile(  # of java.util.Properties.load: a key, then = or : or a space, and a value
    r"""(?<![^\r\n]) [ \t\f]*+ (?: [\#!][^\r\n]*+ | (?:\\(?:\r\n|[\s\S])|[^\\\r\n:=\ \t\f])*+
    [ \t\f]*+ [:=]? [ \t\f]*+ (?P<value>(?:\\(?:\r\n|[\s\S])|[^\\\r\n])*+) )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:u([\dA-Fa-f]{4})|(?:\r\n|[\r\n])[ \t\f]*|([\s\S]))")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}
_ARGUMENT = re.compile(r"\{\d")


def read_properties(source: Source) -> Document:
    """Read the values that are texts; `is_text` tells them from names, colours and the like.

    A file in ASCII stays so, as a program may read it as UTF-8 or as Latin-1.
    """
    try:
        source.data.decode()
        file = source.decode("utf-8")
    except UnicodeDecodeError:
        file = source.decode("latin-1")
    last = 0x7F if source.data.isascii() else 0xFF if file.encoding == "latin-1" else 0x10FFFF
    places = []
    for match in _LINE.finditer(file.text):
        value = _value(file, *match.span("value"))
        # In a pattern of MessageFormat an apostrophe is written twice.
        is_message = bool(_ARGUMENT.search(value)) and "'" not in value.replace("''", "")
        shown = value.replace("''", "'") if is_message else value
        written = partial(_escaped, last=last, is_message=is_message)
        if is_text(shown):
            places.append(program_place(shown, replacing(*match.span("value"), written)))
    return file.document(places)


def _value(file: TextFile, start: int, end: int) -> str:
    """Return the text of a value, which is at -1 for a comment."""

    def unescaped(match: re.Match[str]) -> str:
        code, character = match.groups()
        if character == "u":
            raise file.error(start + match.start(), r"\u wants four hexadecimal digits")
        return chr(int(code, 16)) if code else _CONTROLS.get(character, character or "")

    value = _ESCAPE.sub(unescaped, file.text[start:end] if start >= 0 else "")
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(value: str, *, last: int, is_message: bool) -> str:
    """Return the source of a value, in which characters above `last` are escapes."""
    value = value.replace("'", "''") if is_message else value
    for letter, control in {"\\": "\\", **_CONTROLS}.items():
        value = value.replace(control, f"\\{letter}")
    value = re.sub(r"\A(?=[ ])", r"\\", value)
    return "".join(each if ord(each) <= last else json.dumps(each)[1:-1] for each in value)
