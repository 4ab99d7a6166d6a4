"""What a document is: the texts in it, and all around them, which stays as it is."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol


class Document(Protocol):
    """A file that was read: its texts in reading order, and the file with others in their place."""

    texts: Sequence[str]

    def replaced(self, texts: Sequence[str]) -> bytes:
        """Return the file with one text for each of `texts`; with its own it is the same."""


class Span(NamedTuple):
    """A text and where it stands, in characters of the file; `text` has no escapes of the file."""

    start: int
    end: int
    text: str


def splice(source: str, spans: Sequence[Span], replacements: Iterable[str]) -> str:
    """Return `source` with each span, in order and apart, replaced by its escaped replacement."""
    edges = [0, *(edge for span in spans for edge in span[:2]), len(source)]
    assert all(left <= right for left, right in pairwise(edges)), "spans are in order"
    pieces = []
    position = 0
    for span, replacement in zip(spans, replacements, strict=True):
        pieces += [source[position : span.start], replacement]
        position = span.end
    return "".join([*pieces, source[position:]])
