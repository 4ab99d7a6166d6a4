"""`gru-mt compare` and `gru-mt runs`, as a user types them."""

import json
from pathlib import Path

import pytest

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.evaluation.score import corpus_bleu
from tests.command_line import Result, Run, assert_one_line
from tests.kept_runs import make_run

SET = EvaluationSet(["a cat", "a dog"], [["un chat"], ["un chien", "le chien"]], "pets")
CARS = EvaluationSet(["a car"], [["une voiture"]], "cars")


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder with the runs a, b and cars in runs/."""
    monkeypatch.chdir(tmp_path)
    make_run(Path("runs/a"), [SET], [["un chat", "un chat"]], "training.seed=1")
    make_run(Path("runs/b"), [SET, CARS], [["un chat", "un chien"], ["x"]], "training.seed=2")
    make_run(Path("runs/cars"), [CARS], [["une voiture"]])
    return tmp_path


def test_what_eval_keeps_is_compared(there: Path, gru_mt: Run, tmp_path: Path) -> None:
    for seed in (2, 3):
        gru_mt("train", "--config", "small.yaml", "--run", tmp_path / f"seed{seed}", "--no-report",
               "--set", f"training.seed={seed}", "--set", "training.max_steps=9")  # fmt: skip
    folders = [str(tmp_path / "seed2"), str(tmp_path / "seed3")]
    command = ("compare", "--split", "dev", *folders)
    advice = f"run gru-mt eval --model {folders[0]} --split dev first"
    assert_one_line(gru_mt(*command), "keeps no translations of its dev split; ", advice)
    scores = []
    for folder in folders:
        result = gru_mt("eval", "--model", folder, "--split", "dev", "--json")
        scores.append(json.loads(result.out)["scores"][0]["value"])
    found = json.loads(gru_mt(*command, "--json").out)
    assert found["part"] == "dev"
    assert [each["name"] for each in found["systems"]] == folders
    assert all(each["sentences_s"] > 0 and each["minutes"] > 0 for each in found["systems"])
    assert found["changes"] == [{"key": "training.seed", "values": ["2", "3"]}]
    systems = found["sets"][0]["metrics"][0]["systems"]
    assert [each["value"] for each in systems] == pytest.approx(scores)
    [row] = gru_mt("runs", folders[1]).out.splitlines()[1:]
    assert row.split()[:3] == ["seed3", "en", "fr"]
    assert row.endswith("small    finished")


def test_a_comparison_goes_to_stdout_and_notes_to_stderr(runs: Path, gru_mt: Run) -> None:
    result = gru_mt("compare", "runs/a", "runs/b", "--html", "page.html")
    assert result.code == 0
    assert result.err == (
        "comparing runs/b with runs/a\nnote: cars is not compared, because not all have it\n"
    )
    assert "  training.seed: 1 | 2\n" in result.out
    assert "runs/b: 1 of 2 translations are not those of runs/a, too few for p\n" in result.out
    assert "<title>runs/a and runs/b: test</title>" in Path("page.html").read_text()


def test_groups_show_their_spread(runs: Path, gru_mt: Run) -> None:
    [pets] = json.loads(gru_mt("compare", "--group", "one=runs/a,runs/b", "--json").out)["sets"]
    texts = ["un chat", "un chat"], ["un chat", "un chien"]
    scores = [corpus_bleu(each, SET.references) for each in texts]
    assert pets["metrics"]["BLEU"][0]["values"] == pytest.approx(scores)
    two = gru_mt("compare", "--group", "one=runs/a", "--group", "two=runs/b")
    assert "two has one run" in two.out


def test_files_are_compared_by_their_references(runs: Path, gru_mt: Run) -> None:
    for name, text in {"a": "le chat", "b": "un chat", "ref": "un chat", "src": "a cat"}.items():
        Path(name).write_text(f"{text}\n")
    command = ["compare", "a", "b", "--reference", "ref"]
    result = gru_mt(*command, "--source", "src")
    assert "files: 1 sentences\n" in result.out
    assert "    source     a cat\n" in result.out
    result = gru_mt(*command, "--bleu-tokenizer", "char", "--html", "page.html")
    assert "<title>a and b: files</title>" in Path("page.html").read_text()
    assert_one_line(gru_mt(*command, "--html", "runs"), "runs: cannot be written")
    assert "source" not in result.out
    assert "tok:char|" in result.out


def test_a_mistake_is_one_line(runs: Path, gru_mt: Run) -> None:
    path = Path("runs/b/test.hypotheses.json")
    path.write_text(path.read_text().replace("chien", "chat", 1))
    Path("folder").mkdir()
    for name, text in {"one": "a\n", "two": "a\nb\n", "empty": ""}.items():
        Path(name).write_text(text)
    for arguments, text in (
        ("runs/a", "give two or more runs"),
        ("runs/a runs/none", "runs/none: there is no such folder"),
        ("runs/a folder", "folder: is no run of gru-mt train"),
        ("runs/a one", "one: is a file; to compare files of translations, give --reference"),
        ("runs/a/model runs/a", "runs/a/model: is given twice; name different runs"),
        ("runs/a runs/b", f"{path}: damaged: "),
        ("runs/a runs/cars", "runs/cars: its test split is not that of runs/a"),
        ("runs/a runs/cars --split dev", "runs/a: keeps no dev split"),
        ("runs/a --group x=runs/b", "--group: give groups of runs, or runs, or files"),
        ("--group x=runs/a,", "--group x=runs/a,: expected NAME=RUN,RUN"),
        ("--group runs/a", "--group runs/a: expected NAME=RUN,RUN"),
        ("--group x=runs/a --group x=runs/b", "--group x: is given twice"),
        ("--group x=runs/a --html x", "--html shows runs or files, not groups"),
        ("one two --source x", "--source belongs to files"),
        ("one two --reference x --split dev", "--split belongs to runs"),
        ("one two --reference x", "x: cannot be read: No such file"),
        ("one two --reference one", "two: 2 lines, but one has 1"),
        ("empty one --reference empty", "empty: is empty"),
        ("one one --reference one", "one: is given twice; name different files"),
    ):
        assert_one_line(gru_mt("compare", *arguments.split()), text)
    assert gru_mt("runs").code == 0


def test_runs_are_listed(runs: Path, gru_mt: Run) -> None:
    Path("runs/empty").mkdir()
    head, *rows = gru_mt("runs").out.splitlines()
    assert head.split("  ")[0] == "run"
    assert {row.split()[0]: row.split("  ")[-1].strip() for row in rows} == {
        "a": "nothing saved yet",
        "b": "nothing saved yet",
        "cars": "nothing saved yet",
        "empty": "empty",
    }
    found = json.loads(gru_mt("runs", "runs", "--json").out)["runs"]
    assert {run["name"]: run["test_bleu"].get("cars") for run in found} == {
        "a": None, "b": 0.0, "cars": 0.0, "empty": None,
    }  # fmt: skip


def test_without_runs_one_line_says_so(
    tmp_path: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = "no runs in runs/ yet; gru-mt train makes one\n"
    assert gru_mt("runs") == Result(0, "", line)
    assert gru_mt("runs", "--json") == Result(0, '{"runs": []}\n', line)
    assert_one_line(gru_mt("runs", "none"), "none: there is no such folder")
