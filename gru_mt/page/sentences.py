"""What the page must know to cut lines of one language into sentences.

It is found by asking the library that cuts them here.
"""

import string
import unicodedata
from collections.abc import Iterable
from itertools import chain, product
from typing import Any

from gru_mt.data.text.sentences import pieces

_LETTERS = string.ascii_lowercase
_MANY = 40  # letters of its own; a script of more has no alphabet


def sentence_data(language: str, words: Iterable[str]) -> dict[str, Any]:
    """Return what is particular to a language, of which `words` are common.

    "marks" end sentences; with "joinsMarks", those of "! !" are one. None ends before
    "smallLetters", with "looksForComma" before a comma, with "looksPastSpaces" before these and
    "months" wherever they are next, and after "..." before a word of "afterDots".
    None ends after "abbreviations", except before "starters": "OK. He"; after a small letter only
    if the whole is one of "dotted": "i.e. He". One ends after "units" before a capital, "5 p.m.
    Tom", but not if all words before are of "leading": "At 5 p.m. Tom".
    """
    return _Asked(language, words).data()


class _Asked:
    def __init__(self, language: str, words: Iterable[str]) -> None:
        self.language = language
        characters = map(chr, range(0x20000))
        punctuation = [each for each in characters if unicodedata.category(each) == "Po"]
        self.marks = "".join(mark for mark in punctuation if self.ends(f"Xx qwxyz{mark} ", "Yy"))
        lower = dict.fromkeys(word.lower() for word in words)
        self.words = [word for word in lower if word and not {*word} & {*self.marks, " "}]

    def ends(self, before: str, after: str) -> bool:
        """Return whether the library ends a sentence between two texts, or in the first."""
        return len(pieces(f"{before}{after}", self.language)) > 1

    def data(self) -> dict[str, Any]:
        looks_past_spaces = not self.ends("Xx qwxyz. ", "yy")
        own = sorted({*"".join(self.words)} - {*_LETTERS})
        own = [letter for letter in own if letter.islower()] if len(own) <= _MANY else []
        abbreviations = self.abbreviations(own)
        starters = self.starters(abbreviations)
        units = self.units({*abbreviations}) if starters and not looks_past_spaces else {}
        return {
            "marks": self.marks,
            "joinsMarks": len(pieces("Xx qwxyz ! ! Yy", self.language)) == 2,
            "looksPastSpaces": looks_past_spaces,
            "looksForComma": not self.ends("Xx qwxyz. ", ", Yy"),
            "smallLetters": "".join(each for each in own if not self.ends("Xx qwxyz.", each)),
            "months": self.months() if looks_past_spaces else [],
            "afterDots": [
                each
                for each in string.ascii_uppercase
                if not self.ends("Xx qwxyz... ", f"{each} yy")
            ],
            "abbreviations": abbreviations,
            "starters": starters,
            "dotted": self.dotted(abbreviations, starters),
            "units": units,
            "leading": self.leading(units),
        }

    def abbreviations(self, own: list[str]) -> list[str]:
        short = chain(_strings(_LETTERS, 3), _strings("".join(own), 3), self.words)
        return [word for word in dict.fromkeys(short) if not self.ends(f"Xx {word}. ", "Yy zz")]

    def starters(self, abbreviations: list[str]) -> list[str]:
        longest = max(abbreviations, key=len, default="")
        capitals = (word.capitalize() for word in self.words)
        return [word for word in capitals if longest and self.ends(f"Xx {longest}. ", f"{word} yy")]

    def months(self) -> list[str]:
        forms = ((word.capitalize(), word.upper()) for word in self.words)
        capitals = dict.fromkeys(chain.from_iterable(forms))
        return [word for word in capitals if not self.ends("Xx qwxyz! ", f"{word} yy")]

    def dotted(self, abbreviations: list[str], starters: list[str]) -> list[str]:
        last = [word for word in abbreviations if len(word) == 1 and word in _LETTERS]
        words = (".".join(each) for size in (1, 2) for each in product(*[_LETTERS] * size, last))
        return [word for word in words if starters and self.ends(f"Xx {word}. ", starters[0])]

    def units(self, abbreviations: set[str]) -> dict[str, dict[str, bool]]:
        """Return abbreviations after which a capital begins a sentence, and a number may not."""
        dotted = (".".join(pair) for pair in product(_LETTERS, repeat=2))
        lower = dict.fromkeys(chain(dotted, _strings(_LETTERS, 2), self.words))
        forms = chain.from_iterable((word, word.capitalize(), word.upper()) for word in lower)
        found = {}
        for word in dict.fromkeys(forms):
            is_short = word.split(".")[-1].lower() in abbreviations

            def is_unit(before: str, word: str = word, is_short: bool = is_short) -> bool:
                after = "Yy zz" if is_short else "6 yy"
                return self.ends(f"{before} {word}. ", after) == is_short

            if is_unit("xx qwxyz 5"):
                found[word] = {
                    "needsNumber": not is_unit("xx qwxyz"),
                    "endsAtNumber": self.ends(f"xx qwxyz 5 {word}. ", "6 yy"),
                }
        return found

    def leading(self, units: dict[str, dict[str, bool]]) -> list[str]:
        unit = max(units, key=len, default="")
        return [word for word in self.words if unit and not self.ends(f"{word} 5 {unit}. ", "Yy")]


def _strings(letters: str, longest: int) -> Iterable[str]:
    sizes = range(1, longest + 1)
    return map("".join, chain.from_iterable(product(letters, repeat=size) for size in sizes))
