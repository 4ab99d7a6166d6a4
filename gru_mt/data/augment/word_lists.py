"""The words of a corpus that augmentation needs: names, and translations of single words."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Self

from gru_mt.data.text.normalize import WORD
from gru_mt.data.types import Texts


class WordLists(NamedTuple):
    """Names and translations."""

    translations: dict[str, str]  # of single words
    names: tuple[str, ...]  # see `shared_names`, in alphabetical order

    @classmethod
    def learn(cls, pairs: Sequence[Texts]) -> Self:
        """Return the word lists of pairs, placeholders masked. Translations are pairs of words."""
        translations = {
            source: target
            for source, target in pairs
            if WORD.fullmatch(source) and WORD.fullmatch(target)
        }
        return cls(translations, tuple(sorted(shared_names(pairs))))


def shared_names(pairs: Sequence[Texts]) -> set[str]:
    """Return the words that are names: capitalised inside sentences, and the same on both sides.

    A word that is often written small is none, nor one that most targets translate.
    """
    inside: Counter[str] = Counter()
    shared: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for source, target in pairs:
        others = {*WORD.findall(target)}
        small.update(word for word in others if word.islower())
        for match in WORD.finditer(source):
            word = match[0]
            if word.islower():
                small[word] += 1
            elif len(word) > 1 and word.istitle() and match.start():
                inside[word] += 1
                shared[word] += word in others
    return {
        word
        for word, count in shared.items()
        if 2 * count > inside[word] and 10 * small[word.lower()] < inside[word]
    }
