"""A text's length in words, whether or not its script has spaces."""

import re
import sys
import unicodedata

import pytest

from gru_mt.data.text.normalize import MARKS, WORD, count_words, in_word, is_mark, is_word


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Go.", 1),
        ("Où est-il ?", 3),
        ("나는 학교에 간다.", 3),  # Korean has spaces
        ("Я понял .", 3),
        ("我明白了。", 4),
        ("「はい」と、言った。", 7),  # the first bracket belongs to no letter before it
        ("コーヒー", 4),
        ("時々", 2),
        ("ﾃﾚﾋﾞ", 4),  # half-width, and its mark is a letter of its own
        ("GRUモデル 2 個", 6),
        ("สวัสดีครับ", 7),  # ten characters, three of them marks
        ("བཀྲ་ཤིས།", 4),  # marks, subjoined letters and separators are none
        ("ສະບາຍດີ", 6),
        ("𠮷野家", 3),
    ],
)
def test_a_letter_of_a_script_without_spaces_is_a_word(text: str, words: int) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize(
    ("text", "yes"),
    [("maison", True), ("\u0301", True), ("", False), ("a b", False), (" a", False)]
    + [(f"a{character}", False) for character in "\x00\x1b\x7f\x9b\n\x85\u2028\u00a0"],
)
def test_a_word_has_no_space_and_no_control_character(text: str, yes: bool) -> None:
    assert is_word(text) == yes


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
        ("সে বাড়ি যায়।", ["সে", "বাড়ি", "যায়"]),
        ("كَتَبَ الوَلَدُ", ["كَتَبَ", "الوَلَدُ"]),
        ("שָׁלוֹם!", ["שָׁלוֹם"]),
        ("می\u200cخواهم بروم", ["می\u200cخواهم", "بروم"]),
        ("क्\u200dष और ന\u0d4d\u200d", ["क्\u200dष", "और", "ന\u0d4d\u200d"]),
        ("தமிழ் 123", ["தமிழ்"]),
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
