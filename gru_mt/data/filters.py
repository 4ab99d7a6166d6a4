"""Filters of pairs that are seldom translations: each off unless `data.filters` names it."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from gru_mt.data.corpora.rows import DropReason
from gru_mt.data.split import key

_NUMBER = re.compile(r"\d+")
LEAST_SHARE = 0.05  # of a side's letters, in a script that belongs to its language


class PairFilters:
    """The filters that judge a pair by itself and by those before it."""

    def __init__(self, names: Iterable[str]) -> None:
        """Take the names of the filters that are on."""
        self._names = {*names}
        self._keys: set[tuple[str, str]] = set()

    def reason(self, first: str, second: str) -> DropReason | None:
        """Return why a pair is dropped; None for a pair that is kept, and is remembered."""
        if "copies" in self._names and first.lower() == second.lower():
            return DropReason.COPY
        if "digits" in self._names and _numbers(first) != _numbers(second):
            return DropReason.DIGITS
        if "near_duplicates" in self._names:
            keys = key(first), key(second)
            if keys in self._keys:
                return DropReason.NEAR
            self._keys.add(keys)
        return None


def _numbers(text: str) -> list[str]:
    return sorted(_NUMBER.findall(text))


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


def of_other_scripts(texts: Sequence[str]) -> list[int]:
    """Return the places of the texts that are mostly in scripts that few of all letters have."""
    counts = [script_counts(text) for text in texts]
    usual = usual_scripts(sum(counts, Counter[str]()))
    return [
        place
        for place, of_text in enumerate(counts)
        if 2 * sum(of_text[name] for name in usual) < of_text.total()
    ]
