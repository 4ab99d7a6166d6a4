"""Sentences as people type them: the perturbations by hand."""

import random

import pytest

from gru_mt.evaluation.robustness.perturbations import PERTURBATIONS, bare

WAYS = {way.name: way for way in PERTURBATIONS}


def drawn(name: str, text: str, seeds: int = 30) -> set[str]:
    """Return what a perturbation makes of a text with many seeds."""
    return {WAYS[name].apply(text, random.Random(seed)) for seed in range(seeds)}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("several final marks", "Why?", "Why??|Why???"),
        ("a short text, another mark", "Stop.", "Stop|Stop!"),
        ("a short text, another mark", "Où ?", "Où|Où.|Où!"),
        ("a short text, another mark", "No", "No.|No!"),
        ("a short text, another mark", "你好。", "你好|你好！"),
        ("Title Case", '"yes," don\'t élise (twice)', '"Yes," Don\'t Élise (Twice)'),
        ("no final mark", "我明白了。", "我明白了"),
        ("no final mark", 'At 3.5 "go."', 'At 3.5 "go."'),
        ("no final mark", "?!", "?!"),
        ("no apostrophes", "I don't, 'you' won’t.", "I dont, 'you' wont."),
        ("no commas", "Yes, 1,000 men came, he said.", "Yes 1,000 men came he said."),
        ("other quotation marks", "It's \"here\" ('there').", "It’s “here” (‘there’)."),
        ("other quotation marks", "It’s “here”.", 'It\'s "here".'),
        ("a space before marks", "Yes, why?! At 3.5; no...", "Yes , why ?! At 3.5 ; no ..."),
        ("several final marks", "No...", "No..."),
        ("UPPER CASE", "我明白了。", "我明白了。"),
        ("a short text, lower case", "I see Tom.", "i see tom."),
        ("a short text, UPPER CASE", "I see Tom here.", "I see Tom here."),
    ],
)
def test_a_perturbation_by_hand(name: str, text: str, expected: str) -> None:
    assert drawn(name, text) == {*expected.split("|")}


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
    assert bare("¡Je vois Tom !") == bare("JE VOIS TOM") == "je vois tom"
