"""Documents with marks in their texts, as tags and line ends, which travel as placeholders."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal, NamedTuple, Self

from gru_mt.documents.document import Span, TextFile, splice

_GAP = re.compile(  # what a translation would not keep: a line end, with a bullet; several spaces
    r"(\s*\n\s*(?:[-*•]|\d{1,3}[.)])[ ]+|\r?\n(?!\s)|\s*\t\s*|\s{2,})"
)
_NUMBER = re.compile(r"<(?:/?[gx]|(?:br|p) id=\")(\d+)")


class Mark(NamedTuple):
    """What stands within a text.

    `opening` and `closing` ones come in pairs, as tags do. `start` and `end` of a range may do so:
    see `paired`; if not, they keep their order. `line` and `block` end a line, `block` a sentence.
    """

    kind: Literal["opening", "closing", "start", "end", "line", "block", "other"]
    source: str  # of the file
    style: str | None = None  # of the text that an opening one begins, if it has one
    key: str = ""  # what the start and the end of a range share


Piece = str | Mark
Edit = Span  # of which `text` is written instead of what stands there
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


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text as a translator gets it: "He is <g1>big</g1>.<x2/>"."""

    text: str
    pieces: Sequence[Piece]  # of `text`
    before: Sequence[Piece]  # what stands around it: spaces, and marks
    after: Sequence[Piece]
    marks: dict[str, Mark]  # by what stands for them in `text`
    write: Write
    style: str  # of text that is in no pair with a style

    @classmethod
    def of(cls, pieces: Iterable[Piece], write: Write = plain, style: str = "") -> Self | None:
        """Return the text of some pieces; None where there is nothing to translate."""
        before, pieces, after = _core(_fused(_paired(pieces)))
        words = "".join(piece for piece in pieces if isinstance(piece, str))
        if not any(map(str.isalpha, words)):
            return None
        first = max((int(number) + 1 for number in _NUMBER.findall(words)), default=1)
        names, numbers, opened = [], count(first), list[int]()
        for piece in pieces:
            if isinstance(piece, str):
                names.append(piece)
            elif piece.kind == "closing":
                names.append(f"</g{opened.pop()}>")
            else:
                number = next(numbers)
                if piece.kind == "opening":
                    opened.append(number)
                kinds = {"opening": "<g{}>", "line": '<br id="{}"/>', "block": '<p id="{}"/>'}
                names.append(kinds.get(piece.kind, "<x{}/>").format(number))
        marks = {
            name: piece
            for name, piece in zip(names, pieces, strict=True)
            if isinstance(piece, Mark)
        }
        return cls("".join(names), pieces, before, after, marks, write, style)

    def filled(self, translation: str) -> str:
        """Return the source of a translation, in the place of `text` and what stands around it.

        A translation that has not each mark once, well nested, has its words where most words of
        the source are: no mark is lost.
        """
        pieces = self._parsed(translation)
        if pieces is None:
            words = self._split(translation)[::2]
            longest = max((p for p in self.pieces if isinstance(p, str)), key=len)
            index = self.pieces.index(longest)
            kept = [p if isinstance(p, Mark) else "" for p in self.pieces]
            pieces = [*kept[:index], " ".join("".join(words).split()), *kept[index + 1 :]]
        written, styles = "", [self.style]
        for piece in [*self.before, *pieces, *self.after]:
            if isinstance(piece, str):
                written += self.write(piece, styles[-1]) if piece else ""
                continue
            if piece.kind == "opening":
                styles.append(styles[-1] if piece.style is None else piece.style)
            elif piece.kind == "closing":
                styles.pop()
            written += piece.source
        return written

    def _split(self, translation: str) -> list[str]:
        """Return texts, and between them the names of marks."""
        found = [""]
        for part in re.split(r"(<[^<>]*>)", translation):
            if part in self.marks:
                found += part, ""
            else:
                found[-1] += part
        return found

    def _parsed(self, translation: str) -> list[Piece] | None:
        """Return the pieces of a translation; None where marks are missing, or cross."""
        found = self._split(translation)
        names = found[1::2]
        if sorted(names) != sorted(self.marks):
            return None
        opened: list[str] = []
        for name in names:
            if self.marks[name].kind == "opening":
                opened.append(name)
            elif self.marks[name].kind == "closing":
                if opened[-1:] != [name.replace("/", "")]:
                    return None
                opened.pop()
        marks = [self.marks[name] for name in names]
        ends = iter([mark for mark in self.marks.values() if mark.kind in ("start", "end")])
        marks = [next(ends) if mark.kind in ("start", "end") else mark for mark in marks]
        pieces: list[Piece] = [found[0]]
        for mark, text in zip(marks, found[2::2], strict=True):
            pieces += mark, text
        return pieces


