"""From a line to the sentences that a model reads.

What is to be copied is masked, the line is split into sentences, their frames are taken off, and
each is written with care: see `placeholders`, `glossary`, `dates`, `sentences`, `frames` and
`truecaser`.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Self

from gru_mt.data.text.names import find_names, mask_initials
from gru_mt.data.text.normalize import WORD, clean, in_word, is_all_caps, narrow, normal, usual
from gru_mt.data.text.placeholders import Masked, Span, disjoint, find_placeholders, mask, restore
from gru_mt.data.text.sentences import best_split, sentence_rules
from gru_mt.data.text.terms.dates import DateRules
from gru_mt.data.text.terms.glossary import Glossary
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.special import ANY_PLACEHOLDER, PLACEHOLDER, PLACEHOLDER_TOKENS
from gru_mt.inference.preprocessing.frames import core
from gru_mt.inference.preprocessing.pieces import is_break, split_masked
from gru_mt.inference.preprocessing.sentence import (
    Case,
    Sentence,
    first_letter,
    freed,
    with_one_mark,
)
from gru_mt.inference.preprocessing.tags import double_quoted, pairs

PARTS = 4  # a sentence too long is split into parts of a quarter of what a model reads, at most
_CELL_END = re.compile(  # Tom;He is big.;5 and He is big.,5 and 12,He is and Tom,He is big.,5
    r"""(?<=[^\W_]|[.!?]);+(?=[^\W_]|")|(?<=")(?:;+|,)(?=[^\W_])|(?<=[^\W\d_]{2}[.!?]),(?=\S)"""
    r"""|(?<=\d),(?="|[A-Z][a-z]*\s[a-z])|(?<=\w),(?=[A-Z][^,\s]*\s[^,]*(?<=[a-z][.!?]),\S)"""
)
_BESIDE_AND = rf"\w[\w'’-]*\w|(?<![\w'’-])[^\W\d_](?![\w'’-])|{ANY_PLACEHOLDER}"
# From where a word begins: from each of its letters would take the square of its length
_AMPERSAND = re.compile(rf"(?<!\w)(?<!\w['’-])({_BESIDE_AND}) & (?=({_BESIDE_AND}))")
_IS_LETTER = re.compile(r"[^\W\d_]").fullmatch
_COMMA = re.compile("(?<=[A-Za-zÀ-ӿ]{2}),(?=[A-Za-zÀ-ӿ])")  # dogs,cats: a space is missing


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence of a line, or a part of one."""

    line: str
    start: int  # in the line
    shown: str  # masked
    spans: Sequence[Span]  # what the placeholder tokens in `shown` stand for
    terms: frozenset[Span]  # those that are translated: of the glossary, and dates

    @property
    def end(self) -> int:
        return self.start + len(self.shown) + sum(span.end - span.start - 1 for span in self.spans)

    @property
    def goes_on(self) -> bool:
        """Whether it is after an ellipsis, as "you came" is in "So... you came"."""
        return self.line[max(0, self.start - 9) : self.start].rstrip().endswith(("..", "…"))

    @property
    def placeholders(self) -> list[str]:
        return [span.text for span in self.spans]

    @property
    def typed(self) -> list[str]:
        """The terms as they stand in the line; other placeholders are ""."""
        return [self.line[s.start : s.end] if s in self.terms else "" for s in self.spans]

    @property
    def filled(self) -> str:
        """The text as it is copied."""
        return _filled(self.shown, self.placeholders)

    def split_at(self, index: int) -> tuple[Self, Self]:
        """Return what is before and after an index in `shown`."""
        shown, spans = self.shown, self.spans
        number = len(PLACEHOLDER.findall(shown[:index]))
        first = type(self)(self.line, self.start, shown[:index], spans[:number], self.terms)
        return first, type(self)(self.line, first.end, shown[index:], spans[number:], self.terms)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads lines for a model."""

    truecaser: Truecaser
    language: str  # a code or an English name; it decides where sentences end
    fits: Callable[[str, int], bool]  # whether a text has a part of the tokens that a model reads
    glossary: Glossary | None = None
    split: bool = True  # whether a line is split into its sentences
    dates: DateRules | None = None

    @property
    def conjunction(self) -> str:
        """What & stands for between two words; "" where that is not known."""
        return sentence_rules(self.language).conjunction

    def sentences(self, line: str) -> Iterator[Sentence]:
        """Yield the sentences of a line; a blank line has none."""
        line = readable(line)
        if not line:
            return
        own = self.glossary.find(line) if self.glossary else []
        truecaser = self.truecaser
        dates = self.dates.find(line, truecaser.is_small, truecaser.is_rare) if self.dates else []
        terms = frozenset(disjoint([*own, *dates]))
        ands = {index for index, _ in _ampersands(line, self.conjunction, truecaser)}
        spans = _spans(line, truecaser, terms, dates, ands)
        masked, start, left = mask(line, spans).text, 0, iter(spans)
        pieces = split_masked(masked, spans, self.language, truecaser) if self.split else [masked]
        for shown in pieces:
            inside = [*islice(left, len(PLACEHOLDER.findall(shown)))]
            piece = _Piece(line, start, shown, inside, terms)
            yield from self._parts(piece)
            start = piece.end

    def _parts(self, piece: _Piece) -> Iterator[Sentence]:
        """Yield a sentence, or the parts of one that is too long."""
        parts = [piece]
        while parts:  # the next one is the last
            part = parts.pop()
            sentence = self._sentence(part)
            fits = self.fits(sentence.text, 1 if part is piece else PARTS)
            if not fits and len(part.shown) > 1:
                parts += reversed(part.split_at(best_split(part.shown)))
                continue
            if part is not piece or not fits:
                goes_on = part.start > piece.start and sentence.typed[:1].islower()
                case: Case = "small" if goes_on else sentence.case
                sentence = replace(sentence, is_part=True, case=case)
            yield sentence

    def _sentence(self, piece: _Piece) -> Sentence:
        truecaser, shown = self.truecaser, piece.shown.rstrip()
        indent = len(shown) - len(shown.lstrip())
        copied = [
            None if t else text for text, t in zip(piece.placeholders, piece.typed, strict=True)
        ]
        shown_tags = pairs(shown, piece.placeholders)
        start, end = core(shown[indent:], copied, shown_tags, truecaser.is_small)
        before, rest = piece.split_at(indent + start)
        middle, rest = rest.split_at(end - start)
        after, gap = rest.split_at(len(shown) - indent - end)
        typed = double_quoted(clean(middle.shown))
        written = _COMMA.sub(", ", typed)
        for index, word in [*_ampersands(written, self.conjunction, truecaser)][::-1]:
            written = f"{written[:index]}{word}{written[index + 1 :]}"
        written = truecaser.shorthand.written_out(written)
        masked = Masked(written, tuple(middle.placeholders))
        text, placeholders = mask_initials(masked, truecaser)
        cased = truecaser.truecased(text)
        careful = truecaser.corrected(cased)
        names, letter = find_names(careful, truecaser), first_letter(text)
        case: Case = "model"
        if is_all_caps(text) and not is_all_caps(cased):  # not "OK"
            case = "capitals"
            names = [name._replace(text=name.text.upper()) for name in names]
        elif text[letter : letter + 1].isupper():
            terms_before = middle.typed[: len(PLACEHOLDER.findall(text[:letter]))]
            if not any(terms_before) and not any(name.start <= letter for name in names):
                case = "capital"
        elif (
            typed[:1].islower()
            and piece.goes_on
            and not (careful[:1].isupper() and careful[1:2].isalpha())
        ):
            case = "small"
        tokens = PLACEHOLDER.finditer(careful)
        own = zip(tokens, placeholders, strict=True)
        masked = mask(careful, sorted([*names, *(Span(*m.span(), copy) for m, copy in own)]))
        free, no_space = freed(with_one_mark(masked.text))
        source = piece.line[piece.start : piece.end].rstrip()
        tags = pairs(masked.text, masked.placeholders)
        around = (source, gap.shown, before.filled, after.filled)
        sentence = Sentence(
            *around, typed, free, masked.placeholders, no_space, case, careful != cased, tuple(tags)
        )
        return _with_terms(sentence, piece, self.glossary) if any(piece.typed) else sentence


