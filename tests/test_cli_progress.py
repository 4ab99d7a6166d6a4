"""How far the translation of a long file is, on a terminal and without one."""

import os
import re
from itertools import count
from pathlib import Path

import pytest

from tests.command_line import Run, terminal

TEXT = "".join(f"we see {n} cat.\n" * 3 for n in ("one", "two", "three", "four")).encode()
BAR = r"translating  \[.{20}\] (\d+) %, .+ left, (\d+) lines *"
TRANSLATE = ("translate", "--input", "long.txt")


@pytest.fixture(autouse=True)
def _long_file(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let 60 bytes be read at a time, and each look at the clock be three seconds later."""
    Path("long.txt").write_bytes(TEXT)
    clock_s = count(step=3)
    monkeypatch.setattr("tqdm.std.time", lambda: float(next(clock_s)))
    monkeypatch.setattr("gru_mt.inference.preprocessing.lines.CHUNK_BYTES", 60)


def test_a_terminal_shows_how_far_it_is_and_warnings_above(gru_mt: Run) -> None:
    Path("long.txt").write_bytes(TEXT.replace(b"two", b"tw\0", 1))
    alone = gru_mt(*TRANSLATE)
    with terminal() as (written, drawn):
        assert gru_mt(*TRANSLATE, stderr=written).out == alone.out
    bars = [found.groups() for text in drawn if (found := re.fullmatch(BAR, text))]
    # Of 201 bytes 60, 120, 180 and all; lines of 16, 16, 18 and 17 bytes that end there.
    assert [*dict.fromkeys(bars)] == [("30", "3"), ("60", "7"), ("90", "10"), ("100", "12")]
    assert any(text.startswith("warning: line 4: has control") for text in drawn)
    assert "translating" not in drawn[-1]
    assert "translating" not in alone.err, "it took no 30 seconds"


def test_nothing_is_drawn_between_translations_nor_of_what_is_soon_done(
    gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with terminal() as (written, drawn):
        assert gru_mt(*TRANSLATE, stdout=written, stderr=written).code == 0
    assert "translating" not in "".join(drawn)
    Path("long.txt").write_bytes(TEXT.replace(b"two", b"tw\0", 1))
    monkeypatch.setattr("tqdm.std.time", lambda: 1.0)
    with terminal() as (written, drawn):
        assert gru_mt(*TRANSLATE, stderr=written).code == 0
    assert "warning: line 4" in "".join(drawn)
    assert "translating" not in "".join(drawn)


def test_a_pipe_shows_lines_and_how_many_a_second(gru_mt: Run) -> None:
    reader, writer = os.pipe()
    os.write(writer, TEXT)
    os.close(writer)
    with terminal() as (written, drawn), os.fdopen(reader) as stdin:
        assert gru_mt("translate", stdin=stdin, stderr=written).out.count("\n") == 12
    bars = [re.fullmatch(r"translating: (\d+) lines, [\d,]+ lines/s *", text) for text in drawn]
    assert [*dict.fromkeys(bar[1] for bar in bars if bar)] == ["3", "7", "10", "12"]


def test_without_a_terminal_it_is_a_line_every_so_often(
    gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gru_mt.progress.LOG_S", 0.5)
    lines = gru_mt(*TRANSLATE).err.splitlines()
    told = [re.fullmatch(r"translating: (\d+) of 201 bytes, \d+ lines, .* left", x) for x in lines]
    assert [line[1] for line in told if line] == ["60", "120", "180", "201"]
