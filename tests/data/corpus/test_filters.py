"""Filters drop pairs that are seldom translations, count them, and are off unless asked for."""

from pathlib import Path

import pytest

from gru_mt.data.corpus.filters import filter_pair, rows_in_other_scripts
from gru_mt.data.corpus.report import DroppedLines, DropReason
from tests.corpora import data_config, load_one

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


@pytest.mark.parametrize(
    ("name", "reason", "lines"),
    [
        ("copies", DropReason.COPY, (2,)),
        ("digits", DropReason.DIGITS, (4, 8)),
        ("near_duplicates", DropReason.NEAR, (5,)),
        ("scripts", DropReason.SCRIPT, (6,)),
    ],
)
def test_a_filter_drops_its_own_lines(
    name: str, reason: DropReason, lines: tuple[int, ...], tmp_path: Path
) -> None:
    path = tmp_path / "c.tsv"
    path.write_text("".join(f"{line}\n" for line in [*LINES, *MORE]))
    assert load_one(data_config(str(path))).report.dropped == {}
    corpus = load_one(data_config(str(path), filters=[name]))
    assert corpus.report.dropped == {reason: DroppedLines(len(lines), lines)}
    assert corpus.report.kept == len(LINES) + len(MORE) - len(lines)
    kept = {pair.line for pair in corpus.pairs if pair.line <= len(LINES)}
    assert kept == {*range(1, len(LINES) + 1)} - {*lines}


def test_all_filters_together_count_each_line_once(tmp_path: Path) -> None:
    path = tmp_path / "c.tsv"
    path.write_text("".join(f"{line}\n" for line in LINES))
    names = ["copies", "digits", "near_duplicates", "scripts"]
    report = load_one(data_config(str(path), filters=names)).report
    assert report.kept + sum(dropped.count for dropped in report.dropped.values()) == report.read


def test_a_language_may_have_several_scripts() -> None:
    japanese = [
        "私はテニスをします。",
        "これは本です。",
        "カメラを買った。",
        "Tシャツを着る。",
    ] * 20
    assert rows_in_other_scripts([*japanese, "in Latin", "３"]) == [80]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
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
    ],
)
def test_numbers_are_equal_in_whatever_digits(first: str, second: str, same: bool) -> None:
    reason = filter_pair(first, second, ["digits"])
    assert reason == (None if same else DropReason.DIGITS)
