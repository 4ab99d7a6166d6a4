"""Books, .epub: their chapters are read as HTML is; titles stand in the contents too."""

import re
from xml.sax.saxutils import escape

from gru_mt.data.text.normalize import unescaped
from gru_mt.documents.document import Document, Place, Source, replacing
from gru_mt.documents.html import read_html
from gru_mt.documents.structured.package import Package
from gru_mt.errors import UserError

_CHAPTER, _CONTENTS = (".xhtml", ".html", ".htm"), (".ncx", ".opf")
_TITLE = re.compile(r"<(?:\w+:)?(?:text|title)\b[^<>]*>\s*([^<>\s](?:[^<>]*[^<>\s])?)\s*</")


def read_epub(source: Source) -> Document:
    """Read the chapters, in the order that they are packed; UserError for a protected book."""
    package = Package.read(source)
    names = package.archive.namelist()
    chapters = [each for each in names if each.lower().endswith(_CHAPTER)]
    if "META-INF/encryption.xml" in names:  # of fonts only, in a book that can be read
        encrypted = package.member("META-INF/encryption.xml").data.decode(errors="replace")
        if any(chapter in encrypted for chapter in chapters):
            raise UserError(f"{source.name}: is protected against copying, so nothing can be read")
    if not chapters:
        raise UserError(f"{source.name}: is no book: it has no {', '.join(_CHAPTER)}")
    contents = [each for each in names if each.lower().endswith(_CONTENTS)]
    return package.document(
        {each: read_html(package.member(each)) for each in chapters}
        | {each: _read_titles(package.member(each)) for each in contents}
    )


def _read_titles(source: Source) -> Document:
    file = source.decode()
    found = _TITLE.finditer(file.text)
    return file.document(Place(unescaped(m[1]), replacing(*m.span(1), escape)) for m in found)
