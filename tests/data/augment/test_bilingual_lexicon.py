"""The bilingual lexicon of a corpus: words that are each other's best, and phrases of them."""

from itertools import product

import pytest

from gru_mt.data.augment import bilingual_lexicon
from gru_mt.data.augment.bilingual_lexicon import learn_lexicon, learn_phrases, learn_short_texts
from gru_mt.data.types import Example


def examples(*pairs: tuple[str, str]) -> list[Example]:
    return [Example(source, target, line) for line, (source, target) in enumerate(pairs, start=7)]


def brute_force(pairs: list[Example]) -> dict[str, str]:
    """Return couples by the definition: each the other's best by Dice, 0.4 or more, 3 pairs."""
    sides = [[{*text.lower().rstrip(".").split()} for text in pair[:2]] for pair in pairs]
    sources, targets = (set[str]().union(*side) for side in zip(*sides, strict=True))
    dice = {}
    for s, t in product(sources, targets):
        both = sum(s in source and t in target for source, target in sides)
        alone = sum((s in source) + (t in target) for source, target in sides)
        dice[s, t] = 2 * both / alone if both >= 3 else 0.0
    return {
        s: t
        for (s, t), value in dice.items()
        if value >= 0.4
        and value == max(dice[s, other] for other in targets)
        and value == max(dice[other, t] for other in sources)
    }


CATS = examples(
    *[("My cat sleeps.", "Mon chat dort."), ("A cat runs.", "Un chat court.")] * 3,
    *[("My dog runs.", "Mon chien court."), ("A red dog sleeps.", "Un chien rouge dort.")] * 3,
    ("The red fox.", "Le renard rouge."),
)


@pytest.mark.parametrize("block", [1, 3, 1_000])
def test_the_lexicon_is_what_the_definition_says(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bilingual_lexicon, "BLOCK", block)
    lexicon = learn_lexicon(CATS)
    found = {pair.source.lower(): pair.target.lower() for pair in lexicon}
    assert found == brute_force(CATS)
    assert found["cat"] == "chat"
    assert "fox" not in found  # met once
    # Words stand as they are mostly written, with their first line.
    assert {Example("cat", "chat", 7), Example("dog", "chien", 13)} <= {*lexicon}
    assert learn_lexicon([*CATS]) == lexicon, "in the same order"


def test_what_has_no_words_with_spaces_has_no_lexicon() -> None:
    for corpus in ([], examples(("...", "!")), examples(*[("a bus", "バスだ")] * 5)):
        assert learn_lexicon(corpus) == []


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
    found = {pair.source: pair.target for pair in learn_short_texts(examples(*rows, *more))}
    assert (found["girl"], found["boy"]) == ("लड़की", "लड़का")
    assert found["girls"] == "लड़कियाँ"  # a sentence without its final mark
    whole = {*" ".join(target for _, target in [*rows, *more]).replace("।", "").split()}
    assert {*" ".join(found.values()).split()} <= whole
