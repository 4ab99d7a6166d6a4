"""The bilingual lexicon of a corpus: words that are each other's best, and phrases of them."""

from gru_mt.data.augment.bilingual_lexicon import learn_lexicon, learn_phrases, learn_short_texts
from gru_mt.data.types import Example


def examples(*pairs: tuple[str, str]) -> list[Example]:
    return [Example(source, target, line) for line, (source, target) in enumerate(pairs, start=7)]


def brute_force(pairs: list[Example]) -> dict[str, str]:
    """Return couples by the definition: each the other's best by Dice, 0.4 or more, 3 pairs."""
    sides = [
        ({*source.lower().rstrip(".").split()}, {*target.lower().rstrip(".").split()})
        for source, target, *_ in pairs
    ]
    sources = {word for side, _ in sides for word in side}
    targets = {word for _, side in sides for word in side}
    dice = {}
    for s in sources:
        for t in targets:
            both = sum(s in one and t in other for one, other in sides)
            alone = sum(s in one for one, _ in sides) + sum(t in other for _, other in sides)
            if both >= 3:
                dice[s, t] = 2 * both / alone
    return {
        s: t
        for (s, t), value in dice.items()
        if value >= 0.4
        and value == max(other for (a, _), other in dice.items() if a == s)
        and value == max(other for (_, b), other in dice.items() if b == t)
    }


CATS = examples(
    *[("My cat sleeps.", "Mon chat dort."), ("A cat runs.", "Un chat court.")] * 3,
    *[("My dog runs.", "Mon chien court."), ("A red dog sleeps.", "Un chien rouge dort.")] * 3,
    ("The red fox.", "Le renard rouge."),
)


def test_the_dictionary_is_what_the_definition_says() -> None:
    found = {pair.source.lower(): pair.target.lower() for pair in learn_lexicon(CATS)}
    assert found == brute_force(CATS)
    assert found["cat"] == "chat"
    assert "fox" not in found  # met once


def test_words_stand_as_they_are_mostly_written_with_their_first_line() -> None:
    pairs = {pair.source: pair for pair in learn_lexicon(CATS)}
    assert pairs["cat"] == Example("cat", "chat", 7)
    assert pairs["dog"] == Example("dog", "chien", 13)


def test_a_letter_of_a_script_without_spaces_is_no_word() -> None:
    assert learn_lexicon(examples(*[("a bus", "バスだ")] * 5)) == []


def test_an_empty_corpus_has_no_words() -> None:
    assert learn_lexicon([]) == []
    assert learn_lexicon(examples(("...", "!"))) == []


def test_the_same_pairs_give_the_same_dictionary_in_the_same_order() -> None:
    assert learn_lexicon(CATS) == learn_lexicon([*CATS])


def test_a_phrase_is_words_side_by_side_whose_translations_are_too() -> None:
    lexicon = examples(("red", "rouge"), ("car", "voiture"), ("old", "vieille"), ("saw", "vu"))
    corpus = examples(
        *[("I saw the red car.", "J'ai vu la voiture rouge.")] * 2,
        *[("An old, red thing.", "Une chose vieille, rouge.")] * 2,  # a comma between
        *[("Red car here.", "Voiture rouge ici.")] * 2,  # first words
        ("The old car.", "La vieille voiture."),  # once
    )
    assert learn_phrases(corpus, lexicon) == [Example("red car", "voiture rouge", 7)]


def test_words_keep_their_vowel_signs() -> None:
    rows = [("The girl sleeps.", "लड़की सोती है।"), ("The boy sleeps.", "लड़का सोता है।")] * 3
    more = [("My girl.", "मेरी लड़की।"), ("My boy.", "मेरा लड़का।"), ("Girls.", "लड़कियाँ।")]
    pairs = examples(*rows, *more)
    found = {pair.source: pair.target for pair in learn_short_texts(pairs)}
    assert found["girl"] == "लड़की"
    assert found["boy"] == "लड़का"
    assert found["girls"] == "लड़कियाँ"  # a sentence without its final mark
    whole = {*" ".join(target for _, target in [*rows, *more]).replace("।", "").split()}
    assert {*" ".join(found.values()).split()} <= whole
