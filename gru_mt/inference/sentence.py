"""From a line to the sentences that a model reads, and from its words back to the line.

What is to be copied is masked, the line is cut into sentences, and each is written with care: see
`literals`, `glossary`, `sentences` and `lexicon`.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, Self

from gru_mt.data.glossary import Glossary
from gru_mt.data.lexicon import Lexicon, is_shouted, words
from gru_mt.data.literals import (
    MARK,
    Span,
    disjoint,
    find_literals,
    literal_indices,
    mask,
    restore,
    tag_pairs,
)
from gru_mt.data.sentences import cut
from gru_mt.data.special import LITERALS
from gru_mt.data.text import IN_WORD, MARKS, clean, in_word, is_cased, normal

PHRASE_WORDS = 2  # words without a final mark are no sentence: "Cat" has the source's capital
Case = Literal["capitals", "capital", "model"]
# What `literals` leaves to the model: 7, 12, 10:30, 1.5, 5th, 5pm.
_LETTER = rf"(?:[^\W\d_]|[{MARKS}])"
_NUMBER = re.compile(
    rf"(?<![{IN_WORD}.,:/-])\d{{1,2}}(?:[.,:/-]\d{{1,2}})*{_LETTER}{{0,3}}+(?![{IN_WORD}:]|[.,/-]\d)"
)
_DIGITS = re.compile(rf"\d++(?!{_LETTER}{{4}})")  # "5pmer" has none
_ENDS = (".", "!", "?", "…")
_MARK_OR_NUMBER = re.compile(f"{MARK.pattern}|{_NUMBER.pattern}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it stands in its line, and as the model reads it."""

    source: str  # in the `_normal` line
    gap: str  # the spaces after it
    text: str  # masked, in its usual case
    literals: tuple[str, ...]  # what the marks in `text` become in a translation
    glued: frozenset[tuple[int, int]]  # a literal, and a side (0 or 1) on which a word touches it
    case: Case  # of the translation, where the model's is not taken
    respelled: bool  # whether a word was taken for one with a typo

    @property
    def is_copied(self) -> bool:
        """Whether it has nothing to translate, no letter outside literals: "10." or "a@b.org"."""
        return not any(map(str.isalpha, self.text))

    def finished(self, text: str) -> str:
        """Return the model's `text` as it is shown: literals put back, in capitals if wanted."""
        if self.case == "capitals":
            text = text.upper()
        elif self.case == "capital":
            text = text[:1].upper() + text[1:]
        if not self.literals:
            return text
        first, *others = MARK.split(text)
        indices = literal_indices(text)
        for pair in tag_pairs(self.literals):  # a tag that closes comes after the one that opens
            if {*pair} <= {*indices}:
                first_place, last_place = sorted(map(indices.index, pair))
                indices[first_place], indices[last_place] = pair
        literals = dict(enumerate(self.literals))
        starts = (match.start() for match in MARK.finditer(self.text))
        before = [self.text[max(0, start - 1) : start] for start in starts]
        for index, mark, after in zip(indices, MARK.findall(text), others, strict=True):
            if first[-1:] in _ENDS and index < len(before) and before[index] in ("", " "):
                first += " "  # the model had ended: "Où sont-ils ?Oksana"
            first = _joined(first, literals.get(index, mark), glued=(index, 0) in self.glued)
            first = _joined(first, after, glued=(index, 1) in self.glued)
        return first

    def with_numbers(self) -> Self:
        """Return the sentence with its short numbers as literals too."""
        marks = iter(self.literals)
        spans = [
            Span(*match.span(), next(marks) if match[0] in LITERALS else match[0])
            for match in _MARK_OR_NUMBER.finditer(self.text)
        ]
        masked = mask(self.text, spans)
        old = [place for place, span in enumerate(spans) if self.text[span.start] in LITERALS]
        glued = frozenset((old[index], side) for index, side in self.glued)
        return replace(self, text=masked.text, literals=masked.literals, glued=glued)

    def keeps_numbers(self, text: str) -> bool:
        """Return whether a translation of `text` has the digits of its short numbers, as often."""
        found = Counter(_DIGITS.findall(text))
        wanted = Counter(_DIGITS.findall(" ".join(_NUMBER.findall(self.text))))
        return all(found[number] == count for number, count in wanted.items())

    def shown(self, tokens: list[str]) -> list[str]:
        """Return tokens with literals put back."""
        if not self.literals:
            return tokens
        return restore("\n".join(tokens), self.literals).split("\n") if tokens else []


