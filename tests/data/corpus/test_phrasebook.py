"""The phrasebook: rules that every pair keeps, and its script."""

import re

import pytest
import zstandard
from phrasebook.corpus import generate

from gru_mt.data.corpus.load import PHRASEBOOK

pytestmark = pytest.mark.slow  # the file hardly ever changes

VOWEL = "(?:[aeiouyàâéèêîôœ]|h(?!éros|érisson|ache))"
MASS = "pain|fromage|riz|viande|soupe|lait|café|thé|vin|eau"
BAD_FRENCH = {
    "missing elision": rf"(?<![\w'-])(?:je|me|le|la|de|ne|que|ce) {VOWEL}",
    "missing s'il": r"\bsi ils?\b",
    "elision before a consonant": r"[jlmdnsc]'[^aeiouyhàâéèêîôœ\W]|[jlmdnc]'h(?:éros|érisson|ache)",
    "missing contraction": r"\b(?:de|à) les? ",
    "doubled article": r"\b(?:de|du|des|d') (?:du|des|de)\b",
    "ma, sa or a masculine adjective before a vowel": (
        rf"\b(?:ma|sa|beau|vieux|nouveau) (?!aujourd|hier\b){VOWEL}\w+(?<![sx])\b"
    ),
    "des before an adjective": r"\bdes (?:beaux|belles|grand|petit|joli|vieux|vieilles|nouv|bon)",
    "spaces": r"  |^ | $|' | [.,]|[^ ][?!]",
    "marks": r"[^.?!]$",
    "capital": r"(?-i:^[^A-ZÀ-Ý])",
    "negation without its ne": r"\b(?:je|ils?|elle) (?!n)\w+ (?:pas|jamais)\b",
    "du, de la or des under negation": (
        rf"\b(?:pas|jamais|plus) (?:des |(?:du |de la |de l')(?:{MASS})\b)"
    ),
}


@pytest.fixture(scope="module")
def pairs() -> list[tuple[str, ...]]:
    text = zstandard.decompress(PHRASEBOOK.read_bytes()).decode()
    return [tuple(line.split("\t")) for line in text.splitlines()]


def test_the_file_is_what_its_script_makes(pairs: list[tuple[str, ...]]) -> None:
    assert generate() == pairs


def test_there_are_26_000_pairs_of_three_to_fourteen_words_and_no_side_stands_twice(
    pairs: list[tuple[str, ...]],
) -> None:
    assert len(pairs) == 26_000
    english, french = zip(*pairs, strict=True)
    assert len({*english}) == len({*french}) == 26_000
    assert {len(side.split()) for side in english} == set(range(3, 15))


def test_no_sentence_has_a_mistake(pairs: list[tuple[str, ...]]) -> None:
    for mistake, pattern in BAD_FRENCH.items():
        search = re.compile(pattern, re.IGNORECASE).search
        assert [french for _, french in pairs if search(french)] == [], mistake
