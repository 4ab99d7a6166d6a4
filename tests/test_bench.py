"""scripts/bench: what it keeps of a run, and what its figures mean."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks import commands as bench
from benchmarks import results
from benchmarks.commands import app, next_update, write_pairs
from benchmarks.results import begin, commit, record
from typer.testing import CliRunner

from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.run import Run

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let results and runs go to a folder of the test's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (ROOT, ROOT / "scripts"))))


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what is measured of the machine: it takes seconds and has its own test."""
    monkeypatch.setattr(results, "machine", dict)


def run_app(*arguments: object) -> str:
    """Run a command of scripts/bench in this process; return what it printed."""
    return CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False).stdout


def kept(name: str) -> list[dict[str, object]]:
    """Return the lines of a file of results."""
    return [*map(json.loads, (results.RESULTS / f"{name}.jsonl").read_text("utf-8").splitlines())]


@pytest.mark.slow  # it measures the machine
def test_a_line_of_results_comes_after_the_older_ones(capsys: pytest.CaptureFixture[str]) -> None:
    line = begin("speed", {"config": "r1"})
    for peak_mb in (941.23456, 950):
        record(line, {"peak_mb": peak_mb})
    old, new = kept("speed")
    machine, figures = old.pop("machine"), old.pop("figures")
    assert (old, figures, new["figures"]) == (line, {"peak_mb": 941.23}, {"peak_mb": 950})
    assert isinstance(machine, dict)
    assert machine.pop("fp32_gflops") > 0
    machine.pop("bf16_gflops", None)  # where training takes it
    assert machine.keys() == {"cpu", "cores", "threads", "memory_gb", "isa", "gpu"}
    assert {"python", "torch", "gru-mt", "sacrebleu"} <= line["versions"].keys()
    assert re.search(r"^peak_mb +941.23$", capsys.readouterr().out, re.MULTILINE)


def test_a_commit_is_marked_where_tracked_files_differ() -> None:
    def git(*arguments: str) -> None:
        name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *name, *arguments], check=True, capture_output=True)

    assert commit() is None
    git("init")
    code, line = Path("code.py"), results.RESULTS / "speed.jsonl"
    line.parent.mkdir(parents=True)
    for path in (code, line):
        path.touch()
    git("add", ".")
    git("commit", "-m", "a")
    clean = commit()
    assert re.fullmatch("[0-9a-f]{7,}", str(clean))
    line.write_text("{}\n")
    Path("untracked").touch()
    assert commit() == clean
    code.write_text("1\n")
    assert commit() == f"{clean}+changes"


@pytest.mark.slow
def test_preparing_and_resuming_are_measured_on_changed_pairs(
    small_config: Callable[..., Config], small_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, run = Path("pairs.tsv"), Run(Path("run"))
    config = dump_config(small_config("training.max_epochs=999"))
    Path("tiny.yaml").write_text(config, encoding="utf-8")
    monkeypatch.setattr(bench, "CONFIG", Path("tiny.yaml"))
    write_pairs(corpus, 2_000, str(small_corpus))
    lines = corpus.read_text(encoding="utf-8").splitlines()
    assert len({*lines}) > 0.9 * len(lines) == 1_800
    real = small_corpus.read_text(encoding="utf-8").split("\n")[0]
    assert [len(side.split()) - 1 for side in lines[0].split("\t")] == [
        len(side.split()) for side in real.split("\t")
    ]
    stopped_at = 0
    for _ in range(2):
        seconds, peak_mb = next_update(small_corpus, run)
        assert min(seconds, peak_mb - 100) > 0  # numpy and torch alone take more
        before, stopped_at = stopped_at, run.read_metrics()[0][-1]["step"]
        assert stopped_at > before


@pytest.mark.slow
@pytest.mark.usefixtures("bare_machine")
def test_a_training_is_measured_from_its_start_to_its_scores(
    small_config: Callable[..., Config], small_corpus: Path
) -> None:
    Path("tiny.yaml").write_text(dump_config(small_config()), encoding="utf-8")
    settings = [f"--set=data.corpus={small_corpus}", "--set=training.max_steps=3"]
    run_app("quality", "tiny.yaml", "--seed", 2, *settings)
    shown = ["data.corpus=small.tsv", "training.max_steps=3"]
    [line] = kept("tiny")
    assert line["settings"] == {"config": "tiny", "seed": 2, "set": shown}
    figures = line["figures"]
    assert isinstance(figures, dict)
    assert figures["updates"] == 3
    assert min(figures["minutes"], figures["peak_mb"]) > 0
    assert figures["small"]["BLEU, all references"]["signature"].startswith("nrefs:")
    assert Path("runs", "bench", f"tiny-seed2-{'-'.join(shown)}", "summary.json").is_file()


@pytest.mark.usefixtures("bare_machine")
def test_what_runs_keep_is_recorded_and_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    def gru_mt(command: str, option: str, run: Path, *rest: str) -> results.Finished:
        assert (command, option, rest) == ("eval", "--model", ("--real", "--json"))
        percent = {"a": 80.0, "b": 90.0}[run.name]
        row = {"kept": percent, "bleu": percent / 2}
        report = {"real": {"one typo": row}, "confidence": {"auc": 0.5 if percent < 90 else None}}
        return results.Finished(1.0, 1.0, json.dumps(report))

    monkeypatch.setattr(bench, "gru_mt", gru_mt)
    for name in "ab":
        Path(name).mkdir()
    lines = [re.sub("  +", ": ", line) for line in run_app("real", "a", "b").splitlines()]
    first, second = kept("real")
    assert (first["track"], first["settings"]) == ("real", {"run": "a"})
    assert first["figures"] == {"one typo": {"kept": 80.0, "bleu": 40.0}, "auc": 0.5}
    assert second["settings"] == {"run": "b"}
    assert lines[:3] == ["real: run a", "one typo.kept: 80.0", "one typo.bleu: 40.0"]
    means = ["one typo.kept: 85 (80 to 90, of 2)", "one typo.bleu: 42.5 (40 to 45, of 2)"]
    assert lines[-4:] == ["means over 2 runs", *means, "auc: 0.5 (0.5 to 0.5, of 1)"]


@pytest.mark.slow
@pytest.mark.usefixtures("bare_machine")
def test_what_spelling_correction_changes_is_counted_and_shown(workplace: Path) -> None:
    Path("text.en").write_text("I take four book.\nI take fuor book.\nAnne!\n", encoding="utf-8")
    run_app("spelling", workplace / "runs" / "small", "text.en")
    figures = {"lines": 3, "changed_lines": 1, "percent": 33.333}
    change = "I take fuor book. -> i take four book ."  # as the model reads it
    assert kept("spelling")[0]["figures"] == figures | {change: 1}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["translate", "."], r"no test split is kept there"),
        (["quality", "a.yaml", "--set", "training.sed=1"], "did you mean training.seed"),
        (["serve", "run"], "run/onnx-int8: neither a run"),  # the server says so
    ],
)
def test_a_mistake_ends_with_2_and_one_line(
    arguments: list[str], error: str, workplace: Path
) -> None:
    Path("a.yaml").write_text("data: {corpus: phrasebook}", encoding="utf-8")
    Path("run/onnx-int8").mkdir(parents=True)
    shutil.copy(workplace / "runs" / "small" / "test.json", "run")
    command = [sys.executable, "-m", "benchmarks.commands", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert re.search(error, result.stderr)
    assert "Traceback" not in result.stderr
    assert not results.RESULTS.exists()
