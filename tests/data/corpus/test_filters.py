"""Filters drop pairs that are seldom translations, count them, and are off unless asked for."""

from gru_mt.data.corpus.filters import filter_pair, rows_in_other_scripts
from gru_mt.data.corpus.report import DropReason
from tests.corpora import dropped, load, write

LINES = [
    "Go.\tVa !",
    "Paris\tparis",
    "At 10:30, 3 cats.\tÀ 10 h 30, 3 chats.",
    "I have 3 cats.\tJ'ai 4 chats.",
    "GO!\tva.",
    "Дом.\tC'est une maison.",
    "This is my house and my dog.\tC'est ma maison et mon chien.",
    "?!\t3",
]
# Enough in the usual script that a few letters of another are none of the language.
MORE = [f"We see the {word}.\tNous voyons le {word}." for word in "abcdefghij"]
DROPPED: dict[str, dict[DropReason, tuple[int | str, ...]]] = {
    "copies": {DropReason.COPY: (2,)},
    "digits": {DropReason.DIGITS: (4, 8)},
    "near_duplicates": {DropReason.NEAR: (5,)},
    "scripts": {DropReason.SCRIPT: (6,)},
}


def test_a_filter_drops_its_own_lines() -> None:
    write({"c.tsv": "".join(f"{line}\n" for line in [*LINES, *MORE])})
    assert dropped("c.tsv") == {}
    for name, lines in DROPPED.items():
        assert dropped("c.tsv", filters=[name]) == lines
    report = load("c.tsv", filters=[*DROPPED]).report
    assert {reason: its.first_lines for reason, its in report.dropped.items()} == {
        reason: lines for of_filter in DROPPED.values() for reason, lines in of_filter.items()
    }
    assert report.kept + sum(its.count for its in report.dropped.values()) == report.read


def test_a_language_may_have_several_scripts() -> None:
    japanese = [
        "私はテニスをします。",
        "これは本です。",
        "カメラを買った。",
        "Tシャツを着る。",
    ] * 20
    assert rows_in_other_scripts([*japanese, "in Latin", "３"]) == [80]


def test_numbers_are_equal_in_whatever_digits() -> None:
    for first, second, same in [
        ("06 May", "le 6 mai", True),
        ("at 6:05", "à 06 h 5", True),
        ("in 2024", "سال ۲۰۲۴", True),  # Persian
        ("in 2024", "عام ٢٠٢٤", True),  # Arabic
        ("२०२४ में", "in 2024", True),
        ("２０２４年５月０６日", "6.5.2024", True),
        ("0 of 00", "00 of 0", True),
        ("9" * 5_000, "９" * 5_000, True),
        ("in 2024", "سال ۲۰۲۳", False),
        ("60", "6", False),
        ("0", "none", False),
        ("x²", "x", True),  # no digit
    ]:
        reason = filter_pair(first, second, ["digits"])
        assert reason == (None if same else DropReason.DIGITS), (first, second)
