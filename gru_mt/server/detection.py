"""Tells in which of the served source languages a text is.

A model knows the words of its source side, the most frequent first. Each language is a model of
character trigrams over its words (Dunning 1994: Statistical identification of language). A language
that no model reads is taken for one of these, but with little confidence, as few words are known.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

from gru_mt.data.text.normalize import SPACELESS, words

MOST_CHARACTERS = 1_000  # that are looked at
_CHARACTERS = 1_000  # that may follow two others, for smoothing
_SMOOTH = 1e-4  # the weight that each of them has; the most frequent word has 1


class Profile:
    """What is known of a language; its words are weighted by their ranks (Zipf's law)."""

    def __init__(self, ranked: Iterable[str]) -> None:
        self._known = {word: 1 / rank for rank, word in enumerate(ranked, start=1)}
        self._letters = frozenset("".join(self._known))
        self._weights = defaultdict[str, float](float)  # of trigrams, and of what begins them
        for word, weight in self._known.items():
            for trigram in _trigrams(word):
                self._weights[trigram] += weight
                self._weights[trigram[:2]] += weight

    def log_probability(self, found: Iterable[str]) -> float:
        """Return that of the words of a text, in nats."""
        return sum(
            math.log(self._weights.get(trigram, 0.0) + _SMOOTH)
            - math.log(self._weights.get(trigram[:2], 0.0) + _SMOOTH * _CHARACTERS)
            for word in found
            for trigram in _trigrams(word)
        )

    def coverage(self, found: list[str]) -> float:
        """Return the share of letters that are in known words; without spaces, known letters."""
        known = sum(
            len(word) if word in self._known else sum(map(self._is_known, word)) for word in found
        )
        return known / max(1, sum(map(len, found)))

    def _is_known(self, letter: str) -> bool:
        return letter in self._letters and SPACELESS.match(letter) is not None


def detect(text: str, profiles: Mapping[str, Profile]) -> list[tuple[str, float]]:
    """Return languages and how sure each is, from 0 to 100, the surest first; one at least.

    That is how likely it is among `profiles`, times the share of the text that it knows.
    """
    found = [word.lower() for word in words(text[:MOST_CHARACTERS])]
    logs = {code: profile.log_probability(found) for code, profile in profiles.items()}
    known = {code: profile.coverage(found) for code, profile in profiles.items()}
    odds = {code: math.exp(log - max(logs.values())) * known[code] for code, log in logs.items()}
    total = sum(odds.values()) or 1.0
    sure = {code: round(100 * odds[code] / total * known[code], 1) for code in odds}
    ranked = sorted(sure, key=sure.__getitem__, reverse=True)
    return [(code, sure[code]) for code in ranked if code == ranked[0] or sure[code] >= 1]


def _trigrams(word: str) -> Iterable[str]:
    padded = f"  {word} "
    return (padded[i : i + 3] for i in range(len(padded) - 2))
