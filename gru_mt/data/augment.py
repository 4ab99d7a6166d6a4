"""Training pairs as people type them: noise that an epoch puts into some of them.

It is a pure function of (pairs, seed, epoch, row), so a resumed run draws the same noise again. A
row is always about its own pair, so every pair is seen in every epoch.
"""

import random
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from gru_mt.config import AugmentConfig
from gru_mt.data.special import LITERALS
from gru_mt.data.split import Example

_WORD = re.compile(r"[^\W\d_]{2,}")
_END = re.compile(
    r"[\s\u00a0\u202f]*[.!?…。！？।؟]+[\"'”’»」)]*$"
)  # final marks, quotes after them
_MARK = re.compile(r"(?<=\w)([?!;:.,]+)(?=\s|$)")
_SHORT_NUMBER = re.compile(r"(?<![\w.,:])\d{1,2}(?![\w:]|[.,]\d)")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_QUOTES = ("“”", "„“", "«»", "‘’", "''")
_ACCENTED = "áàâãäåāăąçćčďđéèêëēęěğíìîïıłńňñóòôõöøōőřśšşțúùûüūůűýžźż"
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_NEIGHBOURS = {
    key: "".join(other for pair in pairwise(row) if key in pair for other in pair if other != key)
    for row in _KEYS
    for key in row
}


class Texts(NamedTuple):
    """The two sides of a pair."""

    source: str
    target: str


class Noise:
    """The noise of a run."""

    def __init__(self, config: AugmentConfig, examples: Sequence[Example], *, seed: int) -> None:
        """Take the training pairs, literals masked. Their names are looked for here."""
        self._pairs = [Texts(source, target) for source, target, _ in examples]
        self._config, self._seed = config, seed
        self._names = shared_names(self._pairs)
        self._name_list = sorted(self._names)

    def of_epoch(self, epoch: int) -> dict[int, Texts]:
        """Return the pairs that an epoch changes, by their rows."""
        changed = {}
        for row, pair in enumerate(self._pairs):
            rng = random.Random(f"{self._seed}/{epoch}/{row}")
            noisy = self._noisy(row, rng)
            if noisy != pair:
                changed[row] = noisy
        return changed

    def _noisy(self, row: int, rng: random.Random) -> Texts:
        """Return a pair with its noise. Each kind is drawn by itself, so some meet."""
        config = self._config
        pair = self._pairs[row]
        if rng.random() < config.join:
            pair = join([pair, *(rng.choice(self._pairs) for _ in range(rng.choice((1, 1, 2, 3))))])
        if rng.random() < config.names:
            pair = self._rename(pair, rng)
        if rng.random() < config.numbers:
            pair = renumber(pair, rng)
        if rng.random() < config.items:
            pair = self._insert(pair, rng)
        if rng.random() < config.no_mark:
            pair = Texts(*(_END.sub("", side) or side for side in pair))
        if rng.random() < config.marks:
            pair = odd_marks(pair, rng)
        source, target = pair
        if rng.random() < config.typos:
            source = typo(source, rng)
        if rng.random() < config.lower:
            source = source.lower()
        return shuffle_literals(Texts(source, target), rng)

    def _rename(self, pair: Texts, rng: random.Random) -> Texts:
        """Replace each name that stands on both sides by another, a made-up one or a literal."""
        for name in sorted(self._names & words(pair.source) & words(pair.target)):
            kind = rng.random()
            new = (
                rng.choice(self._name_list)
                if kind < 0.2
                else self.made_up_name(rng)
                if kind < 0.7
                else free_literal(pair)
            )
            pattern = re.compile(rf"(?<!\w){name}(?!\w)")
            pair = Texts(*(pattern.sub(lambda _, new=new: new, side) for side in pair))
        return pair

    def _insert(self, pair: Texts, rng: random.Random) -> Texts:
        """Put one to three items at like places of both sides: literals, numbers, names."""
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            kind = rng.random()
            item = (
                free_literal(pair)
                if kind < 0.6
                else str(rng.randrange(100))
                if kind < 0.8
                else self.made_up_name(rng)
            )
            pair = insert(pair, item, rng)
        return pair

    def made_up_name(self, rng: random.Random) -> str:
        """Return a name that nobody has: the beginning of one word and the end of another."""
        first, second = (
            rng.choice(_WORD.findall(rng.choice(self._pairs).source) or self._name_list or ["Ana"])
            for _ in range(2)
        )
        letters = list((first[: rng.randint(1, 4)] + second[-rng.randint(2, 5) :]).lower())
        if rng.random() < 0.3 and letters[0].isascii():
            letters[rng.randrange(len(letters))] = rng.choice(_ACCENTED)
        name = "".join(letters)
        name = name[0].upper() + name[1:]
        kind = rng.random()
        if kind < 0.04:
            return f"{rng.choice('OD')}'{name}"
        return f"{name}-{rng.choice(self._name_list or [name])}" if kind < 0.07 else name


def words(text: str) -> set[str]:
    """Return the words of a text that have two letters or more."""
    return {*_WORD.findall(text)}


