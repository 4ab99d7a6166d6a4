"""The small programs beat their baselines after few steps, and the guide's snippets run."""

import ast
import inspect
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from gru_mt import notebook
from gru_mt.data.corpora.phrasebook import sentences

EXAMPLES = Path(__file__).parents[1] / "scripts" / "examples"
GUIDE = (EXAMPLES / "README.md").read_text(encoding="utf-8")
FIRST_LINES, *SNIPPETS = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Make torch compute with two threads, and restore the number after the test."""
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize(
    ("name", "steps", "higher_is_better"),
    [("classify", 15, True), ("sentiment", 150, True), ("tag", 160, True), ("forecast", 15, False)],
)
def test_an_example_beats_its_baseline_with_one_thread(
    name: str,
    steps: int,
    higher_is_better: bool,
    two_threads: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--steps", str(steps)])
    monkeypatch.setattr(sentences, "PAIRS", 6_000)  # whose making takes longer than few steps
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    ours, baseline = map(float, re.findall(r": (\d\.\d+)$", printed, re.MULTILINE))
    assert ours > baseline + 0.05 if higher_is_better else ours < 0.9 * baseline
    assert torch.get_num_threads() == 1  # more wait for each other, minutes beside other work


def test_an_example_is_short() -> None:
    for path in EXAMPLES.glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 80, path


def imported_from_notebook(snippet: str) -> list[str]:
    """Return the names that `snippet` imports from gru_mt.notebook."""
    return [
        alias.name
        for node in ast.parse(snippet).body
        if isinstance(node, ast.ImportFrom) and node.module == "gru_mt.notebook"
        for alias in node.names
    ]


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda each: imported_from_notebook(each)[-1])
def test_a_snippet_runs_after_the_first_lines_alone(snippet: str) -> None:
    with torch.random.fork_rng():
        exec(FIRST_LINES + snippet, {})  # compares our cell's step with the notebook's
    assert "torch.testing.assert_close(" in snippet


def test_the_guide_shows_each_function_of_the_notebook_module() -> None:
    functions = {
        name
        for name, value in inspect.getmembers(notebook, inspect.isfunction)
        if not name.startswith("_")
    }
    assert {name for each in SNIPPETS for name in imported_from_notebook(each)} == functions
