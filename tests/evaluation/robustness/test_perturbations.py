"""Sentences as people type them: the perturbations by hand."""

import random
from collections.abc import Callable

import pytest

from gru_mt.evaluation.robustness.perturbations import (
    PERTURBATIONS,
    another_mark,
    bare,
    doubled_mark,
    has_final_mark,
    other_quotes,
    spaced_marks,
    title_case,
    typo,
    unmarked,
    without_apostrophes,
)


@pytest.mark.parametrize(
    ("change", "text", "expected"),
    [
        (title_case, "don't you see?", "Don't You See?"),
        (title_case, '"yes," said élise (twice)', '"Yes," Said Élise (Twice)'),
        (title_case, "my mother-in-law", "My Mother-in-law"),
        (unmarked, "Où vas-tu ?", "Où vas-tu"),
        (unmarked, "No...", "No"),
        (unmarked, "我明白了。", "我明白了"),
        (unmarked, "At 3.5 no", "At 3.5 no"),
        (unmarked, 'He said "go."', 'He said "go."'),
        (unmarked, "?!", "?!"),
        (bare, "¡Qué va!", "qué va"),
        (bare, "Où ?", "où"),
        (bare, "你好。", "你好"),
        (without_apostrophes, "I don't, 'you' won’t.", "I dont, 'you' wont."),
        (other_quotes, "It's \"here\" ('there').", "It’s “here” (‘there’)."),
        (other_quotes, "It’s “here”.", 'It\'s "here".'),
        (other_quotes, "“It's”", "“It’s”"),
        (spaced_marks, "Yes, why?! At 3.5; no...", "Yes , why ?! At 3.5 ; no ..."),
        (spaced_marks, "Où ? Là !", "Où ? Là !"),
    ],
)
def test_a_perturbation_by_hand(change: Callable[[str], str], text: str, expected: str) -> None:
    assert change(text) == expected


def test_a_final_mark_is_doubled_or_tripled_but_only_a_single_one() -> None:
    drawn = {doubled_mark("Why?", random.Random(seed)) for seed in range(20)}
    assert drawn == {"Why??", "Why???"}
    for text in ("No...", "Why", ""):
        assert doubled_mark(text, random.Random(1)) == text


def test_a_final_mark_is_seen() -> None:
    assert [*map(has_final_mark, ("No.", "为什么？", "No", "", 'a."'))] == [True, True] + [
        False
    ] * 3


def test_a_typo_is_one_letter_of_a_long_word() -> None:
    drawn = {typo("He is Here.", random.Random(seed)) for seed in range(300)}
    # In "Here": letters swapped, dropped, doubled, or the key beside them, in their case.
    swapped = {"eHre", "Hree", "Heer"}
    dropped = {"ere", "Hre", "Hee"}
    doubled = {"HHere", "Heere", "Herre"}
    beside = {"Gere", "Jere", "Hwre", "Hrre", "Heee", "Hete"}
    assert drawn == {f"He is {word}." for word in swapped | dropped | doubled | beside}


def test_a_typo_always_changes_something_in_any_script() -> None:
    for seed in range(100):
        for text in ("aaaa", "Привет", "éééà", "लड़की"):
            assert typo(text, random.Random(seed)) != text
    for text in ("I am 12345.", "", "a_b_c_d", "我明白"):
        assert typo(text, random.Random(1)) == text, "no word of four letters"


def test_another_mark_is_a_full_stop_an_exclamation_mark_or_none() -> None:
    for text, drawn in (
        ("Stop.", {"Stop", "Stop!"}),
        ("Stop!", {"Stop", "Stop."}),
        ("Why?", {"Why", "Why.", "Why!"}),
        ("Où ?", {"Où", "Où.", "Où!"}),
        ("No", {"No.", "No!"}),
        ("你好。", {"你好", "你好！"}),
    ):
        assert {another_mark(text, random.Random(seed)) for seed in range(30)} == drawn


def test_a_short_text_has_up_to_three_words() -> None:
    for name, expected in (("lower case", "i see tom."), ("UPPER CASE", "I SEE TOM.")):
        (way,) = (way for way in PERTURBATIONS if way.name == f"a short text, {name}")
        assert way.apply("I see Tom.", random.Random(1)) == expected
        assert way.apply("I see Tom here.", random.Random(1)) == "I see Tom here."
        assert way.expected("Je vois Tom !") == way.compared("JE VOIS TOM") == "je vois tom"


def test_only_what_has_case_changes_with_case() -> None:
    cased = [way for way in PERTURBATIONS if way.name.endswith(("CASE", "Case", "case"))]
    assert len(cased) == 5
    for way in cased:
        for text in ("我明白了。", "مرحبا!", "123 ?"):
            assert way.apply(text, random.Random(1)) == text
