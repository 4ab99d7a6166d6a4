"""Sentences of a test set as people type them. All is a pure function of text and rng.

A perturbation that does not fit a sentence returns it as it is.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from gru_mt.data.text.normalize import IN_WORD, SENTENCE_END, WORD, count_words

_MARK = re.compile(rf"\s*[{SENTENCE_END}]+$")
SHORT = 3  # words of a short text, at most
_LEAST_LETTERS = 4  # of a word that gets a typo
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_CURLY = {'"': "“”", "'": "‘’"}
_STRAIGHT = str.maketrans("“”„‘’", '"""\'\'')


def unmarked(text: str) -> str:
    """Return `text` without its final marks: "Où ?" -> "Où"; but not if nothing else is there."""
    return _MARK.sub("", text) or text


def has_final_mark(text: str) -> bool:
    """Return whether `text` ends as a sentence does."""
    return text.endswith(tuple(SENTENCE_END))


def title_case(text: str) -> str:
    """Return `text` as a heading: "don't you?" -> "Don't You?"."""
    return re.sub(r"(?<!\S)([^\w\s]*)(\w)", lambda match: match[1] + match[2].title(), text)


def without_apostrophes(text: str) -> str:
    """Return `text` without those inside words: "I don't" -> "I dont"."""
    return re.sub(rf"(?<=[{IN_WORD}])['’](?=\w)", "", text)


def other_quotes(text: str) -> str:
    """Return `text` with curly quotation marks and apostrophes for straight ones, or the reverse.

    "It's" -> "It’s"; '"No"' -> "“No”". A text that has straight ones gets no others.
    """
    if not re.search("[\"']", text):
        return text.translate(_STRAIGHT)
    opening = re.sub(r"(?<![^\s(])[\"']", lambda match: _CURLY[match[0]][0], text)
    return re.sub("[\"']", lambda match: _CURLY[match[0]][1], opening)


def spaced_marks(text: str) -> str:
    """Return `text` with a space before marks: "Yes, why?" -> "Yes , why ?"."""
    return re.sub(r"(?<=[^\s,.!?;:…])([,.!?;:…]+)(?=\s|$)", r" \1", text)


def doubled_mark(text: str, rng: random.Random) -> str:
    """Return `text` with its final mark two or three times: "Why?" -> "Why???"."""
    if not has_final_mark(text) or has_final_mark(text[:-1]):
        return text
    return text + text[-1] * rng.choice((1, 2))


def typo(text: str, rng: random.Random) -> str:
    """Return `text` with one letter swapped, dropped, doubled or a key beside it instead.

    It is in a word of at least 4 letters; a text without one is returned as it is.
    """
    words = [word for word in WORD.finditer(text) if len(word[0]) >= _LEAST_LETTERS]
    if not words:
        return text
    start, end = rng.choice(words).span()
    at = rng.randrange(start, end - 1)
    letter, after = text[at], text[at + 1]
    ways = [after + letter, after, letter * 2 + after]
    ways.append(rng.choice(_keys_beside(letter)) + after)
    return text[:at] + rng.choice([way for way in ways if way != letter + after]) + text[at + 2 :]


def _keys_beside(letter: str) -> list[str]:
    """Return the letters left and right of one on a keyboard, in its case; itself if on none."""
    for row in _KEYS:
        if (at := row.find(letter.lower())) >= 0:
            keys = row[max(0, at - 1) : at] + row[at + 1 : at + 2]
            return list(keys.upper() if letter.isupper() else keys)
    return [letter]


def another_mark(text: str, rng: random.Random) -> str:
    """Return `text` with a full stop or an exclamation mark, or without: not as it was."""
    words = unmarked(text)
    marks = "。！" if text.endswith(("。", "！", "？")) else ".!"
    return rng.choice([way for way in (words, *(words + mark for mark in marks)) if way != text])


def bare(text: str) -> str:
    """Return `text` without its final marks and in small letters: "¡No!" -> "no"."""
    return unmarked(text).lstrip("¡¿").lower()


Change = Callable[[str, random.Random], str]


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A way to change sentences, and what is then expected of a translation."""

    name: str
    apply: Change
    expected: Callable[[str], str] = str  # applied to references and to the plain translations
    everywhere: bool = False  # on all sentences, not only on some of them
    compared: Callable[[str], str] = str  # applied to the translations of what was changed


def _if_short(change: Change) -> Change:
    return lambda text, rng: change(text, rng) if count_words(text) <= SHORT else text


def _upper(text: str, _: random.Random) -> str:
    return text.upper()


def _lower(text: str, _: random.Random) -> str:
    return text.lower()


PERTURBATIONS = (
    Perturbation("UPPER CASE", _upper, expected=str.upper, everywhere=True),
    Perturbation("Title Case", lambda text, _: title_case(text), everywhere=True),
    Perturbation("lower case", _lower, everywhere=True),
    Perturbation("no final mark", lambda text, _: unmarked(text), unmarked, everywhere=True),
    Perturbation("no apostrophes", lambda text, _: without_apostrophes(text)),
    Perturbation("other quotation marks", lambda text, _: other_quotes(text)),
    Perturbation("a space before marks", lambda text, _: spaced_marks(text)),
    Perturbation("several final marks", doubled_mark),
    Perturbation("one typo", typo, everywhere=True),
    *(
        Perturbation(f"a short text, {name}", _if_short(change), expected=bare, compared=bare)
        for name, change in (
            ("another mark", another_mark),
            ("lower case", _lower),
            ("UPPER CASE", _upper),
        )
    ),
)
