"""A pair of a corpus, and the same in the direction of translation."""

from typing import NamedTuple


class Pair(NamedTuple):
    """A cleaned pair, its sides in the order of the corpus. The split decides which is the source.

    Pairs sort by their first side, then by their second, as Python sorts strings.
    """

    first: str
    second: str
    line: int  # 1-based line of the corpus where the pair was first seen


class Texts(NamedTuple):
    """The two sides of a pair in the direction of translation."""

    source: str
    target: str


class Example(NamedTuple):
    """A source sentence, its translation, and where they are from."""

    source: str
    target: str
    line: int  # 1-based line of its corpus
    corpus: int = 0  # index of its corpus in the configuration
