"""Books, .epub: their chapters are read as HTML is; titles stand in the contents too."""

import re
from html import unescape

from gru_mt.documents.document import Document, Span, SplicedDocument, TextFile
from gru_mt.documents.html import read_html
from gru_mt.documents.structured.package import Package, PackedDocument
from gru_mt.documents.structured.xml_tree import escaped
from gru_mt.errors import UserError

_CHAPTER, _CONTENTS = (".xhtml", ".html", ".htm"), (".ncx", ".opf")
_TITLE = re.compile(r"<(?:\w+:)?(?:text|title)\b[^<>]*>([^<>]+)</")


def read_epub(data: bytes, name: str) -> Document:
    """Read the chapters, in the order that they are packed; UserError for a protected book."""
    package = Package.read(data, name)
    names = package.archive.namelist()
    chapters = [each for each in names if each.lower().endswith(_CHAPTER)]
    if "META-INF/encryption.xml" in names:  # of fonts only, in a book that can be read
        encrypted = package.member("META-INF/encryption.xml").decode(errors="replace")
        if any(chapter in encrypted for chapter in chapters):
            raise UserError(f"{name}: is protected against copying, so nothing can be read")
    if not chapters:
        raise UserError(f"{name}: is no book: it has no {', '.join(_CHAPTER)}")
    parts = {each: read_html(package.member(each), f"{name}, {each}") for each in chapters}
    for each in names:
        if each.lower().endswith(_CONTENTS):
            parts[each] = _read_titles(package.member(each), f"{name}, {each}")
    return PackedDocument(package, data, parts)


def _read_titles(data: bytes, name: str) -> Document:
    file = TextFile.decode(data, name)
    titles = _TITLE.finditer(file.text)
    spans = [Span(*match.span(1), unescape(match[1])) for match in titles]
    return SplicedDocument(file, spans, lambda _, text: escaped(text))
