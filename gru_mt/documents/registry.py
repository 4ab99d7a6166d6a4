"""The documents that can be translated, by the endings of their names: a format is added here."""

import logging
import math
from collections.abc import Callable
from importlib import import_module
from pathlib import PurePath
from typing import Unpack

from gru_mt.documents.document import Document, Source
from gru_mt.errors import UserError, check_type, short_text
from gru_mt.inference.translator import Keywords, Translator

log = logging.getLogger(__name__)
# Readers, as module:function. Each takes a `Source`, returns a `Document`, and raises UserError,
# with the line, for a malformed one.
_READERS = {
    ".arb": "structured.program_text:read_json",
    ".docx": "structured.docx:read_docx",
    ".epub": "epub:read_epub",
    ".htm": "html:read_html",
    ".html": "html:read_html",
    ".json": "structured.program_text:read_json",
    ".markdown": "markdown:read_markdown",
    ".md": "markdown:read_markdown",
    ".po": "structured.po:read_po",
    ".pot": "structured.po:read_po",
    ".properties": "structured.program_text:read_properties",
    ".srt": "subtitles:read_srt",
    ".txt": "lines:read_plain_text",
    ".vtt": "subtitles:read_vtt",
    ".xhtml": "html:read_html",
    ".xlf": "structured.xliff:read_xliff",
    ".xliff": "structured.xliff:read_xliff",
}
ENDINGS = [*_READERS]
_WITH_TRANSLATIONS = (".po", ".pot", ".xlf", ".xliff")


def reader_of(name: str, *, everything: bool = False) -> Callable[[Source], Document]:
    """Return what reads a file of this name.

    Raises UserError where it has no known ending, where the format needs a package that is not
    installed, and with `everything` where the format has no translations.
    """
    shown, ending = short_text(PurePath(name).name), PurePath(name).suffix.lower()
    if ending not in _READERS:
        raise UserError(f"{shown}: is no known document; these are: {' '.join(_READERS)}")
    if everything and ending not in _WITH_TRANSLATIONS:
        endings = " ".join(_WITH_TRANSLATIONS)
        raise UserError(f"{shown}: has no translations yet; --all is for {endings}")
    module, _, function = _READERS[ending].partition(":")
    try:
        read: Callable[[Source], Document]
        read = getattr(import_module(f"gru_mt.documents.{module}"), function)
    except ModuleNotFoundError as error:
        need = f'{ending} needs {error.name}: pip install "gru-mt[documents]"'
        raise UserError(f"{shown}: {need}") from None
    return read


def read_document(
    data: bytes,
    name: str,
    *,
    language: str = "",
    everything: bool = False,
    most_characters: float = math.inf,
) -> Document:
    """Return the document in `data`; the ending of `name` tells its format.

    Raises UserError as `reader_of` does, and for a document that is malformed, or too long.
    """
    shown = short_text(PurePath(name).name)
    source = Source(data, shown, language, everything, most_characters)
    document = reader_of(name, everything=everything)(source)
    if name.lower().endswith(_WITH_TRANSLATIONS) and not (everything or document.texts):
        log.info(f"{shown}: every text has a translation; --all is for new ones")
    return document


def translate_document(
    translator: Translator,
    data: bytes,
    name: str,
    *,
    everything: bool = False,
    **keywords: Unpack[Keywords],
) -> bytes:
    """Translate the texts of a document; all else in it stays byte for byte.

    Args:
        translator: A Translator.
        data: What the file holds.
        name: Its name. The ending tells the format; messages begin with it.
        everything: Whether texts that have a translation, as in .po, are translated again.
        **keywords: Of `Translator.translate`: beam_size, length_penalty, batch_size, glossary.

    Returns:
        The translated file, in the encoding of the document.

    Raises:
        UserError: If the ending is unknown, the document is malformed, or a translation has a
            character that the encoding lacks.

    Example:
        >>> from gru_mt import Translator, translate_document
        >>> translate_document(Translator.load("runs/small"), b"\\tI see a cat.\\r\\n", "cat.txt")
        b'\\tJe vois un chat.\\r\\n'
    """
    check_type(data, bytes, "data")
    check_type(name, str, "name")
    language = translator.languages.source
    document = read_document(data, name, language=language, everything=everything)
    return document.translated(lambda texts: translator.translate(texts, **keywords))
