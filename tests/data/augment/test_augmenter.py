"""What each kind of augmentation does; an epoch is a function of seed, epoch and index alone."""

import random
from collections import Counter
from typing import Any

import pytest

from gru_mt.config.data import AugmentConfig
from gru_mt.data.augment.augmenter import (
    Augmenter,
    WordLists,
    begins_with_vowel,
    joined,
    odd_marks,
    renumbered,
    sentence_starters,
    shared_names,
    with_item,
    with_typo,
    with_word,
)
from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS
from gru_mt.data.types import Texts

OFF: dict[str, Any] = {name: 0.0 for name in AugmentConfig.model_fields if name != "words"}
PAIRS = [
    Texts("I saw Tom today.", "J'ai vu Tom aujourd'hui."),
    Texts("Is Tom at home?", "Tom est-il à la maison ?"),
    Texts("It's 12 o'clock.", "Il est 12 heures."),
    Texts('She said "no".', "Elle a dit « non »."),
    Texts("cat", "chat"),
    Texts("My cat sleeps.", "Mon chat dort."),
]
FIRST, SECOND = PLACEHOLDER_TOKENS[:2]


def of_epochs(
    config: AugmentConfig, epochs: range, pairs: list[Texts], seed: int = 1
) -> list[dict[int, Texts]]:
    """Return what each of some epochs changes, where it takes each pair once."""
    augmenter = Augmenter(config, pairs, WordLists.learn(pairs), seed=seed)
    return [augmenter.of_epoch(epoch, range(len(pairs)), pairs) for epoch in epochs]


def augmented(
    epochs: int = 200, pairs: list[Texts] = PAIRS, **rates: float
) -> Counter[tuple[int, Texts]]:
    """Return what some epochs make of `pairs`, with the kinds in `rates` alone."""
    changes = of_epochs(AugmentConfig(**OFF | rates), range(epochs), pairs)
    return Counter(item for changed in changes for item in changed.items())


def test_an_epoch_is_augmented_the_same_again_and_another_epoch_or_seed_otherwise() -> None:
    first, again, (other, *_), seeded = (
        of_epochs(AugmentConfig(), epochs, PAIRS * 20, seed)
        for epochs, seed in ((range(6), 1), (range(5, 6), 1), (range(1), 3), (range(6), 2))
    )
    assert first[5:] == again, "it does not depend on the epochs before"
    assert first[0] != first[1]
    assert first != seeded
    assert first[0] != other
    assert not augmented(), "without rates nothing changes"


def test_no_mark_takes_the_final_mark_of_both_sides() -> None:
    changed = dict(augmented(no_mark=1.0).keys())
    assert changed[0] == Texts("I saw Tom today", "J'ai vu Tom aujourd'hui")
    assert changed[1] == Texts("Is Tom at home", "Tom est-il à la maison")
    assert changed[3] == Texts('She said "no"', "Elle a dit « non »")
    count = augmented(epochs=2_000, no_mark=0.25)[0, changed[0]]  # a rate is the share of pairs
    assert 0.25 * 2_000 - 80 < count < 0.25 * 2_000 + 80  # four standard deviations


def test_apostrophes_of_the_source_go_or_become_others() -> None:
    of_row = {pair for row, pair in augmented(apostrophes=1.0) if row == 2}
    assert of_row == {
        Texts(PAIRS[2].source.replace("'", mark), PAIRS[2].target) for mark in ("", *"’´` ")
    }


def test_commas_of_the_source_go_but_not_those_of_numbers() -> None:
    pairs = [Texts("Yes, all 1,000 of us, Tom.", "Oui, nous 1 000, Tom."), Texts("Yes.", "Oui.")]
    changed = dict(augmented(pairs=pairs, commas=1.0).keys())
    assert changed == {0: Texts("Yes all 1,000 of us Tom.", "Oui, nous 1 000, Tom.")}


def test_names_become_the_same_on_both_sides_and_have_no_typos() -> None:
    seen = [pair for row, pair in augmented(names=1.0) if row == 0]
    assert len(seen) > 20
    for source, target in seen:
        name = source.removeprefix("I saw ").removesuffix(" today.")
        assert target == f"J'ai vu {name} aujourd'hui."
    assert any(mark in pair.source for pair in seen for mark in PLACEHOLDER_TOKENS)
    mistyped = [pair for row, pair in augmented(names=1.0, typos=1.0, apostrophes=1.0) if row == 0]
    for pair in mistyped:
        name = pair.target.removeprefix("J'ai vu ").removesuffix(" aujourd'hui.")
        assert name in pair.source or name == "Tom"


def test_a_name_with_a_vowel_becomes_one_with_a_vowel() -> None:
    pairs = [
        Texts("It is Anne.", "C'est le chien d'Anne."),
        Texts("I saw Élodie.", "J'ai vu Élodie."),
        Texts("It is Tom.", "C'est le chien de Tom."),
        Texts("I saw Paul.", "J'ai vu Paul."),
    ]
    found: dict[int, set[str]] = {row: set() for row in range(4)}
    for row, pair in augmented(300, pairs, names=1.0):
        found[row].add(pair.source.split()[-1].strip("."))
    assert min(len(found[0]), len(found[2])) > 50
    assert all(begins_with_vowel(name) for name in found[0])
    assert {name[0] for name in found[0]} >= {*"AÉIO"}
    assert not any(map(begins_with_vowel, found[2]))
    assert {*PLACEHOLDER_TOKENS} < found[2]


