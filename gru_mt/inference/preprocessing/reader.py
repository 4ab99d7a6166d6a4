"""From a line to the sentences that a model reads.

What is to be copied is masked, the line is split into sentences, their frames are taken off, and
each is written with care: see `placeholders`, `glossary`, `sentences`, `frames` and `truecaser`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Self

from gru_mt.data.text.glossary import Glossary
from gru_mt.data.text.names import find_names
from gru_mt.data.text.normalize import WORD, clean, in_word, is_cased, is_mark, narrow, normal
from gru_mt.data.text.placeholders import Span, disjoint, find_placeholders, mask, restore
from gru_mt.data.text.sentences import split_sentences
from gru_mt.data.text.truecase import Truecaser, is_all_caps
from gru_mt.data.tokenizer.special import ANY_PLACEHOLDER, PLACEHOLDER
from gru_mt.inference.preprocessing.frames import core
from gru_mt.inference.preprocessing.sentence import BEGINNING, ENDS, Case, Sentence
from gru_mt.inference.preprocessing.tags import pairs

MAX_BYTES = 4  # of a character; a token has at least one byte
PARTS = 4  # a sentence too long is split into parts of a quarter of what a model reads, at most
_BLOCKS = "p|div|li|ul|ol|h[1-6]|t[dhr]|table|summary|option|title|button|label|dt|dd"
_BREAK = re.compile(rf"\\[nrN]|<(?:br|hr)\b[^<>]*>|\|+|</?(?:{_BLOCKS})\b[^<>]*>", re.IGNORECASE)
_LABEL = re.compile(  # **Note:** and <b>Note</b>:
    rf"\W*{ANY_PLACEHOLDER}[^\W\d_][^\W_]{{0,30}}+(?: [^\W_]{{1,30}}){{0,2}}"
    rf"(?:\s?:{ANY_PLACEHOLDER}|{ANY_PLACEHOLDER}\s?:)\s+"
)
_OPENS = re.compile(r"<(?!br|hr)\w", re.IGNORECASE)


def fits_in(max_tokens: int, encode: Callable[[str], Sequence[int]]) -> Callable[[str, int], bool]:
    """Return a function: does a text have at most 1 / `parts` of `max_tokens`?"""

    def fits(text: str, parts: int) -> bool:
        most = max_tokens // parts
        return MAX_BYTES * len(text) <= most or len(encode(text)) <= most

    return fits


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence of a line, or a part of one."""

    line: str
    start: int  # in the line
    shown: str  # masked
    spans: Sequence[Span]  # what the placeholder tokens in `shown` stand for
    terms: frozenset[Span]  # those of the glossary

    @property
    def end(self) -> int:
        return self.start + len(self.shown) + sum(span.end - span.start - 1 for span in self.spans)

    @property
    def placeholders(self) -> list[str]:
        return [span.text for span in self.spans]

    @property
    def typed(self) -> list[str]:
        """The terms as they stand in the line; other placeholders are ""."""
        return [self.line[s.start : s.end] if s in self.terms else "" for s in self.spans]

    def split_at(self, index: int) -> tuple[Self, Self]:
        """Return what is before and after an index in `shown`."""
        number = len(PLACEHOLDER.findall(self.shown[:index]))
        first = replace(self, shown=self.shown[:index], spans=self.spans[:number])
        second = replace(self, shown=self.shown[index:], spans=self.spans[number:])
        return first, replace(second, start=first.end)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads lines for a model."""

    truecaser: Truecaser
    language: str  # a code or an English name; it decides where sentences end
    fits: Callable[[str, int], bool]  # whether a text has a part of the tokens that a model reads
    glossary: Glossary | None = None
    split: bool = True  # whether a line is split into its sentences

    def sentences(self, line: str) -> Iterator[Sentence]:
        """Yield the sentences of a line; a blank line has none."""
        line = line.encode("utf-8", errors="replace").decode("utf-8")  # no half surrogate pairs
        line = _normal(" ".join(line.splitlines())).rstrip()
        if not line:
            return
        terms = frozenset(self.glossary.find(line) if self.glossary else ())
        spans = _spans(line, self.truecaser, terms)
        masked, start, left = mask(line, spans).text, 0, iter(spans)
        for shown in _pieces(masked, spans, self.language) if self.split else [masked]:
            inside = [*islice(left, len(PLACEHOLDER.findall(shown)))]
            piece = _Piece(line, start, shown, inside, terms)
            yield from self._parts(piece)
            start = piece.end

    def _parts(self, piece: _Piece) -> Iterator[Sentence]:
        """Yield a sentence, or the parts of one that is too long."""
        sentence = self._sentence(piece)
        if self.fits(sentence.text, 1):
            yield sentence
            return
        parts = [piece]
        while parts:  # the next one is the last
            part = parts.pop()
            sentence = self._sentence(part)
            if not self.fits(sentence.text, PARTS) and len(part.shown) > 1:
                parts += reversed(part.split_at(_best_split(part.shown)))
                continue
            goes_on = part.start > piece.start and sentence.typed[:1].islower()
            case = "small" if goes_on else sentence.case
            yield replace(sentence, is_part=True, case=case)

    def _sentence(self, piece: _Piece) -> Sentence:
        sentence = _sentence(piece, self.truecaser)
        return _with_terms(sentence, piece, self.glossary) if self.glossary else sentence


def _best_split(text: str) -> int:
    """Return where a text too long is split: near its middle, after punctuation, else a word."""
    middle = len(text) // 2
    for seam in (r"[;:。；：][\s]*|[–—]\s+", r"[,،，、]\s*", r"\s+"):
        ends = [match.end() for match in re.finditer(seam, text)]
        near = [index for index in ends if len(text) // 4 < index < 3 * len(text) // 4]
        if near:
            return min(near, key=lambda index: abs(index - middle))
    while middle < len(text) - 1 and is_mark(text[middle]):
        middle += 1
    return max(1, middle)


def _with_terms(sentence: Sentence, piece: _Piece, glossary: Glossary) -> Sentence:
    """Return a sentence whose terms have its case: are in capitals, or get one at the start."""
    terms = {
        placeholder
        for placeholder, typed in zip(piece.placeholders, piece.typed, strict=True)
        if typed
    }
    whole = _filled(piece.shown, piece.typed)
    # "IT" alone is in its usual case, and "OK, cat" is not in capitals.
    calm = ["" if glossary.needs_capitals(term) else term for term in piece.typed]
    if is_all_caps(_filled(piece.shown, calm)):
        upper = tuple(text.upper() if text in terms else text for text in sentence.placeholders)
        return replace(sentence, placeholders=upper, case="capitals")
    first = next(filter(str.isalpha, whole), "")
    is_phrase = first.islower() or (not first.isupper() and in_word(whole[-1:]))
    small = (term for term in terms if (word := WORD.match(term)) and word[0].islower())
    case: Case = "model" if sentence.case == "capitals" else sentence.case
    return replace(sentence, case=case, terms=frozenset() if is_phrase else frozenset(small))


def _filled(text: str, placeholders: Sequence[str]) -> str:
    """Return `text` with each token as the next of `placeholders`."""
    left = iter(placeholders)
    return PLACEHOLDER.sub(lambda _: next(left), text)


def _normal(line: str) -> str:
    """Return a `normal` line, but for what is copied: that is only `narrow`, else as typed."""
    line = narrow(line)
    if normal(line) == line:
        return line
    spans = find_placeholders(line)
    return restore(normal(mask(line, spans).text), [span.text for span in spans])


def _spans(line: str, truecaser: Truecaser, terms: Iterable[Span]) -> list[Span]:
    """Return what a translation copies of a line, and the terms; no two touch, but for pairs."""
    # A user's own placeholder tokens again, as what holds one may give way to a longer term.
    own = (Span(*match.span(), match[0]) for match in PLACEHOLDER.finditer(line))
    spans = disjoint([*terms, *find_placeholders(line, truecaser.__contains__), *own])
    placeholders = [span.text for span in spans]
    paired = {number for pair in pairs(mask(line, spans).text, placeholders) for number in pair}
    merged: list[Span] = []
    is_open = False  # whether the last one may grow
    for number, span in enumerate(spans):
        is_alone = number not in paired and span.text == line[span.start : span.end]
        is_alone = (
            is_alone and not _BREAK.fullmatch(span.text) and not PLACEHOLDER.search(span.text)
        )
        if is_alone and is_open and merged[-1].end == span.start:
            first = merged.pop()
            span = Span(first.start, span.end, first.text + span.text)
        merged.append(span)
        is_open = is_alone
    return merged


def _pieces(masked: str, spans: Sequence[Span], language: str) -> Iterator[str]:
    """Yield the sentences of a masked line, which end also at a break that is a placeholder."""
    left = iter(spans)
    for piece in split_sentences(masked, language):
        label = _LABEL.match(piece)
        start = label.end() if label and label.end() < len(piece) else 0
        if start:
            yield piece[:start]
        for match in PLACEHOLDER.finditer(piece):
            placeholder = next(left).text
            if not _BREAK.fullmatch(placeholder):
                continue
            end = match.start() if _OPENS.match(placeholder) else match.end()
            end += len(piece[end:]) - len(piece[end:].lstrip())
            before, after = piece[start:end], piece[end:]
            is_line = placeholder.startswith("\\") or placeholder[:3].lower() in ("<br", "<hr")
            goes_on = is_line and not (
                PLACEHOLDER.sub("", before).rstrip().endswith(ENDS)
                or PLACEHOLDER.sub("", after).strip()[:1].isupper()
            )
            if not goes_on and all(any(map(str.isalpha, part)) for part in (before, after)):
                yield before
                start = end
        yield piece[start:]


def _freed(text: str) -> tuple[str, frozenset[tuple[int, int]]]:
    """Return `text` with a space between a placeholder token and a word beside it, and where.

    So the model reads "<b>here</b>" as a word between two placeholders, and not as the end of one.
    """
    no_space = set()
    for index, match in reversed([*enumerate(PLACEHOLDER.finditer(text))]):
        start, end = match.span()
        if is_cased(text[end : end + 1]):
            no_space.add((index, 1))
            text = f"{text[:end]} {text[end:]}"
        if is_cased(text[:start][-1:]):
            no_space.add((index, 0))
            text = f"{text[:start]} {text[start:]}"
    return text, frozenset(no_space)


def _sentence(piece: _Piece, truecaser: Truecaser) -> Sentence:
    shown, placeholders = piece.shown.rstrip(), piece.placeholders
    source, gap = piece.line[piece.start : piece.end].rstrip(), piece.shown[len(shown) :]
    indent = len(shown) - len(shown.lstrip())
    words = [None if term else text for text, term in zip(placeholders, piece.typed, strict=True)]
    start, end = core(shown[indent:], words, pairs(shown, placeholders), truecaser.is_small)
    start, end = start + indent, end + indent
    before, text, after = shown[:start], clean(shown[start:end]), shown[end:]
    first, last = (
        len(PLACEHOLDER.findall(before)),
        len(placeholders) - len(PLACEHOLDER.findall(after)),
    )
    before = _filled(before, placeholders[:first])
    after = _filled(after, placeholders[last:])
    placeholders = placeholders[first:last]
    cased = truecaser.truecased(text)
    case: Case = "capitals" if is_all_caps(text) and not is_all_caps(cased) else "model"  # not "OK"
    careful = cased if truecaser.has_all(cased) else truecaser.corrected(cased)
    names = find_names(careful, truecaser)
    copied = [
        Span(match.start(), match.end(), placeholder)
        for match, placeholder in zip(PLACEHOLDER.finditer(careful), placeholders, strict=True)
    ]
    beginning = BEGINNING.match(text)
    letter = beginning.end() if beginning else 0
    if case == "capitals":
        names = [span._replace(text=span.text.upper()) for span in names]
    elif text[letter : letter + 1].isupper():
        before_it = piece.typed[first : first + len(PLACEHOLDER.findall(text[:letter]))]
        if not any(before_it) and not any(name.start <= letter for name in names):
            case = "capital"
    masked = mask(careful, sorted([*copied, *names]))
    free, no_space = _freed(masked.text)
    is_respelled = careful != cased
    return Sentence(
        source,
        gap,
        before,
        after,
        text,
        free,
        masked.placeholders,
        no_space,
        case,
        is_respelled,
        tags=tuple(pairs(masked.text, masked.placeholders)),
    )
