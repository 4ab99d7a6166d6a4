"""scripts/bench: what it keeps of a run, and what its figures mean."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks import commands as bench
from benchmarks import results
from benchmarks.commands import app, outcome, seconds_to_update
from benchmarks.inside import preparation, spelling, write_pairs
from benchmarks.results import begin, commit, record
from typer.testing import CliRunner

from gru_mt.config.schema import Config, TokenizerConfig
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.tokenizer.tokenizer import train_tokenizer
from gru_mt.run import Run


def run_app(*arguments: object) -> str:
    """Run a command of scripts/bench in this process; return what it printed."""
    return CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False).stdout


@pytest.mark.slow  # it measures the machine
def test_a_line_of_results_comes_after_the_older_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results" / "speed.jsonl"
    line = begin("speed", {"config": "r1"})
    for peak_mb in (941.23456, 950):
        record(line, {"peak_mb": peak_mb}, path)
    old, new = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert list(old) == sorted(line.keys() | {"figures"})
    assert old | {"figures": new["figures"]} == new == line | {"figures": {"peak_mb": 950}}
    assert old["figures"] == {"peak_mb": 941.23}
    machine = line["machine"]
    gflops = {machine.pop("fp32_gflops"), machine.pop("bf16_gflops")}
    assert min(gflops) > 0
    assert machine.keys() == {"cpu", "cores", "threads", "memory_gb", "isa", "gpu"}
    assert {"python", "torch", "gru-mt", "sacrebleu"} <= line["versions"].keys()
    assert re.search(r"^peak_mb +941$", capsys.readouterr().out, re.MULTILINE)


def test_a_commit_is_marked_where_tracked_files_differ(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", tmp_path, *name, *arguments], check=True, capture_output=True)

    assert commit(tmp_path) is None
    git("init")
    code, kept = tmp_path / "code.py", tmp_path / "scripts" / "results" / "speed.jsonl"
    kept.parent.mkdir(parents=True)
    for path in (code, kept):
        path.write_text("")
    git("add", ".")
    git("commit", "-m", "a")
    clean = commit(tmp_path)
    assert re.fullmatch("[0-9a-f]{7,}", str(clean))
    kept.write_text("{}\n")
    (tmp_path / "untracked").touch()
    assert commit(tmp_path) == clean
    code.write_text("1\n")
    assert commit(tmp_path) == f"{clean}+changes"


def test_the_time_to_a_goal_ends_with_the_first_validation_that_passes_it(tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text('{"minutes": 4.5, "step": 4}')
    for dev_bleu, minutes in (([30, 33.2, 33.3, 31], 3.0), ([30, 33.2], None), ([], None)):
        lines: list[dict[str, float]] = [{"step": 1, "loss": 8.0, "elapsed_s": 1.0}]
        lines += [
            {"step": step, "dev_bleu": bleu, "elapsed_s": 60.0 * step}
            for step, bleu in enumerate(dev_bleu, start=1)
        ]
        (tmp_path / "metrics.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
        figures = outcome(tmp_path)
        assert figures["minutes_to_dev_33.2"] == minutes
        assert [point["bleu"] for point in figures["dev_greedy_multi"]] == dev_bleu
        assert (figures["minutes"], figures["updates"]) == (4.5, 4)


@pytest.mark.slow
def test_preparing_and_resuming_are_measured_on_changed_pairs(
    small_config: Callable[..., Config], small_corpus: Path, tmp_path: Path
) -> None:
    corpus = tmp_path / "pairs.tsv"
    write_pairs(str(corpus), "2000", str(small_corpus))
    lines = corpus.read_text(encoding="utf-8").splitlines()
    assert len({*lines}) > 0.9 * len(lines) == 1_800
    real = small_corpus.read_text(encoding="utf-8").split("\n")[0]
    assert [len(side.split()) - 1 for side in lines[0].split("\t")] == [
        len(side.split()) for side in real.split("\t")
    ]
    figures = preparation(str(corpus), "2000")
    assert 500 < figures["training_pairs"] < 4_000
    assert figures["disk_mb"] > 2 * 2 * 500 / 1e6  # two bytes for each of two ids at the least
    config, run = tmp_path / "tiny.yaml", Run(tmp_path / "run")
    config.write_text(dump_config(small_config("training.max_epochs=999")), encoding="utf-8")
    assert seconds_to_update(config, run, small_corpus) > 0
    stopped_at = run.read_metrics()[0][-1]["step"]
    assert seconds_to_update(config, run, small_corpus) > 0
    assert run.read_metrics()[0][-1]["step"] > stopped_at


@pytest.fixture
def _not_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what is measured of the machine: it takes seconds and has its own test."""
    monkeypatch.setattr(results, "inside", lambda function: {"function": function})