def test_a_name_is_capitalised_inside_sentences_and_mostly_shared() -> None:
    pairs = [
        Texts("I know Tom.", "Je connais Tom."),
        Texts("We speak French.", "Nous parlons French ."),
        Texts("A french fry.", "Une frite."),
        Texts("He saw Monday.", "Il a vu lundi."),
        Texts("Paris is big.", "Paris est grand."),  # only at the start: it may be any word
    ]
    assert shared_names(pairs) == {"Tom"}
    translated, copied = (
        Texts("I like Mary.", "J'aime Marie."),
        Texts("I like Mary.", "J'aime Mary."),
    )
    assert shared_names([translated, translated, copied]) == set()
    assert shared_names([translated, copied, copied]) == {"Mary"}
    assert with_word("की, कीं िकी की5", "की", "x") == "x, कीं िकी की5", "no part of another word"


def test_numbers_change_on_both_sides_where_they_are_the_same() -> None:
    rng = random.Random(1)
    source, target = renumbered(Texts("I have 12 cats.", "J'ai 12 chats."), rng)
    number = source.split()[2]
    assert (source, target) == (f"I have {number} cats.", f"J'ai {number} chats.")
    for pair in (
        Texts("I have 12.", "J'en ai douze."),
        Texts("At 10:30.", "À 10:30."),
        Texts("I am 5 and 7.", "मैं 5 और 7वीं"),  # 7 is a part of a word there
    ):
        assert renumbered(pair, rng) == pair


def test_an_item_stands_at_like_places() -> None:
    pair, anchors = PAIRS[5], [("cat", "chat")]
    seeds = [*map(random.Random, range(300))]
    assert {
        Texts("7 My cat sleeps.", "7 mon chat dort."),
        Texts("7: My cat sleeps.", "7: Mon chat dort."),
        Texts("My cat sleeps. 7", "Mon chat dort. 7"),
        Texts("My cat sleeps (7).", "Mon chat dort (7)."),
        Texts("My 7 cat sleeps.", "Mon 7 chat dort."),
        Texts("My cat (7) sleeps.", "Mon chat (7) dort."),
    } <= {with_item(pair, "7", anchors, {"Mon"}, rng) for rng in seeds}
    tagged = Texts(f"My {FIRST}cat{SECOND} sleeps.", f"Mon {FIRST}chat{SECOND} dort.")
    assert tagged in {with_item(pair, FIRST, anchors, (), rng) for rng in seeds}


def test_after_an_item_and_a_space_a_word_is_small_unless_it_is_always_capitalised() -> None:
    texts = ["Mon chat dort.", "Tom voit mon chat.", "Je dors, Tom.", "J'ai vu Tom.", "« Je »", ""]
    texts += ["Oui, j'ai dormi.", "I think I do."]
    assert sentence_starters(texts) == {"Mon", "J"}
    for target, small in (("Mon chat dort.", "mon"), ("Tom dort.", "Tom"), ("« Mon »", "« Mon")):
        pair, starters = Texts("x", target), ("Mon", "J")
        found = {
            with_item(pair, "7", [], starters, random.Random(seed)).target for seed in range(99)
        }
        starts = {text for text in found if text.startswith("7")}
        assert starts == {f"7 {small}{target[len(small) :]}", f"7: {target}"}


def test_items_stand_on_both_sides_equally_often_and_have_all_placeholders() -> None:
    pairs = [pair for _, pair in augmented(items=1.0)]
    for mark in PLACEHOLDER_TOKENS:
        assert any(mark in pair.source for pair in pairs)
        assert all(pair.source.count(mark) == pair.target.count(mark) for pair in pairs)


def test_joined_pairs_have_a_space_between() -> None:
    for row, (source, target) in augmented(join=1.0):
        assert source.startswith(f"{PAIRS[row].source} ")
        assert target.startswith(f"{PAIRS[row].target} ")
    assert joined([Texts("A.", "B."), Texts("C.", "D.")]) == Texts("A. C.", "B. D.")
    three = [Texts("我明白。", "B"), Texts("你好", "D?"), Texts("A.", "")]
    assert joined(three) == Texts("我明白。你好A.", "B D?")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Go, now!", {"Go , now !", "Go, now!!", "Go, now!!!"}),
        ("वह आती, है?", {"वह आती , है ?", "वह आती, है??", "वह आती, है???"}),
        ('Say "yes" now', {"Say “yes” now", "Say „yes“ now", "Say «yes» now", "Say ‘yes’ now"}),
    ],
)
def test_odd_marks(text: str, expected: set[str]) -> None:
    assert {odd_marks(text, random.Random(seed)) for seed in range(400)} == expected


def test_a_typo_is_one_letter_of_one_word_of_three_letters_or_more() -> None:
    seen = {with_typo("a the", random.Random(seed)) for seed in range(2_000)}
    swapped, dropped = {"a hte", "a teh"}, {"a he", "a te", "a th"}
    doubled = {"a tthe", "a thhe", "a thee"}
    beside = {f"a {word}" for word in ("rhe", "yhe", "tge", "tje", "thw", "thr")}
    assert seen == swapped | dropped | doubled | beside | {"a the"}
    assert with_typo("I am, ok?", random.Random(0)) == "I am, ok?"