def shared_names(pairs: Sequence[Texts]) -> set[str]:
    """Return the words that are names: capitalised, and mostly the same on both sides.

    A word that is also written small is none. No language is known here: in German, where all nouns
    are capitalised, an English side does not have them.
    """
    inside: Counter[str] = Counter()
    shared: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for source, target in pairs:
        others = words(target)
        small.update(word for word in others if word.islower())
        for match in _WORD.finditer(source):
            word = match[0]
            if word.islower():
                small[word] += 1
            elif word[0].isupper() and word[1:].islower() and match.start():
                inside[word] += 1
                shared[word] += word in others
    return {
        word
        for word, count in shared.items()
        if 2 * count > inside[word] and 10 * small[word.lower()] < inside[word]
    }


def free_literal(pair: Texts) -> str:
    """Return a literal that the pair has not, or the last one."""
    return next((each for each in LITERALS if each not in pair.source + pair.target), LITERALS[-1])


def shuffle_literals(pair: Texts, rng: random.Random) -> Texts:
    """Return the pair with its literals in another order of LITERALS, the same on both sides."""
    if not any(each in pair.source for each in LITERALS):
        return pair
    table = dict(zip(map(ord, LITERALS), rng.sample(LITERALS, len(LITERALS)), strict=True))
    return Texts(pair.source.translate(table), pair.target.translate(table))


def join(pairs: Sequence[Texts]) -> Texts:
    """Return several pairs on one line; scripts without spaces get none, as their texts have none."""
    return Texts(*(" ".join(sides) for sides in zip(*pairs, strict=True)))


def renumber(pair: Texts, rng: random.Random) -> Texts:
    """Replace the numbers of one or two digits that both sides have by others."""
    sides = [_SHORT_NUMBER.findall(side) for side in pair]
    if not sides[0] or sorted(sides[0]) != sorted(sides[1]):
        return pair
    new = {number: str(rng.randrange(2, 100)) for number in sides[0]}
    return Texts(*(_SHORT_NUMBER.sub(lambda match: new[match[0]], side) for side in pair))


def insert(pair: Texts, item: str, rng: random.Random) -> Texts:
    """Put `item` at like places of both sides: first, before the final mark, last, or within.

    Within a side it stands between two words, as far into each side. That is near the right place
    only where the languages have a like order of words, and the search needs no more than that.
    """
    kind = rng.random()
    if kind < 0.2:
        comma = rng.choice((" ", ", ", ": "))
        return Texts(*(f"{item}{comma}{side}" for side in pair))
    if kind < 0.35:
        return Texts(*(f"{side} {item}" for side in pair))
    if kind < 0.65:
        comma = rng.choice((" ", " ", ", ", ": ", " (", ' "'))
        close = {" (": ")", ' "': '"'}.get(comma, "")
        ends = [_END.search(side) for side in pair]
        places = [end.start() if end else len(side) for end, side in zip(ends, pair, strict=True)]
        return Texts(
            *(
                f"{side[:place]}{comma}{item}{close}{side[place:]}"
                for side, place in zip(pair, places, strict=True)
            )
        )
    share = rng.random()
    return Texts(*(_between(side, item, share) for side in pair))


def _between(side: str, item: str, share: float) -> str:
    parts = side.split(" ")
    place = max(1, min(len(parts) - 1, round(share * len(parts))))
    return " ".join([*parts[:place], item, *parts[place:]])


def odd_marks(pair: Texts, rng: random.Random) -> Texts:
    """Type marks as people do: no apostrophes, curly ones, other quotes, spaces, several marks."""
    source, target = pair
    kind = rng.randrange(4)
    if kind == 0 and _APOSTROPHE.search(source):
        return Texts(_APOSTROPHE.sub(rng.choice(("", "", "’", "´", "`", " ")), source), target)
    if kind == 1 and '"' in source:
        left, right = rng.choice(_QUOTES)
        parts = source.split('"')
        quotes = [left, right] * len(parts)
        return Texts(
            "".join(a + b for a, b in zip(parts, [*quotes[: len(parts) - 1], ""], strict=True)),
            target,
        )
    if kind == 2:
        several = rng.choice((2, 3))
        return Texts(*(re.sub(r"([!?.])$", lambda m: m[0] * several, side) for side in pair))
    return Texts(_MARK.sub(r" \1", source), target)


def typo(text: str, rng: random.Random) -> str:
    """Return `text` with a letter of one word swapped, dropped, doubled or hit beside its key."""
    found = [match for match in _WORD.finditer(text) if len(match[0]) > 2]
    if not found:
        return text
    match = rng.choice(found)
    word, place = match[0], rng.randrange(len(match[0]))
    letter = word[place]
    kind = rng.randrange(4)
    if kind == 0 and place + 1 < len(word):
        new = word[:place] + word[place + 1] + letter + word[place + 2 :]
    elif kind == 1:
        new = word[:place] + word[place + 1 :]
    elif kind == 2:
        new = word[:place] + letter + word[place:]
    else:
        near = _NEIGHBOURS.get(letter.lower()) or word
        new = word[:place] + rng.choice(near) + word[place + 1 :]
    return text[: match.start()] + new + text[match.end() :]
