"""The texts of a request as documents: what of them is translated, and what stays around it."""

import re
from collections.abc import Sequence

from gru_mt.data.text.normalize import CONTROL
from gru_mt.documents.document import Document, Span, splice
from gru_mt.inference.translation import Translation

_LINE = re.compile(r"\S(?:[^\r\n]*\S)?")


class TextLines:
    """A text of lines; line breaks stay, and spaces around each line. See `Document`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = [
            Span(*match.span(), CONTROL.sub(" ", match[0])) for match in _LINE.finditer(text)
        ]
        self.texts: Sequence[str] = [span.text for span in self._spans]

    def replaced(self, texts: Sequence[str]) -> bytes:
        return splice(self._text, self._spans, texts).encode()


def translated(document: Document, translations: Sequence[Translation]) -> list[str]:
    """Return a document with its texts translated, best first: the k-th has each text's k-th."""
    count = max((len(each.texts) for each in translations), default=1)
    return [
        document.replaced([each.texts[: k + 1][-1].strip() for each in translations]).decode()
        for k in range(count)
    ]
