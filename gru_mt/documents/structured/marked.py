"""Texts with marks in them, as tags and line ends, which travel as placeholders."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Literal, NamedTuple

from gru_mt.documents.document import Place, Span

_GAP = re.compile(  # what a translation would not keep: a line end, with a bullet; several spaces
    r"([^\S\n]*+\n\s*+(?:[-*•]|\d{1,3}[.)])[ ]+|\r?\n(?!\s)|[^\S\t]*+\t\s*+|\s{2,}+)"
)
_NUMBER = re.compile(r"<(?:/?[gx]|(?:br|p) id=\")(\d{1,9})")
_TAG = re.compile("(<[^<>]*>)")
_TAGS = {"opening": "<g{}>", "closing": "</g{}>", "line": '<br id="{}"/>', "block": '<p id="{}"/>'}


class Mark(NamedTuple):
    """What stands within a text.

    `opening` and `closing` ones come in pairs. `start` and `end`, of tags that may cross, become
    such a pair where they can; if not, they keep their order. `line` and `block` end a line,
    `block` a sentence.
    """

    kind: Literal["opening", "closing", "start", "end", "line", "block", "other"]
    source: str  # of the file
    style: str | None = None  # of the text that an opening one begins, if it has one
    key: str = ""  # what a start and its end share


Piece = str | Mark
Write = Callable[[str, str], str]  # (text, its style) -> source


def plain(text: str, style: str = "") -> str:
    """Return a text as it is."""
    return text


def with_gaps(text: str, write: Write = plain, style: str = "") -> Iterator[Piece]:
    """Yield the pieces of a text: a line end, a tab or several spaces are a mark."""
    for index, piece in enumerate(_GAP.split(text)):
        if index % 2:
            yield Mark("line" if piece.strip("\r") == "\n" else "block", write(piece, style))
        elif piece:
            yield piece


def place_of(
    pieces: Iterable[Piece],
    edits: Callable[[str], Iterable[Span]],
    write: Write = plain,
    style: str = "",
) -> Place | None:
    """Return the place of a text whose source in the file makes `edits`; None for no text.

    A translator gets its marks as tags: "He is <g1>big</g1>.<x2/>". `style` is that of text that is
    in no pair with another one.

    A translation that has not each mark once, or a pair in another one than in the source, has
    its words where most words of the source are: no mark is lost, and no link is in a link.
    """
    before, core, after = _core(_fused(_paired(pieces)))
    words = "".join(piece for piece in core if isinstance(piece, str))
    if not any(map(str.isalpha, words)):
        return None
    first = max((int(number) + 1 for number in _NUMBER.findall(words)), default=1)
    names = [*_names(core, first)]

    def source_of(translation: str) -> str:
        written, styles = "", [style]
        for piece in [*before, *_parsed(translation, names, core), *after]:
            if isinstance(piece, str):
                written += write(piece, styles[-1]) if piece else ""
                continue
            if piece.kind == "opening":
                styles.append(styles[-1] if piece.style is None else piece.style)
            elif piece.kind == "closing":
                styles.pop()
            written += piece.source
        return written

    def edits_of(translation: str) -> Iterable[Span]:
        has_words = any(map(str.isalpha, _TAG.sub("", translation)))
        return edits(source_of(translation)) if has_words else ()  # no words are lost

    return Place("".join(names), edits_of)


def _names(pieces: Iterable[Piece], first: int) -> Iterator[str]:
    """Yield what a translator gets for each piece; the marks are numbered from `first` on."""
    numbers, opened = count(first), list[int]()
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
            continue
        number = opened.pop() if piece.kind == "closing" else next(numbers)
        if piece.kind == "opening":
            opened.append(number)
        yield _TAGS.get(piece.kind, "<x{}/>").format(number)


def _parsed(translation: str, names: Sequence[str], pieces: Sequence[Piece]) -> Sequence[Piece]:
    """Return the pieces of a translation of `pieces`, which a translator got by `names`."""
    named = zip(names, pieces, strict=True)
    marks = {name: piece for name, piece in named if isinstance(piece, Mark)}
    parts = list[str]()  # marks, and the texts between them
    for part in _TAG.split(translation):
        if part in marks or not parts or parts[-1] in marks:
            parts.append(part)
        else:
            parts[-1] += part
    found = [part for part in parts if part in marks]
    old, new = _parents(marks) or {}, _parents(found)
    is_nested = new is not None and all(new[name] in ("", old.get(name)) for name in new)
    if is_nested and sorted(found) == sorted(marks):
        ends = iter([mark for mark in marks.values() if mark.kind in ("start", "end")])
        return [
            next(ends) if isinstance(piece, Mark) and piece.kind in ("start", "end") else piece
            for piece in (marks.get(part, part) for part in parts)
        ]
    texts = [index for index, piece in enumerate(pieces) if isinstance(piece, str)]
    longest = max(texts, key=lambda index: len(pieces[index]))
    words = " ".join("".join(part for part in parts if part not in marks).split())
    return [
        piece if isinstance(piece, Mark) else words if index == longest else ""
        for index, piece in enumerate(pieces)
    ]


def _parents(names: Iterable[str]) -> dict[str, str] | None:
    """Return what each opening tag stands in, as <g2> in <g1>, or ""; None where tags cross."""
    parents, opened = dict[str, str](), [""]
    for name in names:
        if name.startswith("<g"):
            parents[name] = opened[-1]
            opened.append(name)
        elif name.startswith("</") and opened.pop() != name.replace("/", ""):
            return None
    return parents


def _partners(pieces: Sequence[Piece]) -> dict[int, int]:
    """Return the index of the other half of each mark that is opening or closing."""
    opened, partners = list[int](), dict[int, int]()
    for index, piece in enumerate(pieces):
        if isinstance(piece, Mark) and piece.kind == "opening":
            opened.append(index)
        elif isinstance(piece, Mark) and piece.kind == "closing":
            partners[index] = opened.pop()
            partners[partners[index]] = index
    return partners


def _paired(pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces whose starts and ends are pairs, where they cross no other pair."""
    found = [*pieces]
    outer = list[tuple[list[tuple[int, Mark]], Counter[str]]]()  # around the pair that is open
    starts, keys = list[tuple[int, Mark]](), Counter[str]()  # in it
    for index, piece in enumerate(found):
        if isinstance(piece, str):
            continue
        if piece.kind == "opening":
            outer.append((starts, keys))
            starts, keys = [], Counter()
        elif piece.kind == "closing":
            starts, keys = outer.pop()
        elif piece.kind == "start":
            starts.append((index, piece))
            keys[piece.key] += 1
        elif piece.kind == "end" and keys[piece.key]:
            key = None
            while key != piece.key:
                first, start = starts.pop()
                key = start.key
                keys[key] -= 1
            found[first] = Mark("opening", start.source)
            found[index] = Mark("closing", piece.source)
    return found


