"""A pair in the direction of translation."""

from typing import NamedTuple


class Example(NamedTuple):
    """A source sentence, its translation, and where they are from."""

    source: str
    target: str
    line: int  # 1-based line of its corpus
    corpus: int = 0  # place of its corpus among those of the configuration
