"""Sentences as people type them: the perturbations by hand."""

import random

import pytest

from gru_mt.evaluation.robustness.perturbations import PERTURBATIONS, Perturbation, has_final_mark

WAYS = {way.name: way for way in PERTURBATIONS}


def drawn(name: str, text: str, seeds: int = 30) -> set[str]:
    """Return what a perturbation makes of a text with many seeds."""
    return {WAYS[name].apply(text, random.Random(seed)) for seed in range(seeds)}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Title Case", '"yes," don\'t élise (twice)', '"Yes," Don\'t Élise (Twice)'),
        ("Title Case", "my mother-in-law", "My Mother-in-law"),
        ("no final mark", "Où vas-tu ?", "Où vas-tu"),
        ("no final mark", "我明白了。", "我明白了"),
        ("no final mark", 'At 3.5 "go."', 'At 3.5 "go."'),
        ("no final mark", "?!", "?!"),
        ("no apostrophes", "I don't, 'you' won’t.", "I dont, 'you' wont."),
        ("other quotation marks", "It's \"here\" ('there').", "It’s “here” (‘there’)."),
        ("other quotation marks", "It’s “here”.", 'It\'s "here".'),
        ("other quotation marks", "“It's”", "“It’s”"),
        ("a space before marks", "Yes, why?! At 3.5; no...", "Yes , why ?! At 3.5 ; no ..."),
        ("a space before marks", "Où ? Là !", "Où ? Là !"),
        ("several final marks", "No...", "No..."),
        ("several final marks", "Why", "Why"),
        ("a short text, lower case", "I see Tom.", "i see tom."),
        ("a short text, UPPER CASE", "I see Tom here.", "I see Tom here."),
    ],
)
def test_a_perturbation_by_hand(name: str, text: str, expected: str) -> None:
    assert drawn(name, text, seeds=1) == {expected}


def test_perturbations_that_are_drawn() -> None:
    assert drawn("several final marks", "Why?") == {"Why??", "Why???"}
    for text, expected in (
        ("Stop.", {"Stop", "Stop!"}),
        ("Où ?", {"Où", "Où.", "Où!"}),
        ("No", {"No.", "No!"}),
        ("你好。", {"你好", "你好！"}),
    ):
        assert drawn("a short text, another mark", text) == expected


def test_a_typo_is_one_letter_of_a_long_word() -> None:
    # In "Here": letters swapped, dropped, doubled, or the key beside them, in their case.
    swapped = {"eHre", "Hree", "Heer"}
    dropped = {"ere", "Hre", "Hee"}
    doubled = {"HHere", "Heere", "Herre"}
    beside = {"Gere", "Jere", "Hwre", "Hrre", "Heee", "Hete"}
    words = swapped | dropped | doubled | beside
    assert drawn("one typo", "He is Here.", seeds=300) == {f"He is {word}." for word in words}
    for text in ("aaaa", "Привет", "éééà", "लड़की"):
        assert text not in drawn("one typo", text, seeds=100), "something always changes"
    for text in ("I am 12345.", "", "a_b_c_d", "我明白"):
        assert drawn("one typo", text) == {text}, "no word of four letters"


def test_a_final_mark_is_seen() -> None:
    marked = [text for text in ("No.", "为什么？", "No", "", 'a."') if has_final_mark(text)]
    assert marked == ["No.", "为什么？"]


@pytest.mark.parametrize("way", PERTURBATIONS, ids=lambda way: way.name)
def test_case_is_what_changes_and_what_is_compared(way: Perturbation) -> None:
    if way.name.lower().endswith("case"):
        for text in ("我明白了。", "مرحبا!", "123 ?"):
            assert way.apply(text, random.Random(1)) == text
    if way.name.startswith("a short text"):
        assert way.expected("¡Je vois Tom !") == way.compared("JE VOIS TOM") == "je vois tom"
