"""The guide's commands and snippets run, and the small programs beat their baselines."""

import inspect
import re
import runpy
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import notebook_weights
import pytest
import torch

from gru_mt.cli import main
from gru_mt.config.schema import Config
from gru_mt.training.train import train

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "scripts" / "examples"
GUIDE = (EXAMPLES / "README.md").read_text(encoding="utf-8")
ABLATION = (ROOT / "configs" / "ABLATION.md").read_text(encoding="utf-8")
COMMANDS: list[str] = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", GUIDE + ABLATION, re.MULTILINE | re.DOTALL)
    for line in block.replace("\\\n", "").splitlines()
]
TRAININGS = [line for line in COMMANDS if line.startswith("gru-mt train ")]
STEPS = {"classify": 15, "sentiment": 150, "tag": 160, "forecast": 15}  # that beat the baseline
OTHERS = ("import_cell", "mistakes", "gates")
FIRST_LINES, *SNIPPETS = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def run_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., str]]:
    """Return a function that runs a command line of the guide with more options.

    The function returns what the program printed.
    """
    torch.set_num_threads(1)

    def run(line: str, *options: str) -> str:
        python, script, *arguments = shlex.split(line)
        assert python == "python"
        monkeypatch.setattr(sys, "argv", [script, *arguments, *options])
        with torch.random.fork_rng():
            runpy.run_path(str(ROOT / script), run_name="__main__")
        return capsys.readouterr().out

    yield run
    torch.set_default_dtype(torch.float32)


def command_of(name: str) -> str:
    """Return the command line of the guide that runs a program of the examples."""
    [line] = [
        command for command in COMMANDS if command.startswith(f"python scripts/examples/{name}.py")
    ]
    return line


def cells_of(row: str) -> list[str]:
    """Return the cells of the guide's row that has this text."""
    [line] = [line for line in GUIDE.splitlines() if line.startswith("|") and row in line]
    return line.split(" | ")


def test_each_command_of_the_guides_is_run_by_a_test_below() -> None:
    programs = {path.stem for path in EXAMPLES.glob("*.py")} - {"notebook_weights"}
    assert programs == {*STEPS, *OTHERS}
    run = {line.split()[1] for line in COMMANDS if not line.startswith("gru-mt ")}
    assert run == {f"scripts/examples/{name}.py" for name in programs}


@pytest.mark.slow
def test_the_trainings_of_the_guides_run_one_after_the_other(
    small_corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in TRAININGS:
        small = [f"data.corpus={small_corpus}", "training.max_steps=2"]
        words = [*shlex.split(line), *(f"--set={setting}" for setting in small), "--no-report"]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code, line
    runs = {path.parents[1].name for path in tmp_path.glob("runs/*/model/weights.safetensors")}
    assert len(runs) == len(TRAININGS)


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_an_example_beats_its_baseline_with_one_thread(
    name: str, run_program: Callable[..., str]
) -> None:
    torch.set_num_threads(2)
    printed = run_program(command_of(name), "--steps", str(STEPS[name]))
    ours, baseline = map(float, re.findall(r": (\d\.\d+)$", printed, re.MULTILINE))
    assert ours < 0.9 * baseline if name == "forecast" else ours > baseline + 0.05
    assert torch.get_num_threads() == 1  # more wait for each other, minutes beside other work


def test_a_notebooks_cell_equals_ours_and_not_the_other(run_program: Callable[..., str]) -> None:
    right, wrong = run_program(command_of("import_cell")).splitlines()
    assert float(right.removeprefix("gru_reset_before: ")) < 1e-14
    assert float(wrong.removeprefix("gru: ")) > 0.1


@pytest.mark.slow
def test_the_mistakes_have_the_numbers_of_the_guide(run_program: Callable[..., str]) -> None:
    lines = run_program(command_of("mistakes")).splitlines()
    rows = ("one GRU for", "`out[:, -1]`", "`nn.GRU` on a padded")
    for row, line in zip(rows, lines[:3], strict=True):
        [up_to] = re.findall(r"up to (\S+)", line)
        assert f"up to {up_to}" in cells_of(row)[2]
    assert "100 of 100 gradients are cut" in lines[3]
    assert "100 of 100 are cut" in cells_of("a summed loss")[2]
    norm, said = (float(re.findall(r"\d+", text)[-1]) for text in (lines[3], cells_of("summed")[2]))
    assert norm == pytest.approx(said, rel=0.05)
    assert lines[4].endswith("the rate is back at 0.010")  # where it began
    assert 0 < float(lines[5].split()[-1]) < 0.9


@pytest.mark.slow
def test_gates_are_drawn_and_the_guide_says_what_they_keep(
    run_program: Callable[..., str],
    small_config: Callable[..., Config],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    train(small_config("training.max_steps=2"), tmp_path / "runs/quickstart", started_s=0.0)
    monkeypatch.chdir(tmp_path)
    *kept, last = run_program(command_of("gates")).splitlines()
    assert last == "gates.svg"
    assert "<svg" in (tmp_path / last).read_text(encoding="utf-8")
    said = GUIDE.partition("### Why gates")[2]
    shares = [line.split(" over 60 steps ")[1].split()[0] for line in kept]
    assert shares == ["1e-12", "2e-11", "1e-12", "2e-01", "1e+00"]
    assert all(f"{share}" in said for share in ("1e-12", "2e-11 and 1e-12", "0.2 and all of it"))
    config = small_config("training.max_steps=1", "model.cell=lstm")
    train(config, tmp_path / "runs/other", started_s=0.0)
    with pytest.raises(SystemExit) as end:
        run_program(command_of("gates").replace("runs/quickstart", "runs/other"))
    assert end.value.code == 2
    assert "its cell is lstm, not one with both gates" in capsys.readouterr().err


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_a_snippet_runs_after_the_first_lines_alone(snippet: str) -> None:
    with torch.random.fork_rng():
        exec(FIRST_LINES + snippet, {})  # compares our cell's step with the notebook's
    assert "torch.testing.assert_close(" in snippet


def test_the_guide_shows_each_function_of_the_notebook_module() -> None:
    functions = {name for name, _ in inspect.getmembers(notebook_weights, inspect.isfunction)}
    imports = re.findall(r"from notebook_weights import (.+)", "".join(SNIPPETS))
    public = {name for name in functions if not name.startswith("_")}
    assert {*", ".join(imports).split(", ")} == public
