"""Plain text: a text a line."""

import re

from gru_mt.data.text.normalize import CONTROL
from gru_mt.documents.document import Document, Place, Source, TextFile, replacing

LINE = re.compile(r"\S(?:[^\r\n]*\S)?")  # without spaces around it


def read_plain_text(source: Source) -> Document:
    """Read a file of lines, whatever ends them."""
    return document_of_lines(source.decode())


def document_of_lines(file: TextFile) -> Document:
    """Return the document whose texts are the lines of a text."""
    lines = LINE.finditer(file.text)
    return file.document(
        Place(CONTROL.sub(" ", line[0]), replacing(*line.span())) for line in lines
    )
