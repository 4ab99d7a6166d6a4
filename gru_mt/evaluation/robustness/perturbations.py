"""Sentences as people type them; a perturbation that does not fit one returns it as it is."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from gru_mt.data.text.normalize import COMMA, IN_WORD, SENTENCE_END, WORD, count_words
from gru_mt.data.text.spelling import BESIDE

_MARK = re.compile(rf"\s*[{SENTENCE_END}]+$")
_MORE_MARKS = re.compile(rf"(?<=[{SENTENCE_END}])[{SENTENCE_END}]+$")
_APOSTROPHE = re.compile(rf"(?<=[{IN_WORD}])['’](?=\w)")  # inside a word
_SPACELESS_MARKS = re.compile(r"(?<=[^\s,.!?;:…])([,.!?;:…]+)(?=\s|$)")
SHORT = 3  # words of a short text, at most
_LEAST_LETTERS = 4  # of a word that gets a typo
_CURLY = {'"': "“”", "'": "‘’"}
_STRAIGHT = str.maketrans("“”„‘’", '"""\'\'')

Change = Callable[[str, random.Random], str]


def unmarked(text: str) -> str:
    """Return `text` without its final marks: "Où ?" -> "Où"; but not if nothing else is there."""
    return _MARK.sub("", text) or text


def has_final_mark(text: str) -> bool:
    """Return whether `text` ends as a sentence does."""
    return text.endswith(tuple(SENTENCE_END))


def bare(text: str) -> str:
    """Return `text` without its final marks and in small letters: "¡No!" -> "no"."""
    return unmarked(text).lstrip("¡¿").lower()


def _title_case(text: str, _: random.Random) -> str:
    return re.sub(r"(?<!\S)([^\w\s]*)(\w)", lambda match: match[1] + match[2].title(), text)


def _other_quotes(text: str, _: random.Random) -> str:
    """Return `text` with curly quotes for straight ones; where it has none, the reverse."""
    if not re.search("[\"']", text):
        return text.translate(_STRAIGHT)
    opening = re.sub(r"(?<![^\s(])[\"']", lambda match: _CURLY[match[0]][0], text)
    return re.sub("[\"']", lambda match: _CURLY[match[0]][1], opening)


def _doubled_mark(text: str, rng: random.Random) -> str:
    """Return `text` with its final mark two or three times: "Why?" -> "Why???"."""
    if not has_final_mark(text) or has_final_mark(text[:-1]):
        return text
    return text + text[-1] * rng.choice((1, 2))


def _with_one_mark(text: str) -> str:
    """Return `text` with the first of several final marks: "Where ??" -> "Where ?"."""
    return _MORE_MARKS.sub("", text)


def _typo(text: str, rng: random.Random) -> str:
    """Return `text` with one letter swapped, dropped, doubled or a key beside it instead."""
    words = [word for word in WORD.finditer(text) if len(word[0]) >= _LEAST_LETTERS]
    if not words:
        return text
    start, end = rng.choice(words).span()
    at = rng.randrange(start, end - 1)
    letter, after = text[at], text[at + 1]
    ways = [after + letter, after, letter * 2 + after, rng.choice(_keys_beside(letter)) + after]
    return text[:at] + rng.choice([way for way in ways if way != letter + after]) + text[at + 2 :]


def _keys_beside(letter: str) -> str:
    """Return the letters left and right of one on a keyboard, in its case; itself if on none."""
    small = letter.lower()
    keys = BESIDE.get(small, letter) if small.isascii() else letter  # of Latin letters alone
    return keys.upper() if letter.isupper() else keys


def _another_mark(text: str, rng: random.Random) -> str:
    """Return `text` with a full stop or an exclamation mark, or without: not as it was."""
    words = unmarked(text)
    marks = "。！" if text.endswith(("。", "！", "？")) else ".!"
    return rng.choice([way for way in (words, *(words + mark for mark in marks)) if way != text])


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A way to change sentences, and what is then expected of a translation."""

    name: str
    apply: Change
    expected: Callable[[str], str] = str  # applied to references and to the plain translations
    everywhere: bool = False  # on all sentences, not only on some of them
    compared: Callable[[str], str] = str  # applied to the translations of what was changed


def _of_short(name: str, change: Change) -> Perturbation:
    """Return a change of short texts alone, compared without final marks and case."""

    def apply(text: str, rng: random.Random) -> str:
        return change(text, rng) if count_words(text) <= SHORT else text

    return Perturbation(f"a short text, {name}", apply, expected=bare, compared=bare)


PERTURBATIONS = (
    Perturbation("UPPER CASE", lambda text, _: text.upper(), str.upper, everywhere=True),
    Perturbation("Title Case", _title_case, everywhere=True),
    Perturbation("lower case", lambda text, _: text.lower(), everywhere=True),
    Perturbation("no final mark", lambda text, _: unmarked(text), unmarked, everywhere=True),
    Perturbation("no apostrophes", lambda text, _: _APOSTROPHE.sub("", text)),
    Perturbation("no commas", lambda text, _: COMMA.sub("", text)),
    Perturbation("other quotation marks", _other_quotes),
    Perturbation("a space before marks", lambda text, _: _SPACELESS_MARKS.sub(r" \1", text)),
    Perturbation(
        "several final marks", _doubled_mark, expected=_with_one_mark, compared=_with_one_mark
    ),
    Perturbation("one typo", _typo, everywhere=True),
    _of_short("another mark", _another_mark),
    _of_short("lower case", lambda text, _: text.lower()),
    _of_short("UPPER CASE", lambda text, _: text.upper()),
)
