"""A text's length in words, whether or not its script has spaces."""

import pytest

from gru_mt.data.text import count_words, is_word


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
