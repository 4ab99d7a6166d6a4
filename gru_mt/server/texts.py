"""The texts of a request as documents: what of them is translated, and what stays around it."""

from collections.abc import Sequence
from typing import Any

from gru_mt.documents.document import Document
from gru_mt.documents.lines import TEXT
from gru_mt.inference.translation import Translation


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
    before, *between = TEXT.split(source) if translations else [source]
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
