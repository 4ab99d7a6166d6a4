"""The line at the foot of a terminal, at whatever width."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
import time

import pytest

from gru_mt.training import display
from gru_mt.training.display import Line, bar, columns, progress_line, stage_line

FACTS = ["loss 3.21", "BLEU 31.2", "6,950 tokens/s"]
PARTS = ["epoch 3 of 10", "27 %", *FACTS, "4.2 min left"]


def line_of(width: int) -> str:
    return progress_line("epoch 3 of 10", 0.27, FACTS, "4.2 min left", width)


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (102, f"epoch 3 of 10  [{'=' * 7}>{' ' * 20}] 27 %  {'  '.join(FACTS)}  4.2 min left"),
        (199, f"epoch 3 of 10  [{'=' * 8}>{' ' * 21}] 27 %  {'  '.join(FACTS)}  4.2 min left"),
        (79, "epoch 3 of 10  [=>   ] 27 %  loss 3.21  BLEU 31.2  6,950 tokens/s  4.2 min left"),
        (78, "epoch 3 of 10  27 %  loss 3.21  BLEU 31.2  6,950 tokens/s  4.2 min left"),
        (70, "epoch 3 of 10  loss 3.21  BLEU 31.2  6,950 tokens/s  4.2 min left"),
        (59, "epoch 3 of 10  27 %  loss 3.21  BLEU 31.2  4.2 min left"),
        (39, "epoch 3 of 10  loss 3.21  4.2 min left"),
        (37, "epoch 3 of 10  27 %  4.2 min left"),
        (26, "epoch 3 of 10  loss 3.21"),
        (12, "4.2 min left"),
        (3, ""),
    ],
)
def test_a_narrow_terminal_leaves_out_the_least_important_parts(width: int, line: str) -> None:
    assert line_of(width) == line


def test_progress_fits_and_no_part_of_it_is_cut() -> None:
    for width in range(201):
        line = line_of(width)
        assert len(line) <= width
        without_bar = re.sub(r"\[[=> ]+\] ", "", line)
        shown = without_bar.split("  ") if line else []
        assert shown == [part for part in PARTS if part in shown], width


@pytest.mark.parametrize(
    ("share", "drawn"), [(0.0, ">     "), (0.5, "===>  "), (0.99, "=====>"), (1.0, "======")]
)
def test_a_bar_is_filled_by_its_share(share: float, drawn: str) -> None:
    assert bar(share, 6) == drawn


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (40, "reading 日本: 3,000 lines"),
        (25, "reading 日本: 3,000 lines"),  # each of its two letters is two columns wide
        (24, "reading 日本"),
        (11, "reading"),
        (6, ""),
    ],
)
def test_a_stage_is_shown_with_what_has_room(width: int, line: str) -> None:
    assert stage_line("reading 日本", "3,000 lines", width) == line


def test_a_line_is_drawn_every_so_often_and_never_wider_than_the_terminal_is_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {"clock_s": 0.0, "width": 100}
    monkeypatch.setattr(time, "perf_counter", lambda: seen["clock_s"])
    monkeypatch.setattr(display, "columns", lambda: seen["width"])
    line = Line()
    for clock_s, width in ((0.0, 100), (0.05, 100), (0.15, 50), (0.2, 20), (0.3, 20)):
        seen |= {"clock_s": clock_s, "width": width}
        line.draw("-".__mul__)
    line.draw("+".__mul__, now=True)
    line.clear()
    line.clear()
    segments = capsys.readouterr().err.split("\r")
    assert segments == ["", " " * 99, "-" * 99, " " * 49, "-" * 49, " " * 19, "-" * 19,
                        " " * 19, "+" * 19, " " * 19, ""]  # fmt: skip


def test_the_width_is_that_of_the_terminal_at_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert columns() == 80  # the tests' stderr is none
    master, terminal = pty.openpty()
    with os.fdopen(terminal, "w") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        for width, found in ((40, 40), (200, 200), (0, 80)):  # 0: it does not tell
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
            assert columns() == found
    os.close(master)
