"""Names that training never saw are found, and known words are none."""

import pytest

from gru_mt.data.text.names import find_names
from gru_mt.data.text.truecase import Truecaser
from tests.data.text.test_truecase import ENGLISH, FOX, NAMES


def names_of(text: str, truecaser: Truecaser = NAMES) -> list[str]:
    spans = find_names(text, truecaser)
    for start, end, name in spans:
        assert text[start:end] == name
    return [span.text for span in spans]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I saw Zbigniew.", ["Zbigniew"]),
        ("I saw Tom.", []),
        ("I saw Zbigniew's dog, Zbigniew’s dog", ["Zbigniew", "Zbigniew"]),
        ("I saw O'Sullivan's dog", ["O'Sullivan"]),
        ("I saw Jean-Luc and N'Golo.", ["Jean-Luc", "N'Golo"]),
        ("I saw Jean-Élise Östberg-the", ["Jean-Élise", "Östberg"]),
        ("the l'Okcydent and d’Azbo-like", ["Okcydent", "Azbo"]),
        ("I saw E\u0301lo\u0308ise.", ["E\u0301lo\u0308ise"]),
        ("Zbigniew saw it. Ozbourne is", ["Zbigniew", "Ozbourne"]),
        ("I saw X and Y2", []),  # a letter is no name
        ("I saw Ж, 我的 and Жу", ["Ж", "我的", "Жу"]),  # but those of another script are no words
        ("\ue010 Zbigniew", ["Zbigniew"]),
        ("I saw zbigniew", ["zbigniew"]),
        ("I saw Teh", ["Teh"]),
        ("the Teh-Luc", ["Teh-Luc"]),
        ("It is browndogs", []),  # ends with a known word
        ("Mr. Brown saw Dr. Fox. The Brown dog", ["Brown", "Fox"]),  # a name after a title
        ("Mr. brown saw it", []),
        ("I saw Lazy Fox and Fox", ["Lazy Fox"]),  # a name that common words make
        ("Lazy Fox saw it. Two Dogs", []),  # where the capital of a sentence may be
        ("I saw Lazy Tom", []),
        ("- ' Zbigniew- 'Azbo'", ["Zbigniew", "Azbo"]),
    ],
)
def test_capitalised_words_never_seen_are_names(text: str, names: list[str]) -> None:
    assert names_of(text) == names


def test_names_in_capitals_are_found_after_truecasing() -> None:
    text = NAMES.truecased("TOM SAW ZBIGNIEW'S DOG AND O'SULLIVAN. SAW IT?")
    assert text == "Tom saw Zbigniew's dog and O'Sullivan. saw it?"
    assert names_of(text) == ["Zbigniew", "O'Sullivan"]


def test_words_of_a_script_without_spaces_are_known_by_their_letters() -> None:
    chinese = Truecaser.learn(["我在IBM工作。", "I like IBM"], ["IBM", "IBM"])
    assert chinese.has_all("工作在IBM我")
    assert not chinese.has_all("工作在NEC我")


def test_a_text_without_spaces_is_unseen_where_all_its_letters_are() -> None:
    sources = ["我在IBM工作。", "我看Tom。"]
    chinese = Truecaser.learn(sources, sources)
    assert names_of("我看工作。饕餮", chinese) == ["饕餮"]


def test_names_are_left_to_a_model_that_does_not_copy_them() -> None:
    assert find_names("I saw Zbigniew.", ENGLISH) == []


def test_a_known_word_with_another_ending_is_no_name() -> None:
    sources = ["I walk, walked and walks.", "You talk, talked and talks.", "We saw Tom chalk so."]
    truecaser = Truecaser.learn([*sources, FOX], [*sources, FOX])
    for text in ("we chalked", "so chalks"):
        assert names_of(text, truecaser) == []
    assert names_of("we chalken", truecaser) == ["chalken"]  # no other word has -en
