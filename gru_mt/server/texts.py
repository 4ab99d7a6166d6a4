"""The texts of a request as documents: what of them is translated, and what stays around it."""

import re
from collections.abc import Sequence
from typing import Any

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

    def between(self) -> list[str]:
        """Return what stands before each text, and after the last."""
        ends = [0, *(span.end for span in self._spans)]
        starts = [*(span.start for span in self._spans), len(self._text)]
        return [self._text[end:start] for end, start in zip(ends, starts, strict=True)]


def translated(document: Document, translations: Sequence[Translation]) -> list[str]:
    """Return a document with its texts translated, best first: the k-th has each text's k-th."""
    count = max((len(each.texts) for each in translations), default=1)
    return [
        document.replaced([each.texts[: k + 1][-1].strip() for each in translations]).decode()
        for k in range(count)
    ]


def detailed(document: Document, translations: Sequence[Translation]) -> list[dict[str, Any]]:
    """Return the parts of a translated text, in order: each sentence, and what is between them.

    Each has its `text`; a sentence also has what `SentenceTranslation.to_json` says of its trust.
    The details of a document that is not `TextLines` are none.
    """
    if not isinstance(document, TextLines):
        return []
    before, *between = document.between()
    parts: list[dict[str, Any]] = [{"text": before}]
    for translation, after in zip(translations, between, strict=True):
        line, at = translation.text.strip(), 0
        for sentence in translation.sentences:
            text = sentence.candidates[0].text.strip()
            start = line.index(text, at)
            parts.append({"text": line[at:start]})
            values = sentence.to_json()
            del values["source_tokens"], values["translations"]
            parts.append({"text": text, **values})
            at = start + len(text)
        parts.append({"text": line[at:] + after})
    return [part for part in parts if part["text"]]
