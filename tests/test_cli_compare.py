"""`gru-mt compare` and `gru-mt runs`, as a user types them."""

import json
import shutil
from pathlib import Path

import pytest

from gru_mt.cli.comparison import comparison_lines, group_lines
from gru_mt.cli.streams import number, table
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.evaluation.compare import compare_groups, compare_systems
from gru_mt.evaluation.score import corpus_bleu
from gru_mt.evaluation.systems import System, read_systems
from tests.command_line import Result, Run, assert_one_line
from tests.evaluation.test_compare import HALF, PERFECT, PETS, SOURCES, WORSE, system
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
    other = str(tmp_path / "other")
    gru_mt("train", "--config", "small.yaml", "--run", other, "--no-report",
           "--set", "training.seed=2", "--set", "training.max_steps=9")  # fmt: skip
    Path("runs/small/dev.hypotheses.json").unlink(missing_ok=True)
    folders = ["runs/small", other]
    command = ("compare", "--split", "dev", *folders)
    advice = "run gru-mt eval --model runs/small --split dev first"
    assert_one_line(gru_mt(*command), "keeps no translations of its dev split; ", advice)
    scores = []
    for folder in folders:
        result = gru_mt("eval", "--model", folder, "--split", "dev", "--json")
        scores.append(json.loads(result.out)["scores"][0]["value"])
    found = json.loads(gru_mt(*command, "--json").out)
    assert found["part"] == "dev"
    assert [each["name"] for each in found["systems"]] == folders
    assert all(each["sentences_s"] > 0 and each["minutes"] > 0 for each in found["systems"])
    assert {"key": "training.seed", "values": ["1", "2"]} in found["changes"]
    systems = found["sets"][0]["metrics"][0]["systems"]
    assert [each["value"] for each in systems] == pytest.approx(scores)
    [row] = gru_mt("runs", other).out.splitlines()[1:]
    assert row.split()[:3] == ["other", "en", "fr"]
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
    Path("runs/half").mkdir()
    for name in ("config.yaml", "test.json"):  # it was killed before its first validation
        shutil.copy(f"runs/a/{name}", f"runs/half/{name}")
    for name, text in {"one": "a\n", "two": "a\nb\n", "empty": ""}.items():
        Path(name).write_text(text)
    for arguments, text in (
        ("runs/a", "give two or more runs"),
        ("runs/a runs/none", "runs/none: there is no such file or folder"),
        ("runs/a folder", "folder: is no run of gru-mt train"),
        ("runs/a runs/half", "runs/half: has no translator yet"),
        ("runs/a one", "one: is a file; to compare files of translations, give --reference"),
        ("runs/a/model runs/a", "runs/a/model: is given twice; name different runs"),
        ("runs/a runs/b", f"{path}: damaged: "),
        ("runs/a runs/cars", "runs/cars: its test split is not that of runs/a"),
        ("runs/a runs/cars --split dev", "runs/a: keeps no dev split"),
        ("runs/a --group x=runs/b", "--group: give groups of runs, or runs, or files"),
        ("--group x=runs/a,", "--group x=runs/a,: expected NAME=RUN,RUN"),
        ("--group x=runs/a --group x=runs/b", "--group x: is given twice"),
        ("--group x=runs/a --html x", "--html shows runs or files, not groups"),
        ("one two --source x", "--source belongs to files"),
        ("one two --reference x --split dev", "--split belongs to runs"),
        ("one two --reference one", "two: 2 lines, but one has 1"),
        ("empty one --reference empty", "empty: is empty"),
        ("one one --reference one", "one: is given twice; name different files"),
        ("one two --reference two --html two", "two: is the input itself; name another file"),
    ):
        assert_one_line(gru_mt("compare", *arguments.split()), text)
    assert gru_mt("runs").code == 0


def test_runs_are_listed(runs: Path, gru_mt: Run) -> None:
    Path("runs/empty").mkdir()
    head, *rows = gru_mt("runs").out.splitlines()
    assert head.split("  ")[0] == "run"
    states = {row.split()[0]: row.split("  ")[-1].strip() for row in rows}
    assert states == dict.fromkeys(("a", "b", "cars"), "nothing saved yet") | {"empty": "empty"}
    found = json.loads(gru_mt("runs", "runs", "--json").out)["runs"]
    assert {run["name"]: run["test_bleu"].get("cars") for run in found} == {
        "a": None, "b": 0.0, "cars": 0.0, "empty": None,
    }  # fmt: skip


