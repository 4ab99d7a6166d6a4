"""What each kind of augmentation does; an epoch is a function of seed, epoch and index alone."""

import random
from collections import Counter
from typing import Any

import pytest

from gru_mt.config.data import AugmentConfig
from gru_mt.data.augment.augmenter import (
    Augmenter,
    joined,
    odd_marks,
    renumbered,
    shuffled_placeholders,
    whole,
    with_item,
    with_typo,
)
from gru_mt.data.augment.word_lists import WordLists, begins_with_vowel, shared_names
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


def augmented(epochs: int = 200, **rates: float) -> Counter[tuple[int, Texts]]:
    """Return what some epochs make of PAIRS, with the kinds in `rates` alone."""
    augmenter = augmenter_of(AugmentConfig(**OFF | rates), PAIRS, seed=1)
    return Counter(
        item for epoch in range(epochs) for item in of_epoch(augmenter, epoch, PAIRS).items()
    )


def augmenter_of(config: AugmentConfig, pairs: list[Texts], *, seed: int) -> Augmenter:
    return Augmenter(config, pairs, WordLists.learn(pairs), seed=seed)


def of_epoch(augmenter: Augmenter, epoch: int, pairs: list[Texts]) -> dict[int, Texts]:
    """Return what an epoch changes, where it takes each pair once."""
    return augmenter.of_epoch(epoch, range(len(pairs)), pairs)


def test_without_rates_nothing_changes() -> None:
    assert not augmented()


def test_an_epoch_is_augmented_the_same_again_and_another_epoch_or_seed_otherwise() -> None:
    config = AugmentConfig()
    of = [
        of_epoch(augmenter_of(config, PAIRS * 20, seed=seed), epoch, PAIRS * 20)
        for seed, epoch in ((1, 0), (1, 0), (1, 1), (2, 0))
    ]
    assert of[0] == of[1]
    assert of[0] != of[2] != of[3] != of[0]


def test_the_augmentation_of_a_pair_does_not_depend_on_the_epochs_before() -> None:
    first, second = (augmenter_of(AugmentConfig(), PAIRS, seed=3) for _ in range(2))
    for epoch in range(5):
        of_epoch(first, epoch, PAIRS)
    assert of_epoch(first, 5, PAIRS) == of_epoch(second, 5, PAIRS)


def test_a_row_is_about_its_own_pair() -> None:
    for row, pair in augmented(join=1.0):
        assert pair.source.lower().startswith(PAIRS[row].source.lower())
        assert pair.target.lower().startswith(PAIRS[row].target.lower())


def test_a_rate_is_the_share_of_the_pairs() -> None:
    changed = augmented(epochs=2_000, no_mark=0.25)
    count = sum(times for (row, _), times in changed.items() if row == 0)
    assert 0.25 * 2_000 - 80 < count < 0.25 * 2_000 + 80  # four standard deviations
    assert {pair for row, pair in changed if row == 0} == {
        Texts("I saw Tom today", "J'ai vu Tom aujourd'hui")
    }


def test_apostrophes_of_the_source_go_or_become_others() -> None:
    of_row = {pair for row, pair in augmented(apostrophes=1.0) if row == 2}
    assert of_row == {
        Texts(source, PAIRS[2].target)
        for source in ("Its 12 oclock.", "It’s 12 o’clock.", "It´s 12 o´clock.", "It`s 12 o`clock.")
    } | {Texts("It s 12 o clock.", PAIRS[2].target)}


def test_made_up_names_have_no_typos() -> None:
    changed = [pair for row, pair in augmented(names=1.0, typos=1.0, apostrophes=1.0) if row == 0]
    renamed = [pair for pair in changed if "Tom" not in pair.target]
    assert len(renamed) > 20
    for pair in renamed:
        name = pair.target.removeprefix("J'ai vu ").removesuffix(" aujourd'hui.")
        assert name in pair.source


def test_no_mark_takes_the_final_mark_of_both_sides() -> None:
    changed = dict(augmented(no_mark=1.0).keys())
    assert changed[0] == Texts("I saw Tom today", "J'ai vu Tom aujourd'hui")
    assert changed[1] == Texts("Is Tom at home", "Tom est-il à la maison")
    assert changed[3] == Texts('She said "no"', "Elle a dit « non »")


def test_names_become_the_same_on_both_sides() -> None:
    seen = [pair for row, pair in augmented(names=1.0) if row == 0]
    assert len(seen) > 20
    for source, target in seen:
        name = source.removeprefix("I saw ").removesuffix(" today.")
        assert target == f"J'ai vu {name} aujourd'hui."
    assert any(mark in pair.source for pair in seen for mark in PLACEHOLDER_TOKENS)


def test_a_name_with_a_vowel_becomes_one_with_a_vowel() -> None:
    examples = [
        Texts("It is Anne.", "C'est le chien d'Anne."),
        Texts("I saw Élodie.", "J'ai vu Élodie."),
        Texts("It is Tom.", "C'est le chien de Tom."),
        Texts("I saw Paul.", "J'ai vu Paul."),
    ]
    augmenter = augmenter_of(AugmentConfig(**OFF | {"names": 1.0}), examples, seed=1)
    found: dict[int, set[str]] = {0: set(), 2: set()}
    for epoch in range(300):
        changed = of_epoch(augmenter, epoch, examples)
        for row in found.keys() & changed.keys():
            found[row].add(changed[row].target[len("C'est le chien d'") :].strip(" ."))
    assert len(found[0]) > 50
    assert all(begins_with_vowel(name) for name in found[0])
    assert {name[0] for name in found[0]} >= {*"AÉIO"}
    assert len(found[2]) > 50
    assert not any(map(begins_with_vowel, found[2]))
    assert {*PLACEHOLDER_TOKENS} < found[2]


