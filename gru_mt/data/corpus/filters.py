"""Filters of pairs that are seldom translations: each off unless `data.filters` names it."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from gru_mt.data.corpus.readers.rows import DropReason

_NUMBER = re.compile(r"\d+")
LEAST_SHARE = 0.05  # of a side's letters, in a script that belongs to its language


def why_no_translation(first: str, second: str, filters: Sequence[str]) -> DropReason | None:
    """Return why one of `filters` drops a pair by itself; None if none does."""
    if "copies" in filters and first.lower() == second.lower():
        return DropReason.COPY
    if "digits" in filters and _numbers(first) != _numbers(second):
        return DropReason.DIGITS
    return None


def _numbers(text: str) -> list[str]:
    """Return the numbers of a text, in whatever digits: "06" and "۶" are "6"."""
    return sorted(map(_ascii_number, _NUMBER.findall(text)))


def _ascii_number(digits: str) -> str:
    if not digits.isascii():
        digits = "".join(str(unicodedata.decimal(digit)) for digit in digits)
    return digits.lstrip("0")


def script_counts(text: str) -> Counter[str]:
    """Return how many letters a text has of each script."""
    return Counter(script(letter) for letter in text if letter.isalpha())


def usual_scripts(counts: Counter[str]) -> set[str]:
    """Return the scripts that have at least LEAST_SHARE of the letters."""
    return {name for name, count in counts.items() if count >= LEAST_SHARE * counts.total()}


@cache
def script(letter: str) -> str:
    """Return a letter's script, as Unicode begins its name: "Latin", "Cyrillic", "Han"."""
    name = unicodedata.name(letter, "unknown").split()[0].title()
    return {"Cjk": "Han", "Fullwidth": "Latin", "Halfwidth": "Katakana"}.get(name, name)


def of_other_scripts(texts: Iterable[str]) -> list[int]:
    """Return the places of the texts that are mostly in scripts that few of all letters have.

    `texts` are gone through twice.
    """
    total = Counter[str]()
    for text in texts:
        total.update(script_counts(text))
    usual = usual_scripts(total)
    counts = map(script_counts, texts)
    return [
        place
        for place, of_text in enumerate(counts)
        if 2 * sum(of_text[name] for name in usual) < of_text.total()
    ]
