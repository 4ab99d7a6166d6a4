"""What the training split has of the sentences of a set, counted by hand."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.types import Example
from gru_mt.evaluation import overlap as module
from gru_mt.evaluation.overlap import train_overlap


def test_each_sentence_has_its_distance_to_training_and_the_count_of_its_rarest_word() -> None:
    train = [
        Example("The dog sleeps.", "Le chien dort.", 1),
        Example("The dog eats.", "Le chien mange.", 2),
        Example("I saw a very small cat.", "J'ai vu un très petit chat.", 3),
        Example("猫が好き", "猫", 4),
    ]
    sources = ["A dog sleeps!", "Zebras!", "I saw a very big cat.", "...", "猫が嫌い"]
    references = [["Un chien dort.", "Le chien sommeille."], *([["x"]] * 4)]
    [found, empty] = train_overlap(
        train, [EvaluationSet(sources, references), EvaluationSet([], [])]
    )
    # Of a, dog, sleeps and the it is two words; of seven words five; 猫 and が of 猫が好き嫌い.
    expected = [1 - 2 / 4, 1, 1 - 5 / 7, 1, 1 - 2 / 6]
    assert found.distance == pytest.approx(expected, abs=1e-4)
    assert found.near_duplicate == [False, False, True, False, False]
    assert found.rarest == [1, 0, 0, 0, 0]  # "big" is new
    assert found.target_words["chien"] == 2
    assert found.target_words["sommeille"] == 0
    assert "mange" not in found.target_words
    assert empty.distance == []
    [found] = train_overlap([], [EvaluationSet(["A dog."], [["Un chien."]])])
    assert (found.distance, found.rarest) == ([1.0], [0])


def test_chunks_of_training_give_what_a_search_of_all_does(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)

    def texts(words: str, count: int) -> list[str]:
        return [" ".join(rng.choices(words, k=rng.randint(1, 6))) for _ in range(count)]

    sides = zip(texts("abcdef", 40), texts("abcde", 40), strict=True)
    train = [Example(*pair, 1) for pair in sides]
    sets = [EvaluationSet(texts("abcxyz", 9), [[text] for text in texts("abcz", 9)]) for _ in "ab"]
    monkeypatch.setattr(module, "CHUNK", 7)
    for one, found in zip(sets, train_overlap(Watched(train), sets), strict=True):
        for row, text in enumerate(one.sources):
            asked = {*text.split()}
            sources = [{*pair.source.split()} for pair in train]
            shares = [len(asked & words) / len(asked | words) for words in sources]
            assert found.distance[row] == pytest.approx(1 - max(shares), abs=1e-4)
            assert found.rarest[row] == min(sum(word in each for each in sources) for word in asked)
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
