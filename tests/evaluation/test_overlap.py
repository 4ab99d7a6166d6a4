"""What the training split has of the sentences of a set, counted by hand."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.types import Example
from gru_mt.evaluation import overlap as module
from gru_mt.evaluation.overlap import train_overlap

TRAIN = [
    Example("The dog sleeps.", "Le chien dort.", 1),
    Example("The dog eats.", "Le chien mange.", 2),
    Example("I saw a very small cat.", "J'ai vu un très petit chat.", 3),
]
SET = EvaluationSet(
    ["A dog sleeps!", "Zebras!", "I saw a very big cat.", "..."],
    [["Un chien dort.", "Le chien sommeille."], ["Des zèbres !"], ["J'ai vu un gros chat."], ["."]],
)


def test_each_sentence_has_its_nearest_of_training_and_the_count_of_its_rarest_word() -> None:
    [found] = train_overlap(TRAIN, [SET])
    assert found.nearest == ["The dog sleeps.", "", "I saw a very small cat.", ""]
    # Of a, dog, sleeps and the it is two words; of seven words it is five.
    assert found.distance == pytest.approx([1 - 2 / 4, 1, 1 - 5 / 7, 1], abs=1e-4)
    assert found.near_duplicate == [False, False, True, False]
    assert found.rarest == [1, 0, 0, 0]  # "big" is new
    assert found.target_words["chien"] == 2
    assert found.target_words["sommeille"] == 0
    assert "mange" not in found.target_words


def test_chunks_of_training_give_what_a_search_of_all_does(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)

    def texts(words: str, count: int) -> list[str]:
        return [" ".join(rng.choices(words, k=rng.randint(1, 6))) for _ in range(count)]

    train = [
        Example(*sides, 1) for sides in zip(texts("abcdef", 40), texts("abcde", 40), strict=True)
    ]
    sets = [EvaluationSet(texts("abcxyz", 9), [[text] for text in texts("abcz", 9)]) for _ in "ab"]
    monkeypatch.setattr(module, "CHUNK", 7)
    for one, found in zip(sets, train_overlap(Watched(train), sets), strict=True):
        for row, text in enumerate(one.sources):
            asked = {*text.split()}
            shares = [
                len(asked & {*pair.source.split()}) / len(asked | {*pair.source.split()})
                for pair in train
            ]
            nearest = train[shares.index(max(shares))].source if max(shares) else ""
            assert found.nearest[row] == nearest
            assert found.distance[row] == pytest.approx(1 - max(shares), abs=1e-4)
            counts = [sum(word in pair.source.split() for pair in train) for word in asked]
            assert found.rarest[row] == min(counts)
        for word, count in found.target_words.items():
            assert count == sum(pair.target.split().count(word) for pair in train)


class Watched(list[Example]):
    """Training pairs that are read in chunks of up to seven, and never all at once."""

    def __iter__(self) -> Iterator[Example]:
        raise AssertionError("all of them are read")

    def __getitem__(self, rows: Any) -> Any:
        found = super().__getitem__(rows)
        assert len(found) <= 7
        return found


def test_letters_of_a_script_without_spaces_are_words() -> None:
    pairs = [Example("猫が好き", "x", 1), Example("犬", "y", 2)]
    [found] = train_overlap(pairs, [EvaluationSet(["猫が嫌い"], [["x"]])])
    assert found.nearest == ["猫が好き"]
    assert found.distance == pytest.approx([1 - 2 / 6], abs=1e-4)  # 猫 and が of 猫が好き嫌い


def test_without_training_sentences_nothing_is_near() -> None:
    [found] = train_overlap([], [EvaluationSet(["A dog."], [["Un chien."]])])
    assert (found.nearest, found.distance, found.rarest) == ([""], [1.0], [0])
