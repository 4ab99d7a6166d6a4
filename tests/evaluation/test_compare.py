"""What a comparison holds, and how it is shown."""

from itertools import product
from pathlib import Path

import pytest

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.evaluation import compare as compare_module
from gru_mt.evaluation.calibration import sentence_chrf
from gru_mt.evaluation.compare import Change, Comparison, Facts, changes
from gru_mt.evaluation.compare_lines import comparison_lines, group_lines
from gru_mt.evaluation.groups import Spread, compare_groups, divided
from gru_mt.evaluation.score import corpus_bleu, corpus_chrf
from gru_mt.evaluation.systems import Output, System, read_systems
from tests.kept_runs import make_run

NOUNS = ["chat", "chien", "livre", "clef", "lit", "mur"]
REFERENCES = [[f"je vois un {one} et un {two}"] for one, two in product(NOUNS, NOUNS)]
SOURCES = [f"sentence {number}" for number in range(1, 37)]
PETS = EvaluationSet(SOURCES, REFERENCES, "pets")
PERFECT = [texts[0] for texts in REFERENCES]
WORSE = [text.replace("je vois", "il voit") for text in PERFECT]


def compare(systems: list[System], part: str = "") -> Comparison:
    return compare_module.compare(systems, part, say=lambda text: None)


def system(name: str, texts: list[str], seconds: float | None = None, **config: object) -> System:
    return System(name, [Output(PETS, texts, seconds)], "13a", config)


def test_scores_sentences_and_ngrams_are_of_the_same_translations() -> None:
    mixed = [PERFECT[0], "", *WORSE[2:]]
    found = compare([system("a", WORSE), system("b", mixed), system("c", PERFECT)], "test")
    [pets] = found.sets
    assert pets.differing == [0, 2, 36]
    for metric, score in zip(pets.metrics, (corpus_bleu, corpus_chrf), strict=True):
        assert [each.value for each in metric.systems] == pytest.approx(
            [score(texts, REFERENCES) for texts in (WORSE, mixed, PERFECT)]
        )
    assert pets.chrf == [sentence_chrf(texts, REFERENCES) for texts in (WORSE, mixed, PERFECT)]
    # The second system has the first sentence right, and nothing of the second.
    assert pets.by_gain(1) == [0, 1]
    assert pets.gains(1)[1] == -pets.chrf[0][1]
    assert len(pets.by_gain(2)) == 36
    assert pets.ngrams[0] == []
    assert (pets.ngrams[2][0].ngram, pets.ngrams[2][0].second) == ("je vois un", 36)


def test_what_is_known_of_a_system() -> None:
    one = System("a", [Output(PETS, WORSE, 9.0), Output(PETS, WORSE, 3.0)], "13a", {}, 2.0, 5)
    assert Facts.of(one) == Facts("a", 2.0, 5, 6.0)  # 72 sentences in 12 s
    assert Facts.of(system("a", WORSE)) == Facts("a", None, None, None)


def test_only_keys_that_differ_are_listed() -> None:
    configs: list[dict[str, object]] = [
        {"model.cell": "gru", "data.dev": [], "training.seed": 1, "training.max_steps": None},
        {"model.cell": "gru", "data.dev.0.path": ["a"], "training.seed": 2,
         "training.max_steps": None},
    ]  # fmt: skip
    assert changes(configs) == [
        Change("data.dev", ["[]", "-"]),
        Change("training.seed", ["1", "2"]),
        Change("data.dev.0.path", ["-", "[a]"]),
    ]


def test_sets_that_not_all_have_are_left_out_by_name() -> None:
    cars = EvaluationSet(["a car"], [["une voiture"]], "cars")
    more = System("b", [Output(cars, ["auto"]), Output(PETS, PERFECT)], "13a", {})
    found = compare([system("a", WORSE), more], "test")
    assert [each.set.name for each in found.sets] == ["pets"]
    assert found.left_out == ["cars"]


