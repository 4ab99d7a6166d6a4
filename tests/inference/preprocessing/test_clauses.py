"""Clauses between semicolons and dashes: translated alone, and put together again."""

import pytest

from gru_mt.data.text.truecase import Truecaser
from gru_mt.inference.preprocessing.clauses import (
    clauses_of,
    joined,
    quotations_of,
    with_quotations,
)
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.inference.preprocessing.sentence import Sentence

TRAINING = ["So he is big, and she sees the dog here. If he is, I go, it is old, we see 5 of it."]
TRUECASER = Truecaser.learn(TRAINING, [""])


def read(line: str) -> Sentence:
    (sentence,) = Reader(TRUECASER, "en", lambda *_: True).sentences(line)
    return sentence.with_numbers(marks=True)


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("He is big; she is here.", ["he is big", "she is here."]),
        (
            "- he is 5 - it is <b>old</b>; I see a@b.org here!",
            ["he is \ue010", "it is \ue010 old \ue011", "I see \ue010 here!"],
        ),
        ("He is 5, so old; it is 12 here.", ["he is \ue010, so old", "it is \ue010 here."]),
        ("He is a big – the dog is – we see it", ["he is a big", "the dog is", "we see it"]),
        ("so he is—we go", None),  # two words
        ("If I see 12 - we see 5; we go here", ["if I see \ue010", "we see \ue010", "we go here"]),
        ("he is big, she is here", None),
        ("he is (so big; she sees the) dog", ["he is \ue010 so big", "she sees the \ue010 dog"]),
    ],
)
def test_a_sentence_is_divided_where_each_clause_has_three_words(
    line: str, texts: list[str] | None
) -> None:
    sentence = read(line)
    clauses = clauses_of(sentence)
    if texts is None:
        assert clauses == [sentence]
        return
    assert [clause.text for clause in clauses] == texts
    assert [clause.case for clause in clauses] == ["model", *["small"] * (len(texts) - 1)]
    echoed = [clause.finished(clause.text) for clause in clauses]
    whole = sentence.finished(joined(sentence, echoed))
    assert whole.lower() == line.lower(), "nothing is lost"


def test_only_the_last_clause_ends_the_sentence_and_only_the_first_begins_it() -> None:
    sentence = read("<p>He is big - she is here - it is old!</p>")
    first, *others = clauses_of(sentence)
    texts = [first.finished("Il est grand ."), *(one.finished("Elle est.") for one in others)]
    found = sentence.finished(joined(sentence, texts))
    assert found == "<p>Il est grand - elle est - elle est.</p>"
    assert joined(sentence, ["Il...", "elle !", "elle"]) == "Il... \ue010 elle ! \ue011 elle"


def test_several_quotations_are_translated_alone_and_stand_where_they_stood() -> None:
    sentence = read('He sees "the dog" and « The dog here », so (we go) "here".')
    inside = quotations_of(sentence)
    assert [(one.text, one.case) for one in inside] == [
        ("the dog", "model"), ("the dog here", "model"), ("here", "model")
    ]  # fmt: skip
    whole = with_quotations(sentence, ["le chien .", "le chien ici", "ici"])
    assert whole.placeholders == ('"le chien"', "« le chien ici »", "(", ")", '"ici"')
    assert whole.text == "he sees \ue010 and \ue011, so \ue012 we go \ue013 \ue014."
    found = whole.finished("il voit \ue010 et \ue011 ; \ue012 on va \ue013 \ue014.")
    assert found == 'Il voit "le chien" et « le chien ici » ; (on va) "ici".'
    for line in ('He is "the dog".', 'He is "old", she says, "here."', 'It is "5" and "12".'):
        assert quotations_of(read(line)) == [], "one, speech, or without a word"
