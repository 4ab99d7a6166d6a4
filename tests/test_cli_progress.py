"""How far the translation of a long file is, on a terminal and without one."""

import os
import re
from itertools import count
from pathlib import Path

import pytest

from tests.command_line import Run, terminal

TEXT = "".join(f"we see {n} cat.\n" * 3 for n in ("one", "two", "three", "four")).encode()
BAR = r"translating  \[.{20}\] (\d+) %, .+ left, [\d,]+ lines/s *"
TRANSLATE = ("translate", "--input", "long.txt", "--batch-size", 1)
# 60, 120, 180 and 201 bytes hold 3, 7, 10 and 12 lines. In between each sentence counts by its
# characters, as it is a batch: in the second chunk 15, 15, 15 and 17 for four lines.
SHOWN = [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]


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
    percents = [int(found[1]) for text in drawn if (found := re.fullmatch(BAR, text))]
    totals = [10] * 3 + [12] * 3 + [11] * 3 + [12] * 2  # 3 lines in 60 of 201 bytes: 10 in all
    expected = [round(100 * lines / total) for lines, total in zip(SHOWN, totals, strict=True)]
    assert [*dict.fromkeys(percents)] == expected
    assert any(text.startswith("warning: line 4: has control") for text in drawn)
    assert not drawn[-1].startswith((" ", "translating")), "at the end the line is empty again"


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
        result = gru_mt("translate", "--batch-size", 1, stdin=stdin, stderr=written)
    assert result.out.count("\n") == 12
    bars = [re.fullmatch(r"translating: (\d+) lines, [\d,]+ lines/s *", text) for text in drawn]
    assert [*dict.fromkeys(int(bar[1]) for bar in bars if bar)] == SHOWN


def test_eval_shows_how_many_sentences_are_done(
    gru_mt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gru_mt.progress.LOG_S", 0.5)
    source, reference = tmp_path / "s", tmp_path / "r"
    source.write_text("we see one cat.\n" + "".join(f"we see {n} dogs.\n" for n in range(600)))
    reference.write_text("x\n" * 601)
    result = gru_mt("eval", "--beam", 1, "--source", source, "--reference", reference)
    of_all = re.compile(r"translating: ([\d,]+) of 601 sentences, .* left")
    assert [int(line[1]) for line in map(of_all.fullmatch, result.err.splitlines()) if line] == [
        256, 512, 601
    ]  # fmt: skip
