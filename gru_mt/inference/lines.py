"""Lines of text from anywhere: N in, N out, whatever their bytes are."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader

from gru_mt.data.text import CONTROL

CHUNK_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Line:
    """A line as text that can be translated, and what had to be done to make it so."""

    number: int  # from 1
    text: str
    warnings: tuple[str, ...] = ()


def read_chunks(file: BufferedReader) -> Iterator[list[Line]]:
    """Yield the lines of `file` as they come, some together: all that are there at a time.

    So a file comes in chunks of 64 KiB, and a line typed or piped in slowly at once. Only a line
    feed ends a line; the last needs none.
    """
    number = 0
    begun: list[bytes] = []  # pieces of a line whose end has not come yet
    while data := file.read1(CHUNK_BYTES):
        if not number and not begun:
            data = data.removeprefix(b"\xef\xbb\xbf")  # a byte order mark
        first, *others = data.split(b"\n")
        begun.append(first)
        if others:
            whole = [b"".join(begun), *others[:-1]]
            begun = [others[-1]]
            yield [decode_line(raw, number + place) for place, raw in enumerate(whole, start=1)]
            number += len(whole)
    if rest := b"".join(begun):
        yield [decode_line(rest, number + 1)]


def decode_line(raw: bytes, number: int) -> Line:
    """Return a line as text: bytes that are not UTF-8 as U+FFFD, control characters as spaces."""
    text = raw.removesuffix(b"\r").decode("utf-8", errors="replace")
    warnings = []
    if text.encode() != raw.removesuffix(b"\r"):
        warnings.append("is not UTF-8; what is not was replaced by U+FFFD")
    if CONTROL.search(text):
        text = CONTROL.sub(" ", text)
        warnings.append("has control characters; they were replaced by spaces")
    return Line(number, text, tuple(warnings))
