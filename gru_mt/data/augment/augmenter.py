"""Augmentation: each epoch changes some training pairs, so that they look as people type them.

A change is a pure function of (pairs, seed, epoch, index), so a resumed run draws the same ones.
"""

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import cycle
from typing import NamedTuple, Self

from gru_mt.config.data import AugmentConfig
from gru_mt.data.text.normalize import COMMA, IN_WORD, SENTENCE_END, SPACELESS, WORD
from gru_mt.data.text.spelling import BESIDE
from gru_mt.data.tokenizer.special import PLACEHOLDER, PLACEHOLDER_TOKENS
from gru_mt.data.types import Texts

_END = re.compile(rf"\s*[{SENTENCE_END}]+[\"'”’»」)]*$")  # final marks, and quotes after them
_MARK = re.compile(rf"(?<=[{IN_WORD}])([?!;:.,]+)(?=\s|$)")
_RUN = re.compile(rf"[{IN_WORD}]+")
_SHORT_NUMBER = re.compile(rf"(?<![{IN_WORD}.,:])\d{{1,2}}(?![{IN_WORD}:]|[.,]\d)")
_APOSTROPHE = re.compile(rf"(?<=[{IN_WORD}])['’](?=\w)")
_FOR_APOSTROPHES = ("", "", "", "", "’", "´", "`", " ")
_OTHERS = (1, 1, 1, 1, 3, 7, 7)  # pairs joined to one: the shortest and the longest need most
_QUOTES = ("“”", "„“", "«»", "‘’")
_BRACKETS = {" (": ")", ' "': '"', ", ": "", ": ": ""}
_ACCENTED = "áàâãäåāăąçćčďđéèêëēęěğíìîïıłńňñóòôõöøōőřśšşțúùûüūůűýžźż"


class WordLists(NamedTuple):
    """The words of a corpus that augmentation needs."""

    dictionary: dict[str, str]  # of single words
    names: list[str]  # see `shared_names`, in alphabetical order
    starters: list[str]  # see `sentence_starters`, in alphabetical order

    @classmethod
    def learn(cls, pairs: Sequence[Texts]) -> Self:
        """Return the word lists of pairs, placeholders masked. Translations are pairs of words."""
        dictionary = {
            source: target
            for source, target in pairs
            if WORD.fullmatch(source) and WORD.fullmatch(target)
        }
        starters = sentence_starters(target for _, target in pairs)
        return cls(dictionary, sorted(shared_names(pairs)), sorted(starters))


