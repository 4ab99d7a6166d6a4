"""N lines in, N lines out, whatever their bytes are and however slowly they come."""

import io
import json
import os
import random
import tracemalloc
from collections.abc import Iterator
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


def texts(data: bytes) -> list[str]:
    return [line.text for line in read(data)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\nb", ["a", "b"]),
        (b"\n\na\n\n", ["", "", "a", ""]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\n", ["a\rb"]),
        (b"  \t \n", ["  \t "]),
        ("où ?\n漢字 😀\n".encode(), ["où ?", "漢字 😀"]),
        ("a\u2028b\u2029c\u0085d\n".encode(), ["a\u2028b\u2029c\u0085d"]),
        (b"a\x0bb\x0cc\x1cd\n", None),
    ],
)
def test_only_a_line_feed_ends_a_line(data: bytes, expected: list[str] | None) -> None:
    if expected is None:
        assert len(read(data)) == 1
    else:
        assert texts(data) == expected
        assert all(not line.warnings for line in read(data))


def test_lines_are_numbered_from_1_over_all_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "CHUNK_BYTES", 5)
    assert [line.number for line in read(b"a\n\nbcdefghijk\nl\nm")] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"caf\xe9 noir", "caf\ufffd noir"),  # Latin-1
        (b"\xff\xfea", "\ufffd\ufffda"),
        (b"cut off: \xe6\xbc", "cut off: \ufffd"),
        (b"\xed\xb2\x80", "\ufffd\ufffd\ufffd"),  # a lone surrogate
    ],
)
def test_what_is_not_utf8_is_replaced_and_said(raw: bytes, text: str) -> None:
    line = decode_line(raw, 7)
    assert (line.number, line.text) == (7, text)
    assert len(line.warnings) == 1
    assert "not UTF-8" in line.warnings[0]


def test_a_replacement_character_that_was_there_is_no_mistake() -> None:
    assert decode_line("a \ufffd".encode(), 1) == Line(1, "a \ufffd")


@pytest.mark.parametrize("control", [b"\x00", b"\x1b", b"\x7f", "\x9f".encode()])
def test_control_characters_become_spaces_and_it_is_said(control: bytes) -> None:
    line = decode_line(b"a" + control + b"b", 1)
    assert line.text == "a b"
    assert len(line.warnings) == 1
    assert "control characters" in line.warnings[0]


def test_a_line_can_have_both_faults() -> None:
    line = decode_line(b"a\x00\xff", 1)
    assert line.text == "a \ufffd"
    assert len(line.warnings) == 2


def test_a_form_feed_is_whitespace_within_its_line() -> None:
    assert read(b"a\x0cb\n") == [Line(1, "a\x0cb")]


def test_a_huge_line_comes_whole() -> None:
    huge = "é" * 500_000
    assert texts(f"a\n{huge}\nb\n".encode()) == ["a", huge, "b"]


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\nb\n"])
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
        ("abcdef\rg", "abcdef"),
        ("abcdeé", "abcde"),  # cut before a character, not in it
        ("abcd漢字", "abcd"),
        ("abc😀", "abc"),
        ("ab😀c", "ab😀"),
        ("a" * 300, "aaaaaa"),
    ]:
        first, *others = read(text.encode() + end)
        assert first == Line(1, kept, ("is longer than 6 bytes; the rest was left out",))
        assert others == whole[1:]


def test_no_more_of_a_line_is_kept_than_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = iter([bytes(1 << 20)] * 32)
    zeros: Any = SimpleNamespace(read1=lambda _: next(chunks, b""))
    tracemalloc.start()
    try:
        (((line,)),) = read_chunks(zeros)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert line.text == " " * lines.LINE_BYTES
    assert len(line.warnings) == 2
    assert peak_bytes < 16 << 20


def test_a_line_that_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "ENDLESS_BYTES", 1 << 20)
    with (
        open("/dev/zero", "rb") as zeros,
        pytest.raises(UserError, match=r"^/dev/zero:1: no end of the line in 1,048,576 bytes$"),
    ):
        next(read_chunks(zeros))


@pytest.mark.parametrize("shift", range(5))
def test_a_character_across_the_edge_of_a_chunk_comes_whole(shift: int) -> None:
    text = "a" * (lines.CHUNK_BYTES - shift) + "😀 où"
    assert texts(text.encode() + b"\nb") == [text, "b"]


@pytest.mark.parametrize("chunk_bytes", [1, 2, 3, 7, 64])
def test_chunks_of_any_size_give_the_lines_between_line_feeds(
    monkeypatch: pytest.MonkeyPatch, chunk_bytes: int
) -> None:
    monkeypatch.setattr(lines, "CHUNK_BYTES", chunk_bytes)
    rng = random.Random(chunk_bytes)
    parts = [
        b"\n",
        b"\r",
        b"a",
        b" ",
        b"\x00",
        b"\xff",
        "é".encode(),
        "😀".encode(),
        b"\xe2\x80\xa8",
    ]
    for _ in range(100):
        data = b"".join(rng.choices(parts, k=rng.randrange(40)))
        raws = data.split(b"\n")
        if not raws[-1]:  # a line feed ends the last line, and begins none
            raws.pop()
        assert read(data) == [decode_line(raw, number) for number, raw in enumerate(raws, 1)]


@pytest.fixture
def pipe() -> Iterator[tuple[int, io.BufferedReader]]:
    """Return the end of a pipe to write to, which the test closes, and the one to read."""
    read_end, write_end = os.pipe()
    with open(read_end, "rb") as reader:
        yield write_end, reader


def test_a_line_that_is_there_is_not_kept_waiting_for_the_next(
    pipe: tuple[int, io.BufferedReader],
) -> None:
    write_end, reader = pipe
    chunks = read_chunks(reader)
    with ThreadPoolExecutor(1) as pool:

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


# JSON


def test_an_object_is_one_line_of_plain_text() -> None:
    odd = "".join(map(chr, (0, 10, 0x7F, 0x85, 0x9F, 0x61C, 0x200E, 0x2028, 0x2029)))
    odd += "\u202a\u202e\u2066\u2069\udfff\ud800"
    line = json_line({"où 漢😀": odd})
    assert line.isprintable()  # as no control, separator, surrogate or direction of text is
    assert len(line.splitlines()) == 1
    assert json.loads(line) == {"où 漢😀": odd}
    assert "où 漢😀" in line, "what is text stays so"
    assert r"\u0085" in line
    assert r"\udfff\ud800" in line
