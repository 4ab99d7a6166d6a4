"""What the page must know to cut lines of one language into sentences.

It is found by asking the library that cuts them here.
"""

import string
from collections.abc import Iterable
from itertools import chain, product

from gru_mt.data.sentences import pieces

_SHORT = 3  # letters, of which every word is tried


def sentence_data(language: str, words: Iterable[str]) -> dict[str, list[str]]:
    """Return the abbreviations among `words` and short Latin ones, and what may follow them.

    After "Dr. " no sentence begins, except with a word of `starters`: "OK. He". After one of `firm`
    none begins at all. Words of `afterNumbers` may follow a number and a full stop: "5. Mai".
    """
    known = [*words]
    letters = string.ascii_lowercase
    short = chain.from_iterable(product(letters, repeat=size + 1) for size in range(_SHORT))
    tried = _in_cases([*map("".join, short), *known])

    def ends(word: str, after: str) -> bool:
        return len(pieces(f"Xx {word}. {after} yy", language)) > 1

    abbreviations = [word for word in tried if not ends(word, "Yy")]
    longest = max(abbreviations, key=len, default="")
    starters = [word for word in _in_cases(known) if abbreviations and ends(longest, word)]
    firm = [word for word in abbreviations if starters and not ends(word, starters[0])]
    dates = [word for word in _in_cases(known) if ends("5", "Yy") and not ends("5", word)]
    return {
        "abbreviations": abbreviations,
        "firm": firm,
        "starters": starters,
        "afterNumbers": [word for word in dates if word[0].isupper()],
    }


def _in_cases(words: Iterable[str]) -> list[str]:
    """Return words in small letters, with a capital, and in capitals, each once."""
    lower = dict.fromkeys(word.lower() for word in words if word)
    forms = ((word, word.capitalize(), word.upper()) for word in lower)
    return [*dict.fromkeys(chain.from_iterable(forms))]
