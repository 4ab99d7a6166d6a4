"""Every line becomes a clean pair or is counted under its reason; filters are off by default."""

import json
from dataclasses import asdict

import pytest

from gru_mt.data.corpus.filters import filter_pair, rows_in_other_scripts
from gru_mt.data.corpus.report import DroppedLines, DropReason
from gru_mt.data.types import Pair
from tests.corpora import dropped, load, write

GO = b"Go.\tVa !\n"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Go\u00ad. \tVa\u202f!", DropReason.DUPLICATE),  # differs in what is unseen
        ("x" * 101 + "\ty", DropReason.TOO_LONG),  # 25 characters a word
        ("No.\t一二三", DropReason.RATIO),  # letters of a script without spaces
        ("The river.\tLa riviÃ¨re.", DropReason.MOJIBAKE),
        ("Over there.\tLÃ\xa0-bas.", DropReason.MOJIBAKE),
        ("Itâ€™s me.\tC'est moi.", DropReason.MOJIBAKE),
        ("Hi.\tÐŸÑ€Ð¸Ð²ÐµÑ‚.", DropReason.MOJIBAKE),
        ("Japan.\tæ—¥æœ¬", DropReason.MOJIBAKE),
    ],
)
def test_a_dropped_line_is_counted_with_its_reason_and_number(
    line: str, reason: DropReason
) -> None:
    write({"c.txt": GO + line.encode() + b"\nRun.\tCours !"})
    corpus = load("c.txt", max_words=4, max_ratio=2.5)
    assert corpus.pairs == [Pair("Go.", "Va !", 1), Pair("Run.", "Cours !", 3)]
    assert corpus.report.dropped == {reason: DroppedLines(1, (2,))}


def test_no_text_of_its_language_is_taken_for_utf_8_that_was_read_as_latin_1() -> None:
    texts = [
        "«SÃO JOSÉ»",
        "”HYVÄ”",
        "«Il a été…»",
        "Où ça ? À Liège !",
        "¡ESPAÑA!",
        "Größe: 5 Å.",
        "Île",
    ]
    write({"c.txt": "".join(f"{n} It is.\t{text}\n" for n, text in enumerate(texts))})
    assert load("c.txt").report.kept == len(texts)


def test_what_is_at_the_bounds_or_no_duplicate_is_kept() -> None:
    write({"c.txt": b"a b c d\te f\na b\tc d e f g\n" + b"x" * 125 + b"\ty\n"})
    assert load("c.txt", max_words=5, max_ratio=2.5).report.kept == 3
    write({"c.txt": b"Go.\tVa !\nGo.\tAllez !\ngo.\tVa !\nVa !\tGo.\n"})
    assert load("c.txt").report.kept == 4


def test_the_report_gives_totals_then_reasons_the_most_frequent_first() -> None:
    numbers = "".join(f"{n}\tx\n" for n in range(1_230)).encode()
    write({"c.txt": b"none\n" + GO * 5 + b"A\t\n" + numbers})
    report = load("c.txt").report
    assert report.lines() == [
        "1,237 lines read, 1,231 kept",
        "duplicate: 4, first at lines 3, 4, 5",
        "no tab: 1, first at line 1",
        "empty side: 1, first at line 7",
    ]
    as_json = json.loads(json.dumps(asdict(report)))
    assert as_json["dropped"]["duplicate"] == {
        "count": 4, "first_lines": [3, 4, 5], "examples": ["Go. | Va !"] * 3
    }  # fmt: skip
    assert as_json["dropped"]["empty side"]["examples"] == ["A |"]


def test_a_filter_drops_its_own_lines() -> None:
    lines = ["Go.\tVa !", "Paris\tparis", "At 10:30, 3 cats.\tÀ 10 h 30, 3 chats.",
             "I have 3 cats.\tJ'ai 4 chats.", "GO!\tva.", "Дом.\tC'est une maison.",
             "?!\t3"]  # fmt: skip
    # Enough in the usual script that a few letters of another are none of the language.
    lines += [f"We see the {word}.\tNous voyons le {word}." for word in "abcdefghij"]
    write({"c.tsv": "".join(f"{line}\n" for line in lines)})
    of_filter: dict[str, dict[DropReason, tuple[int, ...]]] = {
        "copies": {DropReason.COPY: (2,)},
        "digits": {DropReason.DIGITS: (4, 7)},
        "near_duplicates": {DropReason.NEAR: (5,)},
        "scripts": {DropReason.SCRIPT: (6,)},
    }
    assert dropped("c.tsv") == {}
    for name, lines_of in of_filter.items():
        assert dropped("c.tsv", filters=[name]) == lines_of
    together = {reason: its for lines_of in of_filter.values() for reason, its in lines_of.items()}
    assert dropped("c.tsv", filters=[*of_filter]) == together


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
        ("in 2024", "سال ۲۰۲۴", True),  # Persian
        ("２０２４年５月０６日", "6.5.2024", True),
        ("0 of 00", "00 of 0", True),
        ("9" * 5_000, "９" * 5_000, True),
        ("in 2024", "سال ۲۰۲۳", False),
        ("60", "6", False),
        ("x²", "x", True),  # no digit
    ]:
        reason = filter_pair(first, second, ["digits"])
        assert reason == (None if same else DropReason.DIGITS), (first, second)