def _fused(pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces with one mark for marks that touch, and for a pair right within another."""
    single = list[Piece]()
    for piece in pieces:
        while single and isinstance(last := single[-1], Mark) and isinstance(piece, Mark):
            if (last.kind, piece.kind) not in (("other", "other"), ("opening", "closing")):
                break
            piece = Mark("other", last.source + piece.source)
            single.pop()
        single.append(piece)
    partners, fused = _partners(single), list[Piece]()
    for index, piece in enumerate(single):
        if index in partners and partners.get(index - 1) == partners[index] + 1:
            last = fused.pop()
            assert isinstance(last, Mark)
            assert isinstance(piece, Mark)
            style = last.style if piece.style is None else piece.style
            piece = Mark(piece.kind, last.source + piece.source, style)
        fused.append(piece)
    return fused


def _core(pieces: list[Piece]) -> tuple[list[Piece], list[Piece], list[Piece]]:
    """Return what stands before a text, its pieces, and what stands after it."""

    def is_outside(piece: Piece) -> bool:
        if isinstance(piece, str):
            return not piece.strip()
        return piece.kind not in ("opening", "closing")

    partners, start, end = _partners(pieces), 0, len(pieces)
    while start < end:
        if is_outside(pieces[start]):
            start += 1
        elif is_outside(pieces[end - 1]):
            end -= 1
        elif partners.get(start) == end - 1:
            start, end = start + 1, end - 1
        else:
            break
    before, core, after = pieces[:start], pieces[start:end], pieces[end:]
    if core and isinstance(first := core[0], str):
        core[0] = text = first.lstrip()
        before.append(first.removesuffix(text))
    if core and isinstance(last := core[-1], str):
        core[-1] = text = last.rstrip()
        after.insert(0, last.removeprefix(text))
    return before, core, after
