"""What the training part has of the sentences that a translator is measured on.

It tells memory from skill: a sentence that training had but for a word is easier than a new one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gru_mt.data.check import compared_words, near_duplicates
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.lexicon import words
from gru_mt.run import Run
from gru_mt.storage import read_signed_json

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Familiarity:
    """What the training part has of each sentence of a set, and of each word of its references."""

    nearest: list[str]  # the training source with the most words in common; "" where none has any
    distance: list[float]  # to it: 1 - words in common / words of either (Jaccard), 0 to 1
    near_duplicate: list[bool]  # differs from a training source by a word; see `near_duplicates`
    rarest: list[int]  # training sources that have its rarest word
    target_words: dict[str, int]  # of each word of the references, its count in training targets

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """Return what `to_json` gave."""
        return cls(**values)


def read_familiarity(run: Run, part: str) -> list[Familiarity]:
    """Return what a run keeps of the sets of a part; none where it keeps nothing yet."""
    path = run.familiarity(part)
    if not path.is_file():
        return []
    return [Familiarity.from_json(each) for each in read_signed_json(path)["sets"]]


def familiarity(train: Sequence[tuple[str, str]], evaluation_set: EvaluationSet) -> Familiarity:
    """Return what the sources and targets of `train` have of a set. Case does not count."""
    sources = [source for source, _ in train]
    near = {text for text, _ in near_duplicates(sources, evaluation_set.sources)}
    index = _Index(sources, evaluation_set.sources)
    found = [index.nearest(text) for text in evaluation_set.sources]
    wanted = {
        word for texts in evaluation_set.references for text in texts for word in _lower(text)
    }
    counts = Counter(word for _, target in train for word in _lower(target) if word in wanted)
    return Familiarity(
        [sources[row] if distance < 1 else "" for row, distance, _ in found],
        [round(distance, 4) for _, distance, _ in found],
        [text in near for text in evaluation_set.sources],
        [rarest for _, _, rarest in found],
        {word: counts[word] for word in sorted(wanted)},
    )


def _lower(text: str) -> list[str]:
    return words(text.lower())


class _Index:
    """The training sources that have each word.

    Shapes: N training sources, P those that have a word.
    """

    def __init__(self, sources: Sequence[str], asked: Sequence[str]) -> None:
        """Index `sources` by the words of the texts that will be asked for."""
        rows: dict[str, list[int]] = {word: [] for text in asked for word in compared_words(text)}
        self._size_N = np.empty(len(sources), np.int64)
        for row, text in enumerate(sources):
            found = {*compared_words(text)}
            self._size_N[row] = len(found)
            for word in found:
                if word in rows:
                    rows[word].append(row)
        self._row_P: dict[str, NDArray[np.int64]] = {
            word: np.array(found, np.int64) for word, found in rows.items()
        }

    def nearest(self, text: str) -> tuple[int, float, int]:
        """Return the nearest source's row, its distance, and how many have the rarest word."""
        row_lists = [self._row_P[word] for word in {*compared_words(text)}]
        if not row_lists or not len(self._size_N):
            return 0, 1.0, 0
        common_N = np.bincount(np.concatenate(row_lists), minlength=len(self._size_N))
        share_N = common_N / (self._size_N + len(row_lists) - common_N)
        row = int(share_N.argmax())
        return row, 1 - float(share_N[row]), min(map(len, row_lists))
