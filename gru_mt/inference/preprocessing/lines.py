"""Read lines of text, the same number whatever their bytes are, and write lines of JSON."""

import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

from gru_mt.data.corpus.detect import kind_of
from gru_mt.data.text.normalize import CONTROL, normal
from gru_mt.errors import HIDDEN, UserError, short_text
from gru_mt.storage import os_errors_as

CHUNK_BYTES = 1 << 16
LINE_BYTES = 1_000_000  # read of a line; the rest is left out
ENDLESS_BYTES = 1 << 32  # a file with more and no line feed, such as /dev/zero, has no lines


@dataclass(frozen=True, slots=True)
class Line:
    """A line as text, and warnings about what was changed for that."""

    number: int  # from 1
    text: str
    warnings: tuple[str, ...] = ()


def read_chunks(file: BufferedReader) -> Iterator[list[Line]]:
    """Yield lists of the lines of `file`: each has all that can be read without waiting for more.

    So a typed line comes at once. Only a line feed ends a line. Memory holds no more of a line than
    `decode_line` reads. Raises UserError for a line that does not seem to end, and for a file that
    is no plain text.
    """
    name = short_text(getattr(file, "name", "input")).strip("<>")  # <stdin>
    number = 0  # of the last line that has ended
    begun, size = bytearray(), 0  # of the line that has not ended: the bytes kept, and all counted
    while data := file.read1(CHUNK_BYTES):
        if not number and not size:
            if kind := kind_of(data):
                raise UserError(f"{name}: is {kind.name}, not lines of text; {kind.fix}")
            data = data.removeprefix(BOM_UTF8)
        first, *others = data.split(b"\n")
        begun += first[: max(0, LINE_BYTES + 2 - len(begun))]  # 2: a "\r", and a byte too many
        size += len(first)
        if others:
            whole = [bytes(begun), *others[:-1]]
            begun, size = bytearray(others[-1]), len(others[-1])
            yield [decode_line(raw, number + index) for index, raw in enumerate(whole, start=1)]
            number += len(whole)
        elif size > ENDLESS_BYTES:
            raise UserError(f"{name}:{number + 1}: no end of the line in {ENDLESS_BYTES:,} bytes")
    if begun:
        yield [decode_line(bytes(begun), number + 1)]


def decode_line(raw: bytes, number: int) -> Line:
    """Return the text of LINE_BYTES: what is not UTF-8 as U+FFFD, control characters as spaces."""
    raw = raw.removesuffix(b"\r")
    end = LINE_BYTES
    while LINE_BYTES - 3 < end < len(raw) and raw[end] & 0xC0 == 0x80:  # inside a character
        end -= 1
    text = raw[:end].decode("utf-8", errors="replace")
    plain = CONTROL.sub(" ", text)
    odd = {
        f"is longer than {LINE_BYTES:,} bytes; the rest was left out": end < len(raw),
        "is not UTF-8; what is not was replaced by U+FFFD": text.encode() != raw[:end],
        "has control characters; they were replaced by spaces": plain != text,
    }
    return Line(number, plain, tuple(warning for warning, holds in odd.items() if holds))


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file, `normal` and without spaces at their ends.

    Of SGML, as WMT writes it, they are the segments. Raises UserError where it cannot be read or is
    not text.
    """
    from gru_mt.data.corpus.readers import sgml  # translating needs none

    with os_errors_as(path, "read"), path.open("rb") as file:
        lines = [line for chunk in read_chunks(file) for line in chunk]
    for line in lines:
        if line.warnings:
            raise UserError(f"{path}:{line.number}: {line.warnings[0]}")
    texts = [line.text for line in lines]
    if texts and sgml.begins_markup(texts[0]):
        texts = sgml.read_segments(texts, path)
    return [normal(text).strip() for text in texts]


def json_line(values: dict[str, Any]) -> str:
    """Return `values` as JSON that every reader takes for one line of UTF-8.

    It escapes controls, half surrogate pairs, and characters that end a line, such as U+2028, or
    change the direction of text.
    """
    text = json.dumps(values, ensure_ascii=False)
    return HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
