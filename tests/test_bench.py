"""scripts/bench: what it keeps of a run, and what its figures mean."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from bench_inside import summary_ms
from measuring import begin, commit, readable, record, spread

ROOT = Path(__file__).parents[1]


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
    assert line["machine"].keys() == {"cpu", "cores", "threads", "memory_gb", "isa", "gpu"}
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


def test_percentiles_of_latency() -> None:
    figures = summary_ms([*range(100), 150])
    assert list(figures) == ["latency_mean_ms", "latency_p50_ms", "latency_p99_ms"]
    assert [*figures.values()] == pytest.approx([5100 / 101, 50, 99])
