"""Every line becomes a clean pair or is counted under its reason; filters are off by default."""

import json
import random
import unicodedata
from collections import Counter
from dataclasses import asdict

import pytest

from gru_mt.data.corpus.filters import filter_pair, rows_in_other_scripts
from gru_mt.data.corpus.report import DroppedLines, DropReason
from gru_mt.data.types import Pair
from tests.corpora import dropped, load, pairs, write

GO = b"Go.\tVa !\n"


def test_only_a_line_feed_ends_a_line_and_a_carriage_return_before_it_is_dropped() -> None:
    write({"c.txt": "a\u2028b\tc\x0cd\r\ne\x85f\tg\x0bh\r\ni\rj\tk\x1el"})
    assert load("c.txt").pairs == [
        Pair("a b", "c d", 1),
        Pair("e f", "g h", 2),
        Pair("i j", "k l", 3),
    ]
    write({"c.txt": "\ufeffGo.\tVa !\n\ufeffRun.\tCours !\n"})
    assert pairs("c.txt") == [("Go.", "Va !"), ("Run.", "Cours !")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", DropReason.NO_TAB),
        (b"Go. Va !", DropReason.NO_TAB),
        (b"Go.\t", DropReason.EMPTY),
        ("\u00a0\tVa !".encode(), DropReason.EMPTY),
        ("Go\u00ad. \tVa\u202f!".encode(), DropReason.DUPLICATE),  # differs in what is unseen
        (b"1 2 3 4 5\tVa !", DropReason.TOO_LONG),
        (b"Go !\t1 2 3 4 5", DropReason.TOO_LONG),
        (b"x" * 101 + b"\ty", DropReason.TOO_LONG),  # 25 characters a word
        (b"Go\t1 2 3", DropReason.RATIO),
        (b"1 2 3\tVa", DropReason.RATIO),
        ("No.\t一二三".encode(), DropReason.RATIO),  # letters of a script without spaces
        (b"Caf\xe9.\tCaf\xe9.", DropReason.NOT_UTF8),
        (b"Go.\tVa !\t\xff", DropReason.NOT_UTF8),
        (b"Go\x00.\tVa !", DropReason.CONTROL),
        ("Go.\tVa \u0080!".encode(), DropReason.CONTROL),
        (b"Go.\tVa !\tCC-BY\t", DropReason.COLUMNS),
    ],
)
def test_a_dropped_line_is_counted_with_its_reason_and_number(
    line: bytes, reason: DropReason
) -> None:
    write({"c.txt": GO + line + b"\nRun.\tCours !"})
    corpus = load("c.txt", max_words=4, max_ratio=2.5)
    assert corpus.pairs == [Pair("Go.", "Va !", 1), Pair("Run.", "Cours !", 3)]
    assert (corpus.report.read, corpus.report.kept) == (3, 2)
    assert corpus.report.dropped == {reason: DroppedLines(1, (2,))}


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
    assert (as_json["read"], as_json["kept"]) == (1_237, 1_231)
    assert as_json["dropped"]["duplicate"] == {
        "count": 4, "first_lines": [3, 4, 5], "examples": ["Go. | Va !"] * 3
    }  # fmt: skip
    assert as_json["dropped"]["empty side"]["examples"] == ["A |"]


def expected_reason(line: bytes, seen: set[tuple[str, ...]]) -> str | None:
    """Return why a line is dropped, character by character; add a kept pair to `seen`."""
    try:
        columns = line.decode().split("\t")
    except UnicodeDecodeError:
        return "not UTF-8"
    if not 2 <= len(columns) <= 3:
        return "no tab" if len(columns) == 1 else "more than three columns"
    spaced = [
        "".join(" " if c.isspace() else c for c in column if c != "\ufeff")
        for column in columns[:2]
    ]
    sides = tuple(" ".join(word for word in side.split(" ") if word) for side in spaced)
    if any(unicodedata.category(character) == "Cc" for side in sides for character in side):
        return "control characters"
    if "" in sides:
        return "empty side"
    lengths = [len(side.split(" ")) for side in sides]
    if max(lengths) > 4:
        return "too long"
    if max(lengths) / min(lengths) > 2:
        return "too long a ratio"
    if sides in seen:
        return "duplicate"
    seen.add(sides)
    return None


@pytest.mark.parametrize("seed", range(6))
def test_garbage_is_kept_or_counted_line_by_line(seed: int) -> None:
    pieces = [b"\t", b"\t", b"\t", b"\n", b"\n", b"\r", b" ", b" ", b"a", b"b", b"\x00", b"\x0b"]
    pieces += [b"\xff", b"\xc3", "é\u2028\u202f\x85\x9f".encode(), b"\x1c", b"\xef\xbb\xbf"]
    rng = random.Random(seed)
    data = GO + b"".join(rng.choices(pieces, k=6_000))
    write({"c.txt": data})
    report = load("c.txt", max_words=4, max_ratio=2).report

    lines = data.split(b"\n")
    lines = [line.removesuffix(b"\r") for line in (lines if lines[-1] else lines[:-1])]
    seen: set[tuple[str, ...]] = set()
    reasons = [expected_reason(line, seen) for line in lines]
    assert report.read == len(lines)
    assert report.kept == reasons.count(None)
    assert {str(reason): lines.count for reason, lines in report.dropped.items()} == Counter(
        reason for reason in reasons if reason
    )
    for reason, dropped_lines in report.dropped.items():
        numbers = [number for number, found in enumerate(reasons, start=1) if found == reason]
        assert dropped_lines.first_lines == tuple(numbers[:3])


# Filters


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
