"""Texts of programs: which strings are one, and the keys that open a menu, as in "&File"."""

import re
from collections.abc import Callable, Iterable
from itertools import chain

from gru_mt.data.text.placeholders import find_placeholders
from gru_mt.documents.document import Place, Span
from gru_mt.documents.structured.marked import Mark, place_of, with_gaps

_HOLE = re.compile(r"<[^<>]*>|\{[^{}]*\}")  # tags and variables, which are no words
_CODE = r"(?:[a-z]{1,2}|[A-Z]{1,3})(?![\w-])|[a-z]+-?[A-Z]"  # en, USD, en-GB, fontSize
_WORD = re.compile(rf"[\W_]*(?!{_CODE})[A-Za-z]+(?:['’-][A-Za-z]+)*[.!?:…\"')]*", re.ASCII)
_NO_WORD = re.compile(r"[#/.@$%_~]")
_ACCELERATOR = re.compile(  # but not that of AT&T, &amp; and ?a=b&c=d
    r"(?:(?<![^\s(\"'“«])|(?<=[A-Za-z])(?=&[a-z]))&(?=[^\W_])(?!\w*[;=])|(?<!\S)_(?=[^\W_])"
)
_OPTION = re.compile(r"(?<!\S)(-[A-Za-z]\b|--[\w-]+)")  # of a command
_FORMAT = re.compile(r"%[-+#0]*[\d*]*(?:\.[\d*]+)?[a-zA-Z]")  # of C and Python, without a name
_INITIAL = re.compile(r"(?<![^\W_])[^\W\d_]")
_MENU_END = re.compile(r"(?:\.\.\.|…|:)?\Z")


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
