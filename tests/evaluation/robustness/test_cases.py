"""Texts that must come out of a translation: where they are put, and when they count as kept."""

import random
import re

import pytest

from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS
from gru_mt.evaluation.robustness.cases import (
    ITEMS,
    NAMES,
    NUMBERS,
    add_items,
    add_numbers,
    drawn,
    glossary_terms,
    has_numbers,
    has_texts,
    occurrences,
    rename,
    with_terms,
)


def test_occurrences_by_hand() -> None:
    for item, text, count in (
        ("5", "5 or 5? 5.", 3),
        ("5", "15, 51, 3,5, 3.5, 5:30, 5,000", 0),
        ("5", "5h, n5, (5)", 3),
        ("17", "le 17, 4", 1),
        ("Tom", "Tom's Tom, l'Tom Tomas aTom", 3),
        ("Tom", "我爱Tom吗", 1),
        ("$HOME", "$HOME $HOMES", 1),
        ("{x}", "{x}{x} {{x}}", 3),
        ("O'Sullivan", "O'Sullivan O’Sullivan", 1),
        ("😀", "a😀😀", 2),
    ):
        assert occurrences(item, text) == count, (item, text)


def test_texts_must_be_there_so_often() -> None:
    assert has_texts({"x1": 1, "y": 2}, "y x1 y")
    for translation in ("y x1", "x1 y y y", "y y", ""):
        assert not has_texts({"x1": 1, "y": 2}, translation), translation


def test_an_item_is_put_at_an_end_or_between_words() -> None:
    pattern = r"(.+ )?Where( .+)? am( .+)? I( .+)?\?( .+)?"
    for kind in ITEMS:
        gaps = set()
        for seed in range(60):
            case = add_items("Where am I?", [kind], random.Random(seed))
            assert case
            assert case.holds(case.source)
            assert not case.holds("Where am I?")
            assert not case.holds(f"{case.source} {case.source}")
            match = re.fullmatch(pattern, case.source)
            assert match
            (gap,) = (gap for gap, item in enumerate(match.groups()) if item)
            gaps.add(gap)
        assert gaps == {0, 1, 2, 3, 4}, kind


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        ("a number of 1 digit", "[1-9]"),
        ("a number of 4 to 6 digits", r"[1-9]\d{3,5}"),
        ("a date", r"20\d\d-0[1-9]-1\d|1\d/0[1-9]/20\d\d|2\d\.0[1-9]\.19\d\d"),
        ("a $VARIABLE", r"\$[A-Z]{4}|\$\{[A-Z]{4}\}|\$[A-Z]{4}_[A-Z]{4}"),
        ("an e-mail address", r"[a-z.+]+\d*@[a-z.-]+"),
        ("a reserved character", f"[{''.join(PLACEHOLDER_TOKENS)}]"),
    ],
)
def test_what_items_look_like(kind: str, pattern: str) -> None:
    for seed in range(100):
        assert re.fullmatch(pattern, drawn(ITEMS[kind], random.Random(seed)))


@pytest.mark.parametrize(
    ("template", "pattern"),
    [
        (r"\C++", r"C\+\+"),
        (r".\NET", r"\.NET"),
        (r"\\\N", r"\\N"),
        (r"\C:\\W", r"C:\\[a-z]{4,6}"),
        ("WC", "[a-z]{4,6}[A-Z][a-z]{3}"),
        ("XX:V", "[0-9a-f]{2}:[A-Z]{4}"),
    ],
)
def test_a_template_is_drawn_but_for_what_stands_after_a_backslash(
    template: str, pattern: str
) -> None:
    for seed in range(50):
        assert re.fullmatch(pattern, drawn([template], random.Random(seed)))


@pytest.mark.parametrize(
    ("source", "translation", "holds"),
    [
        ("It is -5 here.", "Il fait -5 ici.", True),
        ("It is -5 here.", "Il fait 5 ici.", False),
        ("It is -5 here.", "Il fait - 5 ici.", False),
        ("We won 7-0.", "On a gagné 7 à 0.", True),
        ("We won 7-0.", "On a gagné 7.", False),
        ("We won 7-7.", "On a gagné 7.", False),
        ("It is 1:30.", "Il est 1 h 30.", True),
        ("It is 1:30.", "Il est 130.", False),
        ("Tavo 3: go", "Tavo : va", False),
        ("It is 3½.", "C'est 3.", False),
        ("It is 5.", "C'est 5, 5.", False),
        ("Read XIV.", "Lis XIV.", True),
        ("Read XIV.", "Lis XIX.", False),
    ],
)
def test_a_translation_has_each_number_as_often_and_with_its_sign(
    source: str, translation: str, *, holds: bool
) -> None:
    assert has_numbers(source, translation) is holds


