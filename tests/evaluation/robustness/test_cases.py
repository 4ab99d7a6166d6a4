"""Texts that must come out of a translation: where they are put, and when they count as kept."""

import random
import re

import pytest

from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS
from gru_mt.evaluation.robustness.cases import (
    ITEMS,
    NAMES,
    NUMBERS,
    Case,
    Sentence,
    add_items,
    add_numbers,
    drawn,
    glossary_terms,
    has_numbers,
    has_texts,
    rename,
    with_terms,
)


def made(case: Case | None) -> Case:
    """Return a case that was made, of a source that has what its translation must have."""
    assert case
    assert case.holds(case.source)
    return case


def test_texts_must_be_there_so_often() -> None:
    for item, text, count in (
        ("5", "5 or 5? 5h, n5, (5).", 5),
        ("5", "15, 51, 3,5, 3.5, 5:30, 5,000", 0),
        ("Tom", "Tom's Tom, l'Tom Tomas aTom 我爱Tom吗", 4),
        ("$HOME", "$HOME $HOMES", 1),
        ("{x}", "{x}{x} {{x}}", 3),
        ("😀", "a😀😀", 2),
    ):
        counts = [number for number in range(9) if has_texts({item: number}, text)]
        assert counts == [count], (item, text)
    assert has_texts({"x1": 1, "y": 2}, "y x1 y")
    assert not has_texts({"x1": 1, "y": 2}, "y y")


@pytest.mark.parametrize("kind", ITEMS)
def test_an_item_is_put_at_an_end_or_between_words(kind: str) -> None:
    gaps = set()
    for seed in range(60):
        case = made(add_items(Sentence("Where am I?"), random.Random(seed), [kind]))
        assert not case.holds("Where am I?")
        assert not case.holds(f"{case.source} {case.source}")
        match = re.fullmatch(r"(.+ )?Where( .+)? am( .+)? I( .+)?\?( .+)?", case.source)
        assert match
        gaps |= {gap for gap, item in enumerate(match.groups()) if item}
    assert gaps == {0, 1, 2, 3, 4}


def test_several_items_are_new_to_their_sentence_and_all_wanted() -> None:
    kinds = ["a URL", "an emoji", "a number of 1 digit"]
    for seed in range(50):
        case = add_items(Sentence("1 2 3 4 5 6 7 8"), random.Random(seed), kinds[2:])
        assert case is None or "9" in case.source
        several = made(add_items(Sentence("Yes"), random.Random(seed), kinds))
        items = several.source.replace("Yes", "").split()
        assert len(items) == 3
        assert not any(several.holds(several.source.replace(item, "", 1)) for item in items)
    assert add_items(Sentence("123456789"), random.Random(1), kinds[2:]) is None


@pytest.mark.parametrize(
    ("templates", "pattern"),
    [
        (ITEMS["a number of 4 to 6 digits"], r"[1-9]\d{3,5}"),
        (ITEMS["a $VARIABLE"], r"\$[A-Z]{4}|\$\{[A-Z]{4}\}|\$[A-Z]{4}_[A-Z]{4}"),
        (ITEMS["a reserved character"], f"[{''.join(PLACEHOLDER_TOKENS)}]"),
        ([r"\C++", r".\NET", r"\\\N"], r"C\+\+|\.NET|\\N"),  # after a backslash: as it is
        (["WC XX:V"], "[a-z]{4,6}[A-Z][a-z]{3} [0-9a-f]{2}:[A-Z]{4}"),
    ],
)
def test_a_template_is_drawn(templates: list[str], pattern: str) -> None:
    for seed in range(100):
        assert re.fullmatch(pattern, drawn(templates, random.Random(seed)))


def test_a_translation_has_each_number_as_often_and_with_its_sign() -> None:
    for source, right, wrong in (
        ("It is -5 here.", "Il fait -5 ici.", "Il fait 5 ici."),
        ("We won 7-7.", "On a gagné 7 à 7.", "On a gagné 7."),
        ("It is 3½.", "3 ½", "C'est 3."),
        ("Read XIV.", "Lis XIV.", "Lis XIX."),
    ):
        assert (has_numbers(source, right), has_numbers(source, wrong)) == (True, False), source


def test_numbers_are_put_into_sentences_without() -> None:
    sources = set()
    for seed in range(500):
        case = made(add_numbers(Sentence("Où est-il ?"), random.Random(seed)))
        assert not case.holds("Où est-il ?")
        sources.add(re.sub("[1-9]", "7", case.source))
    assert {"-7 Où est-il ?", "Où 7 x 7 est-il ?", "Où est-il 7-7 ?", "Où est-il ? ½"} <= sources
    labels = {source for source in sources if re.search("[A-Z][a-z]{3} 7:", source)}
    assert labels
    assert all(source.endswith(" 7: Où est-il ?") for source in labels)
    for text in ("I am 5.", "Read II.", "½ of it"):
        assert add_numbers(Sentence(text), random.Random(1)) is None
    assert not any(has_numbers(drawn([each], random.Random(1)), "") for each in NUMBERS)


def test_glossary_terms_are_distinct_words_with_made_up_translations() -> None:
    sources = [f"Word {a}{b} don't it-is x2." for a in "abcd" for b in ("foo", "bar", "baz")]
    words = {"word", *(f"{a}{b}" for a in "abcd" for b in ("foo", "bar", "baz"))}
    assert glossary_terms(sources, 100, random.Random(1)).keys() == words
    terms = glossary_terms(sources, 8, random.Random(1))
    assert terms.keys() < words
    made_up = " | ".join(terms.values())
    assert [made_up.count(text) for text in terms.values()] == [1] * 8, "none is in another"
    assert any(" " in text for text in terms.values())


def test_a_sentence_wants_the_translation_of_each_of_its_terms() -> None:
    terms = {"don": "Zuko", "dog": "fimo ra", "नमस्ते": "Zuko"}
    case = with_terms("Dog sees dog, Don.", terms)
    assert case
    right = "Zuko fimo ra, fimo ra.", "« Fimo ra ». Fimo ra Zuko."
    wrong = "Zuko fimo ra, Fimo ra.", "zuko fimo ra, fimo ra.", "Zuko fimo ra."
    assert [*map(case.holds, (*right, *wrong))] == [True, True, False, False, False]
    assert made(with_terms("नमस्ते दुनिया। Zuko", terms))
    for text in ("I don't.", "a hot-dog", "cats", "The dog and I don't.", "नमस्तेद"):
        assert with_terms(text, terms) is None, text


def test_a_name_of_source_and_references_becomes_another() -> None:
    references = ["Le chat de Tom voit Tom.", "Tom, Tom !"]
    case = made(rename(Sentence("Tom's cat sees Tom.", references), random.Random(1)))
    name = case.source.partition("'s cat")[0]
    assert name in NAMES
    assert case.source == f"{name}'s cat sees {name}."
    assert not case.holds(f"Le chat de {name} voit Tom.")
    for name in ("tom", "TOM", "Jose\u0301", "O'Tom", "Al"):
        sentence = Sentence(f"{name} sees.", [f"{name} voit."])
        assert rename(sentence, random.Random(1)) is None, name
    for references in (["Tom voit.", "Il voit."], ["Tom voit Tom."], ["Tomas voit."]):
        assert rename(Sentence("Tom sees.", references), random.Random(1)) is None, references