def test_without_runs_one_line_says_so(
    tmp_path: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = f"no runs in {tmp_path / 'runs'} yet; gru-mt train makes one\n"
    assert gru_mt("runs") == Result(0, "", line)
    assert gru_mt("runs", "--json") == Result(0, '{"runs": []}\n', line)
    assert_one_line(gru_mt("runs", "none"), "none: there is no such folder")


# How a comparison is shown on a terminal


def lines_of(*systems: System) -> list[str]:
    return [*comparison_lines(compare_systems(systems))]


def test_numbers_end_alike_and_texts_begin_alike_in_the_columns_of_a_terminal() -> None:
    rows = [["", "n", "state"], ["long name", "1.5", "ok"], ["b", "12.5", "damaged"]]
    assert table(rows, texts=(0, 2)) == [
        "              n  state",
        "long name   1.5  ok",
        "b          12.5  damaged",
    ]
    assert (number(None, ".1f"), number(1.25, ".1f")) == ("-", "1.2")
    assert table([["猫", "1"], ["abcd", "2"], ["e\u0301", "3"], ["a\x1b", "4"]]) == [
        "猫     1", "abcd   2", "e\u0301      3", "a\\x1b  4",
    ]  # fmt: skip


def test_a_comparison_of_runs_as_lines(tmp_path: Path) -> None:
    make_run(tmp_path / "a", [PETS], [WORSE], minutes=1.25)
    make_run(tmp_path / "b", [PETS], [PERFECT], "training.learning_rate=0.001")
    paths = [tmp_path / "a", tmp_path / "b"]
    systems = read_systems(paths, [], None, "test", None)
    text = "\n".join(comparison_lines(compare_systems(systems, "test")))
    first, second = map(str, paths)
    assert f"{first}      1.2           6           72" in text
    assert f"{second}        -           6           72" in text
    assert "  training.learning_rate: 0.002 | 0.001\n" in text
    assert "test pets: 36 sentences\n" in text
    assert f"{second}: 36 of 36 translations are not those of {first}\n" in text
    assert "sentences that lost most chrF:" not in text
    sentence = text.partition("sentences that gained most chrF:\n")[2].splitlines()[1:5]
    assert [line.split()[0] for line in sentence] == ["source", "reference", first, second]
    assert sentence[0].split(maxsplit=1)[1] in SOURCES
    assert f"right more often in {second}" in text
    assert f"right more often in {first}" not in text


def test_what_lost_most_comes_first_and_few_differences_have_no_p_value() -> None:
    lines = lines_of(system("a", PERFECT), system("b", [WORSE[0], "", *WORSE[2:]]))
    at = lines.index("sentences that lost most chrF:")
    assert lines[at + 1] == "  -100.0: 100.0 to 0.0, sentence 2"
    at = lines.index(next(line for line in lines if line.startswith("right more often in a")))
    assert lines[at + 1].rsplit(maxsplit=2) == ["je vois un", "36", "0"]
    lines = lines_of(*(system(name, ["", *PERFECT[1:]]) for name in "bc"), system("a", PERFECT))
    assert "a: 1 of 36 translations are not those of b, too few for p" in lines
    assert lines[1] == "pets: 36 sentences"
    assert lines[4].split()[-2:] == ["-", "-"]
    assert not any("gained" in line for line in lines), "of more than two only scores are shown"


def test_groups_are_shown_by_their_means() -> None:
    groups = {
        "small": [system("s1", WORSE, seed=1), system("s2", HALF, seed=2)],
        "large": [system("l1", PERFECT, seed=1)],
    }
    found = compare_groups(groups, "test")
    lines = [*group_lines(found)]
    assert "  seed: 1, 2 | 1" in lines
    change = f"+{100 - found.sets[0].metrics['BLEU'][0].mean:.2f}"
    row = next(line.split() for line in lines if line.startswith("large "))
    assert row == ["large", "1", "100.00", change, "-", "100.00", "100.00"]
    assert "large has one run: how far its scores depend on the seed is not known" in lines
    assert lines[-1].startswith("groups are not tested")
    one = {"all": [system("a", WORSE), system("b", PERFECT)]}
    lines = [*group_lines(compare_groups(one, "dev"))]
    assert "the configurations do not differ" in lines
    assert "dev pets: 36 sentences" in lines
    assert not any("groups are not tested" in line for line in lines)
