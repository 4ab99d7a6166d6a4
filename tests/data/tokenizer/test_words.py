"""The word vocabulary: what a token is, which tokens are kept, how text is written again."""

import re

import pytest

from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS, SPECIALS, UNK
from gru_mt.data.tokenizer.words import Words, split_words
from gru_mt.errors import UserError

FIRST = (*SPECIALS, *PLACEHOLDER_TOKENS)
LINES = "".join(f"{token}\n" for token in FIRST).encode()
ENGLISH = ["Where are you?", "Yes, I am.", "I don't know!", 'He said "yes" (twice).', '"Oh!"']
FRENCH = ["Où es-tu ?", "Oui, c'est moi.", "Je l'ignore !", "Il dit « oui » : oui.", "Oh !"]
HINDI = ["वह जाती।", "वह जाती।", "जाती है।"]  # a word ends with a vowel sign


def words(
    texts: list[str], *, kind: str = "word", size: int = 1_000, min_frequency: int = 1
) -> Words:
    return Words.train(texts, texts, kind=kind, size=size, min_frequency=min_frequency)


@pytest.mark.parametrize(
    ("kind", "text", "tokens"),
    [
        ("word", "Hello, World!", ["hello", ",", "world", "!"]),
        ("word", "I don't, qu’il vas-tu", ["i", "don'", "t", ",", "qu’", "il", "vas-tu"]),
        ("word", "At 7:30, 10,000.50 of 3.", ["at", "7:30", ",", "10,000.50", "of", "3", "."]),
        ("word", "हिन्दी में cafe\u0301", ["हिन्दी", "में", "cafe\u0301"]),
        ("word", "", []),
        ("space", "L'homme qu’il aime ?", ["l'homme", "qu’il", "aime", "?"]),
        (
            "space",
            "At 7:30 (or 3.14)",
            ["at", "7:30", "(or", "3", ".14)"],
        ),  # as the tutorials cut it
        ("space", "a\ue010b, -- \ue011.", ["a", "\ue010", "b", ",", "--", "\ue011", "."]),
    ],
)
def test_tokens_are_lower_case_with_punctuation_apart(
    kind: str, text: str, tokens: list[str]
) -> None:
    assert split_words(text, kind) == tokens


def test_the_most_frequent_words_come_first_and_ties_are_alphabetical() -> None:
    assert words(["b b b d", "c a c a", "e D"]).tokens == (*FIRST, "b", "a", "c", "d", "e")
    assert words(["a a a b b c"], size=14).tokens == (*FIRST, "a", "b")


def test_words_rarer_than_the_minimum_are_unknown_and_visible_in_text() -> None:
    vocabulary = words(["a a a b b c"], min_frequency=2)
    assert vocabulary.tokens == (*FIRST, "a", "b")
    assert vocabulary.encode("b c a z") == [13, UNK, 12, UNK]
    assert vocabulary.decode([2, 13, UNK, 12, 3, 0, 0]) == "b <unk> a"
    with pytest.raises(UserError, match=r"^tokenizer\.min_frequency 4: .* set it to 3 or less$"):
        words(["a a a b b c"], min_frequency=4)


@pytest.mark.parametrize("texts", [ENGLISH, FRENCH, HINDI], ids=["English", "French", "Hindi"])
def test_text_comes_back_with_its_punctuation_in_place(texts: list[str]) -> None:
    vocabulary = words(texts)
    decoded = [vocabulary.decode(ids) for ids in vocabulary.encode_all(texts)]
    assert decoded == [text.lower() for text in texts]


def test_a_joint_vocabulary_spaces_punctuation_as_the_written_side_does() -> None:
    to_french = Words.train(ENGLISH + FRENCH, FRENCH, size=1_000, min_frequency=1)
    to_english = Words.train(FRENCH + ENGLISH, ENGLISH, size=1_000, min_frequency=1)
    assert to_french.tokens == to_english.tokens
    assert to_french.decode(to_french.encode("Oui?")) == "oui ?"
    assert to_english.decode(to_english.encode("Yes ?")) == "yes?"


def test_the_file_is_plain_text_and_gives_the_same_vocabulary_back() -> None:
    assert words(["l'un, l'un, l'un", "un"]).to_bytes() == LINES + b"un\nl'\t>\n,\t<\n"
    vocabulary = words(ENGLISH + FRENCH, kind="space")
    again = Words.from_bytes(vocabulary.to_bytes())
    assert (again.tokens, again.kind) == (vocabulary.tokens, "space")
    assert again.to_bytes() == vocabulary.to_bytes()
    odd = words(["the <unk> <pad> cat"], kind="space")  # as a text may say
    assert Words.from_bytes(odd.to_bytes()).tokens == (*FIRST, "cat", "the")
    assert odd.encode("the <pad> </s>") == [13, UNK, UNK]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"<pad>\n<unk>\n<s>\n</s>\nword", "its last line is truncated"),
        (b"<pad>\n<s>\n<unk>\n</s>\n", "must begin with the lines <pad>, <unk>, <s>, </s>"),
        (LINES + b"a\na\n", "line 14 is"),
        (LINES + b"a\t7\n", "line 13 is"),
        (LINES.replace(b"<pad>", b"<pad>\tchar"), "line 1 is"),
        (LINES + b"a\x1b[2J\n", "line 13 is"),
        (b"<pad>\n\xff\n", "utf-8"),
    ],
)
def test_damaged_bytes_say_what_is_wrong(data: bytes, fault: str) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        Words.from_bytes(data)
