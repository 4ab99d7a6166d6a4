"""What a document is: the texts in it, and all around them, which stays as it is."""

import codecs
import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gru_mt.data.corpus.detect import LOOKED_AT, UTF_16, encoding_of, kind_of, likely_encoding
from gru_mt.data.text.placeholders import Span as Span  # and the formats import it from here
from gru_mt.errors import UserError, short_text

log = logging.getLogger(__name__)
CHUNK = 10_000  # texts that are translated together: 150 MB, with scores and tokens


class Place(NamedTuple):
    """A text, without spaces around it and escapes of the file."""

    text: str
    edits: Callable[[str], Iterable[Span]]  # what its translation changes in the file


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read: its texts in reading order, and the file with others in their place."""

    name: str  # for messages
    texts: Sequence[str]
    replaced: Callable[[Sequence[str]], bytes]  # with its own texts it is the same

    def translated(self, translate: Callable[[list[str]], Iterable[object]]) -> bytes:
        """Return the file with each distinct text translated once; one without letters stays.

        `translate` returns a translation for each text; `str` of it is its text.
        """
        new: dict[str, str] = {}
        for texts in self.chunks():
            new |= zip(texts, map(str, translate(texts)), strict=True)
        return self.with_translations(new)

    def chunks(self) -> Iterator[list[str]]:
        """Yield the distinct texts that have letters, at most CHUNK at a time."""
        texts = [text for text in dict.fromkeys(self.texts) if any(map(str.isalpha, text))]
        for start in range(0, len(texts), CHUNK):
            yield texts[start : start + CHUNK]

    def with_translations(self, new: Mapping[str, str]) -> bytes:
        """Return the file with the translations of the texts of all `chunks`."""
        if not new:
            log.warning(f"{self.name}: stays as it is: nothing in it is to be translated")
        elif all(translation in (text, "") for text, translation in new.items()):
            log.warning(f"{self.name}: stays as it is: no text changed, of {len(new):,}")
        return self.replaced([new.get(text) or text for text in self.texts])


def replacing(
    start: int, end: int, write: Callable[[str], str] = str
) -> Callable[[str], list[Span]]:
    """Return the `edits` of a text that stands alone between two characters of a file."""
    return lambda text: [Span(start, end, write(text))]


def edited(source: str, places: Sequence[Place], texts: Iterable[str]) -> str:
    """Return a source with one text for each place; one that does not change stays as typed."""
    edits = {  # a set: two texts of an entry may mark it in the same way
        edit
        for place, text in zip(places, texts, strict=True)
        if text != place.text
        for edit in place.edits(text)
    }
    pieces, position = [], 0
    for edit in sorted(edits):
        assert edit.start >= position, "edits are apart"
        pieces += [source[position : edit.start], edit.text]
        position = edit.end
    return "".join([*pieces, source[position:]])


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of a file, and what is asked of it."""

    data: bytes
    name: str  # for messages
    language: str = ""  # of its texts
    everything: bool = False  # whether texts that have a translation get another one
    most_characters: float = math.inf  # that are read

    def decode(self, encoding: str | None = None) -> "TextFile":
        """Return the text. A byte order mark decides, then `encoding`, then what XML declares.

        Else it is UTF-8, or what older files in the language have. Raises UserError, with the line,
        where it is not text in that encoding, and where it is too long.
        """
        start = self.data[:LOOKED_AT]
        kind = kind_of(start)
        if kind not in (None, UTF_16):
            raise UserError(f"{self.name}: is {kind.name}, not text; {kind.fix}")
        found = encoding_of(start, "utf-16" if kind == UTF_16 else encoding, self.name)
        if found in ("utf-16", "utf-32"):  # with a mark, which tells the order of its bytes
            found += "-le" if self.data.startswith(codecs.BOM_UTF16_LE) else "-be"
        is_guess = encoding is None and found == "utf-8" and _is_of_bytes(self.data)
        if is_guess:
            found = likely_encoding(self.data, [self.language]).replace("latin-1", "cp1252")
        try:
            text = self.data.decode(found)
        except UnicodeDecodeError as error:
            line = self.data[: error.start].decode(found, "replace").count("\n") + 1
            message = f"{self.name}, line {line}: is not {found} ({error.reason}); save it as UTF-8"
            raise UserError(message) from None
        if len(text) > self.most_characters:
            most = f"more than {self.most_characters:,}"
            raise UserError(f"{self.name}: has {len(text):,} characters, {most}; divide it")
        if is_guess:
            log.info(f"{self.name}: is not UTF-8; it is read as {found}")
        mark = text[:1] if text.startswith("\ufeff") else ""
        return TextFile(self.name, text.removeprefix("\ufeff"), found, mark, is_guess)


def _is_of_bytes(data: bytes) -> bool:
    """Return whether text has a byte a letter: what is no UTF-8 in it is more than what is."""
    text = data.decode(errors="replace")
    wrong = text.count("\ufffd") - data.count("\ufffd".encode())  # some files hold it
    return wrong > sum(not each.isascii() for each in text) / 2


@dataclass(frozen=True, slots=True)
class TextFile:
    """The characters of a file, and how they are written as bytes."""

    name: str  # for messages
    text: str  # without a byte order mark; line ends as they are
    encoding: str = "utf-8"
    mark: str = ""  # that of the byte order, if there is one
    is_guess: bool = False  # whether nothing in the file tells its encoding

    def encode(self, text: str, errors: str = "strict") -> bytes:
        """Return the file with another text.

        One whose encoding was guessed is written in UTF-8 if that lacks a character; for others
        that is a UserError.
        """
        try:
            return f"{self.mark}{text}".encode(self.encoding, errors)
        except UnicodeEncodeError as error:
            character = error.object[error.start]
            lacks = f"{self.encoding} lacks {character} (U+{ord(character):04X}) of a translation"
            if not self.is_guess:
                raise UserError(f"{self.name}: {lacks}; save the file as UTF-8 first") from None
            log.warning(f"{self.name}: is written in UTF-8, as {lacks}")
            return text.encode()

    def document(self, places: Iterable[Place | None]) -> Document:
        """Return a document whose texts have these places; None is where there is no text."""
        found = [place for place in places if place]
        texts = [place.text for place in found]
        return Document(self.name, texts, lambda new: self.encode(edited(self.text, found, new)))

    def error(self, index: int, message: str) -> UserError:
        """Return an error that names the line of the character at `index`."""
        line = len(re.findall(r"\r\n|\r|\n", self.text[:index])) + 1
        return UserError(f"{self.name}, line {line}: {short_text(message)}")
