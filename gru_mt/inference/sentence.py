"""From a line to the sentences that a model reads, and from its words back to the line.

What is to be copied is masked, the line is cut into sentences, their frames are taken off, and each
is written with care: see `literals`, `glossary`, `sentences`, `frames` and `lexicon`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, Self

from gru_mt.data.frames import core
from gru_mt.data.glossary import Glossary
from gru_mt.data.lexicon import Lexicon, is_shouted
from gru_mt.data.literals import find_literals
from gru_mt.data.masking import MARK, Span, disjoint, literal_indices, mask, restore
from gru_mt.data.sentences import cut
from gru_mt.data.special import LITERALS
from gru_mt.data.text import MARKS, clean, is_cased, is_mark, narrow, normal
from gru_mt.inference.tags import nested, pairs

Case = Literal["capitals", "capital", "small", "model"]
# What `literals` leaves to the model: 7, 12, 10:30, 1.5, 5th, 5pm, 7-0, -5.
_LETTER = rf"(?:[^\W\d_]|[{MARKS}])"
_NUMBER = re.compile(rf"(?:(?<![^\s(])[-−])?\d+(?:[.,:/–-]\d+)*+(?:{_LETTER}{{1,3}}(?!{_LETTER}))?")
_DIGITS = re.compile(r"\d+")
_JOINED_DIGITS = re.compile(r"(?<![^\s(])[-−]\d+|\d+(?:[–-]\d+)+")  # a sign, a score
_ENDS = (".", "!", "?", "…")
_MARK_OR_NUMBER = re.compile(f"{MARK.pattern}|{_NUMBER.pattern}")
_BEGINNING = re.compile(r"[\W_]*")  # before the first letter; marks are no letters
_ELLIPSIS = re.compile(r"\s*(\.{2,}|…)$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it stands in its line, and as the model reads it."""

    source: str  # in the `_normal` line, with its frame
    gap: str  # the spaces after it
    before: str  # its frame: see `frames`
    after: str
    typed: str  # without its frame, as it was written; with marks for literals
    text: str  # masked, in its usual case
    literals: tuple[str, ...]  # what the marks in `text` become in a translation
    glued: frozenset[tuple[int, int]]  # a literal, and a side (0 or 1) on which a word touches it
    case: Case  # of the translation, where the model's is not taken
    respelled: bool  # whether a word was taken for one with a typo
    is_part: bool = False  # of a sentence that is too long

    @property
    def is_copied(self) -> bool:
        """Whether it has nothing to translate, no letter outside literals: "10." or "a@b.org"."""
        return not any(map(str.isalpha, self.text))

    def finished(self, text: str) -> str:
        """Return the model's `text` as it is shown: literals put back, in capitals if wanted."""
        if self.case == "capitals":
            text = text.upper()
        elif self.case == "capital":
            text = self._begun(text, str.upper)
        elif self.case == "small":
            text = self._begun(text, str.lower)
        if ellipsis := _ELLIPSIS.search(self.text):
            text = re.sub(r"\.$", ellipsis[1], text)
        return f"{self.before}{self._with_literals(text)}{self.after}"

    def _begun(self, text: str, change: Callable[[str], str]) -> str:
        """Return `text` with its first letter changed, but after a literal that was elsewhere."""
        match = _BEGINNING.match(text)
        end = match.end() if match else 0
        is_moved = MARK.search(text[:end]) and not MARK.match(self.text)
        return text if is_moved else text[:end] + change(text[end : end + 1]) + text[end + 1 :]

    def _with_literals(self, text: str) -> str:
        if not self.literals:
            return text
        tags = pairs(self.text, self.literals)
        between = MARK.split(self.text)
        full = frozenset(
            a for a, b in tags if any(map(str.isalnum, "".join(between[a + 1 : b + 1])))
        )
        texts, order = nested(MARK.split(text), literal_indices(text), tags, full)
        for place in range(1, len(order)):  # as far apart as in the source
            first, second = order[place - 1 : place + 1]
            if second == first + 1 < len(between) and not texts[place].strip():
                texts[place] = texts[place] if between[second].strip() else between[second]
        marks, whole = MARK.findall(text), texts[0]
        for mark, index, after in zip(marks, order, texts[1:], strict=True):
            if whole[-1:] in _ENDS and index < len(between) and between[index][-1:] in ("", " "):
                whole += " "  # the model had ended: "Où sont-ils ?Oksana"
            literal = self.literals[index] if index < len(self.literals) else mark
            whole = _joined(whole, literal, glued=(index, 0) in self.glued)
            whole = _joined(whole, after, glued=(index, 1) in self.glued)
        return whole

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
        """Return whether a translation of `text` has the digits of its numbers, as often."""
        wanted, found = (Counter(_DIGITS.findall(each)) for each in (self.text, text))
        joined = _JOINED_DIGITS.findall(self.text)
        return wanted == found and all(number in text for number in joined)

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


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads lines for a model."""

    lexicon: Lexicon
    language: str
    fits: Callable[[str, int], bool]  # whether a text has a part of the tokens that a model reads
    glossary: Glossary | None = None
    split: bool = True  # whether a line is cut into its sentences

    def sentences(self, line: str) -> Iterator[Sentence]:
        """Yield the sentences of a line; a blank line has none."""
        line = line.encode("utf-8", errors="replace").decode("utf-8")  # no half surrogate pairs
        line = _normal(" ".join(line.splitlines())).rstrip()
        if not line:
            return
        spans = _spans(line, self.lexicon, self.glossary)
        masked, start, left = mask(line, spans).text, 0, iter(spans)
        for piece in _pieces(masked, spans, self.language) if self.split else [masked]:
            inside = list(islice(left, len(MARK.findall(piece))))
            end = start + len(piece) + sum(span.end - span.start - 1 for span in inside)
            yield from self._parts(line[start:end], piece, [span.text for span in inside])
            start = end

    def _parts(
        self, source: str, shown: str, literals: list[str], *, of: str = ""
    ) -> Iterator[Sentence]:
        """Yield a sentence, or the parts of one that is too long, the first of `of`.

        The marks in `shown` stand for `literals`, in their order.
        """
        sentence = _sentence(source, shown, literals, self.lexicon)
        if self.fits(sentence.text, PARTS if of else 1) or len(shown) < 2:
            yield sentence if not of else _part(sentence, is_first=of == "first")
            return
        place = _best_place(shown)
        number = len(MARK.findall(shown[:place]))
        seam = place + sum(len(literal) - 1 for literal in literals[:number])
        first = "first" if of in ("", "first") else "later"
        yield from self._parts(source[:seam], shown[:place], literals[:number], of=first)
        yield from self._parts(source[seam:], shown[place:], literals[number:], of="later")


def _part(sentence: Sentence, *, is_first: bool) -> Sentence:
    begins_small = sentence.typed[:1].islower() and not is_first
    return replace(sentence, is_part=True, case="small" if begins_small else sentence.case)


def _best_place(text: str) -> int:
    """Return where a text too long is cut: near its middle, after a mark, else a word."""
    middle = len(text) // 2
    for seam in (r"[;:。；：][\s]*|[–—]\s+", r"[,،，、]\s*", r"\s+"):
        places = [match.end() for match in re.finditer(seam, text)]
        near = [place for place in places if len(text) // 4 < place < 3 * len(text) // 4]
        if near:
            return min(near, key=lambda place: abs(place - middle))
    while middle < len(text) - 1 and is_mark(text[middle]):
        middle += 1
    return max(1, middle)


def _normal(line: str) -> str:
    """Return a `normal` line, but for what is copied: that is only `narrow`, else as typed."""
    line = narrow(line)
    if normal(line) == line:
        return line
    spans = find_literals(line)
    return restore(normal(mask(line, spans).text), [span.text for span in spans])


def _spans(line: str, lexicon: Lexicon, glossary: Glossary | None) -> list[Span]:
    """Return what a translation copies of a line, or has a term for; no two touch but pairs."""
    terms = glossary.find(line) if glossary else []
    # A user's own marks again, as what holds one may give way to a longer term.
    own = (Span(*match.span(), match[0]) for match in MARK.finditer(line))
    spans = disjoint([*terms, *find_literals(line, lexicon.__contains__), *own])
    literals = [span.text for span in spans]
    paired = {number for pair in pairs(mask(line, spans).text, literals) for number in pair}
    merged: list[Span] = []
    is_open = False  # whether the last one may grow
    for number, span in enumerate(spans):
        is_alone = number not in paired and span.text == line[span.start : span.end]
        is_alone = is_alone and not _BREAK.fullmatch(span.text) and not MARK.search(span.text)
        if is_alone and is_open and merged[-1].end == span.start:
            first = merged.pop()
            span = Span(first.start, span.end, first.text + span.text)
        merged.append(span)
        is_open = is_alone
    return merged


PARTS = 4  # a sentence too long is cut into parts of a quarter of what a model reads, at most
_BLOCKS = "p|div|li|ul|ol|h[1-6]|t[dhr]|table|summary|option|title|button|label|dt|dd"
_BREAK = re.compile(rf"\\[nrN]|<(?:br|hr)\b[^<>]*>|\|+|</?(?:{_BLOCKS})\b[^<>]*>", re.IGNORECASE)
_OPENS = re.compile(r"<(?!br|hr)\w", re.IGNORECASE)


def _pieces(masked: str, spans: Sequence[Span], language: str) -> Iterator[str]:
    """Yield the sentences of a masked line, which end also at a break that is a literal."""
    left = iter(spans)
    for piece in cut(masked, language):
        start = 0
        for match in MARK.finditer(piece):
            literal = next(left).text
            if not _BREAK.fullmatch(literal):
                continue
            end = match.start() if _OPENS.match(literal) else match.end()
            end += len(piece[end:]) - len(piece[end:].lstrip())
            before, after = piece[start:end], piece[end:]
            is_line = literal.startswith("\\") or literal[:3].lower() in ("<br", "<hr")
            goes_on = is_line and not (
                MARK.sub("", before).rstrip().endswith(_ENDS)
                or MARK.sub("", after).strip()[:1].isupper()
            )
            if not goes_on and all(any(map(str.isalpha, each)) for each in (before, after)):
                yield before
                start = end
        yield piece[start:]


def _sentence(source: str, shown: str, literals: list[str], lexicon: Lexicon) -> Sentence:
    """Return a sentence; the marks in `shown` stand for `literals`, in their order."""
    gap = shown[len(shown.rstrip()) :]
    source, shown = source.rstrip(), shown.rstrip()
    indent = len(shown) - len(shown.lstrip())
    start, end = core(shown[indent:], literals, pairs(shown, literals), lexicon.is_small)
    start, end = start + indent, end + indent
    before, text, after = shown[:start], clean(shown[start:end]), shown[end:]
    first, last = len(MARK.findall(before)), len(literals) - len(MARK.findall(after))
    before = _in_order(before, literals[:first])
    after = _in_order(after, literals[last:])
    literals = literals[first:last]
    case: Case = "capitals" if is_shouted(text) else "model"
    cased = lexicon.truecased(text)
    careful, names = cased, []
    if not lexicon.has_all(cased):
        careful = lexicon.respelled(cased)
    names = lexicon.unseen_words(careful)
    marks = [
        Span(match.start(), match.end(), literal)
        for match, literal in zip(MARK.finditer(careful), literals, strict=True)
    ]
    beginning = _BEGINNING.match(text)
    letter = beginning.end() if beginning else 0
    if case == "capitals":
        names = [span._replace(text=span.text.upper()) for span in names]
    elif text[letter : letter + 1].isupper() and not any(name.start <= letter for name in names):
        case = "capital"
    masked = mask(careful, sorted([*marks, *names]))
    free, glued = _freed(masked.text)
    is_respelled = careful != cased
    return Sentence(
        source, gap, before, after, text, free, masked.literals, glued, case, is_respelled
    )


def _in_order(text: str, literals: Sequence[str]) -> str:
    """Return `text` with each mark as the next of `literals`."""
    left = iter(literals)
    return MARK.sub(lambda _: next(left), text)
