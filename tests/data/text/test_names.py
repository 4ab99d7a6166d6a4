"""Names that training never saw are found, and known words are none."""

import pytest

from gru_mt.data.text.names import find_names, mask_initials
from gru_mt.data.text.placeholders import Masked
from gru_mt.data.text.truecase import Truecaser
from tests.data.text.test_truecase import ENGLISH, FOX, NAMES


def names_of(text: str, truecaser: Truecaser = NAMES) -> list[str]:
    spans = find_names(text, truecaser)
    assert all(text[start:end] == name for start, end, name in spans)
    return [span.text for span in spans]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I saw Zbigniew, Tom and zbigniew.", ["Zbigniew", "zbigniew"]),
        ("I saw Zbigniew's dog, Zbigniew’s dog", ["Zbigniew", "Zbigniew"]),
        ("I saw Jean-Luc and N'Golo and O'Sullivan's dog", ["Jean-Luc", "N'Golo", "O'Sullivan"]),
        ("the l'Okcydent and d’Azbo-like", ["Okcydent", "Azbo"]),
        ("I saw Zbig-saw, Zbig-like, Tom-saw", ["Zbig-saw", "Zbig"]),  # a syllable, as of Jae-won
        ("I saw X and Y2", []),  # a letter is no name
        ("I saw Ж, 我的 and Жу", ["Ж", "我的", "Жу"]),  # but those of another script are no words
        ("It is browndogs", []),  # ends with a known word
        ("Mr. Brown saw Dr. Fox. The Brown dog. Mr. brown", ["Brown", "Fox"]),  # after a title
        ("Ms. Brown saw Ms. brown, Ms", ["Ms. Brown", "Ms", "Ms"]),  # with a title that is unseen
        ("Fox Inc. saw it. Fox Ltd. The Fox saw the fox Inc", ["Fox Inc.", "Fox Ltd", "Inc"]),
        ("I saw Lazy Fox and Fox and Lazy Tom", ["Lazy Fox"]),  # a name that common words make
        ("Lazy Fox saw it. Two Dogs", []),  # where the capital of a sentence may be
        ("Tom saw Zbigniew's dog and O'Sullivan. saw it?", ["Zbigniew", "O'Sullivan"]),
    ],
)
def test_capitalised_words_never_seen_are_names(text: str, names: list[str]) -> None:
    assert names_of(text) == names
    assert find_names(text, ENGLISH) == [], "a model that does not copy them"


def test_known_names_with_a_hyphen_are_one_name_if_one_is_rare(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gru_mt.data.text.truecase.UNCOMMON", 6)
    sources = ["so Anne so French so Anne", "the English so French so the the jean", "so Marie"]
    known = Truecaser.learn([*sources, FOX], [*sources, FOX])
    for text, names in (
        ("so Anne-Marie and Marie-Marie", ["Anne-Marie", "Marie-Marie"]),
        ("so Jean-Marie, So-The, I-The", ["Jean-Marie"]),  # jean is mostly small, as so and the are
        ("so French-English", []),  # common
        ("so Anne-the and anne-Marie", []),
    ):
        assert [name for name in names_of(text, known) if name != "and"] == names
    assert known.truecased("Jean-Zbig, Jean-Marie. Jean-the. The-Marie") == (
        "Jean-Zbig, Jean-Marie. jean-the. the-Marie"
    )


def test_a_text_without_spaces_is_unseen_where_all_its_letters_are() -> None:
    sources = ["我在IBM工作。", "我看Tom。"]
    chinese = Truecaser.learn(sources, sources)
    assert names_of("我看工作。饕餮", chinese) == ["饕餮"]


def test_a_known_word_with_another_ending_is_no_name() -> None:
    sources = ["I walk, walked and walks.", "You talk, talked and talks.", "We saw Tom chalk so."]
    truecaser = Truecaser.learn([*sources, FOX], [*sources, FOX])
    assert names_of("we chalked, so chalks, chalken", truecaser) == ["chalken"]  # no -en elsewhere


def test_initials_are_masked_but_for_those_that_training_has_often() -> None:
    def masked(text: str, *placeholders: str, truecaser: Truecaser = NAMES) -> Masked:
        return mask_initials(Masked(text, placeholders), truecaser)

    text = "\ue010 of the U.K. is a Ph.D., J.R.R. \ue011 in D.C."
    expected = "\ue010 of the \ue011 is a \ue012, \ue013 \ue014 in \ue015."
    shown = ("5%", "U.K.", "Ph.D.", "J.R.R.", "😀", "D.C")
    assert masked(text, "5%", "😀") == Masked(expected, shown)
    assert masked(text, "5%", "😀", truecaser=ENGLISH) == Masked(text, ("5%", "😀"))
    assert masked("el EE.UU. grande").placeholders == ("EE.UU.",)
    for left in ("He. She is.", "at 5 p.m. today", "e.g. this", "is.He", "Node.js", "A. B. Go"):
        assert masked(left) == Masked(left, ())
    for times, is_masked in ((49, True), (50, False)):
        sources = ["It is of the U.S. army."] * (times - 1) + ["It is of the U.S."]
        often = Truecaser.learn([*sources, FOX], [*sources, FOX])
        assert (masked("The U.S. is big.", truecaser=often).placeholders == ("U.S.",)) is is_masked
        assert often.to_bytes() == Truecaser.from_bytes(often.to_bytes()).to_bytes()
