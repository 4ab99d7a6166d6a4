"""N lines in, N lines out, whatever their bytes are and however slowly they come."""

import io
import json
import os
import random
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from gru_mt.errors import UserError
from gru_mt.inference.preprocessing import lines
from gru_mt.inference.preprocessing.lines import Line, decode_line, json_line, read_chunks


def read(data: bytes) -> list[Line]:
    chunks = read_chunks(io.BufferedReader(io.BytesIO(data)))
    return [line for chunk in chunks for line in chunk]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\x0cc\n  \t \n", ["a\rb\x0cc", "  \t "]),
        ("a\u2028b\u2029c\u0085d\n".encode(), ["a\u2028b\u2029c\u0085d"]),
        (f"{'é' * 500_000}\nb\n".encode(), ["é" * 500_000, "b"]),
    ],
)
def test_only_a_line_feed_ends_a_line(data: bytes, expected: list[str]) -> None:
    assert read(data) == [Line(number, text) for number, text in enumerate(expected, start=1)]


NOT_UTF8 = "is not UTF-8; what is not was replaced by U+FFFD"
CONTROLS = "has control characters; they were replaced by spaces"


@pytest.mark.parametrize(
    ("raw", "text", "warnings"),
    [
        (b"caf\xe9 noir", "caf\ufffd noir", (NOT_UTF8,)),  # Latin-1
        (b"cut off: \xe6\xbc", "cut off: \ufffd", (NOT_UTF8,)),
        (b"\xed\xb2\x80", "\ufffd\ufffd\ufffd", (NOT_UTF8,)),  # half a surrogate pair
        ("a \ufffd".encode(), "a \ufffd", ()),  # it was there
        ("a\x00\x1b\x7f\x9fb".encode(), "a    b", (CONTROLS,)),
        (b"a\x00\xff", "a \ufffd", (NOT_UTF8, CONTROLS)),
    ],
)
def test_what_is_no_text_is_replaced_and_said(
    raw: bytes, text: str, warnings: tuple[str, ...]
) -> None:
    assert decode_line(raw, 7) == Line(7, text, warnings)


@pytest.mark.parametrize("end", [b"", b"\r\n", b"\nb\n"])
@pytest.mark.parametrize("chunk_bytes", [1, 3, 64])
def test_of_a_line_too_long_the_beginning_is_left_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch, chunk_bytes: int, end: bytes
) -> None:
    monkeypatch.setattr(lines, "CHUNK_BYTES", chunk_bytes)
    monkeypatch.setattr(lines, "LINE_BYTES", 6)
    whole = read(b"abcdef" + end)
    assert whole[0] == Line(1, "abcdef")
    for text, kept in [
        ("abcdefg", "abcdef"),
        ("abcdef\r\r", "abcdef"),
        ("abcdeé", "abcde"),  # cut before a character, not in it
        ("abc😀", "abc"),
        ("ab😀c", "ab😀"),
        ("a" * 300, "aaaaaa"),
    ]:
        first, *others = read(text.encode() + end)
        assert first == Line(1, kept, ("is longer than 6 bytes; the rest was left out",))
        assert others == whole[1:]


def test_no_more_of_a_line_is_kept_than_is_read_and_one_that_does_not_end_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chunks = iter([bytes(1 << 20)] * 32)
    zeros: Any = SimpleNamespace(read1=lambda _: next(chunks, b""))
    tracemalloc.start()
    try:
        (((line,)),) = read_chunks(zeros)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert line.text == " " * lines.LINE_BYTES
    assert peak_bytes < 16 << 20
    monkeypatch.setattr(lines, "ENDLESS_BYTES", 1 << 20)
    message = r"^/dev/zero:1: no end of the line in 1,048,576 bytes$"
    with open("/dev/zero", "rb") as file, pytest.raises(UserError, match=message):
        next(read_chunks(file))


@pytest.mark.parametrize("chunk_bytes", [1, 2, 3, 7, 64])
def test_chunks_of_any_size_give_the_lines_between_line_feeds(
    monkeypatch: pytest.MonkeyPatch, chunk_bytes: int
) -> None:
    monkeypatch.setattr(lines, "CHUNK_BYTES", chunk_bytes)
    rng = random.Random(chunk_bytes)
    parts = [*map(str.encode, "\n\ra \x00é😀\u2028"), b"\xff"]
    for _ in range(100):
        data = b"".join(rng.choices(parts, k=rng.randrange(40)))
        raws = data.split(b"\n")
        if not raws[-1]:  # a line feed ends the last line, and begins none
            raws.pop()
        assert read(data) == [decode_line(raw, number) for number, raw in enumerate(raws, 1)]


def test_a_line_that_is_there_is_not_kept_waiting_for_the_next() -> None:
    read_end, write_end = os.pipe()
    with open(read_end, "rb") as reader, ThreadPoolExecutor(1) as pool:
        chunks = read_chunks(reader)

        def following() -> list[Line]:
            return pool.submit(next, chunks).result(timeout=10)

        try:
            os.write(write_end, b"one\n")
            assert following() == [Line(1, "one")]
            os.write(write_end, b"two\nthree\nfo")
            assert following() == [Line(2, "two"), Line(3, "three")]
            os.write(write_end, b"ur")
        finally:
            os.close(write_end)  # also frees a reader that waits for more
        assert following() == [Line(4, "four")]


def test_an_object_is_one_line_of_plain_text() -> None:
    odd = "".join(map(chr, (0, 10, 0x7F, 0x85, 0x9F, 0x61C, 0x200E, 0x2028, 0x2029)))
    odd += "\u202a\u202e\u2066\u2069\udfff\ud800"
    line = json_line({"où 漢😀": odd})
    assert line.isprintable()  # as no control, separator, surrogate or direction of text is
    assert json.loads(line) == {"où 漢😀": odd}
    assert "où 漢😀" in line, "what is text stays so"