@pytest.mark.slow
@pytest.mark.usefixtures("_not_this_machine")
def test_a_training_is_measured_from_its_start_to_its_scores(
    tmp_path: Path, small_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "BEAMS", {"beam_5": 5})
    config = tmp_path / "tiny.yaml"
    config.write_text(
        "data: {corpus: fra-eng}\n"
        "tokenizer: {kind: word, min_frequency: 1}\n"
        "model: {embedding_size: 8, encoder_size: 6, decoder_size: 12}\n"
    )
    settings = ["--set", "training.max_steps=3", "--seed", 2, "--corpus", small_corpus]
    run_app("quality", config, *settings, "--runs", tmp_path, "--results", tmp_path)
    line = json.loads((tmp_path / "tiny.jsonl").read_text(encoding="utf-8"))
    assert line["settings"] == {
        "config": "tiny",
        "corpus": "small.tsv",
        "seed": 2,
        "set": ["training.max_steps=3"],
    }
    figures = line["figures"]
    assert (figures["updates"], figures["minutes_to_dev_33.2"]) == (3, None)
    assert figures["peak_mb"] > 0
    assert figures["test_beam_5_multi"]["signature"].startswith("nrefs:")
    assert (tmp_path / "tiny-seed2-training.max_steps=3" / "summary.json").is_file()


@pytest.mark.usefixtures("_not_this_machine")
def test_what_runs_keep_is_recorded_and_averaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gru_mt(command: str, option: str, run: Path, *rest: str) -> results.Finished:
        assert (command, option, rest) == ("eval", "--model", ("--real", "--json"))
        kept = {"a": 80.0, "b": 90.0}[run.name]
        row = {"sentences": 250, "kept": kept, "bleu": kept / 2, "plain_bleu": 50.0}
        report = {"real": {"one typo": row}, "confidence": {"auc": 0.5 if kept < 90 else None}}
        return results.Finished(1.0, 1.0, json.dumps(report))

    monkeypatch.setattr(bench, "gru_mt", gru_mt)
    for name in "ab":
        (tmp_path / name).mkdir()
    printed = run_app("real", tmp_path / "a", tmp_path / "b", "--results", tmp_path)
    first, second = map(json.loads, (tmp_path / "real.jsonl").read_text("utf-8").splitlines())
    assert (first["track"], first["settings"]) == ("real", {"run": "a"})
    assert (first["figures"]["one typo"]["bleu"], second["figures"]["auc"]) == (40.0, None)
    lines = [re.sub("  +", ": ", line) for line in printed.splitlines()]
    assert lines[:3] == ["real: run a", "one typo.sentences: 250", "one typo.kept: 80.0"]
    assert "means over 2 runs" in lines
    assert "one typo.bleu: 42.5 (40.0 to 45.0, of 2)" in lines
    assert lines[-1] == "auc: 0.50 (0.50 to 0.50, of 1)"


def test_what_spelling_correction_changes_is_counted_in_lines_and_by_change(
    small_config: Callable[..., Config], tmp_path: Path
) -> None:
    run, file = Run(tmp_path / "run"), tmp_path / "captions.en"
    run.bundle.mkdir(parents=True)
    texts = ["June the cat sleeps in a garden.", "We don't see the cat in the garden."] * 9
    kind = TokenizerConfig(kind="word", min_frequency=1)
    tokenizer = train_tokenizer(kind, texts, texts, warn=print)
    for name, content in tokenizer.files().items():
        (run.bundle / name).write_bytes(content)
    (run.bundle / "config.yaml").write_text(dump_config(small_config()), encoding="utf-8")
    file.write_text(
        "the cat sleeps\nthe cat sleepd\n\nthe cat sleepd in the gardn\na garden\n",
        encoding="utf-8",
    )
    figures = spelling(str(run.folder), str(file))
    assert figures == {
        "lines": 4, "changed_lines": 2, "percent": 50.0, "sleepd -> sleeps": 1,
        "gardn sleepd -> garden sleeps": 1,
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["spelling", ".", "text.en"], r"cannot be read: .*\n"),
        (["quality", "a.yaml", "--set", "training.sed=1"], "did you mean training.seed"),
    ],
)
def test_a_mistake_ends_with_2_and_one_line(
    tmp_path: Path, arguments: list[str], error: str
) -> None:
    (tmp_path / "text.en").write_text("a\n", encoding="utf-8")
    (tmp_path / "a.yaml").write_text("data: {corpus: phrasebook}", encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.commands", *arguments, "--results", "."]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert re.search(error, result.stderr)
    assert "Traceback" not in result.stderr
    assert not [*tmp_path.glob("*.jsonl")]
