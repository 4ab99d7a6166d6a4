"""What a comparison of systems or of groups holds."""

from itertools import product
from pathlib import Path

import pytest

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.errors import UserError
from gru_mt.evaluation.compare import (
    Change,
    NgramCounts,
    Spread,
    compare,
    compare_groups,
    compare_ngrams,
    compare_systems,
    right_ngrams,
)
from gru_mt.evaluation.score import corpus_bleu, corpus_chrf, sentence_chrf
from gru_mt.evaluation.systems import System, SystemMetadata
from tests.kept_runs import make_run

NOUNS = ["chat", "chien", "livre", "clef", "lit", "mur"]
REFERENCES = [[f"je vois un {one} et un {two}"] for one, two in product(NOUNS, NOUNS)]
SOURCES = [f"sentence {number}" for number in range(1, 37)]
PETS = EvaluationSet(SOURCES, REFERENCES, "pets")
PERFECT = [texts[0] for texts in REFERENCES]
WORSE = [text.replace("je vois", "il voit") for text in PERFECT]
HALF = [*PERFECT[:18], *WORSE[18:]]


def system(name: str, texts: list[str], **config: object) -> System:
    return System(SystemMetadata(name), [(PETS, texts)], "13a", config)


def test_scores_sentences_and_ngrams_are_of_the_same_translations() -> None:
    mixed = [PERFECT[0], "", *WORSE[2:]]
    found = compare_systems([system("a", WORSE), system("b", mixed), system("c", PERFECT)])
    [pets] = found.sets
    assert pets.differing == [0, 2, 36]
    for metric, score in zip(pets.metrics, (corpus_bleu, corpus_chrf), strict=True):
        assert [each.value for each in metric.systems] == pytest.approx(
            [score(texts, REFERENCES) for texts in (WORSE, mixed, PERFECT)]
        )
    assert pets.chrf == [sentence_chrf(texts, REFERENCES) for texts in (WORSE, mixed, PERFECT)]
    # The second system has the first sentence right, and nothing of the second.
    assert pets.most_changed(1, most=20) == ([0], [1])
    gained, lost = pets.most_changed(2, most=20)
    assert (len(gained), lost) == (20, [])
    assert pets.ngrams[0] == []
    more, less = pets.most_changed_ngrams(2, most=1)
    assert (more, less) == ([NgramCounts("je vois un", 0, 36)], [])


def test_groups_are_compared_by_the_mean_and_the_sample_deviation() -> None:
    small = [
        system("a", WORSE, cell="gru", dev=[], seed=1, max_steps=None),
        system("b", HALF, **{"cell": "gru", "dev.0.path": ["a"], "seed": 2, "max_steps": None}),
        system("c", PERFECT, cell="gru", dev=[], seed=1, max_steps=None),
    ]
    assert compare_groups({"": small[:2]}, "test").changes == [  # of keys that differ
        Change("dev", ["[]", "-"]),
        Change("seed", ["1", "2"]),
        Change("dev.0.path", ["-", "[a]"]),
    ]
    found = compare_groups({"small": small, "large": [system("d", PERFECT)]}, "test")
    assert [run.name for run in found.groups["small"]] == ["a", "b", "c"]
    one, other = found.sets[0].metrics["BLEU"]
    bleu = [corpus_bleu(texts, REFERENCES) for texts in (WORSE, HALF, PERFECT)]
    mean = sum(bleu) / 3
    deviation = (sum((value - mean) ** 2 for value in bleu) / 2) ** 0.5
    assert one.values == bleu
    assert (one.mean, one.deviation) == pytest.approx((mean, deviation))
    assert other == Spread([bleu[2]], bleu[2], None)
    chrf = [corpus_chrf(texts, REFERENCES) for texts in (WORSE, HALF, PERFECT)]
    assert found.sets[0].metrics["chrF"][0].values == chrf


def test_runs_and_files_are_compared_by_their_paths(tmp_path: Path) -> None:
    for name, texts in (("a", WORSE), ("b", PERFECT)):
        make_run(tmp_path / name, [PETS], [texts])
        (tmp_path / f"{name}.txt").write_text("".join(f"{text}\n" for text in texts))
    (tmp_path / "ref.fr").write_text("".join(f"{text}\n" for text in PERFECT))
    runs = compare(tmp_path / name for name in "ab")
    files = compare([f"{tmp_path}/{name}.txt" for name in "ab"], [f"{tmp_path}/ref.fr"])
    assert runs.sets[0].metrics == files.sets[0].metrics
    assert (runs.split, files.split) == ("test", "")
    with pytest.raises(UserError, match="two or more systems"):
        compare([tmp_path / "a"])
    for wrong in ("runs/a", tmp_path, None):
        with pytest.raises(UserError, match="systems must be a list of paths, got"):
            compare(wrong)  # type: ignore[arg-type]


def test_an_ngram_is_right_as_often_as_the_reference_with_most_of_it_has_it() -> None:
    references = [["the cat sat", "a cat sat"], ["the the dog"]]
    found = right_ngrams(["the the cat cat sat", "the the the"], references, tokenizer="13a")
    # "the" once in the first sentence and twice in the second, "cat" once as in the references.
    assert found == {
        ("the",): 3, ("cat",): 1, ("sat",): 1,
        ("the", "cat"): 1, ("cat", "sat"): 1, ("the", "the"): 1,
    }  # fmt: skip
    found = right_ngrams(["猫だ"], [["猫だ"]], tokenizer="char")
    assert found == {("猫",): 1, ("だ",): 1, ("猫", "だ"): 1}
    # Gains come first, and parts of a longer n-gram are left out. Right in the first system: the 1,
    # sat 1, the 2, dog 1, "the the", "the dog", "the the dog". In the second: a, cat, sat, "a cat",
    # "cat sat", "a cat sat"; the 1, dog 1, "the dog".
    first, second = (
        right_ngrams(texts, references, tokenizer="13a")
        for texts in (["the dog sat", "the the dog"], ["a cat sat", "the dog"])
    )
    assert compare_ngrams(first, second) == [
        NgramCounts("a cat sat", 0, 1),
        NgramCounts("the the dog", 1, 0),
        NgramCounts("the", 3, 1),
    ]
