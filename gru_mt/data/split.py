"""A split without leaks: pairs that share a sentence, but for case and punctuation, stay together.

The split depends on the pairs alone, so scores on dev and test can be compared between seeds,
machines, versions and directions of translation.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gru_mt.data.example import Example, Pair

_SEPARATORS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Split:
    """The three parts, each in the order of the file."""

    train: list[Example]
    dev: list[Example]
    test: list[Example]


def key(text: str) -> str:
    """Return `text` without its case and punctuation: "Go, now!" -> "go now"."""
    return _SEPARATORS.sub(" ", unicodedata.normalize("NFKC", text).lower()).strip()


def components(pairs: Sequence[Pair]) -> list[list[int]]:
    """Return the indices of `pairs` in groups. Pairs share a group if a side has the same `key`.

    Indices ascend within a group, and groups by their first index. It is union-find with path
    halving.
    """
    parent = list(range(len(pairs)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    first_with: dict[str, int] = {}  # side and key -> index of the first pair that has them
    for index, pair in enumerate(pairs):
        for side_key in (f"e:{key(pair.first)}", f"f:{key(pair.second)}"):
            parent[root(index)] = root(first_with.setdefault(side_key, index))

    members: dict[int, list[int]] = {}
    for index in range(len(pairs)):
        members.setdefault(root(index), []).append(index)
    return list(members.values())


def split_pairs(pairs: Sequence[Pair], *, reverse: bool = False) -> Split:
    """Return the split of `pairs`: about 1 % dev, 2 % test. It divides no group of `components`.

    A group's part depends on its smallest pair: on the SHA-256 of that pair's first side, modulo
    1000. The source of an example is the pair's first side, or its second with `reverse`.
    """
    split = Split([], [], [])
    part_of = [split.train] * len(pairs)
    for component in components(pairs):
        smallest = min(pairs[index] for index in component)
        bucket = int(hashlib.sha256(smallest.first.encode()).hexdigest(), 16) % 1000
        part = split.dev if bucket < 10 else split.test if bucket < 30 else split.train
        for index in component:
            part_of[index] = part
    for example, part in zip(as_examples(pairs, reverse=reverse), part_of, strict=True):
        part.append(example)
    return split


def as_examples(pairs: Iterable[Pair], *, reverse: bool) -> list[Example]:
    """Return pairs in the direction from the first side to the second, or with `reverse` back."""
    if reverse:
        return [Example(second, first, line) for first, second, line in pairs]
    return [Example(first, second, line) for first, second, line in pairs]