class Augmenter:
    """Changes the pairs of a run."""

    def __init__(
        self, config: AugmentConfig, pairs: Sequence[Texts], words: WordLists, *, seed: int
    ) -> None:
        """Take pairs to join to others, placeholders masked, and the word lists of training."""
        self._config, self._seed, self._pairs = config, seed, pairs
        self._translations, self._names = words.dictionary, frozenset(words.names)
        self._starters = frozenset(words.starters)
        self._alike: dict[bool, list[str]] = {True: [], False: []}
        for name in words.names:
            self._alike[begins_with_vowel(name)].append(name)

    def of_epoch(
        self, epoch: int, indices: Iterable[int], pairs: Iterable[Texts]
    ) -> dict[int, Texts]:
        """Return the pairs that change, by their order here; `indices` are those in the epoch."""
        changed = {}
        for order, (index, pair) in enumerate(zip(indices, pairs, strict=True)):
            augmented = self._augmented(pair, random.Random(f"{self._seed}/{epoch}/{index}"))
            if augmented != pair:
                changed[order] = augmented
        return changed

    def _augmented(self, pair: Texts, rng: random.Random) -> Texts:
        """Return a changed pair. Each kind of change is drawn by itself, so kinds combine."""
        config = self._config
        if rng.random() < config.join:
            others = (rng.choice(self._pairs) for _ in range(rng.choice(_OTHERS)))
            pair = joined([pair, *others])
        if rng.random() < config.typos:
            pair = Texts(with_typo(pair.source, rng), pair.target)
        if rng.random() < config.apostrophes:
            pair = Texts(_APOSTROPHE.sub(rng.choice(_FOR_APOSTROPHES), pair.source), pair.target)
        if rng.random() < config.names:  # after mistakes, as names have none
            pair = self._renamed(pair, rng)
        if rng.random() < config.numbers:
            pair = renumbered(pair, rng)
        if rng.random() < config.items:
            pair = self._with_items(pair, rng)
        if rng.random() < config.no_mark:
            pair = Texts(*(_END.sub("", side) or side for side in pair))
        if rng.random() < config.commas:
            pair = Texts(COMMA.sub("", pair.source), pair.target)
        if rng.random() < config.marks:
            pair = Texts(odd_marks(pair.source, rng), pair.target)
        return shuffled_placeholders(pair, rng)

    def _renamed(self, pair: Texts, rng: random.Random) -> Texts:
        """Replace each name on both sides by another, a made-up one or a placeholder."""
        # The word before a name may depend on how it begins: d'Anne, de Tom. So a vowel stays one.
        both = {*WORD.findall(pair.source)} & {*WORD.findall(pair.target)} & self._names
        for name in sorted(both):
            kind, vowel = rng.random(), begins_with_vowel(name)
            if kind < 0.4 and not vowel:
                new = free_placeholder(pair.source)
            elif kind < 0.8:
                new = self._made_up_name(rng)
            else:
                new = rng.choice(self._alike[vowel])
            if new not in PLACEHOLDER_TOKENS and begins_with_vowel(new) != vowel:
                new = rng.choice(self._alike[vowel])[0] + new[1:]
            pair = Texts(*(with_word(side, name, new) for side in pair))
        return pair

    def _made_up_name(self, rng: random.Random) -> str:
        """Return a name that nobody has: the beginning of one word and the end of another."""
        first, second = (
            rng.choice(WORD.findall(rng.choice(self._pairs).source) or ["Ana"]) for _ in range(2)
        )
        letters = list((first[: rng.randint(1, 4)] + second[-rng.randint(2, 5) :]).lower())
        if rng.random() < 0.3 and letters[0].isascii():
            letters[rng.randrange(len(letters))] = rng.choice(_ACCENTED)
        name = "".join(letters).capitalize()
        return f"{rng.choice('OD')}'{name}" if rng.random() < 0.05 else name

    def _with_items(self, pair: Texts, rng: random.Random) -> Texts:
        """Put one to three placeholders, numbers or names at matching positions of both sides."""
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            kind = rng.random()
            if kind < 0.6:
                item = free_placeholder(pair.source)
            elif kind < 0.85 or not self._names:  # the corpus copies no names
                item = str(rng.randrange(100))
            else:
                item = self._made_up_name(rng)
            source, target = (Counter(WORD.findall(side)) for side in pair)
            anchors = [  # words that translate each other, and stand once on their sides
                (word, self._translations[word])
                for word, count in source.items()
                if word in self._translations and count == target[self._translations[word]] == 1
            ]
            pair = with_item(pair, item, anchors, self._starters, rng)
        return pair


def begins_with_vowel(name: str) -> bool:
    """Return whether a name begins with a Latin vowel, with or without an accent."""
    return unicodedata.normalize("NFD", name)[0] in "AEIOUaeiou"


def with_word(text: str, old: str, new: str) -> str:
    """Replace a word where it is no part of another."""
    return _RUN.sub(lambda run: new if run[0] == old else run[0], text)


def free_placeholder(text: str) -> str:
    """Return the first placeholder token that a text has not, or the last one."""
    free = (token for token in PLACEHOLDER_TOKENS if token not in text)
    return next(free, PLACEHOLDER_TOKENS[-1])


def shuffled_placeholders(pair: Texts, rng: random.Random) -> Texts:
    """Return the pair with other placeholder tokens, so that all of them are learned."""
    if not PLACEHOLDER.search(pair.source):
        return pair
    shuffled = rng.sample(PLACEHOLDER_TOKENS, len(PLACEHOLDER_TOKENS))
    table = str.maketrans("".join(PLACEHOLDER_TOKENS), "".join(shuffled))
    return Texts(*(side.translate(table) for side in pair))


