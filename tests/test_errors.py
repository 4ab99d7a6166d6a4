"""What messages quote is short, and does nothing to a terminal."""

import pickle

import pytest

from gru_mt.errors import UserError, escape, short_repr, short_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 你\n", "plain é 你\n"),
        ("\x1b[2Ja\r\tb\x00", "\\x1b[2Ja\\r\\tb\\x00"),
        ("a\x85b\u2028c\u202ed\u2066", "a\\x85b\\u2028c\\u202ed\\u2066"),
        ("\udcff", "\\udcff"),
    ],
)
def test_nothing_reaches_a_terminal_that_it_would_obey(text: str, shown: str) -> None:
    assert escape(text) == shown
    assert str(pickle.loads(pickle.dumps(UserError(text)))) == shown


def test_a_quotation_is_short() -> None:
    assert short_repr("word") == "'word'"
    assert len(short_repr("x" * 10_000)) <= 82
    deep: list[object] = []
    for _ in range(9):
        deep = [deep] * 9
    assert len(short_repr(deep)) < 5_000
    assert short_repr({"a\x1b": "\u202e"}) == "{'a\\x1b': '\\u202e'}"


@pytest.mark.parametrize(
    ("name", "text"),
    [("my corpus.tsv", "my corpus.tsv"), ("", "''"), ("a\nb", "'a\\nb'"), ("x" * 250, "x" * 250)],
)
def test_a_name_is_shown_as_it_is_unless_it_is_odd(name: str, text: str) -> None:
    assert short_text(name) == text
    assert len(short_text("x" * 251)) <= 82
