"""Words that translate each other, found by counting the pairs in which they stand together.

Augmentation puts items at matching positions of both sides with it, and draws single words from it.

Shapes: N pairs, W words of the sources, C couples of a source word and a target word in one pair,
D distinct couples.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from gru_mt.data.dataset.store import Ints
from gru_mt.data.text.normalize import IN_WORD, WORD, is_spaceless, words
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.types import Example

MOST_PAIRS = 200_000  # that are counted, evenly spread
_ROWS = 10_000  # pairs that are counted at a time
LEAST_TOGETHER = 3  # pairs
LEAST_DICE = 0.4
PHRASE_WORDS = 3
SHORT_WORDS = 2
_AFTER_WORDS = re.compile(rf"[^{IN_WORD}]+$")
LEAST_FOUND = 2
_BESIDE = rf"[^{IN_WORD}'’-]"
_UNDIVIDED = re.compile(rf"{_BESIDE}[{IN_WORD} -]+{_BESIDE}\Z")  # a phrase, and its sides


def learn_lexicon(examples: Sequence[Example]) -> list[Example]:
    """Return pairs of single words, each as it is mostly written, with the first line of both.

    Two words translate each other if each is the other's best by Dice's coefficient: twice the
    pairs that have both, over the sum of the pairs that have the one and the other (Smadja et al.
    1996). It must be LEAST_DICE, so the lexicon is small, and nearly all of it is right.
    """
    examples = examples[:: max(1, -(-len(examples) // MOST_PAIRS))]
    source = _Side([example.source for example in examples])
    target = _Side([example.target for example in examples])
    couple_D, first_D, together_D = _couples(source, target)
    source_D, target_D = np.divmod(couple_D, max(1, len(target.forms)))
    dice_D = 2 * together_D / (source.count_V[source_D] + target.count_V[target_D])
    best = [np.zeros(len(side.forms)) for side in (source, target)]
    np.maximum.at(best[0], source_D, dice_D)
    np.maximum.at(best[1], target_D, dice_D)
    least_D = np.maximum(np.maximum(best[0][source_D], best[1][target_D]), LEAST_DICE)
    return [
        examples[first_D[d]]._replace(
            source=source.forms[source_D[d]], target=target.forms[target_D[d]]
        )
        for d in np.flatnonzero(dice_D >= least_D)
    ]


def _couples(source: "_Side", target: "_Side") -> tuple[Ints, Ints, Ints]:
    """Return the couples in LEAST_TOGETHER pairs, the first pair of each, and how many have it.

    A couple of the words s and t has the number s * (words of the target) + t.
    """
    pairs = max(1, len(source.length_N))
    rows = range(0, pairs, _ROWS)
    parts = [_couples_of(source, target, row, row + _ROWS) for row in rows]
    key_C = np.concatenate(parts)
    del parts
    key_C.sort()
    couple_C = key_C // pairs
    start_D = np.flatnonzero(np.diff(couple_C, prepend=-1))
    together_D = np.diff(start_D, append=len(couple_C))
    start_D, together_D = (
        column_D[together_D >= LEAST_TOGETHER] for column_D in (start_D, together_D)
    )
    return couple_C[start_D], key_C[start_D] % pairs, together_D


def _couples_of(source: "_Side", target: "_Side", first: int, last: int) -> Ints:
    """Return couple * pairs + pair of each couple in each pair from `first` to before `last`."""
    length_N = source.length_N[first:last]
    pair_W = np.repeat(np.arange(first, first + len(length_N)), length_N)
    before = int(source.length_N[:first].sum())
    source_W = source.id_W[before : before + len(pair_W)]
    beside_W = target.length_N[pair_W]  # target words beside each source word
    place_C = np.arange(beside_W.sum()) - np.repeat(np.cumsum(beside_W) - beside_W, beside_W)
    target_C = target.id_W[np.repeat(target.start_N[pair_W], beside_W) + place_C]
    couple_C = np.repeat(source_W, beside_W) * len(target.forms) + target_C
    key_C: Ints = couple_C * len(source.length_N) + np.repeat(pair_W, beside_W)
    return key_C


def learn_phrases(examples: Sequence[Example], lexicon: Sequence[Example]) -> list[Example]:
    """Return phrases of two to PHRASE_WORDS words, with what mostly translates each.

    The words stand side by side, and so do their translations, in whatever order: of "I saw a red
    car." and "J'ai vu une voiture rouge." it is "red car" and "voiture rouge". A phrase counts if
    it is found LEAST_FOUND times.
    """
    best = {pair.source.lower(): pair.target.lower() for pair in lexicon}
    phrases = (phrase for example in examples for phrase in _phrases_of(example, best))
    return _mostly(phrases, least=LEAST_FOUND)


def _phrases_of(example: Example, best: Mapping[str, str]) -> Iterator[Example]:
    source, target = example.source, example.target
    sources, targets = [*WORD.finditer(source)], [*WORD.finditer(target)]
    index_of = {match[0].lower(): index for index, match in enumerate(targets)}
    aligned = [index_of.get(best.get(match[0].lower(), "")) for match in sources]
    for first, last in _runs(aligned):
        indices = [index for index in aligned[first : last + 1] if index is not None]
        begin, end = min(indices), max(indices)
        if end - begin != last - first or not first or not begin:
            continue  # not side by side, or a first word, whose capital tells nothing
        phrase = source[sources[first].start() - 1 : sources[last].end() + 1]
        translation = target[targets[begin].start() - 1 : targets[end].end() + 1]
        if _UNDIVIDED.match(phrase) and _UNDIVIDED.match(translation):
            yield example._replace(source=phrase[1:-1], target=translation[1:-1])


def short_sentences(examples: Sequence[Example]) -> list[Example]:
    """Return the sentences of one or two words as phrases, with what mostly translates each.

    They lose their final mark, and have each word as it is mostly written inside sentences: of
    "Thank you!" and "Merci !" it is "thank you" and "merci".
    """
    sources, targets = [pair.source for pair in examples], [pair.target for pair in examples]
    sides = Truecaser.learn(sources, targets), Truecaser.learn(targets, sources)
    phrases = (
        pair._replace(
            source=sides[0].cased(_AFTER_WORDS.sub("", pair.source)),
            target=sides[1].cased(_AFTER_WORDS.sub("", pair.target)),
        )
        for pair in examples
        if 0 < len(words(pair.source)) <= SHORT_WORDS
    )
    return _mostly((phrase for phrase in phrases if phrase.source and phrase.target), least=1)


def _mostly(phrases: Iterable[Example], *, least: int) -> list[Example]:
    """Return each phrase with what mostly translates it, where it does so `least` times."""
    counts: Counter[tuple[str, str]] = Counter()
    first_of: dict[tuple[str, str], Example] = {}
    for phrase in phrases:
        counts[phrase.source, phrase.target] += 1
        first_of.setdefault((phrase.source, phrase.target), phrase)
    found: dict[str, Example] = {}
    for couple, count in counts.most_common():
        if count >= least:
            found.setdefault(couple[0], first_of[couple])
    return [*found.values()]


def learn_short_texts(examples: Sequence[Example]) -> list[Example]:
    """Return pairs of words and short phrases, as people look them up; each phrase once.

    Where a sentence is as short, its translation is taken rather than that of its words.
    """
    lexicon = learn_lexicon(examples)
    phrases = learn_phrases(examples, lexicon)
    by_phrase = {pair.source: pair for pair in [*lexicon, *phrases, *short_sentences(examples)]}
    return [*by_phrase.values()]


def _runs(aligned: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last index of each run of 2 to PHRASE_WORDS indices without None."""
    for first in range(len(aligned)):
        for last in range(first, min(first + PHRASE_WORDS, len(aligned))):
            if aligned[last] is None:
                break
            if last > first:
                yield first, last


class _Side:
    """The words of N texts as numbers, each once for each text that has it."""

    def __init__(self, texts: Sequence[str]) -> None:
        ids: dict[str, int] = {}
        written: Counter[str] = Counter()
        rows = []
        for text in texts:
            found = [word for word in words(text) if not is_spaceless(word)]  # else it is a letter
            written.update(found)
            rows.append(
                [ids.setdefault(word, len(ids)) for word in dict.fromkeys(map(str.lower, found))]
            )
        mostly: dict[str, str] = {}
        for word, _ in written.most_common():
            mostly.setdefault(word.lower(), word)
        self.forms = [mostly[word] for word in ids]
        self.length_N = np.array([len(row) for row in rows], np.int64)
        self.start_N = np.cumsum(self.length_N) - self.length_N
        self.id_W = np.fromiter(chain.from_iterable(rows), np.int64)
        self.count_V = np.bincount(self.id_W, minlength=len(ids))
