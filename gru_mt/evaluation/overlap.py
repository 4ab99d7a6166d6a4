"""The overlap of evaluation sets with the training split.

It tells memory from skill: a sentence that training had but for a word is easier than a new one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise

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

    distance: list[float]  # 1 - words in common / words of either (Jaccard) with the nearest source
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
    # N training sources of a chunk, M those that have a word
    asked = [source for one in sets for source in one.sources]
    near = NearDuplicates(asked)
    words_of = [{*compared_words(text)} for text in asked]
    shares = [0.0] * len(asked)
    counts = dict.fromkeys(chain(*words_of), 0)
    references = [chain(*one.references) for one in sets]
    targets = [
        sorted({word for text in texts for word in words(text.lower())}) for texts in references
    ]
    target_counts = dict.fromkeys(chain(*targets), 0)
    for start in range(0, len(train), CHUNK):
        pairs = [*train[start : start + CHUNK]]
        of_chunk = Counter(word for pair in pairs for word in words(pair.target.lower()))
        for word in of_chunk.keys() & target_counts.keys():
            target_counts[word] += of_chunk[word]
        rows: dict[str, list[int]] = {word: [] for word in counts}
        size_N = np.empty(len(pairs), np.int64)
        for row, pair in enumerate(pairs):
            found = compared_words(pair.source)
            near.add(pair.source, found)
            size_N[row] = len({*found})
            for word in {*found} & rows.keys():
                rows[word].append(row)
        row_M_of = {word: np.array(found, np.int64) for word, found in rows.items()}
        for word, row_M in row_M_of.items():
            counts[word] += len(row_M)
        for index, wanted in enumerate(words_of):
            if wanted:
                together = np.concatenate([row_M_of[word] for word in wanted])
                common_N = np.bincount(together, minlength=len(pairs))
                share_N = common_N / (size_N + len(wanted) - common_N)
                shares[index] = max(shares[index], float(share_N.max()))
    distances = [round(1 - share, 4) for share in shares]
    is_near = [text in near.found for text in asked]
    rarest = [min((counts[word] for word in wanted), default=0) for wanted in words_of]
    ends = accumulate((len(one.sources) for one in sets), initial=0)
    overlaps = []
    for (start, end), of_set in zip(pairwise(ends), targets, strict=True):
        of = slice(start, end)
        known = {word: target_counts[word] for word in of_set}
        overlaps.append(TrainOverlap(distances[of], is_near[of], rarest[of], known))
    return overlaps
