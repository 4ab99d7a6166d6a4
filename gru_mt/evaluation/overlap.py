"""The overlap of evaluation sets with the training split.

It tells memory from skill: a sentence that training had but for a word is easier than a new one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.statistics import NearDuplicates, compared_words
from gru_mt.data.text.normalize import words
from gru_mt.data.types import Example
from gru_mt.run import Run
from gru_mt.storage import read_checksummed_json

CHUNK = 100_000  # training pairs in memory at a time


@dataclass(frozen=True, slots=True)
class TrainOverlap:
    """What the training split has of the sentences of a set and of the words of its references."""

    nearest: list[str]  # the training source with the most words in common; "" where none has any
    distance: list[float]  # to it: 1 - words in common / words of either (Jaccard), 0 to 1
    near_duplicate: list[bool]  # differs from a training source by a word; see `NearDuplicates`
    rarest: list[int]  # training sources that have its rarest word
    target_words: dict[str, int]  # of each word of the references, its count in training targets


def read_train_overlap(run: Run, split: str) -> list[TrainOverlap]:
    """Return what a run keeps of the sets of a split; none where it keeps nothing yet."""
    path = run.train_overlap(split)
    if not path.is_file():
        return []
    return [TrainOverlap(**values) for values in read_checksummed_json(path)["sets"]]


def train_overlap(train: Sequence[Example], sets: Sequence[EvaluationSet]) -> list[TrainOverlap]:
    """Return the overlap of the sources and targets of `train` with each set. Case does not count.

    `train` is read once, and CHUNK pairs of it are in memory at a time.
    """
    searches = [*map(_Search, sets)]
    for start in range(0, len(train), CHUNK):
        pairs = train[start : start + CHUNK]
        sources = [pair.source for pair in pairs]
        words_of = [*map(compared_words, sources)]
        target_words = Counter(word for pair in pairs for word in words(pair.target.lower()))
        for search in searches:
            search.add(sources, words_of, target_words)
    return [search.found() for search in searches]


class _Search:
    """What is found of a set while training sources are read, chunk by chunk.

    Shapes: N training sources of a chunk, M those that have a word.
    """

    def __init__(self, evaluation_set: EvaluationSet) -> None:
        """Begin without any training sources."""
        self._sources = evaluation_set.sources
        self._near = NearDuplicates(self._sources)
        self._words_of = [{*compared_words(text)} for text in self._sources]
        self._nearest, self._share = [""] * len(self._sources), [0.0] * len(self._sources)
        self._counts = dict.fromkeys(chain.from_iterable(self._words_of), 0)
        wanted = (words(text.lower()) for texts in evaluation_set.references for text in texts)
        self._target_words = dict.fromkeys(sorted({*chain.from_iterable(wanted)}), 0)

    def add(
        self, sources: Sequence[str], words_of: Sequence[list[str]], target_words: Counter[str]
    ) -> None:
        """Take the next training sources with the words of each, and the words of their targets."""
        rows: dict[str, list[int]] = {word: [] for word in self._counts}
        size_N = np.empty(len(sources), np.int64)
        for row, (text, found) in enumerate(zip(sources, words_of, strict=True)):
            self._near.add(text, found)
            distinct = {*found}
            size_N[row] = len(distinct)
            for word in distinct & rows.keys():
                rows[word].append(row)
        row_M_of = {word: np.array(found, np.int64) for word, found in rows.items()}
        for word, row_M in row_M_of.items():
            self._counts[word] += len(row_M)
        for word in target_words.keys() & self._target_words.keys():
            self._target_words[word] += target_words[word]
        for index, wanted in enumerate(self._words_of):
            if not wanted:
                continue
            together = np.concatenate([row_M_of[word] for word in wanted])
            common_N = np.bincount(together, minlength=len(sources))
            share_N = common_N / (size_N + len(wanted) - common_N)
            row = int(share_N.argmax())
            if share_N[row] > self._share[index]:
                self._nearest[index], self._share[index] = sources[row], float(share_N[row])

    def found(self) -> TrainOverlap:
        """Return what was found."""
        return TrainOverlap(
            self._nearest,
            [round(1 - share, 4) for share in self._share],
            [text in self._near.found for text in self._sources],
            [min((self._counts[word] for word in wanted), default=0) for wanted in self._words_of],
            self._target_words,
        )
