"""The documents that can be translated, by the endings of their names: a format is added here."""

from collections.abc import Iterable
from importlib import import_module
from pathlib import PurePath
from typing import Protocol, Unpack

from gru_mt.documents.document import Document
from gru_mt.errors import UserError, check_type, short_text
from gru_mt.inference.translator import Keywords

# Readers, as module:function. Each takes the bytes of a file and its name for messages, returns a
# `Document`, and raises UserError, with the line, for a malformed one.
_READERS = {
    ".arb": "structured.json_texts:read_json",
    ".docx": "structured.docx:read_docx",
    ".epub": "epub:read_epub",
    ".htm": "html:read_html",
    ".html": "html:read_html",
    ".json": "structured.json_texts:read_json",
    ".markdown": "markdown:read_markdown",
    ".md": "markdown:read_markdown",
    ".properties": "structured.properties:read_properties",
    ".srt": "subtitles:read_srt",
    ".txt": "plain_text:read_plain_text",
    ".vtt": "subtitles:read_vtt",
    ".xhtml": "html:read_html",
}
# These hold translations already: their readers also take `everything`, whether to replace them.
_TRANSLATED = {
    ".po": "structured.po:read_po",
    ".pot": "structured.po:read_po",
    ".xlf": "structured.xliff:read_xliff",
    ".xliff": "structured.xliff:read_xliff",
}
CHUNK = 10_000  # texts that are translated together: 150 MB, with scores and tokens
_READERS_OF = dict(sorted((_READERS | _TRANSLATED).items()))
ENDINGS = [*_READERS_OF]


class Translates(Protocol):
    """A `Translator`, or what stands for one."""

    def translate(self, sources: list[str], **keywords: Unpack[Keywords]) -> Iterable[object]:
        """Return a translation for each text; `str` of it is its text."""


def check_endings(name: str, out: str) -> None:
    """Raise UserError unless two files have endings of one known format; `out` may have none."""
    reader, out_ending = _reader(name), PurePath(out).suffix.lower()
    if out_ending and _READERS_OF.get(out_ending) != reader:
        ending = PurePath(name).suffix.lower()
        raise UserError(
            f"--out {short_text(out)}: must end in {ending}, as {short_text(name)} does"
        )


def _reader(name: str) -> str:
    """Return what reads a file of this name; UserError where it has no known ending."""
    path = PurePath(name)
    if path.suffix.lower() not in _READERS_OF:
        endings = " ".join(_READERS_OF)
        raise UserError(f"{short_text(path.name)}: is no known document; these are: {endings}")
    return _READERS_OF[path.suffix.lower()]


def read_document(data: bytes, name: str, *, everything: bool = False) -> Document:
    """Return the document in `data`; the ending of `name` tells its format.

    Raises UserError for an unknown ending, and for a malformed document.
    """
    ending, shown = PurePath(name).suffix.lower(), short_text(PurePath(name).name)
    module, _, function = _reader(name).partition(":")
    try:
        read = getattr(import_module(f"gru_mt.documents.{module}"), function)
    except ModuleNotFoundError as error:
        need = f"{ending} needs {error.name}: pip install 'gru-mt[documents]'"
        raise UserError(f"{shown}: {need}") from None
    if ending in _TRANSLATED:
        document: Document = read(data, shown, everything=everything)
    elif everything:
        raise UserError(f"{shown}: has no translations yet; --all is for {' '.join(_TRANSLATED)}")
    else:
        document = read(data, shown)
    return document


def translate_document(
    translator: Translates,
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
    document = read_document(data, name, everything=everything)
    # Each distinct text once, without the spaces around it; one without letters stays.
    with_letters = (text for text in document.texts if any(map(str.isalpha, text)))
    sources = [*dict.fromkeys(map(str.strip, with_letters))]
    translations: dict[str, str] = {}
    for start in range(0, len(sources), CHUNK):
        some = sources[start : start + CHUNK]
        found = map(str, translator.translate(some, **keywords))
        translations |= zip(some, found, strict=True)
    return document.replaced([_translated(text, translations) for text in document.texts])


def _translated(text: str, translations: dict[str, str]) -> str:
    """Return a text with the spaces that it had; the text itself for an empty one."""
    core = text.strip()
    start = text.index(core)
    return f"{text[:start]}{translations.get(core) or core}{text[start + len(core) :]}"
