"""What a letter, a mark and a word are, and the one way in which a text is written."""

import re
import unicodedata
from itertools import chain

import pytest

from gru_mt.data.text.normalize import MARKS, WORD, clean, count_words, in_word, is_mark, words


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Où est-il ?", 3),
        ("나는 학교에 간다.", 3),  # Korean has spaces
        ("「はい」と、言った。", 7),  # the first bracket belongs to no letter before it
        ("ﾃﾚﾋﾞ", 4),  # half-width, and its mark is a letter of its own
        ("GRUモデル 2 個", 6),
        ("สวัสดีครับ", 7),  # ten characters, three of them marks
        ("𠮷野家", 3),
    ],
)
def test_a_letter_of_a_script_without_spaces_is_a_word(text: str, count: int) -> None:
    assert count_words(text) == count
    found = words("l’été 我明白了。 OK Tシャツ 5 x2")
    assert found == ["l", "été", "我", "明", "白", "了", "OK", "T", "シ", "ャ", "ツ", "x"]


def test_marks_are_all_that_unicode_calls_so_and_the_joiners() -> None:
    characters = [*map(chr, chain(range(0x33480), range(0xE0000, 0xE0200)))]  # assigned
    marks = {each for each in characters if unicodedata.category(each).startswith("M")}
    found = re.compile(f"[{MARKS}]").findall("".join(characters))
    assert {*found} == marks | {"\u200c", "\u200d"}
    assert all(map(in_word, ["a", "5", "ी", "\u0301", "\u200d"]))
    assert not any(map(in_word, ["", "_", " ", "।", "-", "😀"]))
    assert [*map(is_mark, ["ी", "\u200d", "a", "", "।"])] == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("l'été_dernier, 5pm", ["l", "été", "dernier", "pm"]),
        ("लड़की घर जाती है।", ["लड़की", "घर", "जाती", "है"]),
        ("شָׁלוֹם! كَتَبَ", ["شָׁלוֹם", "كَتَبَ"]),
        ("می\u200cخواهم ന\u0d4d\u200d", ["می\u200cخواهم", "ന\u0d4d\u200d"]),
        ("_\u0301 \u200d ।", []),
    ],
)
def test_a_word_keeps_its_vowel_signs_points_and_joiners(text: str, found: list[str]) -> None:
    assert WORD.findall(text) == found


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  Go \t now.  ", "Go now."),
        ("«\u00a0Non\u202f\u00a0! »", "« Non ! »"),
        ("cafe\u0301 E\u0302\u0301 \u1112\u1161\u11ab", "café \u1ebe \ud55c"),  # accents, Hangul
        ("co\u00adop\u00ad. \ufeffa\u200bb\u2060c \u200b", "coop. abc"),
        ("می\u200cخواهم क्\u200dष 👩\u200d🔬 ❤\ufe0f", "می\u200cخواهم क्\u200dष 👩\u200d🔬 ❤\ufe0f"),
        ("\u200fשלום\u200e, a\u2011b\u2010c\u2013d \u202aх\u202c", "שלום, a-b-c\u2013d х"),
        ("Ｈｅｌｌｏ　１２３ Ｄｏｎ＇ｔ １，０００．５", "Hello 123 Don't 1,000.5"),
        ("ﬁne oﬀ eﬃcient ﬅ ﬆ", "fine off efficient st st"),
        ("ＣＤは１０枚？ Ａ！Ｂ （ａ）", "CDは10枚？ A！B （a）"),  # marks of Japanese stay
        ("Ｈｅｌｌｏ！ Ｗｈｙ？ （ａ）， 네？ É：", "Hello! Why? (a), 네? É:"),
        ("e" + "\u0301" * 50_000, "é" + "\u0301" * 29),  # sorting them would take long
        ("\ue010 ½ Ⅳ ﾃﾞ ㎞", "\ue010 ½ Ⅳ ﾃﾞ ㎞"),  # more than another way to write it
    ],
)
def test_a_text_has_one_way_to_be_written_and_nothing_unseen(text: str, cleaned: str) -> None:
    assert clean(text) == clean(cleaned) == cleaned
