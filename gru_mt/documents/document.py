"""What a document is: the texts in it, and all around them, which stays as it is."""

import codecs
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol, Self

from gru_mt.data.corpus.detect import LOOKED_AT, UTF_16, encoding_of, kind_of
from gru_mt.errors import UserError, short_text


class Document(Protocol):
    """A file that was read: its texts in reading order, and the file with others in their place."""

    @property
    def texts(self) -> Sequence[str]:
        """The texts."""

    def replaced(self, texts: Sequence[str]) -> bytes:
        """Return the file with one text for each of `texts`; with its own it is the same."""


class Span(NamedTuple):
    """A text and where it stands, in characters of the file; `text` has no escapes of the file."""

    start: int
    end: int
    text: str


def splice(source: str, spans: Sequence[Span], replacements: Iterable[str]) -> str:
    """Return `source` with each span, in order and apart, replaced by its escaped replacement."""
    edges = [0, *(edge for span in spans for edge in span[:2]), len(source)]
    assert all(left <= right for left, right in pairwise(edges)), "spans are in order"
    pieces = []
    position = 0
    for span, replacement in zip(spans, replacements, strict=True):
        pieces += [source[position : span.start], replacement]
        position = span.end
    return "".join([*pieces, source[position:]])


@dataclass(frozen=True, slots=True)
class TextFile:
    """The characters of a file, and how they are written as bytes."""

    name: str  # for messages
    text: str  # without a byte order mark; line ends as they are
    encoding: str
    mark: str  # the byte order mark, or ""

    @classmethod
    def decode(cls, data: bytes, name: str, encoding: str | None = None) -> Self:
        """Read a file. A byte order mark decides, then `encoding`, then what XML declares.

        Raises UserError, with the line, where it is not text in that encoding.
        """
        start = data[:LOOKED_AT]
        kind = kind_of(start)
        if kind not in (None, UTF_16):
            raise UserError(f"{name}: is {kind.name}, not text; {kind.fix}")
        found = encoding_of(start, "utf-16" if kind == UTF_16 else encoding, name)
        if found in ("utf-16", "utf-32"):  # with a mark, which tells the order of its bytes
            found += "-le" if data.startswith(codecs.BOM_UTF16_LE) else "-be"
        try:
            text = data.decode(found)
        except UnicodeDecodeError as error:
            line = data[: error.start].decode(found, "replace").count("\n") + 1
            message = f"{name}, line {line}: is not {found} ({error.reason}); save it as UTF-8"
            raise UserError(message) from None
        mark = text[:1] if text.startswith("\ufeff") else ""
        return cls(name, text.removeprefix("\ufeff"), found, mark)

    def encode(self, text: str) -> bytes:
        """Return the file with another text; UserError for a character that its encoding lacks."""
        try:
            return f"{self.mark}{text}".encode(self.encoding)
        except UnicodeEncodeError as error:
            character = error.object[error.start]
            raise UserError(
                f"{self.name}: a translation has {character} (U+{ord(character):04X}), which "
                f"{self.encoding} lacks; save the file as UTF-8 first"
            ) from None

    def place(self, index: int) -> str:
        """Return the name of the file, and the line of the character at `index`."""
        line = len(re.findall(r"\r\n|\r|\n", self.text[:index])) + 1
        return f"{self.name}, line {line}"

    def error(self, index: int, message: str) -> UserError:
        """Return an error that names the line of the character at `index`."""
        return UserError(f"{self.place(index)}: {short_text(message)}")


@dataclass(frozen=True, slots=True)
class SplicedDocument:
    """A document whose texts are spans of a text file.

    A text that does not change stays as it was typed; `escape` writes another one.
    """

    file: TextFile
    spans: Sequence[Span]
    escape: Callable[[Span, str], str] = lambda _, text: text

    @property
    def texts(self) -> Sequence[str]:
        """The texts."""
        return [span.text for span in self.spans]

    def replaced(self, texts: Sequence[str]) -> bytes:
        """Return the file with one text for each of `texts`."""
        source = self.file.text
        new = (
            source[span.start : span.end] if text == span.text else self.escape(span, text)
            for span, text in zip(self.spans, texts, strict=True)
        )
        return self.file.encode(splice(source, self.spans, new))
