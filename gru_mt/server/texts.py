"""The texts of a request as documents: what of them is translated, and what stays around it."""

import asyncio
import re
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from typing import Any

from gru_mt.data.text.normalize import CONTROL
from gru_mt.documents.document import Document, Span, splice
from gru_mt.inference.translation import Translation
from gru_mt.server.batcher import Batcher
from gru_mt.server.directions import Direction

_LINE = re.compile(r"\S(?:[^\r\n]*\S)?")


class TextLines:
    """A text of lines; line breaks stay, and spaces around each line. See `Document`."""

    def __init__(self, text: str, *, is_own: bool = False) -> None:
        """Take a text; one that is in the wanted language already has nothing to translate."""
        lines = () if is_own else _LINE.finditer(text)
        self._text = text
        self._spans = [Span(*line.span(), CONTROL.sub(" ", line[0])) for line in lines]
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
    pairs = [*zip(document.texts, translations, strict=True)]
    return [
        document.replaced([_spaced(text, each.texts[: k + 1][-1]) for text, each in pairs]).decode()
        for k in range(count)
    ]


def _spaced(text: str, translation: str) -> str:
    """Return a translation with the spaces that are around the text."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return f"{text[:start]}{translation.strip()}{text[end:]}" if start < end else text


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


class QueuedTranslator:
    """Stands for a translator in a thread that translates a document; the queue does the work."""

    def __init__(self, batcher: Batcher, direction: Direction) -> None:
        """Take the queue of the event loop that runs."""
        self._batcher, self._direction = batcher, direction
        self._loop = asyncio.get_running_loop()
        self._work: Future[list[Translation]] | None = None
        self._stopped = False

    def translate(self, sources: list[str], **keywords: Any) -> list[Translation]:
        """Return the translations; raises CancelledError after `stop`."""
        if self._stopped:
            raise CancelledError
        work = self._batcher.translate(self._direction, sources)
        self._work = asyncio.run_coroutine_threadsafe(work, self._loop)
        return self._work.result()

    def stop(self) -> None:
        """Leave the queue: nobody waits any longer."""
        self._stopped = True
        if self._work:
            self._work.cancel()
