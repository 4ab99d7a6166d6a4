"""A document that a command translates, from its file into another one."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from gru_mt.documents.registry import ENDINGS, read_document, reader_of
from gru_mt.errors import UserError, short_text
from gru_mt.storage import check_output, os_errors_as, read_bytes, write_output

if TYPE_CHECKING:
    from gru_mt.inference.translation import Translation
    from gru_mt.inference.translator import Keywords, Translator

MOST_BYTES = 200_000_000  # of a document; its texts and translations are in memory


def check_document(path: Path, out: Path, *, everything: bool) -> None:
    """Raise UserError where `path` is no document that can be written to `out`, translated.

    That is where `out` is the same file, has the ending of another format or cannot be written.
    """
    reader, ending = reader_of(path.name, everything=everything), path.suffix.lower()
    if out.suffix and (out.suffix.lower() not in ENDINGS or reader_of(out.name) != reader):
        raise UserError(
            f"--out {short_text(out)}: must end in {ending}, as {short_text(path.name)} does"
        )
    with os_errors_as(path, "read"):
        path.stat()
    check_output(out, reads=[path])


def translate_file(
    translator: "Translator", path: Path, out: Path, *, everything: bool, keywords: "Keywords"
) -> Counter[str]:
    """Write a document with its texts translated; return how many sentences have each warning.

    Raises UserError, before anything is translated, where the document cannot be read.
    """
    doubts = Counter[str]()

    def translate(sources: list[str]) -> "list[Translation]":
        translations = translator.translate(sources, **keywords)
        doubts.update(warnings_of(translations))
        return translations

    data, language = read_bytes(path, most_bytes=MOST_BYTES), translator.languages.source
    document = read_document(data, path.name, language=language, everything=everything)
    write_output(out, document.translated(translate))
    return doubts


def warnings_of(translations: "list[Translation]") -> list[str]:
    """Return the warnings of each sentence."""
    return [
        warning
        for translation in translations
        for sentence in translation.sentences
        for warning in sentence.warnings
    ]
