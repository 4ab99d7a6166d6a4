"""The phrasebook: pairs that a French speaker checked, rules that every pair keeps, its script."""

import re

import pytest
import zstandard
from phrasebook.corpus import generate
from phrasebook.morphology import agree, elide, english_plural, plural
from phrasebook.words import Gender

from gru_mt.data.corpus.load import PHRASEBOOK

CHECKED = """
I eat some soup.|Je mange de la soupe.
She swam this morning.|Elle a nagé ce matin.
Paul often returned to Martin's house.|Paul est souvent retourné chez Martin.
Paul often sleeps at my school.|Paul dort souvent à mon école.
Paul often writes a poem.|Paul écrit souvent un poème.
Anne no longer wears many coats.|Anne ne porte plus beaucoup de manteaux.
Anne no longer brings him the lamp.|Anne ne lui apporte plus la lampe.
He ate the eggs and we washed them.|Il a mangé les œufs et nous les avons lavés.
The woman who fell is tired.|La femme qui est tombée est fatiguée.
The egg that Anne and Paul sell is good.|L'œuf qu'Anne et Paul vendent est bon.
The umbrella that Anne did not find is expensive.|Le parapluie qu'Anne n'a pas trouvé est cher.
I will not obey these farmers if they help us.|Je n'obéirai pas à ces fermiers s'ils nous aident.
Does he always love to see them?|Est-ce qu'il aime toujours les voir ?
Does he always want to work?|Est-ce qu'il veut toujours travailler ?
Does he always open a new box?|Est-ce qu'il ouvre toujours une nouvelle boîte ?
Why does she not obey you?|Pourquoi est-ce qu'elle ne vous obéit pas ?
Why does she not call Martin?|Pourquoi est-ce qu'elle n'appelle pas Martin ?
When did Anne find the toy?|Quand est-ce qu'Anne a trouvé le jouet ?
How many apples did you wash?|Combien de pommes est-ce que vous avez lavées ?
Lend him these books!|Prêtez-lui ces livres !
There is no tool on the big bed.|Il n'y a pas d'outil sur le grand lit.
There is no knife under the old chair.|Il n'y a pas de couteau sous la vieille chaise.
There were three libraries next to the river.|Il y avait trois bibliothèques à côté de la rivière.
There were three axes in the suitcase.|Il y avait trois haches dans la valise.
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


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("je ai", "j'ai"),
        ("de le hôpital", "de l'hôpital"),
        ("de le héros", "du héros"),
        ("à les hérissons", "aux hérissons"),
        ("parce que Anne", "parce qu'Anne"),
        ("si il vient", "s'il vient"),
        ("si elle vient", "si elle vient"),
        ("Aidez-le aujourd'hui", "Aidez-le aujourd'hui"),
    ],
)
def test_elision_and_contraction(written: str, said: str) -> None:
    assert elide(written) == said


@pytest.mark.parametrize(
    "forms",
    ["grand grande grands grandes", "beau belle beaux belles", "gris grise gris grises",
     "heureux heureuse heureux heureuses", "cher chère chers chères",
     "frais fraîche frais fraîches", "rouge rouge rouges rouges"],
)  # fmt: skip
def test_adjectives_agree(forms: str) -> None:
    numbers = (False, True)
    made = [agree(forms.split()[0], gender, number) for number in numbers for gender in Gender]
    assert made == forms.split()


def test_nouns_have_their_plurals() -> None:
    english = {"story": "stories", "boy": "boys", "box": "boxes", "child": "children"}
    french = {"souris": "souris", "cheval": "chevaux", "couteau": "couteaux", "clé": "clés"}
    assert {noun: english_plural(noun) for noun in english} == english
    assert {noun: plural(noun) for noun in french} == french
