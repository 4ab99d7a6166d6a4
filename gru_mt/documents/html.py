"""HTML: what stands between the tags of two blocks is a text; so are alt, title and the like.

Scripts, styles, code, comments and what says translate="no" stay as they are.
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape, unescape
from itertools import groupby
from typing import Literal, NamedTuple

from gru_mt.data.corpus.detect import LOOKED_AT
from gru_mt.documents.document import Document, Span, SplicedDocument, TextFile
from gru_mt.documents.structured.marked import Edit, EditedDocument, Mark, MarkedText, Piece, Place
from gru_mt.errors import UserError, short_repr

_INLINE = re.compile(
    "a|abbr|acronym|b|bdi|bdo|big|br|cite|code|data|del|dfn|em|font|i|img|ins|kbd|mark|math|q|rb|rp"
    "|rt|ruby|s|samp|small|span|strike|strong|sub|sup|svg|time|tt|u|var|wbr"
)
_KEPT = re.compile("code|kbd|math|pre|samp|script|style|svg|textarea|tt|var")
_VOID = re.compile("area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr")
# The attributes of a tag; their number is bounded, so that the time is linear.
_VALUES = r"(?:(?:[^<>\"']++|\"[^\"]*\"|'[^']*'){0,2000}+|[^<>]*+)"
_TOKEN = re.compile(
    rf"""
    (?P<other> <!--(?:.*?-->|.*) | <!\[CDATA\[.*?\]\]> | <[!?][^>]*+> )
    | <(?P<raw>script|style|textarea|iframe|xmp)(?=[\s/>]){_VALUES}> (?:.*?</(?P=raw)[^<>]*> | .*)
    | <(?P<closes>/?)(?P<tag>[a-z][^\s/>]{{0,100}}+){_VALUES}>
    | [^<]++ | <
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_CHARSET = re.compile(rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_VALUE = re.compile(r"([^\s\"'<>/=]++)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]++))")
_SHOWN = ("alt", "title", "placeholder", "aria-label")  # attributes that people read
_AFTER_LINE = re.compile(r"[ \t\r\n\f]*")


class _Event(NamedTuple):
    """A tag, a text or something else of a page."""

    start: int
    end: int
    kind: Literal["opening", "closing", "other", "text"]
    tag: str = ""
    is_kept: bool = False  # whether nobody wants it translated

    @property
    def is_inline(self) -> bool:
        return not self.tag or _INLINE.fullmatch(self.tag) is not None


@dataclass(frozen=True, slots=True)
class HtmlDocument:
    """A page: the attributes first, and then the texts, with their inline tags as marks."""

    name: str
    attributes: SplicedDocument
    body: EditedDocument

    @property
    def texts(self) -> list[str]:
        """The texts."""
        return [*self.attributes.texts, *self.body.texts]

    def replaced(self, texts: Sequence[str]) -> bytes:
        """Return the page with one text for each of `texts`."""
        count = len(self.attributes.texts)
        page = self.attributes.replaced(texts[:count])  # some stand in the tags of texts
        return _read(page, self.name).body.replaced(texts[count:])


def read_html(data: bytes, name: str) -> Document:
    """Read a page, or a part of one; UserError for an encoding that nobody knows."""
    return _read(data, name)


def _read(data: bytes, name: str) -> HtmlDocument:
    file = TextFile.decode(data, name, _declared(data[:LOOKED_AT], name))
    events = [*_whole(_events(file.text))]

    has_name = "&nbsp;" in file.text  # else a no-break space is one

    def written(text: str, quote: str) -> str:
        """Return a text with entities for what means something here, or lacks in the encoding."""
        text = escape(text, quote=False)
        if quote:
            text = text.replace(quote, escape(quote))
        if has_name:
            text = text.replace("\u00a0", "&nbsp;")
        return text.encode(file.encoding, "xmlcharrefreplace").decode(file.encoding)

    attributes = SplicedDocument(
        file,
        [*_attributes(file.text, events)],
        lambda span, text: written(text, file.text[span.end]),
    )
    places = []
    for run in _runs(events):
        content = MarkedText.of(
            _collapsed(_pieces(file.text, run)), lambda text, _: written(text, "")
        )
        if content:
            start, end = run[0].start, run[-1].end
            places.append(Place(content, partial(_edits, start, end)))
    return HtmlDocument(name, attributes, EditedDocument(file, places))


def _edits(start: int, end: int, new: str) -> list[Edit]:
    return [Edit(start, end, new)]


def _declared(start: bytes, name: str) -> str | None:
    """Return the encoding that a page declares; UserError for one that nobody knows."""
    if not (match := _CHARSET.search(start)):
        return None
    try:
        found = codecs.lookup(match[1].decode()).name
        "a".encode(found)  # LookupError for one of bytes, such as "hex"
    except LookupError:
        shown = short_repr(match[1].decode())
        raise UserError(f"{name}: declares the encoding {shown}, which nobody knows") from None
    return "cp1252" if found in ("iso8859-1", "ascii") else found  # as browsers do


def _events(text: str) -> Iterator[_Event]:
    """Yield the tags, comments and texts of a page as a browser finds them."""
    for match in _TOKEN.finditer(text):
        tag, closes = (match["tag"] or match["raw"] or "").lower(), match["closes"]
        kind: Literal["opening", "closing", "other", "text"] = "text"
        is_kept = False
        if tag:
            is_alone = match["raw"] or match[0].endswith("/>")
            kind = "closing" if closes else "other" if is_alone else "opening"
            values = {
                each[1].lower(): each[2] or each[3] or each[4] for each in _VALUE.finditer(match[0])
            }
            classes = (values.get("class") or "").split()
            is_asked = values.get("translate") == "no" or "notranslate" in classes
            is_kept = bool(_KEPT.fullmatch(tag)) or (is_asked and not _VOID.fullmatch(tag))
        elif match["other"]:
            kind = "other"
        yield _Event(*match.span(), kind, tag, is_kept and kind != "closing")


def _whole(events: Iterable[_Event]) -> Iterator[_Event]:
    """Yield events; an element that is kept, to the tag that closes it, is one."""
    kept, depth = None, 0  # the element that is open, and how often
    for event in events:
        if not kept or not depth:
            kept = event
        if event.tag == kept.tag and kept.is_kept:
            depth += {"opening": 1, "closing": -1}.get(event.kind, 0)
        kept = kept._replace(end=event.end)
        if not depth:
            yield kept._replace(kind="other") if kept.is_kept else kept
    if kept and depth:
        yield kept._replace(kind="other")


def _runs(events: Sequence[_Event]) -> Iterator[list[_Event]]:
    """Yield the events between those of blocks."""
    run: list[_Event] = []
    for event in events:
        if event.is_inline:
            run.append(event)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _pieces(source: str, run: Sequence[_Event]) -> Iterator[Piece]:
    """Yield the texts and tags of a run; those that lack their other half are no pairs."""
    pairs: set[int] = set()
    opened, tags = list[int](), Counter[str]()
    for index, event in enumerate(run):
        if event.kind == "opening":
            opened.append(index)
            tags[event.tag] += 1
        elif event.kind == "closing" and tags[event.tag]:
            first = -1
            while first < 0 or run[first].tag != event.tag:
                first = opened.pop()
                tags[run[first].tag] -= 1
            pairs |= {first, index}
    end = 0
    for is_text, group in groupby(enumerate(run), key=lambda item: item[1].kind == "text"):
        if is_text:
            parts = (source[max(end, event.start) : event.end] for _, event in group)
            yield "".join(map(unescape, parts))
            continue
        for index, event in group:
            kind = event.kind if index in pairs else "line" if event.tag == "br" else "other"
            assert kind != "text"
            after = _AFTER_LINE.match(source, event.end) if kind == "line" else None
            end = after.end() if after else event.end
            yield Mark(kind, source[event.start : end])


def _collapsed(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces with single spaces, but around the whole."""
    found = [*pieces]
    words = [i for i, p in enumerate(found) if isinstance(p, str) and any(map(str.isalpha, p))]
    for index, piece in enumerate(found):
        if isinstance(piece, str) and words and words[0] <= index <= words[-1]:
            before = r"(?<=\S)" if index == words[0] else ""
            after = r"(?=\S)" if index == words[-1] else ""
            piece = re.sub(rf"{before}[ \t\r\n\f]+{after}", " ", piece)
        yield piece


def _attributes(source: str, events: Iterable[_Event]) -> Iterator[Span]:
    """Yield the attributes that people read."""
    for event in events:
        if event.tag and event.kind != "closing" and not event.is_kept:
            for match in _VALUE.finditer(source, event.start, event.end):
                group = 2 if match[2] is not None else 3
                if match[1].lower() in _SHOWN and match[group]:
                    yield Span(*match.span(group), unescape(match[group]))
