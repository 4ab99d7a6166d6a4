"""HTML: what stands between the tags of two blocks is a text; so are alt, title and the like.

Scripts, styles, code, comments and what says translate="no" stay as they are.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from html import escape
from itertools import groupby
from typing import Literal, NamedTuple

from gru_mt.data.corpus.detect import LOOKED_AT, declared_encoding
from gru_mt.data.text.normalize import unescaped
from gru_mt.documents.document import Document, Place, Source, TextFile, edited, replacing
from gru_mt.documents.structured.marked import Mark, Piece, place_of

_INLINE = re.compile(
    "a|abbr|acronym|b|bdi|bdo|big|br|cite|code|data|del|dfn|em|font|i|img|ins|kbd|mark|math|q|rb|rp"
    "|rt|ruby|s|samp|small|span|strike|strong|sub|sup|svg|time|tt|u|var|wbr"
)
_KEPT = re.compile("code|kbd|math|pre|samp|script|style|svg|textarea|tt|var")
_MAY_LACK_END = re.compile("p|li|dt|dd|option|td|th")  # a next one, or the parent's, ends it
_VOID = re.compile("area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr")
# The attributes of a tag; their number is bounded, so that the time is linear.
_VALUES = r"(?:(?:[^<>\"']++|\"[^\"]*\"|'[^']*'){0,2000}+|[^<>]*+)"
_TOKEN = re.compile(
    rf"""
    (?P<other> <!--(?:.*?-->|.*) | <!\[CDATA\[(?:.*?\]\]>|.*) | <\?(?:php\b|=)(?:.*?\?>|.*)
        | <%(?:[^%<]|%(?!>)|<(?!%))*+%> | \{{\{{[^{{}}]*+\}}\}} | \{{%(?:[^%{{}}]|%(?!\}}))*+%\}}
        | <[!?][^>]*+>? )  # comments, PHP, and what Django, Jinja and EJS fill in
    | <(?P<raw>script|style|textarea|iframe|xmp)(?=[\s/>]){_VALUES}(?<!/)>
      (?:.*?</(?P=raw)[^<>]*> | .*)
    | <(?P<closes>/?)(?P<tag>(?P<line>br(?=[\s/>]))|[a-z][^\s/>]{{0,100}}+){_VALUES}>(?(line)\s*)
    | [^<{{]++ | [<{{]
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_CHARSET = re.compile(rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_AS_BROWSERS_DO = {  # who read declared encodings as larger ones
    **dict.fromkeys(("iso8859-1", "ascii"), "cp1252"),
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_VALUE = re.compile(
    r"(?<![^\s\"'<>/=])([^\s\"'<>/=]++)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]++))"
)
_SHOWN = ("alt", "title", "placeholder", "aria-label")  # attributes that people read
_SPACES = " \t\r\n\f"  # of which several look like one


_Kind = Literal["start", "end", "line", "other", "text"]


class _Event(NamedTuple):
    """A tag, a text or something else of a page."""

    start: int
    end: int
    kind: _Kind
    tag: str = ""
    is_kept: bool = False  # whether nobody wants it translated

    @property
    def is_inline(self) -> bool:
        return not self.tag or _INLINE.fullmatch(self.tag) is not None


def read_html(source: Source) -> Document:
    """Read a page, or a part of one; UserError for an unknown encoding."""
    return document_of_page(source.decode(_declared(source.data[:LOOKED_AT], source.name)))


def document_of_page(file: TextFile) -> Document:
    """Return the document whose texts are those of a page, attributes first."""
    attributes = [*_attributes(file.text)]
    texts = [place.text for place in [*attributes, *_places(file.text)]]

    def replaced(texts: Sequence[str]) -> bytes:
        count = len(attributes)
        page = edited(file.text, attributes, texts[:count])  # some stand in the tags of texts
        places = [*_places(page)]
        if len(places) != len(texts) - count:  # a tag ends elsewhere, as of <a "alt="the friend">
            page, places = file.text, [*_places(file.text)]
        return file.encode(edited(page, places, texts[count:]), "xmlcharrefreplace")

    return Document(file.name, texts, replaced)


def _written(text: str, quote: str, has_name: bool) -> str:
    """Return a text with entities for what means something between tags, or in quotes."""
    text = escape(text, quote=False)
    text = text.replace(quote, escape(quote)) if quote else text
    return text.replace("\u00a0", "&nbsp;") if has_name else text


def _places(page: str) -> Iterator[Place]:
    """Yield the texts between the tags of blocks, without the spaces around them."""
    has_name = "&nbsp;" in page  # else a no-break space is one
    for is_inline, group in groupby(_whole(_events(page)), key=lambda event: event.is_inline):
        if not is_inline:
            continue
        run = [*group]
        start, end = run[0].start, run[-1].end
        start = end - len(page[start:end].lstrip(_SPACES))
        end = start + len(page[start:end].rstrip(_SPACES))
        run[0] = run[0]._replace(start=start)
        run[-1] = run[-1]._replace(end=end)
        pieces = (_piece(page, event) for event in run)
        edits = replacing(start, end)
        if place := place_of(pieces, edits, lambda text, _: _written(text, "", has_name)):
            yield place


def _piece(page: str, event: _Event) -> Piece:
    source = page[event.start : event.end]
    if event.kind == "text":
        return re.sub(f"[{_SPACES}]+", " ", unescaped(source))
    return Mark(event.kind, source, key=event.tag)


def _declared(start: bytes, name: str) -> str | None:
    """Return the encoding that a page declares; UserError for one that nobody knows."""
    match = _CHARSET.search(start)
    found = declared_encoding(match[1].decode(), name) if match else None
    if found and found.startswith(("utf-16", "utf-32")):
        return "utf-8"  # this was read as ASCII
    return _AS_BROWSERS_DO.get(found, found) if found else None


def _events(text: str) -> Iterator[_Event]:
    """Yield the tags, comments and texts of a page as a browser finds them."""
    for match in _TOKEN.finditer(text):
        tag = (match["tag"] or match["raw"] or "").lower()
        if not tag:
            yield _Event(*match.span(), "other" if match["other"] else "text")
            continue
        is_void = _VOID.fullmatch(tag) is not None
        is_alone = is_void or match["raw"] or match[0].endswith("/>")
        kind: _Kind = "end" if match["closes"] else "other" if is_alone else "start"
        found = _VALUE.finditer(match[0])
        values = {each[1].lower(): each[2] or each[3] or each[4] for each in found}
        classes = (values.get("class") or "").split()
        is_asked = (values.get("translate") or "").lower() == "no" or "notranslate" in classes
        is_kept = kind != "end" and (bool(_KEPT.fullmatch(tag)) or (is_asked and not match["line"]))
        yield _Event(*match.span(), "line" if match["line"] else kind, tag, is_kept)


def _whole(events: Iterable[_Event]) -> Iterator[_Event]:
    """Yield events; an element that is kept, to the tag that closes it, is one."""
    kept, depth = None, 0  # the element that is open, and how often
    inner = 0  # how many blocks are open in it
    for event in events:
        if kept and depth and _MAY_LACK_END.fullmatch(kept.tag):
            is_block = not event.is_inline and not _MAY_LACK_END.fullmatch(event.tag)
            begins_next = event.kind == "start" and event.tag == kept.tag
            if not inner and (begins_next or (is_block and event.kind == "end")):
                yield kept._replace(kind="other")
                depth = 0
            elif is_block:
                inner += {"start": 1, "end": -1}.get(event.kind, 0)
        if not kept or not depth:
            kept, inner = event, 0
        if event.tag == kept.tag and kept.is_kept and not inner:
            depth += {"start": 1, "end": -1}.get(event.kind, 0)
        kept = kept._replace(end=event.end)
        if not depth:
            yield kept._replace(kind="other") if kept.is_kept else kept
    if kept and depth:
        yield kept._replace(kind="other")


def _attributes(page: str) -> Iterator[Place]:
    """Yield the attributes that people read."""
    has_name = "&nbsp;" in page
    for event in _whole(_events(page)):
        if event.tag and event.kind != "end" and not event.is_kept:
            for match in _VALUE.finditer(page, event.start, event.end):
                group = 2 if match[2] is not None else 3
                if match[1].lower() in _SHOWN and match[group]:
                    written = partial(_written, quote=page[match.end(group)], has_name=has_name)
                    yield Place(
                        unescaped(match[group]).strip(), replacing(*match.span(group), written)
                    )
