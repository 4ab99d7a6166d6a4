"""Which n-grams are right, counted by hand."""

from gru_mt.evaluation.ngrams import NgramCounts, compare_ngrams, right_ngrams

REFERENCES = [["the cat sat", "a cat sat"], ["the the dog"]]


def test_an_ngram_is_right_as_often_as_the_reference_with_most_of_it_has_it() -> None:
    found = right_ngrams(["the the cat cat sat", "the the the"], REFERENCES, tokenizer="13a")
    # "the" once in the first sentence and twice in the second, "cat" once as in each reference.
    assert found == {
        ("the",): 3, ("cat",): 1, ("sat",): 1,
        ("the", "cat"): 1, ("cat", "sat"): 1, ("the", "the"): 1,
    }  # fmt: skip


def test_words_are_those_of_the_bleu_tokenizer() -> None:
    found = right_ngrams(["猫だ"], [["猫だ"]], tokenizer="char")
    assert found == {("猫",): 1, ("だ",): 1, ("猫", "だ"): 1}


def test_gains_come_first_and_parts_of_a_longer_ngram_are_left_out() -> None:
    first, second = ["the dog sat", "the the dog"], ["a cat sat", "the dog"]
    # Right in the first system: the 1, sat 1, the 2, dog 1, "the the", "the dog", "the the dog".
    # In the second: a, cat, sat, "a cat", "cat sat", "a cat sat"; the 1, dog 1, "the dog".
    assert compare_ngrams(first, second, REFERENCES, tokenizer="13a") == [
        NgramCounts("a cat sat", 0, 1),
        NgramCounts("the the dog", 1, 0),
        NgramCounts("the", 3, 1),
    ]


def test_a_system_gains_nothing_against_itself() -> None:
    assert compare_ngrams(["a cat", "x"], ["a cat", "x"], REFERENCES, tokenizer="13a") == []