def _ampersands(text: str, conjunction: str, truecaser: Truecaser) -> Iterator[tuple[int, str]]:
    """Yield where an & stands for a word, and the word. Not between names: Marks & Spencer."""
    for match in _AMPERSAND.finditer(text) if conjunction and "&" in text else ():
        beside = match.groups()
        is_name = any(one[0].isupper() and one not in truecaser for one in beside)
        is_name = is_name or beside[0] == beside[1] or all(map(_IS_LETTER, beside))  # Q & A
        if not is_name:
            word = conjunction.upper() if all(map(str.isupper, beside)) else conjunction
            yield match.end() - 2, word


def _with_terms(sentence: Sentence, piece: _Piece, glossary: Glossary | None) -> Sentence:
    """Return a sentence whose terms have its case: are in capitals, or get one at the start."""
    terms = {text for text, typed in zip(piece.placeholders, piece.typed, strict=True) if typed}
    # "IT" alone is in its usual case, and "OK, cat" is not in capitals.
    calm = ["" if glossary and glossary.needs_capitals(term) else term for term in piece.typed]
    if is_all_caps(_filled(piece.shown, calm)):
        upper = tuple(text.upper() if text in terms else text for text in sentence.placeholders)
        return replace(sentence, placeholders=upper, case="capitals")
    whole = _filled(piece.shown, piece.typed)
    first = next(filter(str.isalpha, whole), "")
    is_phrase = first.islower() or (not first.isupper() and in_word(whole[-1:]))
    small = (term for term in terms if (word := WORD.match(term)) and word[0].islower())
    case: Case = "model" if sentence.case == "capitals" else sentence.case
    return replace(sentence, case=case, terms=frozenset() if is_phrase else frozenset(small))


