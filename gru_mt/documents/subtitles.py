"""Subtitles, .srt and .vtt: what is said is translated; times, numbers, settings and notes stay.

A sentence on several lines, or over several cues, is one text. Its translation is cut again.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from gru_mt.data.text.normalize import SPACELESS
from gru_mt.documents.document import Document, Place, Source, Span, TextFile
from gru_mt.documents.lines import LINE, ends_sentence, joined
from gru_mt.documents.structured.marked import Mark, Piece, place_of

MOST_LINES = 8  # of a text: captions that a program made have no final marks at all
ELLIPSIS = "..."  # in a cue for which no word is left: a cue may not be empty
_ELLIPSES = r"\.{3,}|…"  # stand where a sentence goes on in another line, and stay there
_TIME = r"(?:\d+:)?\d{1,2}:\d{1,2}[.,]\d{1,3}"
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?")
_MARKUP = re.compile(r"<(?P<closes>/?)(?P<tag>[a-z]*+)[^<>]*+>|\{\\[^{}]*\}")
_PART = re.compile(rf"(?P<edge>{_MARKUP.pattern}|\s+|{_ELLIPSES})|[^\s<{{.…]+|[<{{.]")
_SPEAKS = re.compile(r"[-–—‐♪♫#\[(]|[A-Z][A-Z .]*:")  # - Hi; TOM: Hi; [sighs]; and songs
_ENDED = ("]", ")", "♪", "♫", "#")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a cue, in which something is said."""

    cue: int
    line_break: Span | None  # before it; None in the first line of a cue
    whole: Span
    said: Span  # without markup and ellipses at its ends
    speaks: bool  # whether it begins what another one says

    @property
    def has_markup(self) -> bool:
        return _MARKUP.search(self.said.text) is not None


def read_srt(source: Source) -> Document:
    """Read SubRip's format; UserError, with the line, for wrong times and a text before any."""
    return _document(source.decode(), is_vtt=False)


def read_vtt(source: Source) -> Document:
    """Read WebVTT; UserError, with the line, for wrong times and without its header."""
    file = source.decode()
    if file.text.strip() and not re.match(r"WEBVTT(?!\S)", file.text):
        raise file.error(0, "a file of WebVTT begins with the line WEBVTT")
    return _document(file, is_vtt=True)


def _document(file: TextFile, *, is_vtt: bool) -> Document:
    """Return a document whose texts are a sentence or more, of one line or of several."""
    texts: list[list[_Line]] = []
    for number, cue in enumerate(_cues(file, is_vtt=is_vtt)):
        for line in _lines(number, cue):
            if texts and _goes_on(texts[-1], line):
                texts[-1].append(line)
            else:
                texts.append([line])
    return file.document(_place(file.text, lines) for lines in texts)


def _place(source: str, lines: Sequence[_Line]) -> Place | None:
    """Return the place of a text; it is all of its lines, where markup stands between words."""
    has_markup = any(line.has_markup for line in lines)
    spans = [line.whole if has_markup else line.said for line in lines]

    def edits(text: str) -> Iterator[Span]:
        for line, span, piece in zip(lines, spans, _cut(text, spans), strict=True):
            if not piece and line.line_break:
                yield line.line_break
            if re.compile(_ELLIPSES).match(source, span.end):
                piece = piece.rstrip(".…")
            yield span._replace(text=piece if piece or line.line_break else ELLIPSIS)

    return place_of(_pieces(joined([span.text for span in spans])), edits)


def _pieces(text: str) -> Iterator[Piece]:
    position = 0
    for match in _MARKUP.finditer(text):
        yield text[position : match.start()]
        position = match.end()
        kind: Literal["start", "end"] = "end" if match["closes"] else "start"
        yield Mark(kind, match[0], key=match["tag"] or "")
    yield text[position:]


def _cues(file: TextFile, *, is_vtt: bool) -> Iterator[list[re.Match[str]]]:
    """Yield the lines of each cue. In SubRip a cue goes on after a blank line."""
    cue, has_begun, is_said = list[re.Match[str]](), False, not is_vtt
    for line in LINE.finditer(file.text):  # the last one is blank
        is_times = "-->" in line[1]
        if line[1].strip() and not is_times:
            cue += [line] if is_said else []
            continue
        if is_times and cue and cue[-1][1].strip().isdigit():
            cue.pop()  # the number of the next cue
        is_early = not has_begun and any(map(str.isalpha, "".join(each[1] for each in cue)))
        if is_early or (is_times and not _TIMES.fullmatch(line[1])):
            start = (cue[0] if is_early else line).start()
            raise file.error(start, "expected times such as 00:00:01,000 --> 00:00:02,500")
        yield cue
        cue, has_begun, is_said = [], has_begun or is_times, is_times or not is_vtt


def _lines(cue: int, matches: list[re.Match[str]]) -> Iterator[_Line]:
    for before, match in zip([None, *matches], matches, strict=False):
        parts = [*_PART.finditer(match[1])]
        words = [index for index, part in enumerate(parts) if not part["edge"]]
        if not words:
            continue
        start, end = parts[words[0]].start(), parts[words[-1]].end()
        said = Span(match.start() + start, match.start() + end, match[1][start:end])
        text = match[1].strip()
        begin = match.start() + match[1].index(text)
        line_break = Span(before.end(1), match.start(), "") if before else None
        speaks = "<v" in match[1][:start] or _SPEAKS.match(said.text) is not None
        yield _Line(cue, line_break, Span(begin, begin + len(text), text), said, speaks)


def _goes_on(lines: Sequence[_Line], line: _Line) -> bool:
    """Return whether a line goes on with the sentence of the `lines` before it.

    A line of the same cue does, where no sentence ends before it. That of another cue must begin
    with a small letter, or with I, or follow a comma.
    """
    before, after = lines[-1].said.text, line.said.text
    has_ended = before.endswith(_ENDED) or ends_sentence(before, after)
    if line.speaks or has_ended or len(lines) >= MOST_LINES:
        return False
    if lines[0].cue == line.cue:
        return True
    has_markup = any(each.has_markup for each in [*lines, line])
    is_open = before.endswith(",") or (
        before[-1].isalpha() and (after[0].islower() or re.match(r"I\b", after) is not None)
    )
    return is_open and not has_markup


def _cut(text: str, lines: Sequence[Span]) -> list[str]:
    """Return a text cut in proportion to some lines; the last are empty where words are too few.

    It is cut at spaces, or between letters of a script without spaces, and not within markup.
    """
    plain = _MARKUP.sub(lambda match: "<" * len(match[0]), text)
    places = {match.start() for match in re.finditer(r"\s+(?=\S*\w)", plain)}
    left = sorted(places | {match.end() for match in SPACELESS.finditer(plain)} - {len(text)})
    sizes = [len(line.text) for line in lines]
    cuts = [0]
    for index, size in enumerate([*accumulate(sizes)][:-1]):
        later = len(sizes) - index - 2  # cuts after this one
        near = left[: len(left) - later] or left[:1] or [len(text)]
        cuts.append(min(near, key=lambda p: abs(p - len(text) * size / sum(sizes))))
        left = [p for p in left if p > cuts[-1]]
    return [text[start:end].strip() for start, end in pairwise([*cuts, len(text)])]
