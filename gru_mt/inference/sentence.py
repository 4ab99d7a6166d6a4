"""From a line to the sentences that a model reads, and from its words back to the line.

What is to be copied is masked, the line is cut into sentences, and each is written with care: see
`literals`, `glossary`, `sentences` and `lexicon`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from gru_mt.data.glossary import Glossary
from gru_mt.data.lexicon import Lexicon, is_shouted
from gru_mt.data.literals import Span, disjoint, find_literals, mask, restore
from gru_mt.data.sentences import cut
from gru_mt.data.special import LITERALS
from gru_mt.data.text import clean

_MARK = re.compile(f"[{LITERALS[0]}-{LITERALS[-1]}]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it stands in its line, and as the model reads it."""

    source: str
    gap: str  # the spaces after it
    text: str  # masked, in its usual case
    literals: tuple[str, ...]  # what the marks in `text` become in a translation
    shouted: bool  # whether the translation is wanted in capitals

    @property
    def is_copied(self) -> bool:
        """Whether it has nothing to translate, no letter outside literals: "10." or "a@b.org"."""
        return not any(map(str.isalpha, self.text))

    def finished(self, text: str) -> str:
        """Return the model's `text` as it is shown: literals put back, in capitals if wanted."""
        return restore(text.upper() if self.shouted else text, self.literals)

    def shown(self, tokens: list[str]) -> list[str]:
        """Return tokens with literals put back."""
        return restore("\n".join(tokens), self.literals).split("\n") if tokens else []


def read_line(
    line: str, *, lexicon: Lexicon, language: str, glossary: Glossary | None, split: bool
) -> Iterator[Sentence]:
    """Yield the sentences of a line; a blank line has none. Without `split` it is one sentence."""
    line = line.encode("utf-8", errors="replace").decode("utf-8")  # no half surrogate pairs
    line = " ".join(line.splitlines()).strip()
    terms = glossary.find(line) if glossary else []
    # A user's own marks again, as what holds one may give way to a longer term.
    own = (Span(*match.span(), match[0]) for match in _MARK.finditer(line))
    spans = disjoint([*terms, *find_literals(line), *own])
    masked, start, left = mask(line, spans).text, 0, iter(spans)
    for piece in cut(masked, language) if split and line else [masked] if line else []:
        text = piece.rstrip()
        inside = list(islice(left, len(_MARK.findall(text))))
        grown = sum(span.end - span.start - 1 for span in inside)
        source = line[start : start + len(text) + grown]
        start += len(piece) + grown
        literals = [span.text for span in inside]
        yield _sentence(source, piece[len(text) :], clean(text), literals, lexicon)


def _sentence(source: str, gap: str, text: str, literals: list[str], lexicon: Lexicon) -> Sentence:
    """Return a sentence; the marks in `text` stand for `literals`, in their order."""
    careful = lexicon.truecased(text)
    marks = [
        Span(match.start(), match.end(), literal)
        for match, literal in zip(_MARK.finditer(careful), literals, strict=True)
    ]
    names = lexicon.unseen_names(careful)
    if len(careful) == len(text):  # else a letter has a capital of two, and places moved
        names = [Span(start, end, text[start:end]) for start, end, _ in names]
    masked = mask(careful, sorted([*marks, *names]))
    return Sentence(source, gap, masked.text, masked.literals, is_shouted(text))
