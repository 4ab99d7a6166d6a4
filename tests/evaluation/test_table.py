"""Tables in text."""

from gru_mt.evaluation.table import number, table


def test_numbers_end_alike_and_texts_begin_alike() -> None:
    rows = [["", "n", "state"], ["long name", "1.5", "ok"], ["b", "12.5", "damaged"]]
    assert table(rows, texts=(0, 2)) == [
        "              n  state",
        "long name   1.5  ok",
        "b          12.5  damaged",
    ]


def test_wide_characters_and_accents_take_their_columns() -> None:
    assert table([["猫", "1"], ["abcd", "2"], ["e\u0301", "3"]]) == [
        "猫    1", "abcd  2", "e\u0301     3",
    ]  # fmt: skip


def test_what_a_terminal_would_obey_is_escaped() -> None:
    assert table([["a\x1b[2J", "1"]]) == ["a\\x1b[2J  1"]


def test_an_unknown_number_is_a_dash() -> None:
    assert (number(None, ".1f"), number(1.25, ".1f")) == ("-", "1.2")