@dataclass(frozen=True, slots=True)
class Place:
    """A text, and what its translation changes in the file."""

    content: MarkedText
    edits: Callable[[str], Iterable[Edit]]  # of the source of a translation


@dataclass(frozen=True, slots=True)
class EditedDocument:
    """A text file and the places of its texts. One that does not change stays as it was typed."""

    file: TextFile
    places: Sequence[Place]

    @property
    def texts(self) -> Sequence[str]:
        """The texts."""
        return [place.content.text for place in self.places]

    def replaced(self, texts: Sequence[str]) -> bytes:
        """Return the file with one text for each of `texts`."""
        edits = {  # a set: two texts of an entry may mark it in the same way
            edit
            for place, text in zip(self.places, texts, strict=True)
            if text != place.content.text
            for edit in place.edits(place.content.filled(text))
        }
        ordered = sorted(edits)
        new = splice(self.file.text, ordered, (edit.text for edit in ordered))
        return self.file.encode(new)


def _paired(pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces whose starts and ends of ranges are pairs, where they cross no other pair."""
    found, opened = [*pieces], list[tuple[int, Mark]]()
    for index, piece in enumerate(found):
        if isinstance(piece, str):
            continue
        if piece.kind in ("opening", "start"):
            opened.append((index, piece))
        elif piece.kind == "closing":
            while opened.pop()[1].kind == "start":
                pass
        elif piece.kind == "end" and opened:
            first, start = opened[-1]
            if (start.kind, start.key) == ("start", piece.key):
                opened.pop()
                found[first] = Mark("opening", start.source)
                found[index] = Mark("closing", piece.source)
    return found


def _core(pieces: list[Piece]) -> tuple[list[Piece], list[Piece], list[Piece]]:
    """Return what stands before a text, its pieces, and what stands after it."""
    before, after = list[Piece](), list[Piece]()
    while pieces:
        first, last = pieces[0], pieces[-1]
        if isinstance(first, str) and (gap := first[: len(first) - len(first.lstrip())]):
            before.append(gap)
            pieces[:1] = [first[len(gap) :]] if gap != first else []
        elif isinstance(last, str) and (gap := last[len(last.rstrip()) :]):
            after.insert(0, gap)
            pieces[-1:] = [last.removesuffix(gap)] if gap != last else []
        elif isinstance(first, Mark) and first.kind not in ("opening", "closing"):
            before.append(pieces.pop(0))
        elif isinstance(last, Mark) and last.kind not in ("opening", "closing"):
            after.insert(0, pieces.pop())
        elif isinstance(first, Mark) and _closing(pieces) == len(pieces) - 1:
            before.append(pieces.pop(0))
            after.insert(0, pieces.pop())
        else:
            break
    return before, pieces, after


def _closing(pieces: Sequence[Piece]) -> int:
    """Return where the mark is that closes the first one."""
    depth = 0
    for index, piece in enumerate(pieces):
        if isinstance(piece, Mark):
            depth += {"opening": 1, "closing": -1}.get(piece.kind, 0)
        if not depth:
            return index
    raise AssertionError("pairs are whole")


def _fused(pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces with one mark for marks that touch, and for a pair right within another."""
    fused, opened = list[Piece](), list[tuple[int, Mark]]()
    closed = -1  # where the pair begins that closed last
    for piece in pieces:
        last = fused[-1] if fused else ""
        if isinstance(piece, Mark) and piece.kind == "opening":
            opened.append((len(fused), piece))
        elif isinstance(piece, Mark) and piece.kind == "closing":
            index, first = opened.pop()
            inner = fused[index + 1 : index + 2]
            if not inner:  # a pair around nothing
                fused.pop()
                last = fused[-1] if fused else ""
                piece = Mark("other", first.source + piece.source)
            elif closed == index + 1 and isinstance(last, Mark) and last.kind == "closing":
                [mark] = inner
                assert isinstance(mark, Mark)
                style = first.style if mark.style is None else mark.style
                fused[index : index + 2] = [Mark("opening", first.source + mark.source, style)]
                fused.pop()
                piece = Mark("closing", last.source + piece.source)
            closed = index
        if (
            isinstance(last, Mark)
            and isinstance(piece, Mark)
            and last.kind == piece.kind == "other"
        ):
            fused.pop()
            piece = Mark("other", last.source + piece.source)
        fused.append(piece)
    return fused
