"""Lines of documents: plain text, a text a line, and sentences that stand on several lines."""

import re
from collections.abc import Sequence
from itertools import accumulate

from gru_mt.data.text.normalize import CONTROL, SPACELESS
from gru_mt.data.text.sentences import split_sentences
from gru_mt.documents.document import Document, Place, Source, TextFile, replacing

LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")  # whatever ends it
TEXT = re.compile(r"\S(?:[^\r\n]*\S)?")  # of a line, without spaces around it


def read_plain_text(source: Source) -> Document:
    """Read a file of lines, whatever ends them."""
    return document_of_lines(source.decode())


def document_of_lines(file: TextFile) -> Document:
    """Return the document whose texts are the lines of a text."""
    lines = TEXT.finditer(file.text)
    return file.document(
        Place(CONTROL.sub(" ", line[0]), replacing(*line.span())) for line in lines
    )


def joined(texts: Sequence[str]) -> str:
    """Return texts as one, with a space between two unless their script has none."""
    whole = "".join(texts[:1])
    for text in texts[1:]:
        whole += text if SPACELESS.match(whole[-1:]) and SPACELESS.match(text) else f" {text}"
    return whole


def ends_sentence(before: str, after: str) -> bool:
    """Return whether a sentence ends between two lines: not in "Mr." and "Smith"."""
    both = joined([before, after])
    return len(both) - len(after) in accumulate(map(len, split_sentences(both, "en")))
