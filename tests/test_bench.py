"""scripts/bench: what it keeps of a run, and what its figures mean."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks import commands as bench
from benchmarks import results
from benchmarks.commands import app, outcome, seconds_to_update
from benchmarks.inside import preparation, repeated_pairs, spelling, summary_ms
from benchmarks.results import begin, commit, readable, record, spread
from typer.testing import CliRunner

from gru_mt.config.schema import Config, TokenizerConfig
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.tokenizer.tokenizer import train_tokenizer
from gru_mt.run import Run


@pytest.mark.slow  # it measures the machine
def test_a_line_of_results_comes_after_the_older_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results" / "speed.jsonl"
    line = begin("speed", {"config": "r1"})
    record(line, {"peak_mb": 941.23456}, path)
    first = path.read_bytes()
    record(line, {"peak_mb": 950}, path)
    assert path.read_bytes().startswith(first)
    old, new = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert list(old) == sorted(line.keys() | {"figures"})
    assert old | {"figures": new["figures"]} == new == line | {"figures": {"peak_mb": 950}}
    assert old["figures"] == {"peak_mb": 941.23}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", line["date"])
    machine = line["machine"]
    gflops = {machine.pop("fp32_gflops"), machine.pop("bf16_gflops")}
    assert min(gflops) > 0
    assert machine.keys() == {"cpu", "cores", "threads", "memory_gb", "isa", "gpu"}
    assert {"python", "torch", "gru-mt", "sacrebleu"} <= line["versions"].keys()
    printed = capsys.readouterr()
    assert re.search(r"^peak mb +941$", printed.out, re.MULTILINE)
    assert printed.err.count(f"a line was added to {path}\n") == 2


def test_a_commit_is_marked_where_tracked_files_differ(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", tmp_path, *name, *arguments], check=True, capture_output=True)

    assert commit(tmp_path) is None
    git("init")
    code, results = tmp_path / "code.py", tmp_path / "scripts" / "results" / "speed.jsonl"
    results.parent.mkdir(parents=True)
    for path in (code, results):
        path.write_text("")
    git("add", ".")
    git("commit", "-m", "a")
    clean = commit(tmp_path)
    assert clean
    assert re.fullmatch("[0-9a-f]{7,}", clean)
    results.write_text("{}\n")
    (tmp_path / "untracked").touch()
    assert commit(tmp_path) == clean
    code.write_text("1\n")
    assert commit(tmp_path) == f"{clean}+changes"


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (spread([3.0, 1.0, 20.0]), "3.00 (1.00 to 20.0, of 3)"),
        (spread([17_000, 18_000]), "17,500 (17,000 to 18,000, of 2)"),
        (
            {"value": 43.44, "low": 41.9, "high": 44.8, "signature": "tok:13a"},
            "43.4 (95 % interval 41.9 to 44.8)  tok:13a",
        ),
        ([{"step": 9, "minutes": 1.5, "bleu": 33.21}], "33.2 at 1.5 min"),
        (None, "none"),
        (0.0612, "0.06"),
        (3864, "3,864"),
    ],
)
def test_a_figure_is_readable(figure: Any, words: str) -> None:
    assert readable(figure) == words


@pytest.mark.parametrize(
    ("dev_bleu", "minutes"), [([30, 33.2, 33.3, 31], 3.0), ([30, 33.2], None), ([], None)]
)
def test_the_time_to_a_goal_ends_with_the_first_validation_that_passes_it(
    tmp_path: Path, dev_bleu: list[float], minutes: float | None
) -> None:
    lines: list[dict[str, float]] = [{"step": 1, "loss": 8.0, "elapsed_s": 1.0}]
    lines += [
        {"step": step, "dev_bleu": bleu, "elapsed_s": 60.0 * step}
        for step, bleu in enumerate(dev_bleu, start=1)
    ]
    (tmp_path / "metrics.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (tmp_path / "summary.json").write_text('{"minutes": 4.5, "step": 4}')
    figures = outcome(tmp_path)
    assert figures["minutes_to_dev_33.2"] == minutes
    assert [point["bleu"] for point in figures["dev_greedy_multi"]] == dev_bleu
    assert (figures["minutes"], figures["updates"]) == (4.5, 4)


def test_percentiles_of_latency() -> None:
    figures = summary_ms([*range(100), 150])
    assert list(figures) == ["latency_mean_ms", "latency_p50_ms", "latency_p99_ms"]
    assert [*figures.values()] == pytest.approx([5100 / 101, 50, 99])


def test_repeated_pairs_are_those_of_a_corpus_with_a_word_changed_and_one_more(
    small_corpus: Path,
) -> None:
    real = [line.split("\t") for line in small_corpus.read_text(encoding="utf-8").splitlines()]
    count = 2 * len(real)
    lines = list(repeated_pairs(count, str(small_corpus), seed=1))
    assert lines == list(repeated_pairs(count, str(small_corpus), seed=1))
    assert len({*lines}) > 0.9 * count
    for changed, sides in zip(lines, [*real, *real], strict=True):
        for text, was in zip(changed.rstrip("\n").split("\t"), sides, strict=True):
            words, kept = text.split(" "), was.split(" ")
            assert len(words) == len(kept) + 1
            assert (Counter(kept) - Counter(words)).total() <= 1


@pytest.mark.slow
def test_the_time_to_an_update_is_taken_of_a_new_run_and_of_one_that_goes_on(
    small_config: Callable[..., Config], small_corpus: Path, tmp_path: Path
) -> None:
    config, run = tmp_path / "tiny.yaml", Run(tmp_path / "run")
    config.write_text(dump_config(small_config("training.max_epochs=999")), encoding="utf-8")
    assert seconds_to_update(config, run, small_corpus) > 0
    stopped_at = run.read_metrics()[0][-1]["step"]
    assert seconds_to_update(config, run, small_corpus) > 0
    assert run.read_metrics()[0][-1]["step"] > stopped_at


@pytest.mark.slow
def test_preparation_is_measured_for_a_million_pairs(small_corpus: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "pairs.tsv"
    corpus.write_text("".join(repeated_pairs(2_000, str(small_corpus), seed=1)), encoding="utf-8")
    figures = preparation(str(corpus), "2000")
    assert 500 < figures["training_pairs"] < 4_000
    assert figures["disk_mb"] > 2 * 2 * 500 / 1e6  # two bytes for each of two ids at the least
    assert figures["blocks"] == 1
    assert len(figures["plan_s_per_million"]["values"]) == 3


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
    arguments = ["quality", config, "--seed", 2, "--corpus", small_corpus]
    arguments += ["--set", "training.max_steps=3", "--runs", tmp_path, "--results", tmp_path]
    printed = CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False).stdout
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
    assert len(printed.splitlines()) == 1 + len(figures)


@pytest.mark.usefixtures("_not_this_machine")
def test_what_runs_keep_is_recorded_and_averaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def row(kept: float | None, bleu: float | None = None) -> dict[str, Any]:
        return {"sentences": 250, "kept": kept, "bleu": bleu, "plain_bleu": bleu and 50.0}

    reports = {
        "a": ({"one typo": row(80.0, 40.0), "a URL": row(99.0)}, {"auc": 0.5}),
        "b": ({"one typo": row(90.0, 45.0), "a URL": row(None)}, {"auc": None}),
    }

    def gru_mt(*arguments: str | Path) -> results.Finished:
        command, option, run, *rest = arguments
        assert (command, option, rest) == ("eval", "--model", ["--real", "--json"])
        rows, trust = reports[Path(run).name]
        return results.Finished(1.0, 1.0, json.dumps({"real": rows, "confidence": trust}))

    monkeypatch.setattr(bench, "gru_mt", gru_mt)
    for name in reports:
        (tmp_path / name).mkdir()
    arguments = ["real", tmp_path / "a", tmp_path / "b", "--results", tmp_path]
    printed = CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False).stdout
    path = tmp_path / "real.jsonl"
    first, second = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert (first["track"], first["settings"]) == ("real", {"run": "a"})
    assert first["figures"] == {"one typo": row(80.0, 40.0), "a URL": row(99.0), "auc": 0.5}
    assert second["figures"]["auc"] is None
    lines = [re.sub("  +", ": ", line) for line in printed.splitlines()]
    assert lines[:4] == [
        "real: run a",
        "one typo: 80.0 % (of 250 lines, BLEU 40.0, plain 50.0)",
        "a URL: 99.0 % (of 250 lines)",
        "auc: 0.50",
    ]
    assert "a URL: none (of 250 lines)" in lines
    assert lines[-5:] == [
        "means over 2 runs",
        "one typo, % kept: 85.0 (80.0 to 90.0, of 2)",
        "one typo, BLEU: 42.5 (40.0 to 45.0, of 2)",
        "a URL, % kept: 99.0 (99.0 to 99.0, of 1)",
        "auc: 0.50 (0.50 to 0.50, of 1)",
    ]


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
