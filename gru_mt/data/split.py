"""A split without leaks: pairs that share a sentence, but for case and punctuation, stay together.

The rule depends on nothing but the pairs, so that scores on dev and test stay comparable between
seeds, machines, versions and directions of translation.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from gru_mt.config import DataConfig
from gru_mt.data.corpus import Corpus, Pair

_SEPARATORS = re.compile(r"[\W_]+")
_PARTS = ("train", "dev", "test")


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """Distinct source sentences, and of each all its references; both in the order of the file."""

    sources: list[str]
    references: list[list[str]]

    @classmethod
    def from_pairs(cls, pairs: Iterable[Pair]) -> Self:
        """Return the set that `pairs` make: (a, x), (b, y), (a, z) -> a with x and z, b with y."""
        references: dict[str, list[str]] = {}
        for pair in pairs:
            references.setdefault(pair.source, []).append(pair.target)
        return cls(list(references), list(references.values()))


@dataclass(frozen=True, slots=True)
class Split:
    """The three parts, each in the order of the file."""

    train: list[Pair]
    dev: list[Pair]
    test: list[Pair]

    def summary(self) -> str:
        """Return one line for a person."""
        return f"train {len(self.train):,} pairs, dev {len(self.dev):,}, test {len(self.test):,}"

    def swapped(self) -> "Split":
        """Return the same split for the other direction of translation."""

        def swap(pairs: list[Pair]) -> list[Pair]:
            return [Pair(pair.target, pair.source, pair.line) for pair in pairs]

        return Split(swap(self.train), swap(self.dev), swap(self.test))


def key(text: str) -> str:
    """Return what sentences share that differ in case and punctuation: "Go, now!" -> "go now"."""
    return _SEPARATORS.sub(" ", unicodedata.normalize("NFKC", text).lower()).strip()


def components(pairs: Sequence[Pair]) -> list[list[int]]:
    """Return the indices of `pairs` in groups: two that share the key of a side are in one.

    Indices ascend within a group, and groups by their first. Union-find with path halving.
    """
    parent = list(range(len(pairs)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    first_with: dict[str, int] = {}  # side and key -> the first pair that has it
    for index, pair in enumerate(pairs):
        for side_key in (f"e:{key(pair.source)}", f"f:{key(pair.target)}"):
            parent[root(index)] = root(first_with.setdefault(side_key, index))

    members: dict[int, list[int]] = {}
    for index in range(len(pairs)):
        members.setdefault(root(index), []).append(index)
    return list(members.values())


def split_pairs(pairs: Sequence[Pair]) -> Split:
    """Return `pairs` in their parts, whole components each: about 1 % dev, 2 % test.

    A component's part follows from the SHA-256 of its smallest pair's source, modulo 1000.
    """
    part_of = [""] * len(pairs)
    for component in components(pairs):
        smallest = min(pairs[index] for index in component)
        bucket = int(hashlib.sha256(smallest.source.encode()).hexdigest(), 16) % 1000
        part = "dev" if bucket < 10 else "test" if bucket < 30 else "train"
        for index in component:
            part_of[index] = part
    train, dev, test = (
        [pair for pair, its_part in zip(pairs, part_of, strict=True) if its_part == part]
        for part in _PARTS
    )
    return Split(train, dev, test)


def split_corpus(corpus: Corpus, config: DataConfig) -> Split:
    """Return the corpus's split, in the direction of translation that `config` names."""
    split = split_pairs(corpus.pairs)
    return split.swapped() if config.reversed else split
