"""N lines in, N lines out, whatever their bytes are and however slowly they come."""

import io
import os
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from gru_mt.inference import lines
from gru_mt.inference.lines import Line, decode_line, read_chunks


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
    huge = "é" * 1_000_000
    assert texts(f"a\n{huge}\nb\n".encode()) == ["a", huge, "b"]


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