def joined(pairs: Sequence[Texts]) -> Texts:
    """Return several pairs as one: "A. B.", or "我。你。" in a script without spaces."""
    sides = (
        "".join(text if SPACELESS.search(text[-2:]) else f"{text} " for text in texts)
        for texts in zip(*pairs, strict=True)
    )
    return Texts(*map(str.rstrip, sides))


def renumbered(pair: Texts, rng: random.Random) -> Texts:
    """Replace numbers of one or two digits by others, where both sides have the same ones."""
    sides = [_SHORT_NUMBER.findall(side) for side in pair]
    if not sides[0] or sorted(sides[0]) != sorted(sides[1]):
        return pair
    new = {number: str(rng.randrange(2, 100)) for number in sides[0]}
    return Texts(*(_SHORT_NUMBER.sub(lambda match: new[match[0]], side) for side in pair))


def with_item(
    pair: Texts,
    item: str,
    anchors: Sequence[tuple[str, str]],
    starters: Collection[str],
    rng: random.Random,
) -> Texts:
    """Put `item` at matching positions of both sides.

    They are the beginning, before or after the final mark, and beside a couple of `anchors`:
    before it, after it, or around it if the item is a placeholder, as the tags of <b>bold</b> are.
    After an item and a space, one of `starters` is small: "@tom where are you?".
    """
    position = rng.random()
    if position < 0.15:
        space, target = rng.choice((" ", " ", ": ")), pair.target
        first = WORD.match(target)
        if space == " " and first and first[0] in starters:
            target = target[0].lower() + target[1:]
        return Texts(f"{item}{space}{pair.source}", f"{item}{space}{target}")
    if position < 0.3:
        return Texts(*(f"{side} {item}" for side in pair))
    if position < 0.6 or not anchors:
        left = rng.choice((" ", " ", " ", *_BRACKETS))
        added = f"{left}{item}{_BRACKETS.get(left, '')}"
        bodies = zip((_END.sub("", side) for side in pair), pair, strict=True)
        return Texts(*(f"{body}{added}{side[len(body) :]}" for body, side in bodies))
    couple = zip(rng.choice(anchors), pair, strict=True)
    around = "{item}{}{other}" if item in PLACEHOLDER_TOKENS else "{} ({item})"
    form = rng.choice(("{item} {}", "{} {item}", around))
    items = {"item": item, "other": free_placeholder(pair.source + item)}
    return Texts(*(with_word(side, word, form.format(word, **items)) for word, side in couple))


def odd_marks(text: str, rng: random.Random) -> str:
    """Type marks as people do: other quotes, spaces before marks, several marks."""
    if '"' in text:
        quotes = cycle(rng.choice(_QUOTES))
        return re.sub('"', lambda _: next(quotes), text)
    if rng.random() < 0.7:
        return _MARK.sub(r" \1", text)
    return re.sub(r"([!?.])$", lambda match: match[0] * rng.choice((2, 3)), text)


def with_typo(text: str, rng: random.Random) -> str:
    """Return `text` with a letter of one word swapped, dropped, doubled or hit beside its key."""
    found = [match for match in WORD.finditer(text) if len(match[0]) > 2]
    if not found:
        return text
    start, end = rng.choice(found).span()
    index = rng.randrange(start, end)
    letter, after = text[index], text[index + 1] if index + 1 < end else ""
    new = rng.choice(
        (
            after + letter,  # swapped; the last letter stays
            after,  # dropped
            letter + letter + after,  # doubled
            rng.choice(BESIDE.get(letter.lower(), letter)) + after,
        )
    )
    return text[:index] + new + text[index + 1 + len(after) :]


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


def sentence_starters(texts: Iterable[str]) -> set[str]:
    """Return the words that begin texts with a capital, and are mostly small inside them."""
    first: set[str] = set()
    inside: Counter[str] = Counter()
    for text in texts:
        begin, *others = WORD.findall(text) or [""]
        first.add(begin)
        inside.update(others)
    return {word for word in first if inside[word.lower()] > inside[word]}
