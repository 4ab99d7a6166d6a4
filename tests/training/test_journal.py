"""What a run prints and writes while it goes on."""

import sys
import time
from pathlib import Path

import pytest

from gru_mt.training import display
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
        meter.show(step, 400, ["epoch 3 of 10", "loss 2.50"])
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["update 131 of 400, epoch 3 of 10, loss 2.50, 4.5 min left"]  # 269 s


def make_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make stderr a terminal of 60 columns, on which time stands still."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(display, "columns", lambda: 60)
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)


def drawn(text: str) -> str:
    return f"\r{' ' * 59}\r{text}"


def test_on_a_terminal_progress_is_one_line_and_lines_go_above_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_terminal(monkeypatch)
    journal = Journal(tmp_path / "train.log")
    journal.start()
    meter = journal.meter("update", 100)
    meter.show(101, 400, ["epoch 3 of 10", "loss 2.50", "BLEU 31.2"])
    meter.show(102, 400, ["epoch 3 of 10", "loss 2.49", "BLEU 31.2"])  # too soon to be drawn
    journal.say("above")
    meter.show(200, 400, ["epoch 4 of 10"])
    meter.close()
    journal.meter("sentence", 0).show(1, 4, [])
    assert capsys.readouterr().err == "".join(
        [
            drawn("epoch 3 of 10  25 %  loss 2.50  BLEU 31.2  0.0 min left"),
            drawn("above\n"),
            drawn(f"epoch 4 of 10  [{'=' * 11}>{' ' * 11}] 50 %  0.0 min left"),
            drawn(""),
            drawn(f"sentence 1 of 4  [{'=' * 5}>{' ' * 15}] 25 %  0.0 min left"),
        ]
    )
    assert (tmp_path / "train.log").read_text().endswith("  above\n")


def test_on_a_terminal_a_stage_replaces_the_one_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_terminal(monkeypatch)
    journal = Journal(tmp_path / "train.log")
    journal.start()
    journal.stage("reading", "0 lines")
    journal.stage("reading", "1,000 lines")  # too soon to be drawn
    journal.stage("splitting\x1b[2J")
    journal.show("measuring on dev")
    journal.close()
    journal.close()  # there is nothing to take away
    shown = [
        drawn(text) for text in ("reading: 0 lines", "splitting\\x1b[2J", "measuring on dev", "")
    ]
    assert capsys.readouterr().err == "".join(shown)
    logged = (tmp_path / "train.log").read_text().splitlines()
    assert [line.split("  ")[1] for line in logged] == ["reading", "splitting\\x1b[2J"]


def test_without_a_terminal_a_stage_is_named_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = Journal(tmp_path / "train.log")
    for stage, count in (
        ("encoding", "0"),
        ("encoding", "9"),
        ("adding noise", ""),
        ("encoding", ""),
    ):
        journal.stage(stage, count)
    journal.show("measuring on dev")
    Journal(tmp_path / "train.log", silent=True).stage("encoding")
    assert capsys.readouterr().err == "encoding\nadding noise\n"


def test_stderr_that_nobody_can_write_to_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys.stderr, "write", full)
    journal = Journal(tmp_path / "train.log")
    journal.start()
    journal.say("reading")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    Journal(tmp_path / "other.log").stage("encoding")
    assert (tmp_path / "train.log").read_text().endswith("  reading\n")


def test_a_share_of_a_stage_tells_how_long_the_rest_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quarter took a minute, so the rest takes three."""
    clock_s = iter([0.0, 10.0, 60.0, 70.0, 120.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock_s))
    journal = Journal(tmp_path / "train.log")
    shares = (0.0, 0.1, 0.25, 0.3, 0.5)  # the second and the fourth come too soon to be said
    for share in shares:
        journal.stage("encoding", f"{100 * share:.0f} of 100 pairs", share)
    assert capsys.readouterr().err.splitlines() == [
        "encoding",
        "encoding: 25 of 100 pairs, 3.0 min left",
        "encoding: 50 of 100 pairs, 2.0 min left",
    ]


def test_on_a_terminal_a_share_is_a_bar(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_terminal(monkeypatch)
    journal = Journal(tmp_path / "train.log")
    journal.stage("encoding", "0 of 100 pairs", 0.0)
    monkeypatch.setattr(time, "perf_counter", lambda: 60.0)
    journal.stage("encoding", "25 of 100 pairs", 0.25)
    line = capsys.readouterr().err.rpartition("\r")[2]
    assert line.startswith("encoding: 25 of 100 pairs")
    assert "25 %" in line
    assert line.endswith("3.0 min left")
