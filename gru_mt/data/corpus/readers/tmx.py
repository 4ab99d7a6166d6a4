"""Translation memories in TMX 1.4: units, each with a segment in each of several languages."""

import codecs
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from xml.etree import ElementTree as ET

from gru_mt.data.corpus.languages import language_code
from gru_mt.data.corpus.report import Dropped, DropReason, Record
from gru_mt.data.corpus.text_stream import MAX_LINE_BYTES, TextStream
from gru_mt.errors import UserError, short_repr

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_UNIT = re.compile(r"<!--.*?-->|<tu[\s>].*?</tu\s*>", re.DOTALL)
_BEGUN = re.compile(r"<!--|<tu[\s>]")
_ROOT = re.compile(r"<tmx\b[^>]*>")  # may declare prefixes that units use
_KEPT = 10  # characters at the end of what holds no unit: a tag may begin there
_CODES = ("bpt", "ept", "ph", "it", "ut", "sub")  # what a program wrote in them is no text
_BREAKS = ("lb", "br", "x-br", "x-lb")  # types of codes that stand for the end of a line


def tmx_records(text: TextStream, languages: Sequence[str]) -> Iterator[Record]:
    """Yield the texts of each unit. Its languages may have a region: `en` finds en-GB too.

    A unit that is no XML is dropped. Codes in a segment are left out, and what they hold; the text
    that <hi> marks stays. Raises UserError where there is no unit, or the end is missing.
    """
    root, rest, found = "<tmx>", "", False
    decoder = codecs.getincrementaldecoder("utf-8")(errors="surrogateescape")
    for piece in chain(text.pieces(), [b""]):
        rest += decoder.decode(piece, final=not piece)  # what is no UTF-8 makes a unit no XML
        if root == "<tmx>" and (match := _ROOT.search(rest)):
            root = match[0].replace("/>", ">")
        end = 0
        for match in _UNIT.finditer(rest):
            end = match.end()
            if match[0].startswith("<tu"):
                found = True
                yield _record(root, match[0], languages)
        begun = _BEGUN.search(rest, end)
        rest = rest[begun.start() :] if begun else rest[max(end, len(rest) - _KEPT) :]
        if len(rest) > MAX_LINE_BYTES:
            raise UserError(f"{text.file}: no TMX that can be read: a unit does not end")
    if not found:
        raise UserError(f"{text.file}: no TMX that can be read: it has no unit, <tu>")
    if _BEGUN.match(rest):
        raise UserError(f"{text.file}: no TMX that can be read: it ends within a unit")


def _record(root: str, unit: str, languages: Sequence[str]) -> Record:
    try:
        [element] = ET.fromstring(f"{root}{unit}</tmx>")
    except (ET.ParseError, UnicodeEncodeError, ValueError):
        return Dropped(DropReason.XML, " ".join(unit.split()))
    texts: dict[str, str] = {}
    for variant in element:
        language = (variant.get(_LANGUAGE) or variant.get("lang") or "").lower().replace("_", "-")
        for segment in variant:
            if segment.tag.rpartition("}")[2] == "seg":
                texts.setdefault(language, _text(segment))
                texts.setdefault(language_code(language), _text(segment))
    found = []
    for name in (language.lower().replace("_", "-") for language in languages):
        code = name if "-" in name else language_code(name)  # no region was asked for: it has any
        if (text := texts.get(name, texts.get(code))) is None:
            had = ", ".join(map(short_repr, texts)) or "none"
            return Dropped(DropReason.LANGUAGE, f"has {had}")
        found.append(text)
    return found


def _text(element: ET.Element) -> str:
    pieces = [element.text or ""]
    for child in element:
        if child.tag.rpartition("}")[2] not in _CODES:
            pieces.append(_text(child))
        elif child.get("type", "").lower() in _BREAKS:
            pieces.append(" ")
        pieces.append(child.tail or "")
    return "".join(pieces)
