"""Plain text: a text a line."""

import re

from gru_mt.documents.document import Document, Span, SplicedDocument, TextFile

_LINE = re.compile(r"[^\r\n]+")


def read_plain_text(data: bytes, name: str) -> Document:
    """Read a file of lines, whatever ends them."""
    file = TextFile.decode(data, name)
    spans = [Span(*match.span(), match[0]) for match in _LINE.finditer(file.text)]
    return SplicedDocument(file, spans)
