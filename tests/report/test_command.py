"""`gru-mt report`, and the report at the end of `gru-mt train`, as a user types them."""

import csv
import json
import os
from pathlib import Path

import pytest

from gru_mt.errors import UserError
from gru_mt.run import Run as TrainedRun
from tests.command_line import Run, assert_one_line

PAGE = Path("runs/small/report.html")


def test_train_ends_with_a_report_once(
    there: Path, gru_mt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise UserError("the disk is full")

    command = ("train", "--config", "small.yaml", "--run", tmp_path / "run",
               "--set", "training.max_steps=2")  # fmt: skip
    page = tmp_path / "run" / "report.html"
    with monkeypatch.context() as full:
        full.setattr("gru_mt.report.page.write_report", fail)
        result = gru_mt(*command)
    assert result.code == 0, "a training without a report is a training too"
    assert result.err.endswith("\nwarning: there is no report: the disk is full\n")
    assert "the report is" not in gru_mt(*command, "--no-report").err
    assert not page.exists()
    *_, score, last = gru_mt(*command).err.splitlines()
    assert score == "test small: " + gru_mt("eval", "--model", tmp_path / "run").out.splitlines()[0]
    assert last == f"the report is {page}"
    written = page.stat().st_mtime_ns
    assert "the report is" not in gru_mt(*command).err
    assert page.stat().st_mtime_ns == written
    os.utime(page, (0, 0))  # of a time before the run was finished
    assert "the report is" in gru_mt(*command).err


def test_the_report_of_train_has_the_corpora_that_training_read(
    there: Path, gru_mt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / name for name in ("small-en-fr", "small-fr-en")]
    with monkeypatch.context() as closed:
        closed.setattr("gru_mt.report.contents.load_splits", pytest.fail)
        command = ("train", "--config", "small.yaml", "--both", "--run", folders[0],
                   "--set", "training.max_steps=2")  # fmt: skip
        assert gru_mt(*command).code == 0
    for folder in folders:
        kept = TrainedRun(folder).train_overlap("test")
        found = kept.read_bytes()
        kept.unlink()
        err = gru_mt("report", folder).err
        assert "reading the corpora, to see what the training split has" in err
        assert kept.read_bytes() == found


def test_the_newest_run_is_shown_or_another_split_and_figures_come_as_csv(
    there: Path, gru_mt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    PAGE.unlink(missing_ok=True)
    assert gru_mt("report", "--csv", "--open").out == f"{PAGE}\nruns/small/metrics.csv\n"
    assert "<title>small: en to fr</title>" in PAGE.read_text("utf-8")
    assert opened == [PAGE.resolve().as_uri()]
    rows = [*csv.DictReader(Path("runs/small/metrics.csv").read_text().splitlines())]
    lines = [json.loads(line) for line in Path("runs/small/metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [str(line["step"]) for line in lines]
    assert rows[-1]["dev_bleu"] == str(lines[-1]["dev_bleu"])
    out = tmp_path / "page.html"
    assert gru_mt("report", "runs/small", "--split", "dev", "--out", out).out == f"{out}\n"
    assert "translations of the dev split" in out.read_text("utf-8")


def test_a_mistake_is_one_line(there: Path, gru_mt: Run) -> None:
    for arguments, part in (
        (["runs"], "runs: holds no run; give the folder that gru-mt train wrote"),
        (["--out", "runs"], "runs: cannot be written: is a folder"),
        (["--out", "none/x.html"], "none/x.html: cannot be written: there is no folder"),
    ):
        assert_one_line(gru_mt("report", *arguments), part)


def test_eval_real_is_shown_where_it_was_measured(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gru_mt.evaluation.robustness.measure import RobustnessReport, Row

    by_bleu, by_count = Row("lower case", 9, 51.2, 20.0, 40.0), Row("<b>tags</b>", 250, 98.4)
    table = RobustnessReport((by_bleu, by_count))
    monkeypatch.setattr("gru_mt.evaluation.robustness.measure.measure", lambda *_, **__: table)
    Path("runs/small/test.real.json").unlink(missing_ok=True)  # of another test
    gru_mt("report")
    assert "gru-mt eval --real</code> adds a table here" in PAGE.read_text("utf-8")
    gru_mt("eval", "--real")
    gru_mt("report")
    text = PAGE.read_text("utf-8")
    assert "adds a table here" not in text
    assert '<th scope="row">lower case</th>' in text
    assert '<th scope="row">&lt;b&gt;tags&lt;/b&gt;</th><td class="number">250</td>' in text
    assert '<td class="number less"></td><td class="number">98.4</td></tr>' in text
    Path("runs/small/test.real.json").unlink()