def test_numbers_are_put_into_sentences_without() -> None:
    sources = set()
    for seed in range(500):
        case = add_numbers("Où est-il ?", random.Random(seed))
        assert case
        assert case.holds(case.source)
        assert not case.holds("Où est-il ?")
        sources.add(re.sub("[1-9]", "7", case.source))
    assert {"-7 Où est-il ?", "Où 7 x 7 est-il ?", "Où est-il 7-7 ?", "Où est-il ? ½"} <= sources
    labels = {source for source in sources if re.search("[A-Z][a-z]{3} 7:", source)}
    assert labels
    assert all(source.endswith(" 7: Où est-il ?") for source in labels)
    for text in ("I am 5.", "Read II.", "½ of it"):
        assert add_numbers(text, random.Random(1)) is None
    assert not any(has_numbers(drawn([each], random.Random(1)), "") for each in NUMBERS)


def test_items_are_new_to_their_sentence_and_all_wanted() -> None:
    for seed in range(50):
        case = add_items("1 2 3 4 5 6 7 8", ["a number of 1 digit"], random.Random(seed))
        assert case is None or "9" in case.source
        several = add_items(
            "Yes", ["a URL", "an emoji", "a number of 1 digit"], random.Random(seed)
        )
        assert several
        assert several.holds(several.source)
        items = several.source.replace("Yes", "").split()
        assert len(items) == 3
        for item in items:
            assert not several.holds(several.source.replace(item, "", 1))
    assert add_items("123456789", ["a number of 1 digit"], random.Random(1)) is None


def test_glossary_terms_are_distinct_words_with_made_up_translations() -> None:
    sources = [f"Word {a}{b} don't it-is x2." for a in "abcd" for b in ("foo", "bar", "baz")]
    words = {"word", *(f"{a}{b}" for a in "abcd" for b in ("foo", "bar", "baz"))}
    assert glossary_terms(sources, 100, random.Random(1)).keys() == words
    terms = glossary_terms(sources, 8, random.Random(1))
    assert terms.keys() < words
    assert len(terms) == len(set(terms.values())) == 8
    assert not any(
        one in other for one in terms.values() for other in terms.values() if one != other
    )
    assert any(" " in text for text in terms.values())


def test_a_sentence_wants_the_translation_of_each_of_its_terms() -> None:
    terms = {"don": "Zuko", "dog": "fimo ra"}
    text = "Dog sees dog, Don."
    case = with_terms(text, terms)
    assert case
    assert case.source == text
    assert case.holds("Zuko fimo ra, fimo ra.")
    assert case.holds("« Fimo ra ». Fimo ra Zuko.")
    assert not case.holds("Zuko fimo ra, Fimo ra.")
    assert not case.holds("zuko fimo ra, fimo ra.")
    case = with_terms("नमस्ते दुनिया।", {"नमस्ते": "Zuko"})
    assert case
    assert case.holds("Zuko.")
    assert with_terms("नमस्ते दुनिया।", {"नमस": "Zuko"}) is None
    for text in ("I don't.", "a hot-dog", "cats", "The dog and I don't."):
        assert with_terms(text, terms) is None, text


def test_a_name_of_source_and_references_becomes_another() -> None:
    case = rename(
        "Tom's cat sees Tom.", ["Le chat de Tom voit Tom.", "Tom, Tom !"], random.Random(1)
    )
    assert case
    name = case.source.partition("'s cat")[0]
    assert name in NAMES
    assert case.source == f"{name}'s cat sees {name}."
    assert case.holds(f"Le chat de {name} voit {name}.")
    assert not case.holds(f"Le chat de {name} voit Tom.")


def test_what_is_no_name() -> None:
    for text, references in (
        ("Tom sees.", ["Tom voit.", "Il voit."]),  # not in every reference
        ("Tom sees.", ["Tom voit Tom."]),  # not as often
        ("Tom sees.", ["Tomas voit."]),
        ("tom sees.", ["tom voit."]),
        ("TOM sees.", ["TOM voit."]),
        ("Jose\u0301 sees.", ["Jose\u0301 voit."]),  # only with its accent
        ("O'Tom sees.", ["O'Tom voit."]),
        ("Al sees.", ["Al voit."]),  # too short to be sure
    ):
        assert rename(text, references, random.Random(1)) is None, text


def test_names_are_many_distinct_and_from_many_languages() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 120
    assert sum(not name.isascii() for name in NAMES) >= 30
    assert sum("'" in name for name in NAMES) >= 6
