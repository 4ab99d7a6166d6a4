"""What is the frame of a sentence, and what is a part of it."""

import random
import re

from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS
from gru_mt.inference.preprocessing.frames import core


def test_a_placeholder_that_is_none_is_of_no_frame_and_a_numeral_is() -> None:
    text = "\ue010, He is big. \ue011"
    for placeholders, expected in (
        (["{x}", "😀"], (3, 13)), ([None, "😀"], (0, 13)), (["{x}", None], (3, len(text)))
    ):  # fmt: skip
        assert core(text, placeholders, [], lambda _: False) == expected
    assert core("IV) He is big.", [], [], lambda _: False) == (4, 14)
    assert core("P.S. He is big.", [], [], lambda _: False) == (0, 15)  # no item P
    for label in ("—", "1、", "（1）", "・", "1- ", "①", "❷ "):
        text = f"{label}{'¿' * (label == '—')}Buy milk."
        assert core(text, [], [], lambda _: False)[0] == len(label), text
    assert core("'name' \ue010 'I am'", ["=>"], [], lambda _: False)[0] == len("'name' \ue010 '")
    assert core("::: He is big. (12)", [], [], lambda _: False) == (4, 14)
    assert core("He is big (12)", [], [], lambda _: False) == (0, 14)
    cell = "\ue01012\ue011\ue012He is big."
    tags = ["<td>", "</td>", "<td>"]
    assert core(cell, tags, [(0, 1)], {"He", "is"}.__contains__)[0] == 5
    assert core(cell, tags, [(0, 1)], lambda _: False)[0] == 0  # of a name
    assert core("5- to 6-year-olds.", [], [], lambda _: False)[0] == 0


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
        assert '"' not in text[start:end] or '"' not in text[:start] + text[end:], text
