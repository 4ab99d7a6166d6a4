"""What the training part has of the sentences of a set, counted by hand."""

import json

import pytest

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.report.familiarity import Familiarity, familiarity

TRAIN = [
    ("The dog sleeps.", "Le chien dort."),
    ("The dog eats.", "Le chien mange."),
    ("I saw a very small cat.", "J'ai vu un très petit chat."),
]
SET = EvaluationSet(
    ["A dog sleeps!", "Zebras!", "I saw a very big cat.", "..."],
    [["Un chien dort.", "Le chien sommeille."], ["Des zèbres !"], ["J'ai vu un gros chat."], ["."]],
)


def test_each_sentence_has_its_nearest_of_training_and_the_count_of_its_rarest_word() -> None:
    found = familiarity(TRAIN, SET)
    assert found.nearest == ["The dog sleeps.", "", "I saw a very small cat.", ""]
    # Of a, dog, sleeps and the it is two words; of seven words it is five.
    assert found.distance == pytest.approx([1 - 2 / 4, 1, 1 - 5 / 7, 1], abs=1e-4)
    assert found.near_duplicate == [False, False, True, False]
    assert found.rarest == [1, 0, 0, 0]  # "big" is new
    assert found.target_words["chien"] == 2
    assert found.target_words["sommeille"] == 0
    assert "mange" not in found.target_words


def test_letters_of_a_script_without_spaces_are_words() -> None:
    found = familiarity([("猫が好き", "x"), ("犬", "y")], EvaluationSet(["猫が嫌い"], [["x"]]))
    assert found.nearest == ["猫が好き"]
    assert found.distance == pytest.approx([1 - 2 / 6], abs=1e-4)  # 猫 and が of 猫が好き嫌い


def test_without_training_sentences_nothing_is_near() -> None:
    found = familiarity([], EvaluationSet(["A dog."], [["Un chien."]]))
    assert (found.nearest, found.distance, found.rarest) == ([""], [1.0], [0])


def test_it_comes_back_from_json() -> None:
    found = familiarity(TRAIN, SET)
    assert Familiarity.from_json(json.loads(json.dumps(found.to_json()))) == found
