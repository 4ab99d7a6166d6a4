"""What is the frame of a sentence, and what is a part of it."""

import random
import re

import pytest

from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS
from gru_mt.inference.preprocessing.frames import core, is_wordlike

SMALL = "he is big where the you where step so and said hello name page"  # mostly written small


def core_of(case: str) -> str:
    """Return the sentence in a text of ⟦placeholders⟧; ⟦a⟧ and ⟦/a⟧ are a pair, and so are ⟦*⟧."""
    placeholders = re.findall("⟦(.*?)⟧", case)
    marks = iter(PLACEHOLDER_TOKENS)
    text = re.sub("⟦.*?⟧", lambda _: next(marks), case)
    opened: list[int] = []
    pairs = []
    for number, placeholder in enumerate(placeholders):
        if placeholder.startswith(("</", "[/", "](")) or (placeholder == "*" and opened):
            pairs.append((opened.pop(), number))
        elif placeholder.startswith(("<", "[b", "*")) or placeholder == "[":
            opened.append(number)
    start, end = core(text, placeholders, pairs, lambda word: word.lower() in SMALL.split())
    left = iter(placeholders)
    whole = [f"⟦{next(left)}⟧" if each in PLACEHOLDER_TOKENS else each for each in text]
    return "".join(whole[start:end])


FRAMES = [
    "⟦<p>⟧{}⟦</p>⟧", "⟦<p>⟧⟦<b>⟧{}⟦</b>⟧⟦</p>⟧", "⟦**⟧ {}", "⟦#⟧ {}", "⟦>⟧ {}", "⟦😀⟧ {}",
    "{} ⟦😀⟧",
    "⟦[x]⟧ {}", "- ⟦[ ]⟧ {}", "⟦{\\an8}⟧{}", "⟦{name}⟧: {}", "⟦[INFO]⟧ {}", "⟦[Tom]⟧: {}",
    "⟦{{#if a}}⟧{}⟦{{/if}}⟧", "⟦{name}⟧ {}", "⟦@tom⟧ {}",
    "⟦@tom⟧, {}",
    "⟦%s⟧ - {}", "⟦1984⟧ {}", "⟦1984⟧: {}", "- {}", "– {}", "… {}", "» {}", "—{}", "1) {}",
    "(1) {}", "1. {}",
    "1.2. {}", "1.2 {}", "a) {}", "(b) {}", "iv. {}", "IV) {}", "12 {}", "10:30 {}",
    "Tom: {}",
    "A: {}", "key: {}", "key ⟦=⟧ {}", '"{}"', "'{}'", "“{}”", "„{}“", "«{}»", "« {} »",
    "({})", "「{}」",
    '("{}")', '⟦<p>⟧"{}"⟦</p>⟧', "- 1) ⟦*⟧{}⟦*⟧", "{}⟦\\n⟧", "⟦[⟧{}⟦](https://a.org)⟧",
    "⟦&nbsp;⟧{}",
]  # fmt: skip


def test_a_frame_is_taken_off() -> None:
    for frame in FRAMES:
        assert core_of(frame.replace("{}", "He is big.")) == "He is big.", frame


WHOLE = [
    "⟦{name}⟧ is here", "⟦[name]⟧ is here", "⟦1984⟧ is big", "⟦%s⟧ is here",
    "He is ⟦{name}⟧", "-5 degrees",
    "5 dogs",
    "M. Dupont", "So he is: big", "I am big", "10:30 is so", "12 Tom", "Step: open",
    "Hello: he is",
    '"He," he said, "is big."', '"He" is "big"', "(He) is (big)", "«He» is «big»",
    "He is (big)",
    "He said 'so'", "⟦<b>⟧He⟦</b>⟧ is big", "He is ⟦<b>⟧big⟦</b>⟧", "⟦*⟧He⟦*⟧ is ⟦*⟧big⟦*⟧",
    "⟦[b]⟧He⟦[/b]⟧ is", "don't", "'tis big", "…", "⟦😀⟧", "⟦<p>⟧⟦</p>⟧", "1)", "- ", "",
    "⟦<b>⟧He⟦</b>⟧ and ⟦<b>⟧so⟦</b>⟧",
]  # fmt: skip


def test_what_belongs_to_the_sentence_stays() -> None:
    for text in WHOLE:
        assert core_of(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("⟦<p>⟧He is ⟦<b>⟧big⟦</b>⟧⟦</p>⟧", "He is ⟦<b>⟧big⟦</b>⟧"),
        ("⟦<p>⟧⟦<b>⟧He⟦</b>⟧ is big⟦</p>⟧", "⟦<b>⟧He⟦</b>⟧ is big"),
        ("⟦😀⟧ ⟦<b>⟧He⟦</b>⟧ is big", "⟦<b>⟧He⟦</b>⟧ is big"),
        ('- "He" is big', '"He" is big'),
        ('He is big." ⟦😀⟧', 'He is big."'),
        ("1) He is (big)", "He is (big)"),
        ("⟦{name}⟧: ⟦{x}⟧ is", "⟦{x}⟧ is"),
        ("He is big. ⟦1984⟧", "He is big."),  # a placeholder after the end
        ("He is big ⟦😀⟧ ⟦😀⟧", "He is big"),
    ],
)
def test_a_frame_ends_where_a_pair_or_a_quotation_would_be_torn(text: str, expected: str) -> None:
    assert core_of(text) == expected


def test_a_placeholder_that_is_none_is_of_no_frame() -> None:
    text = "\ue010, He is big. \ue011"
    for placeholders, expected in (
        (["{x}", "😀"], (3, 13)), ([None, "😀"], (0, 13)), (["{x}", None], (3, len(text)))
    ):  # fmt: skip
        assert core(text, placeholders, [], lambda _: False) == expected


def test_a_word_may_stand_for_a_placeholder() -> None:
    for word in ("{name}", "1984", "a@b.org", "%s", "@tom", "x", "[name]"):
        assert is_wordlike(word)
    for sign in ("[x]", "[/b]", "<p>", "[b]", "*", "😀", "\\n", "&nbsp;", "{\\an8}", "{% if a %}",
                 ":smile:", "](http://a.org)", "[", "→"):  # fmt: skip
        assert not is_wordlike(sign)


def test_any_text_has_a_core_without_half_a_pair() -> None:
    rng = random.Random(4)
    pieces = ["⟦<p>⟧", "⟦</p>⟧", "⟦{x}⟧", "⟦😀⟧", "⟦=⟧", "He", "is", "big", *'."«»()']
    for _ in range(3_000):
        chosen = rng.choices([*pieces, "- ", "1) ", ": ", " ", " "], k=rng.randrange(12))
        placeholders = [each[1:-1] for each in chosen if each[0] == "⟦"]
        if len(placeholders) > len(PLACEHOLDER_TOKENS):
            continue
        text = "".join(chosen)
        for mark in PLACEHOLDER_TOKENS:
            text = re.sub("⟦.*?⟧", mark, text, count=1)
        pairs = []
        opened: list[int] = []
        for number, placeholder in enumerate(placeholders):
            if placeholder == "<p>":
                opened.append(number)
            elif placeholder == "</p>" and opened:
                pairs.append((opened.pop(), number))
        start, end = core(text, placeholders, pairs, lambda _: False)
        assert 0 <= start <= end <= len(text)
        inside = {
            PLACEHOLDER_TOKENS.index(each) for each in text[start:end] if each in PLACEHOLDER_TOKENS
        }
        assert all(({*pair} <= inside) or not ({*pair} & inside) for pair in pairs), text
        assert text[:start].count('"') == text[end:].count('"') or (start, end) == (0, len(text))
