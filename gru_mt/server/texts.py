"""The texts of a request as documents: what of them is translated, and what stays around it."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from typing import Any

from gru_mt.documents.document import Document
from gru_mt.documents.plain_text import LINE
from gru_mt.inference.translation import Translation
from gru_mt.server.batcher import Batcher
from gru_mt.server.directions import Direction


def translated(document: Document, translations: Sequence[Translation]) -> list[str]:
    """Return a document with its texts translated, best first: the k-th has each text's k-th.

    Without translations it is in the wanted language already, and stays.
    """
    count = max((len(each.texts) for each in translations), default=1)
    return [
        document.replaced(
            [each.texts[: k + 1][-1] for each in translations] or document.texts
        ).decode()
        for k in range(count)
    ]


def detailed(source: str, translations: Sequence[Translation]) -> list[dict[str, Any]]:
    """Return the parts of a translated text, in order: each sentence, and what is between them.

    Each has its `text`; a sentence also has what `SentenceTranslation.to_json` says of its trust.
    A text that is in the wanted language already has no translations.
    """
    before, *between = LINE.split(source) if translations else [source]
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

    def __init__(self, batcher: Batcher) -> None:
        """Take the queue of the event loop that runs."""
        self._batcher, self._loop = batcher, asyncio.get_running_loop()
        self._work: Future[list[Translation]] | None = None
        self._stopped = False

    def translate(self, direction: Direction, sources: list[str]) -> list[Translation]:
        """Return the translations; raises CancelledError after `stop`."""
        if self._stopped:
            raise CancelledError
        work = self._batcher.translate(direction, sources)
        self._work = asyncio.run_coroutine_threadsafe(work, self._loop)
        return self._work.result()

    def stop(self) -> None:
        """Leave the queue: nobody waits any longer."""
        self._stopped = True
        if self._work:
            self._work.cancel()