def test_a_name_is_capitalised_inside_sentences_and_shared() -> None:
    pairs = [
        Texts("I know Tom.", "Je connais Tom."),
        Texts("We speak French.", "Nous parlons French ."),
        Texts("A french fry.", "Une frite."),
        Texts("He saw Monday.", "Il a vu lundi."),
        Texts("Paris is big.", "Paris est grand."),  # only at the start: it may be any word
    ]
    assert shared_names(pairs) == {"Tom"}


def test_a_word_that_most_targets_translate_is_no_name() -> None:
    pairs = [Texts("I like Mary.", "J'aime Marie.")] * 2 + [Texts("I like Mary.", "J'aime Mary.")]
    assert shared_names(pairs) == set()
    assert shared_names(pairs[1:] + pairs[2:]) == {"Mary"}


def test_numbers_change_on_both_sides_where_they_are_the_same() -> None:
    rng = random.Random(1)
    source, target = renumbered(Texts("I have 12 cats.", "J'ai 12 chats."), rng)
    number = source.split()[2]
    assert (source, target) == (f"I have {number} cats.", f"J'ai {number} chats.")
    for pair in (Texts("I have 12.", "J'en ai douze."), Texts("At 10:30.", "À 10:30.")):
        assert renumbered(pair, rng) == pair


def test_an_item_stands_at_like_places() -> None:
    pair, anchors = Texts("My cat sleeps.", "Mon chat dort."), [("cat", "chat")]
    seen = {with_item(pair, "7", anchors, random.Random(seed)) for seed in range(300)}
    assert {
        Texts("7 My cat sleeps.", "7 Mon chat dort."),
        Texts("My cat sleeps. 7", "Mon chat dort. 7"),
        Texts("My cat sleeps 7.", "Mon chat dort 7."),
        Texts("My cat sleeps (7).", "Mon chat dort (7)."),
        Texts("My 7 cat sleeps.", "Mon 7 chat dort."),
        Texts("My cat 7 sleeps.", "Mon chat 7 dort."),
        Texts("My cat (7) sleeps.", "Mon chat (7) dort."),
    } <= seen
    tagged = {
        with_item(pair, PLACEHOLDER_TOKENS[0], anchors, random.Random(seed)) for seed in range(300)
    }
    assert (
        Texts(
            f"My {PLACEHOLDER_TOKENS[0]}cat{PLACEHOLDER_TOKENS[1]} sleeps.",
            f"Mon {PLACEHOLDER_TOKENS[0]}chat{PLACEHOLDER_TOKENS[1]} dort.",
        )
        in tagged
    )


def test_items_stand_on_both_sides_equally_often() -> None:
    for _, pair in augmented(items=1.0):
        for mark in PLACEHOLDER_TOKENS:
            assert pair.source.count(mark) == pair.target.count(mark)


def test_all_placeholders_are_learned() -> None:
    marks = {
        mark
        for _, pair in augmented(items=1.0)
        for mark in PLACEHOLDER_TOKENS
        if mark in pair.source
    }
    assert marks == {*PLACEHOLDER_TOKENS}


def test_shuffled_placeholders_stay_the_same_ones_on_both_sides() -> None:
    pair = Texts(
        f"{PLACEHOLDER_TOKENS[0]} and {PLACEHOLDER_TOKENS[1]}",
        f"{PLACEHOLDER_TOKENS[1]} et {PLACEHOLDER_TOKENS[0]}",
    )
    source, target = shuffled_placeholders(pair, random.Random(5))
    (first, second), (second_too, first_too) = source.split(" and "), target.split(" et ")
    assert (first, second) == (first_too, second_too)
    assert first != second


def test_joined_pairs_have_a_space_between() -> None:
    assert joined([Texts("A.", "B."), Texts("C.", "D.")]) == Texts("A. C.", "B. D.")
    assert joined([Texts("我明白。", "B"), Texts("你好", "D?"), Texts("A.", "")]) == Texts(
        "我明白。你好A.", "B D?"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Go, now!", {"Go , now !", "Go, now!!", "Go, now!!!"}),
        ("वह आती, है?", {"वह आती , है ?", "वह आती, है??", "वह आती, है???"}),
        ('Say "yes" now', {"Say “yes” now", "Say „yes“ now", "Say «yes» now", "Say ‘yes’ now"}),
    ],
)
def test_odd_marks(text: str, expected: set[str]) -> None:
    seen = {odd_marks(text, random.Random(seed)) for seed in range(400)}
    assert seen == expected


def test_a_typo_is_one_letter_of_one_word() -> None:
    seen = {with_typo("a the", random.Random(seed)) for seed in range(2_000)}
    swapped, dropped = {"a hte", "a teh"}, {"a he", "a te", "a th"}
    doubled = {"a tthe", "a thhe", "a thee"}
    beside = {f"a {word}" for word in ("rhe", "yhe", "tge", "tje", "thw", "thr")}
    assert seen == swapped | dropped | doubled | beside | {"a the"}


def test_short_words_have_no_typos() -> None:
    assert with_typo("I am, ok?", random.Random(0)) == "I am, ok?"


def test_names_and_numbers_are_no_parts_of_words_with_vowel_signs() -> None:
    assert whole("की").sub("x", "की, कीं िकी की5") == "x, कीं िकी की5"
    pair = Texts("I am 5 and 7.", "मैं 5 और 7वीं")  # 7 is a part of a word there
    assert renumbered(pair, random.Random(1)) == pair
