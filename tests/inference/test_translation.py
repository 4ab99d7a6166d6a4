"""A line's translation, put together from those of its sentences."""

import pytest

from gru_mt.inference.translation import Candidate, SentenceTranslation, Translation


@pytest.mark.parametrize(
    ("parts", "line"),
    [
        ([("Salut !", " "), ("Ça va ?", "")], "Salut ! Ça va ?"),
        ([("Where?", ""), ("I see 2.", ""), ("5 cats.", "")], "Where? I see 2. 5 cats."),
        ([("どこですか。", ""), ("私です。", "")], "どこですか。私です。"),
        ([("Hi!", ""), ("😀", "")], "Hi!😀"),
        ([("Fin.", ""), ("¿Qué?", ""), ("«\u00a0Oui.", "")], "Fin. ¿Qué? «\u00a0Oui."),
        ([("Ok.", ""), ("(Go.)", ""), ("「はい。」", "")], "Ok. (Go.)「はい。」"),
        ([("", "")], ""),
        ([], ""),
    ],
)
def test_sentences_have_their_gaps_and_words_always_have_a_space_between(
    parts: list[tuple[str, str]], line: str
) -> None:
    sentences = [
        SentenceTranslation("x", [], [Candidate(text, 0.0, [], None)], gap=gap)
        for text, gap in parts
    ]
    assert Translation("x", sentences).text == line
