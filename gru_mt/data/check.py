"""What corpora are like before anybody trains on them: lengths, scripts, near-duplicates."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gru_mt.config import DataConfig
from gru_mt.data.filters import script_counts
from gru_mt.data.parts import Parts
from gru_mt.data.split import key
from gru_mt.data.text import SPACELESS, count_words

LEAST_WORDS = 5  # of a sentence that may have near-duplicates; shorter ones are alike by chance
LEAST_SHARE = 0.001  # of the letters of a side, in a script that is shown
SHOWN = 3  # near-duplicates

Gap = tuple[str, str]  # the words before a word that is left out, and those after it


@dataclass(frozen=True, slots=True)
class Side:
    """The sentences of one language in the training part."""

    language: str
    mean_words: float
    most_words_of_95_percent: int
    longest_words: int
    scripts: dict[str, float]  # shares of the letters, the largest first

    def __str__(self) -> str:
        scripts = ", ".join(f"{name} {100 * share:.1f} %" for name, share in self.scripts.items())
        return (
            f"{self.language}: {self.mean_words:.1f} words a sentence, 95 % have at most "
            f"{self.most_words_of_95_percent:,}, the longest {self.longest_words:,}; {scripts}"
        )


@dataclass(frozen=True, slots=True)
class Check:
    """What was found in the parts of a configuration."""

    parts: Parts
    sides: tuple[Side, Side]
    near: dict[str, list[tuple[str, str]]]  # of each test set: sentences, and their like in train

    def lines(self) -> list[str]:
        """Return what was found, for a person to read."""
        lines = []
        for corpus in self.parts.corpora:
            lines += [f"{corpus.name}: {line}" for line in corpus.report.lines()]
            for reason, dropped in corpus.report.dropped.items():
                lines += [f"  {reason}: {text!r}" for text in dropped.examples]
        lines += [*self.parts.summary(), *map(str, self.sides)]
        sizes = self.parts.sentences()["test"]
        for name, found in self.near.items():
            lines.append(
                f"test {name}: {len(found):,} of {sizes[name]:,} sentences differ from one of "
                "train by a word"
            )
            lines += [f"  {text!r} from {like!r}" for text, like in found[:SHOWN]]
        return [*lines, *(f"warning: {warning}" for warning in self.parts.warnings())]

    def to_json(self) -> dict[str, Any]:
        """Return the same as JSON values."""
        return self.parts.to_json() | {
            "training_pairs": len(self.parts.train),
            "sentences": self.parts.sentences(),
            "sides": [asdict(side) for side in self.sides],
            "near_duplicates": {name: len(found) for name, found in self.near.items()},
            "warnings": self.parts.warnings(),
        }


def check(parts: Parts, config: DataConfig) -> Check:
    """Return what the parts of `config` are like."""
    sources = [pair.source for pair in parts.train]
    sides = (
        _side(sources, config.source),
        _side([pair.target for pair in parts.train], config.target),
    )
    return Check(
        parts, sides, {each.name: near_duplicates(sources, each.sources) for each in parts.test}
    )


def _side(texts: Sequence[str], language: str) -> Side:
    words_N = np.array([count_words(text) for text in texts] or [0])
    scripts = script_counts("".join(texts))
    total = max(1, scripts.total())
    return Side(
        language,
        float(words_N.mean()),
        int(np.percentile(words_N, 95)),
        int(words_N.max()),
        {
            name: count / total
            for name, count in scripts.most_common()
            if count >= LEAST_SHARE * total
        },
    )


def near_duplicates(train: Iterable[str], test: Iterable[str]) -> list[tuple[str, str]]:
    """Return the texts of `test` that differ from one of `train` by a word, each with that one.

    A word was put in, left out or replaced. Case and punctuation do not count, nor do texts of
    fewer than LEAST_WORDS words; of a script without spaces each letter is a word.
    """
    whole: defaultdict[str, list[str]] = defaultdict(list)  # texts by their words
    shorter: defaultdict[str, list[str]] = defaultdict(list)  # and without one of them
    gapped: defaultdict[Gap, list[str]] = defaultdict(list)  # and by what is around it
    for text in test:
        words = compared_words(text)
        if len(words) >= LEAST_WORDS:
            whole[" ".join(words)].append(text)
            for gap in _gaps(words):
                shorter[_closed(gap)].append(text)
                gapped[gap].append(text)
    found: dict[str, str] = {}
    for text in train:
        words = compared_words(text)
        joined = " ".join(words)
        if joined in whole:
            continue
        like = [*shorter.get(joined, ())]
        for gap in _gaps(words):
            like += [*whole.get(_closed(gap), ()), *gapped.get(gap, ())]
        for each in like:
            found.setdefault(each, text)
    return [*found.items()]


def compared_words(text: str) -> list[str]:
    """Return the words of a text by which it is compared: without case and punctuation."""
    return SPACELESS.sub(lambda match: f" {match[0]} ", key(text)).split()


def _gaps(words: Sequence[str]) -> Iterator[Gap]:
    """Yield what stands before each word and what stands after it."""
    for place in range(len(words)):
        yield " ".join(words[:place]), " ".join(words[place + 1 :])


def _closed(gap: Gap) -> str:
    return " ".join(filter(None, gap))