def _joined(left: str, right: str, *, glued: bool) -> str:
    """Return two texts as one: without a space if `glued`, and with one between two words."""
    if glued:
        return left.rstrip() + right.lstrip()
    return f"{left} {right}" if is_cased(left[-1:]) and is_cased(right[:1]) else left + right


def _freed(text: str) -> tuple[str, frozenset[tuple[int, int]]]:
    """Return `text` with a space between marks and the words that touch them, and where it was.

    So the model reads "<b>here</b>" as a word between two literals, and not as the end of one.
    """
    glued = set()
    for index, match in reversed([*enumerate(MARK.finditer(text))]):
        start, end = match.span()
        if is_cased(text[end : end + 1]):
            glued.add((index, 1))
            text = f"{text[:end]} {text[end:]}"
        if is_cased(text[:start][-1:]):
            glued.add((index, 0))
            text = f"{text[:start]} {text[start:]}"
    return text, frozenset(glued)


def read_line(
    line: str, *, lexicon: Lexicon, language: str, glossary: Glossary | None, split: bool
) -> Iterator[Sentence]:
    """Yield the sentences of a line; a blank line has none. Without `split` it is one sentence."""
    line = line.encode("utf-8", errors="replace").decode("utf-8")  # no half surrogate pairs
    line = _normal(" ".join(line.splitlines())).strip()
    terms = glossary.find(line) if glossary else []
    # A user's own marks again, as what holds one may give way to a longer term.
    own = (Span(*match.span(), match[0]) for match in MARK.finditer(line))
    spans = disjoint([*terms, *find_literals(line), *own])
    masked, start, left = mask(line, spans).text, 0, iter(spans)
    for piece in cut(masked, language) if split and line else [masked] if line else []:
        text = piece.rstrip()
        careful = clean(text)
        inside = list(islice(left, len(MARK.findall(text))))
        grown = sum(span.end - span.start - 1 for span in inside)
        source = line[start : start + len(text) + grown]
        start += len(piece) + grown
        literals = [span.text for span in inside]
        yield _sentence(source, piece[len(text) :], careful, literals, lexicon)


def _normal(line: str) -> str:
    """Return a `normal` line, but for what is copied: that stays as it was typed."""
    if normal(line) == line:
        return line
    spans = find_literals(line)
    return restore(normal(mask(line, spans).text), [span.text for span in spans])


def _sentence(source: str, gap: str, text: str, literals: list[str], lexicon: Lexicon) -> Sentence:
    """Return a sentence; the marks in `text` stand for `literals`, in their order."""
    case: Case = "capitals" if is_shouted(text) else "model"
    cased = lexicon.truecased(text)
    is_phrase = in_word(text[-1:]) and len(words(text)) <= PHRASE_WORDS
    if case == "model" and is_phrase and text[0] != cased[0]:
        case = "capital"
    careful, names = cased, []
    if not lexicon.has_all(cased):
        careful = lexicon.respelled(cased)
        names = lexicon.unseen_names(careful)
    marks = [
        Span(match.start(), match.end(), literal)
        for match, literal in zip(MARK.finditer(careful), literals, strict=True)
    ]
    if case == "capitals":
        names = [span._replace(text=span.text.upper()) for span in names]
    masked = mask(careful, sorted([*marks, *names]))
    free, glued = _freed(masked.text)
    return Sentence(source, gap, free, masked.literals, glued, case, respelled=careful != cased)
