"""What a letter, a mark and a word are, and the one way in which a text is written."""

import re
import sys
import unicodedata

import pytest

from gru_mt.data.text.normalize import MARKS, WORD, clean, count_words, in_word, is_mark, is_word


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Go.", 1),
        ("Où est-il ?", 3),
        ("나는 학교에 간다.", 3),  # Korean has spaces
        ("「はい」と、言った。", 7),  # the first bracket belongs to no letter before it
        ("時々", 2),
        ("ﾃﾚﾋﾞ", 4),  # half-width, and its mark is a letter of its own
        ("GRUモデル 2 個", 6),
        ("สวัสดีครับ", 7),  # ten characters, three of them marks
        ("བཀྲ་ཤིས།", 4),  # marks, subjoined letters and separators are none
        ("𠮷野家", 3),
    ],
)
def test_a_letter_of_a_script_without_spaces_is_a_word(text: str, words: int) -> None:
    assert count_words(text) == words


def test_a_word_has_no_space_and_no_control_character() -> None:
    assert is_word("maison")
    assert is_word("\u0301")
    others = ["", "a b", " a", *(f"a{character}" for character in "\x00\x1b\x7f\x9b\n\x85\u2028")]
    assert not any(map(is_word, others))


def test_marks_are_all_that_unicode_calls_so_and_the_joiners() -> None:
    characters = [*map(chr, range(sys.maxunicode + 1))]
    marks = {each for each in characters if unicodedata.category(each).startswith("M")}
    found = re.compile(f"[{MARKS}]").findall("".join(characters))
    assert {*found} == marks | {"\u200c", "\u200d"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("l'été_dernier, 5pm", ["l", "été", "dernier", "pm"]),
        ("Yoru\u0300ba\u0301 e\u0323\u0300", ["Yoru\u0300ba\u0301", "e\u0323\u0300"]),
        ("लड़की घर जाती है।", ["लड़की", "घर", "जाती", "है"]),
        ("شָׁלוֹם! كَتَبَ", ["شָׁלוֹם", "كَتَبَ"]),
        ("می\u200cخواهم ന\u0d4d\u200d", ["می\u200cخواهم", "ന\u0d4d\u200d"]),
        ("_\u0301 \u200d ।", []),
    ],
)
def test_a_word_keeps_its_vowel_signs_accents_points_and_joiners(
    text: str, words: list[str]
) -> None:
    assert WORD.findall(text) == words


def test_a_mark_is_in_a_word_and_a_sign_is_not() -> None:
    assert [*map(in_word, ["a", "5", "ी", "\u0301", "\u200d"])] == [True] * 5
    assert [*map(in_word, ["", "_", " ", "।", "-", "😀"])] == [False] * 6
    assert [*map(is_mark, ["ी", "\u200d", "a", "", "।"])] == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  Go \t now.  ", "Go now."),
        ("«\u00a0Non\u202f\u00a0! »", "« Non ! »"),
        ("one\u2028two\x0bthree\x0cfour\x85five", "one two three four five"),
        ("cafe\u0301 E\u0302\u0301 \u1112\u1161\u11ab", "café \u1ebe \ud55c"),  # accents, Hangul
        ("か\u3099 \u0928\u093c \u212b \u0958", "\u304c \u0929 \u00c5 \u0915\u093c"),
        ("co\u00adop\u00ad. \ufeffa\u200bb\u2060c \u200b", "coop. abc"),
        ("می\u200cخواهم क्\u200dष 👩\u200d🔬 ❤\ufe0f", "می\u200cخواهم क्\u200dष 👩\u200d🔬 ❤\ufe0f"),
        ("Ｈｅｌｌｏ　１２３ Ｄｏｎ＇ｔ １，０００．５", "Hello 123 Don't 1,000.5"),
        ("ﬁne oﬀ eﬃcient ﬅ ﬆ", "fine off efficient st st"),
        ("Ｅ\u0301 ａ\u00adｂ １\u200b．\u200b５", "É ab 1.5"),
        ("ＣＤは１０枚？ Ａ！Ｂ （ａ）", "CDは10枚？ A！B （a）"),  # marks of Japanese stay
        ("Ｈｅｌｌｏ！ Ｗｈｙ？ （ａ）， 네？ É：", "Hello! Why? (a), 네? É:"),
        ("\ue010 ½ Ⅳ ﾃﾞ ㎞", "\ue010 ½ Ⅳ ﾃﾞ ㎞"),  # more than another way to write it
    ],
)
def test_a_text_has_one_way_to_be_written_and_nothing_unseen(text: str, cleaned: str) -> None:
    assert clean(text) == clean(cleaned) == cleaned