def _filled(text: str, placeholders: Iterable[str]) -> str:
    left = iter(placeholders)
    return PLACEHOLDER.sub(lambda _: next(left), text)


def readable(line: str) -> str:
    """Return a `normal` line, but for what is copied: that is only `narrow`, else as typed."""
    line = line.encode("utf-8", errors="replace").decode("utf-8")  # no half surrogate pairs
    line = narrow(usual(" ".join(line.splitlines())))
    if normal(line) != line:
        masked = mask(line, find_placeholders(line))
        line = restore(normal(masked.text), masked.placeholders)
    return line.rstrip()


def _spans(
    line: str,
    truecaser: Truecaser,
    terms: frozenset[Span],
    dates: Iterable[Span],
    words: Container[int],
) -> list[Span]:
    """Return what a translation copies of a line, and the terms; no two touch, but for pairs.

    At `words` are signs that stand for words.
    """
    # A user's own placeholder tokens again, as what holds one may give way to a longer term.
    own = [
        Span(*match.span(), match[0])
        for pattern in (PLACEHOLDER, _CELL_END)
        for match in pattern.finditer(line)
    ]
    hidden = line  # without dates, as their digits would take in a sign beside them: **May 5**
    for start, end, _ in dates:
        hidden = hidden[:start] + PLACEHOLDER_TOKENS[0] * (end - start) + hidden[end:]
    found = find_placeholders(hidden, truecaser.__contains__)
    copied = [
        span._replace(text=line[span.start : span.end])
        for span in found
        if span.text.lower() not in truecaser.shorthand  # w/o
        and not (span.text == "&" and span.start in words)
    ]
    spans = disjoint([*terms, *copied, *own])
    if not spans:
        return []
    masked = mask(line, spans)
    paired = {number for pair in pairs(masked.text, masked.placeholders) for number in pair}
    merged: list[Span] = []
    is_open = False  # whether the last one may grow
    for number, span in enumerate(spans):
        is_special = PLACEHOLDER.search(span.text) or is_break(span.text)
        is_term = span in terms
        is_alone = number not in paired and not is_special and not is_term
        if is_alone and is_open and merged[-1].end == span.start:
            first = merged.pop()
            span = Span(first.start, span.end, first.text + span.text)
        merged.append(span)
        is_open = is_alone
    return merged
