"""Put reserved tokens, the marks, in place of spans of a text, and the spans back."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gru_mt.data.tokenizer.special import LITERALS

ANY_MARK = f"[{LITERALS[0]}-{LITERALS[-1]}]"
MARK = re.compile(ANY_MARK)


class Span(NamedTuple):
    """A part of a text: from character `start` to the one before `end`."""

    start: int
    end: int
    text: str  # what a translation has in its place


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its spans, and what stood there."""

    text: str  # with a character of LITERALS in place of each span
    literals: tuple[str, ...]  # literal i stands where LITERALS[i % 8] does


def disjoint(spans: Iterable[Span]) -> list[Span]:
    """Return `spans`, ascending, less those that a longer one overlaps, or an equal one before."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        place = bisect(kept, span)
        if (place == 0 or kept[place - 1].end <= span.start) and (
            place == len(kept) or span.end <= kept[place].start
        ):
            kept.insert(place, span)
    return kept


def mask(text: str, spans: Sequence[Span]) -> Masked:
    """Return `text` with a character of LITERALS for each of `spans`: ascending, disjoint.

    "a@b.org or c@d.org" -> "\\ue010 or \\ue011"; the ninth is "\\ue010" again.
    """
    parts: list[str] = []
    end = 0
    for i, span in enumerate(spans):
        parts += text[end : span.start], LITERALS[i % len(LITERALS)]
        end = span.end
    return Masked("".join([*parts, text[end:]]), tuple(span.text for span in spans))


def literal_indices(text: str) -> list[int]:
    """Return which literal each mark in `text` stands for.

    The j-th LITERALS[k], from 0, stands for literal k + 8 j.
    """
    seen: Counter[str] = Counter()
    indices = []
    for mark in MARK.findall(text):
        indices.append(LITERALS.index(mark) + len(LITERALS) * seen[mark])
        seen[mark] += 1
    return indices


def restore(text: str, literals: Sequence[str]) -> str:
    """Return `text` with its literals in place of marks. A mark without a literal stays."""
    indices = iter(literal_indices(text))

    def put(match: re.Match[str]) -> str:
        index = next(indices)
        return literals[index] if index < len(literals) else match[0]

    return MARK.sub(put, text)
