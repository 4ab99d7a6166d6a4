"""Words and phrases that translate each other, found by counting the pairs that have both.

Shapes: N pairs, S distinct words of the sources, X of them, T of the targets, D couples of one of
each.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gru_mt.data.dataset.store import Ints
from gru_mt.data.text.normalize import IN_WORD, SPACELESS, WORD, words
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.types import Example

if TYPE_CHECKING:
    from scipy.sparse import csc_array

LEAST_TOGETHER = 3  # pairs
BLOCK = 1_000  # words of the sources that are counted at a time
LEAST_DICE = 0.4
PHRASE_WORDS = 3
SHORT_WORDS = 2
LEAST_FOUND = 2
_AFTER_WORDS = re.compile(rf"[^{IN_WORD}]+$")
_BESIDE = rf"[^{IN_WORD}'’-]"
_UNDIVIDED = re.compile(rf"{_BESIDE}[{IN_WORD} -]+{_BESIDE}\Z")  # a phrase, and its sides


def learn_lexicon(examples: Sequence[Example]) -> list[Example]:
    """Return pairs of single words, each as it is mostly written, with the first line of both.

    Two words translate each other if each is the other's best by Dice's coefficient: twice the
    pairs that have both, over the sum of the pairs that have the one and the other (Smadja et al.
    1996). It must be LEAST_DICE, so the lexicon is small, and nearly all of it is right.
    """
    sources, has_NS = _word_matrix([example.source for example in examples])
    targets, has_NT = _word_matrix([example.target for example in examples])
    source_D, target_D, together_D = _often_together(has_NS, has_NT)
    count_S, count_T = np.diff(has_NS.indptr), np.diff(has_NT.indptr)
    dice_D = 2 * together_D / (count_S[source_D] + count_T[target_D])
    best_S, best_T = np.zeros(len(sources)), np.zeros(len(targets))
    np.maximum.at(best_S, source_D, dice_D)
    np.maximum.at(best_T, target_D, dice_D)
    is_best_D = dice_D >= np.maximum(np.maximum(best_S[source_D], best_T[target_D]), LEAST_DICE)
    lexicon = []
    for s, t in zip(source_D[is_best_D], target_D[is_best_D], strict=True):
        first = np.intersect1d(_rows(has_NS, s), _rows(has_NT, t), assume_unique=True)[0]
        lexicon.append(examples[first]._replace(source=sources[s], target=targets[t]))
    return lexicon


def _often_together(has_NS: "csc_array", has_NT: "csc_array") -> tuple[Ints, Ints, Ints]:
    """Return the couples with LEAST_TOGETHER pairs, ascending, and how many each has."""
    found = []
    for first in range(
        0, max(1, has_NS.shape[1]), BLOCK
    ):  # most couples stand together once or twice
        together_XT = (has_NS[:, first : first + BLOCK].T @ has_NT).tocoo()
        often_D = together_XT.data >= LEAST_TOGETHER
        source_D, target_D = together_XT.row[often_D] + first, together_XT.col[often_D]
        order_D = np.lexsort((target_D, source_D))
        couples = source_D, target_D, together_XT.data[often_D]
        found.append([each[order_D].astype(np.int64) for each in couples])
    source_D, target_D, together_D = map(np.concatenate, zip(*found, strict=True))
    return source_D, target_D, together_D


def _word_matrix(texts: Sequence[str]) -> tuple[list[str], "csc_array"]:
    """Return the words of N texts, each as it is mostly written, and 1 where a text has a word."""
    from scipy.sparse import csr_array  # it takes a while, and translating does not need it

    index_of: dict[str, int] = {}
    written: Counter[str] = Counter()
    indices: list[int] = []
    bounds = [0]
    for text in texts:
        found = [word for word in words(text) if not SPACELESS.match(word)]  # else it is a letter
        written.update(found)
        distinct = dict.fromkeys(map(str.lower, found))
        indices += [index_of.setdefault(word, len(index_of)) for word in distinct]
        bounds.append(len(indices))
    mostly: dict[str, str] = {}
    for word, _ in written.most_common():
        mostly.setdefault(word.lower(), word)
    shape = len(texts), len(index_of)
    matrix = csr_array((np.ones(len(indices), np.int32), indices, bounds), shape=shape)
    return [mostly[word] for word in index_of], matrix.tocsc()


def _rows(matrix: "csc_array", column: int) -> npt.NDArray[np.int32]:
    return matrix.indices[matrix.indptr[column] : matrix.indptr[column + 1]]


def learn_phrases(examples: Sequence[Example], lexicon: Sequence[Example]) -> list[Example]:
    """Return phrases of two to PHRASE_WORDS words, with what mostly translates each.

    The words stand side by side, and so do their translations, in whatever order: of "I saw a red
    car." and "J'ai vu une voiture rouge." it is "red car" and "voiture rouge". A phrase counts if
    it is found LEAST_FOUND times.
    """
    best = {pair.source.lower(): pair.target.lower() for pair in lexicon}
    found = chain.from_iterable(_phrases_of(example, best) for example in examples)
    return _mostly(found, least=LEAST_FOUND)


def _phrases_of(example: Example, best: Mapping[str, str]) -> Iterator[Example]:
    source, target = example.source, example.target
    sources, targets = [*WORD.finditer(source)], [*WORD.finditer(target)]
    index_of = {match[0].lower(): index for index, match in enumerate(targets)}
    aligned = [index_of.get(best.get(match[0].lower(), "")) for match in sources]
    for first in range(1, len(aligned)):  # the capital of a first word tells nothing
        for end in range(first + 2, min(first + PHRASE_WORDS, len(aligned)) + 1):
            indices = [index for index in aligned[first:end] if index is not None]
            if len(indices) < end - first:
                break
            begin, last = min(indices), max(indices)
            if last - begin != end - 1 - first or not begin:
                continue  # not side by side
            phrase = source[sources[first].start() - 1 : sources[end - 1].end() + 1]
            translation = target[targets[begin].start() - 1 : targets[last].end() + 1]
            if _UNDIVIDED.match(phrase) and _UNDIVIDED.match(translation):
                yield example._replace(source=phrase[1:-1], target=translation[1:-1])


def short_sentences(examples: Sequence[Example]) -> list[Example]:
    """Return the sentences of one or two words as phrases, with what mostly translates each.

    They lose their final mark, and have each word as it is mostly written inside sentences: of
    "Thank you!" and "Merci !" it is "thank you" and "merci".
    """
    sources, targets = [pair.source for pair in examples], [pair.target for pair in examples]
    sides = Truecaser.learn(sources, targets), Truecaser.learn(targets, sources)
    phrases = []
    for pair in examples:
        if 0 < len(words(pair.source)) <= SHORT_WORDS:
            source, target = (_AFTER_WORDS.sub("", side) for side in pair[:2])
            if source and target:
                source, target = sides[0].cased(source), sides[1].cased(target)
                phrases.append(pair._replace(source=source, target=target))
    return _mostly(phrases, least=1)


def _mostly(phrases: Iterable[Example], *, least: int) -> list[Example]:
    """Return each phrase with what mostly translates it, where it does so `least` times."""
    groups: dict[tuple[str, str], list[Example]] = {}
    for phrase in phrases:
        groups.setdefault(phrase[:2], []).append(phrase)
    found: dict[str, Example] = {}
    for group in sorted(groups.values(), key=len, reverse=True):
        if len(group) >= least:
            found.setdefault(group[0].source, group[0])
    return [*found.values()]


def learn_short_texts(examples: Sequence[Example]) -> list[Example]:
    """Return pairs of words and short phrases, as people look them up; each phrase once.

    Where a sentence is as short, its translation is taken rather than that of its words.
    """
    lexicon = learn_lexicon(examples)
    phrases = learn_phrases(examples, lexicon)
    by_phrase = {pair.source: pair for pair in [*lexicon, *phrases, *short_sentences(examples)]}
    return [*by_phrase.values()]
