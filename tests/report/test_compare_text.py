"""How a comparison is shown on a terminal."""

from pathlib import Path

from gru_mt.evaluation.compare import compare_groups, compare_systems
from gru_mt.evaluation.systems import System, read_systems
from gru_mt.report.compare_text import comparison_lines, group_lines, number, table
from tests.evaluation.test_compare import HALF, PERFECT, PETS, SOURCES, WORSE, system
from tests.kept_runs import make_run


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
    lines = lines_of(system("a", PERFECT), system("b", ["", *PERFECT[1:]]))
    assert "b: 1 of 36 translations are not those of a, too few for p" in lines
    assert lines[1] == "pets: 36 sentences"
    assert lines[4].split()[-2:] == ["-", "-"]


def test_several_systems_have_scores_but_no_sentences() -> None:
    text = "\n".join(lines_of(*(system(name, WORSE) for name in "abc")))
    assert "c: 0 of 36" in text
    assert "gained" not in text


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