def test_a_comparison_of_runs_as_lines(tmp_path: Path) -> None:
    make_run(tmp_path / "a", [PETS], [WORSE], minutes=1.25)
    make_run(tmp_path / "b", [PETS], [PERFECT], "training.learning_rate=0.001")
    names = [tmp_path / "a", tmp_path / "b"]
    found = compare(read_systems(names, "test", None), "test")
    text = "\n".join(comparison_lines(found))
    first, second = map(str, names)
    assert f"{first}      1.2           6           72" in text
    assert f"{second}        -           6           72" in text
    assert "  training.learning_rate: 0.002 | 0.001\n" in text
    assert "test pets: 36 sentences\n" in text
    assert f"{second}: 36 of 36 translations are not those of {first}\n" in text
    assert "sentences that gained most chrF:\n" in text
    assert "sentences that lost most chrF:" not in text
    sentence = text.partition("sentences that gained")[2].splitlines()[2:6]
    assert [line.split()[0] for line in sentence] == ["source", "reference", first, second]
    assert sentence[0].split(maxsplit=1)[1] in SOURCES
    assert f"right more often in {second}" in text
    assert f"right more often in {first}" not in text


def test_what_lost_most_comes_first() -> None:
    found = compare([system("a", PERFECT), system("b", [WORSE[0], "", *WORSE[2:]])])
    lines = [*comparison_lines(found)]
    at = lines.index("sentences that lost most chrF:")
    assert lines[at + 1] == "  -100.0: 100.0 to 0.0, sentence 2"
    at = lines.index(next(line for line in lines if line.startswith("right more often in a")))
    assert lines[at + 1].rsplit(maxsplit=2) == ["je vois un", "36", "0"]


def test_few_differences_are_named_and_have_no_p_value() -> None:
    found = compare([system("a", PERFECT), system("b", ["x", *PERFECT[1:]])])
    lines = [*comparison_lines(found)]
    assert "b: 1 of 36 translations are not those of a, too few for p" in lines
    assert lines[1] == "pets: 36 sentences"
    assert lines[4].split()[-2:] == ["-", "-"]


def test_several_systems_have_scores_but_no_sentences() -> None:
    found = compare([system(name, WORSE) for name in "abc"])
    text = "\n".join(comparison_lines(found))
    assert "c: 0 of 36" in text
    assert "gained" not in text


def test_text_cannot_command_the_terminal() -> None:
    found = compare([system("a\x1b[1m", WORSE), system("b", ["\x1b[2J", *PERFECT[1:]])])
    assert "\x1b" not in "".join(comparison_lines(found))


def test_a_spread_is_the_mean_and_the_sample_deviation() -> None:
    assert Spread.of([1.0, 2.0, 3.0]) == Spread([1.0, 2.0, 3.0], 2.0, 1.0)
    assert Spread.of([4.0]) == Spread([4.0], 4.0, None)
    assert divided("abc", [1, 2]) == [["a"], ["b", "c"]]


def test_groups_are_compared_by_their_means() -> None:
    half = [*PERFECT[:18], *WORSE[18:]]
    groups = {
        "small": [system("s1", WORSE, seed=1), system("s2", half, seed=2)],
        "large": [system("l1", PERFECT, seed=1)],
    }
    found = compare_groups(groups, "test")
    small, large = found.sets[0].metrics["BLEU"]
    assert small.values == [corpus_bleu(texts, REFERENCES) for texts in (WORSE, half)]
    assert large.mean == pytest.approx(100)
    lines = [*group_lines(found)]
    assert "  seed: 1, 2 | 1" in lines
    row = next(line.split() for line in lines if line.startswith("large "))
    assert row[1:3] == ["1", "100.00"]
    assert float(row[3]) == pytest.approx(100 - sum(small.values) / 2, abs=0.005)
    assert row[4:] == ["-", "100.00", "100.00"]
    assert "large has one run: how far its scores depend on the seed is not known" in lines
    assert lines[-1].startswith("groups are not tested")


def test_one_group_shows_how_far_its_runs_spread() -> None:
    found = compare_groups({"all": [system("a", WORSE), system("b", PERFECT)]}, "dev")
    lines = [*group_lines(found)]
    assert "the configurations do not differ" in lines
    assert "dev pets: 36 sentences" in lines
    assert not any("groups are not tested" in line for line in lines)
