"""What a run prints and writes while it goes on."""

import sys
import time
from pathlib import Path

import pytest

from gru_mt.training.journal import Journal


def test_a_line_goes_to_stderr_and_to_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = Journal(tmp_path / "train.log")
    journal.say("reading")
    assert not list(tmp_path.iterdir())  # nothing is written before `start`
    journal.start()
    journal.warn("small\x1b[2J \udcff")
    captured = capsys.readouterr()
    assert captured.err == "reading\nwarning: small\\x1b[2J \\udcff\n"
    assert captured.out == ""
    logged = (tmp_path / "train.log").read_text().splitlines()
    assert [line.split("  ")[1] for line in logged] == ["reading", "warning: small\\x1b[2J \\udcff"]


def test_without_a_terminal_progress_is_a_plain_line_every_so_often(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock_s = 0.0
    monkeypatch.setattr(time, "perf_counter", lambda: clock_s)
    journal = Journal(tmp_path / "train.log")
    journal.start()
    meter = journal.meter("update", 100)
    for step in range(101, 161):  # a second each
        clock_s += 1
        meter.show(step, 400, {"loss": "2.50", "BLEU": "31.2"})
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["update 131 of 400, loss 2.50, BLEU 31.2, 4.5 min left"]  # 269 s


def test_on_a_terminal_progress_is_a_bar_with_an_estimate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("LINES", "40")
    journal = Journal(tmp_path / "train.log")
    meter = journal.meter("update", 1)
    for step in (2, 3):
        time.sleep(0.11)  # tqdm draws ten times a second
        meter.show(step, 5, {"loss": "2.50"})
    journal.say("above the bar")
    meter.close()
    shown = capsys.readouterr().err
    assert "3/5" in shown
    assert "loss=2.50" in shown
    assert "above the bar\n" in shown


def test_stderr_that_nobody_can_write_to_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tqdm.tqdm.write", full)
    journal = Journal(tmp_path / "train.log")
    journal.start()
    journal.say("reading")
    assert (tmp_path / "train.log").read_text().endswith("  reading\n")
