"""What the splits are like before anybody trains on them: lengths, scripts, near-duplicates."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any, Self

import numpy as np

from gru_mt.config.data import DataConfig
from gru_mt.data.corpus.languages import script_counts
from gru_mt.data.dataset.components import key
from gru_mt.data.dataset.store import chunked
from gru_mt.data.splits import Splits
from gru_mt.data.text.normalize import SPACELESS, count_words

LEAST_WORDS = 5  # of a sentence that may have near-duplicates; shorter ones are alike by chance
LEAST_SHARE = 0.001  # of the letters of a side, in a script that is shown
MOST_OF = 0.95  # of the sentences: how long they are at most is shown
SHOWN = 3  # near-duplicates


@dataclass(frozen=True, slots=True)
class SideStatistics:
    """The sentences of one language in the training split."""

    language: str
    mean_words: float
    most_words_of_95_percent: int
    longest_words: int
    scripts: dict[str, float]  # shares of the letters, the largest first

    @classmethod
    def of(cls, language: str, lengths: Counter[int], scripts: Counter[str]) -> Self:
        """Return the statistics of sentences by their lengths in words, and of their letters."""
        length_V, count_V = np.array(sorted(lengths.items()) or [(0, 1)]).T
        length_N = np.repeat(length_V, count_V)
        total = scripts.total()
        return cls(
            language,
            float(length_N.mean()),
            int(length_N[math.ceil(MOST_OF * len(length_N)) - 1]),
            int(length_N[-1]),
            {name: count / total for name, count in scripts.most_common()
             if count >= LEAST_SHARE * total},
        )  # fmt: skip

    def __str__(self) -> str:
        scripts = ", ".join(f"{name} {100 * share:.1f} %" for name, share in self.scripts.items())
        return (
            f"{self.language}: {self.mean_words:.1f} words a sentence, 95 % have at most "
            f"{self.most_words_of_95_percent:,}, the longest {self.longest_words:,}; {scripts}"
        )


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the splits of a configuration are like."""

    splits: Splits
    sides: tuple[SideStatistics, ...]
    near: dict[str, dict[str, str]]  # of each test set: sentences, and their like in train

    def lines(self) -> list[str]:
        """Return lines for a person to read."""
        lines = []
        for corpus in self.splits.corpora:
            lines += [f"{corpus.name}: {line}" for line in corpus.report.lines()]
            for reason, dropped in corpus.report.dropped.items():
                lines += [f"  {reason}: {text!r}" for text in dropped.examples]
        lines += [*self.splits.summary(), *map(str, self.sides)]
        sizes = self.splits.sentences()["test"]
        for name, found in self.near.items():
            lines.append(
                f"test {name}: {len(found):,} of {sizes[name]:,} sentences differ from one of "
                "train by a word"
            )
            lines += [f"  {text!r} from {like!r}" for text, like in [*found.items()][:SHOWN]]
        return [*lines, *(f"warning: {warning}" for warning in self.splits.warnings())]

    def to_json(self) -> dict[str, Any]:
        """Return the same as JSON values."""
        return self.splits.to_json() | {
            "training_pairs": len(self.splits.train),
            "sentences": self.splits.sentences(),
            "sides": [asdict(side) for side in self.sides],
            "near_duplicates": {name: len(found) for name, found in self.near.items()},
            "warnings": self.splits.warnings(),
        }


def statistics_of(splits: Splits, config: DataConfig) -> Statistics:
    """Return what the splits of `config` are like. The training split is read once, by chunks."""
    lengths, scripts = (Counter[int](), Counter[int]()), (Counter[str](), Counter[str]())
    near = {found.name: NearDuplicates(found.sources) for found in splits.test}
    for pairs in chunked(splits.train):
        texts = [pair.source for pair in pairs], [pair.target for pair in pairs]
        for side in (0, 1):
            lengths[side].update(map(count_words, texts[side]))
            scripts[side].update(script_counts("".join(texts[side])))
        for text in texts[0] if near else ():
            words = compared_words(text)
            for duplicates in near.values():
                duplicates.add(text, words)
    sides = map(SideStatistics.of, (config.source, config.target), lengths, scripts)
    found = {name: duplicates.found for name, duplicates in near.items()}
    return Statistics(splits, tuple(sides), found)


class NearDuplicates:
    """The texts of a set that differ from one of train by a word.

    A word was put in, left out or replaced. Case and punctuation do not count, nor do texts of
    fewer than LEAST_WORDS words; of a script without spaces each letter is a word.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """Take the texts of the set; none has been found yet."""
        self.found: dict[str, str] = {}  # texts, and the first one of train that each differs from
        self._whole: set[str] = set()  # their words
        self._texts_by_sides: defaultdict[int, list[str]] = defaultdict(list)
        for text in texts:
            words = compared_words(text)
            if len(words) >= LEAST_WORDS:
                self._whole.add(" ".join(words))
                for sides in _sides(words):
                    self._texts_by_sides[sides].append(text)

    def add(self, text: str, words: Sequence[str]) -> None:
        """Take the next text of train, with its `compared_words`."""
        if " ".join(words) in self._whole:
            return
        for sides in _sides(words):
            for near in self._texts_by_sides.get(sides, ()):
                self.found.setdefault(near, text)


def compared_words(text: str) -> list[str]:
    """Return the words of a text by which it is compared: without case and punctuation."""
    return SPACELESS.sub(lambda match: f" {match[0]} ", key(text)).split()


def _sides(words: Sequence[str]) -> Iterator[int]:
    """Yield a hash of what is before and after each word, and each place between two.

    Two texts that differ share such a pair just where they differ by a word.
    """
    before = [*accumulate(words, _with_word, initial=0)]
    after = [*accumulate(reversed(words), _with_word, initial=0)][::-1]
    yield from map(hash, zip(before, after, strict=True))
    yield from map(hash, zip(before, after[1:], strict=False))


def _with_word(sequence: int, word: str) -> int:
    return hash((sequence, word))
