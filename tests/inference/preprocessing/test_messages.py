"""Messages of ICU: where the texts of their arms are, and how translations take their place."""

import pytest

from gru_mt.inference.preprocessing.messages import arms, with_arms
from gru_mt.inference.translation import Candidate, SentenceTranslation, Translation


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("{n, plural, one {# cat} other {# cats}}", [["# cat", "# cats"]]),
        ("I see {n,plural,one{a cat}other{# cats}} here", [["a cat", "# cats"]]),
        ("{n, plural, offset:1 =0 {no} other {more}}", [["no", "more"]]),
        ("{ g , select , male {He} female {She} other {They} } is", [["He", "She", "They"]]),
        ("{g, select, a {x} b {y}} and {n, plural, other {z}}", [["x", "y"], ["z"]]),
        ("{g, select, a {{n, plural, other {# cats}}}}", [["{n, plural, other {# cats}}"]]),
        ("{g, select, a {see {name}} other {}}", [["see {name}", ""]]),
        ("{n} and {n, number} and {d, date, short}", []),
        ("{n, plural}", []),
        ("{n, plural, one {a cat} other", []),  # not closed
        ("no message", []),
    ],
)
def test_arms_are_the_texts_of_plurals_and_selects(line: str, texts: list[list[str]]) -> None:
    found = arms(line)
    assert [[span.text for span in each] for each in found] == texts
    for span in (span for each in found for span in each):
        assert line[span.start : span.end] == span.text


def test_translations_of_arms_stand_in_their_place_in_each_candidate() -> None:
    message = "{n, plural, one {# cat} other {# cats}}"
    line = f"I see {message}."
    texts = [f"Je vois {message}.", f"{message}, je vois."]
    candidates = [Candidate(text, 0.0, [], None) for text in texts]
    translation = Translation(line, [SentenceTranslation(line, [], candidates)])
    (spans,) = arms(line)
    found = with_arms(translation, line, spans, ["# chat", "# chats"])
    new = "{n, plural, one {# chat} other {# chats}}"
    assert found.texts == [f"Je vois {new}.", f"{new}, je vois."]
    assert found.source == line


@pytest.mark.parametrize("piece", ["{", "{a, plural, ", "{a, plural, b {", "{a,plural,b{}}", "}{"])
def test_any_text_is_searched(piece: str) -> None:
    assert all(span.text is not None for each in arms(piece * 2_000) for span in each)
