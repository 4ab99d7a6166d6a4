"""Texts of programs: JSON, .properties, which of their strings are texts, and the keys of menus."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

from gru_mt.data.text.placeholders import find_placeholders
from gru_mt.documents.document import Document, Place, Source, Span, TextFile, replacing
from gru_mt.documents.structured.marked import Mark, place_of, with_gaps
from gru_mt.errors import UserError

_HOLE = re.compile(r"<[^<>]*>|\{[^{}]*\}")  # tags and variables, which are no words
_CODE = r"(?:[a-z]{1,2}|[A-Z]{1,3})(?![\w-])|[a-z]+-?[A-Z]"  # en, USD, en-GB, fontSize
_WORD = re.compile(rf"[\W_]*(?!{_CODE})[A-Za-z]+(?:['’-][A-Za-z]+)*[.!?:…\"')]*", re.ASCII)
_NO_WORD = re.compile(r"[#/.@$%_~]")
_ACCELERATOR = re.compile(  # but not that of AT&T, &amp; and ?a=b&c=d
    r"(?:(?<![^\s(\"'“«])|(?<=[A-Za-z])(?=&[a-z]))&(?=[^\W_])(?!\w*[;=])|(?<!\S)_(?=[^\W_])"
)
_OPTION = re.compile(r"(?<!\S)(-[A-Za-z]\b|--[\w-]+)")  # of a command
_FORMAT = re.compile(r"%[-+#0]*+[\d*]*+(?:\.[\d*]++)?[a-zA-Z]")  # of C and Python, without a name
_INITIAL = re.compile(r"(?<![^\W_])[^\W\d_]")
_MENU_END = re.compile(r"(?:\.\.\.|…|:)?\Z")
_JSON = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]]')
_COLON = re.compile(r"\s*:")
_PROPERTY = re.compile(  # of java.util.Properties.load: a key, then = or : or a space, and a value
    r"""(?<![^\r\n]) [ \t\f]*+ (?: [\#!][^\r\n]*+ | (?:\\(?:\r\n|[\s\S])|[^\\\r\n:=\ \t\f])*+
    [ \t\f]*+ [:=]? [ \t\f]*+ (?P<value>(?:\\(?:\r\n|[\s\S])|[^\\\r\n])*+) )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:u([\dA-Fa-f]{4})|(?:\r\n|[\r\n])[ \t\f]*|([\s\S]))")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}
_ARGUMENT = re.compile(r"\{\d")


def read_json(source: Source) -> Document:
    """Read the strings that are texts, but no keys; nor what @key says of a key, as in .arb."""
    file, name = source.decode(), source.name
    try:
        json.loads(file.text)
    except json.JSONDecodeError as error:
        message = f"is no JSON at column {error.colno}: {error.msg}"
        raise file.error(error.pos, message) from None
    except (ValueError, RecursionError) as error:  # a number, or a depth, that Python won't read
        raise UserError(f"{name}: is no JSON that can be read: {error}") from None
    return file.document(_json_places(file.text))


def _json_places(source: str) -> Iterator[Place | None]:
    written = partial(json.dumps, ensure_ascii=source.isascii() and "\\u" in source)
    depth, key, hidden_depth = 0, "", 0  # the depth of an object that says something of a key

    for token in _JSON.finditer(source):
        if token[0] in ("{", "["):
            depth += 1
            hidden_depth = hidden_depth or (depth if key.startswith("@") else 0)
        elif token[0] in ("}", "]"):
            hidden_depth = 0 if depth == hidden_depth else hidden_depth
            depth -= 1
        elif _COLON.match(source, token.end()):
            key = json.loads(token[0])
            continue
        elif not (hidden_depth or key.startswith("@")):
            value = json.loads(token[0])
            if is_text(value):
                yield program_place(value, replacing(*token.span(), written))
        key = ""


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
    for match in _PROPERTY.finditer(file.text):
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


def is_text(value: str) -> bool:
    """Return whether a string is for people: has letters, and a space or a whole word.

    "Save", "Hi, {name}!" and all that is not ASCII are; "save_as", "#fff", "en-US/a.png" are not.
    """
    words = _HOLE.sub("", value).strip()
    if not any(map(str.isalpha, words)):
        return False
    is_whole = not _NO_WORD.match(words) and _WORD.fullmatch(words)
    return bool(re.search(r"\S\s+\S", value) or not value.isascii() or is_whole)


def program_place(value: str, edits: Callable[[str], Iterable[Span]]) -> Place | None:
    """Return the place of a string, whose translation makes `edits`; None for no text.

    A translation with %d and %s in another order makes none: a program would fail with it.
    """
    found = [*_ACCELERATOR.finditer(value)]
    sign = found[0][0] if len(found) == 1 and value.count(found[0][0]) == 1 else ""
    letter = value[found[0].end()] if sign else ""
    parts = _OPTION.split(value.replace(sign, "") if sign else value)
    pieces = (([Mark("other", p)] if i % 2 else with_gaps(p)) for i, p in enumerate(parts))
    before, after = value[: len(value) - len(value.lstrip())], value[len(value.rstrip()) :]

    def safe_edits(translation: str) -> Iterable[Span]:
        text = f"{before}{_accelerated(translation.strip(), sign, letter)}{after}"
        return edits(text) if _FORMAT.findall(text) == _FORMAT.findall(value) else []

    return place_of(chain.from_iterable(pieces), safe_edits)


def _accelerated(text: str, sign: str, letter: str) -> str:
    """Return a translation with the sign of a menu's key, at the same letter if a word has it."""
    if not sign:
        return text
    kept = find_placeholders(text)
    initials = [
        match.start()
        for match in _INITIAL.finditer(text)
        if match[0].lower() != match[0].upper()  # a key of a keyboard
        and not any(start <= match.start() < end for start, end, _ in kept)
    ]
    same = [index for index in initials if text[index].lower() == letter.lower()]
    if not initials:  # as is usual in Chinese: 打开(&O)…
        return _MENU_END.sub(lambda end: f"({sign}{letter.upper()}){end[0]}", text, count=1)
    index = (same or initials)[0]
    return f"{text[:index]}{sign}{text[index:]}"
