"""The phrasebook: pairs that a French speaker checked, rules that every pair keeps, its script."""

import re

import pytest
import zstandard
from phrasebook.corpus import generate

from gru_mt.data.corpus.load import PHRASEBOOK

CHECKED = """
I eat some soup.|Je mange de la soupe.
She swam this morning.|Elle a nagé ce matin.
Paul often returned to Martin's house.|Paul est souvent retourné chez Martin.
Anne no longer brings him the lamp.|Anne ne lui apporte plus la lampe.
He ate the eggs and we washed them.|Il a mangé les œufs et nous les avons lavés.
The egg that Anne and Paul sell is good.|L'œuf qu'Anne et Paul vendent est bon.
I will not obey these farmers if they help us.|Je n'obéirai pas à ces fermiers s'ils nous aident.
Does he always open a new box?|Est-ce qu'il ouvre toujours une nouvelle boîte ?
Why does she not obey you?|Pourquoi est-ce qu'elle ne vous obéit pas ?
How many apples did you wash?|Combien de pommes est-ce que vous avez lavées ?
There is no tool on the big bed.|Il n'y a pas d'outil sur le grand lit.
There were three libraries next to the river.|Il y avait trois bibliothèques à côté de la rivière.
Paul often shows his new story to this man.|Paul montre souvent sa nouvelle histoire à cet homme.
"""
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


@pytest.mark.slow
def test_the_file_is_what_its_script_makes(pairs: list[tuple[str, ...]]) -> None:
    assert generate() == pairs


def test_there_are_26_000_pairs_of_three_to_fourteen_words_and_no_side_stands_twice(
    pairs: list[tuple[str, ...]],
) -> None:
    assert len(pairs) == 26_000
    english, french = zip(*pairs, strict=True)
    assert len({*english}) == len({*french}) == 26_000
    assert {len(side.split()) for side in english} == set(range(3, 15))


def test_the_french_is_what_a_french_speaker_would_say(pairs: list[tuple[str, ...]]) -> None:
    checked = {tuple(line.split("|")) for line in CHECKED.strip().splitlines()}
    assert checked - {*pairs} == set()


@pytest.mark.parametrize("mistake", BAD_FRENCH)
def test_no_sentence_has(mistake: str, pairs: list[tuple[str, ...]]) -> None:
    pattern = re.compile(BAD_FRENCH[mistake], re.IGNORECASE)
    assert [french for _, french in pairs if pattern.search(french)] == []
