"""A document that a command translates, from its file into another one."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from gru_mt.documents.registry import check_endings
from gru_mt.errors import UserError, short_text
from gru_mt.storage import check_output, os_errors_as, read_bytes

if TYPE_CHECKING:
    from collections import Counter

    from gru_mt.inference.translation import Translation
    from gru_mt.inference.translator import Keywords, Translator

MOST_BYTES = 200_000_000  # of a document; its texts and translations are in memory


@dataclass(frozen=True, slots=True)
class CountingTranslator:
    """A translator of documents that counts the warnings of sentences in `doubts`."""

    translator: "Translator"
    doubts: "Counter[str]"

    def translate(self, sources: list[str], **keywords: "Unpack[Keywords]") -> "list[Translation]":
        """Return a translation for each text."""
        translations = self.translator.translate(sources, **keywords)
        self.doubts.update(chain.from_iterable(map(warnings_of, translations)))
        return translations


def warnings_of(translation: "Translation") -> list[str]:
    """Return the warnings of each sentence."""
    return [warning for sentence in translation.sentences for warning in sentence.warnings]


def read_input(path: Path, out: Path) -> bytes:
    """Return what a document holds.

    Raises UserError where it cannot be read, and where `out` is the same file, has the ending of
    another format or cannot be written.
    """
    check_endings(path.name, out.name)
    data = read_bytes(path, most_bytes=MOST_BYTES)
    with os_errors_as(out):
        if out.exists() and out.samefile(path):
            raise UserError(f"--out {short_text(out)}: is the document itself; name another file")
    check_output(out)
    return data
