"""Pairs that share a sentence stay together; on fra-eng the split is the published one."""

import hashlib
import random
import unicodedata
from itertools import chain
from pathlib import Path

import pytest

from gru_mt.data.corpus.builder import Corpus
from gru_mt.data.dataset import components as component_module
from gru_mt.data.dataset.components import DEV, TEST, TRAIN, key
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.splits import split_of
from gru_mt.data.types import Example, Pair
from tests.corpora import SplitPairs, components, data_config, load_one, split_pairs


def pairs_of(*sides: tuple[str, str]) -> list[Pair]:
    return [Pair(first, second, line) for line, (first, second) in enumerate(sides, start=1)]


def forward(pairs: list[Pair]) -> list[Example]:
    """Return the pairs from their first side to their second."""
    return [Example(*pair) for pair in pairs]


@pytest.fixture(scope="module")
def real_corpus(fra_eng_zip: Path) -> Corpus:
    return load_one(data_config(corpus=str(fra_eng_zip)))


@pytest.fixture(scope="module")
def real_pairs(real_corpus: Corpus) -> list[Pair]:
    return [*real_corpus.pairs]


@pytest.fixture(scope="module")
def real_split(real_corpus: Corpus, real_pairs: list[Pair]) -> SplitPairs:
    pairs = [*zip(forward(real_pairs), split_of(real_corpus), strict=True)]
    train, dev, test = (
        [example for example, split in pairs if split == wanted] for wanted in (TRAIN, DEV, TEST)
    )
    return SplitPairs(train, dev, test)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Go.", "go"),
        ("Go, NOW!", "go now"),
        ("l'été_dernier", "l été dernier"),
        ("E\u0301té", "été"),  # an accent of its own
        ("ﬁn ½", "fin 1 2"),  # a ligature, a fraction
        ("?!", ""),
        ("वह जाती है।", "वह जाती है"),
        ("لَا، شُكْرًا!", "لَا شُكْرًا"),
        ("क्\u200dष क्\u200cष क्ष", "क्ष क्ष क्ष"),  # a joiner changes how a word is drawn
        ("I ❤\ufe0f 👩\u200d🔬 it", "i it"),
    ],
)
def test_a_key_keeps_words_and_drops_case_and_punctuation(text: str, expected: str) -> None:
    assert key(text) == expected


def test_a_key_has_each_character_that_is_of_a_word() -> None:
    assigned = chain(range(0x33480), range(0xE0000, 0xE0200))
    for letter in map(chr, assigned):
        folded = unicodedata.normalize("NFKC", f"a{letter}b").lower()
        if any(0xFE00 <= ord(each) <= 0xFE0F or ord(each) >= 0xE0100 for each in folded):
            continue  # variants of signs
        of_word = [each.isalnum() or unicodedata.category(each)[0] == "M" for each in folded]
        found = "".join(each if its else " " for each, its in zip(folded, of_word, strict=True))
        if letter not in "\u200c\u200d":
            assert key(f"a{letter}b") == " ".join(found.split()), ascii(letter)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("वह जाती है।", "वह जाता है।"),  # she goes, he goes
        ("সে যায়", "সে যায়ে"),
        ("ไป", "ไป่"),
        ("ကား", "ကာ"),
        ("កី", "កិ"),
        ("தமிழ்", "தமிழ"),
        ("שֵׂה", "שֹׂה"),
        ("عَلِمَ", "عُلِمَ"),  # he knew, it was known
    ],
)
def test_a_vowel_sign_makes_another_key(one: str, other: str) -> None:
    assert key(one) != key(other)


def test_a_component_is_what_a_chain_of_shared_sides_reaches() -> None:
    pairs = pairs_of(
        ("Go.", "Va !"),
        ("Hi.", "Salut !"),
        ("Move.", "Bouge."),
        ("Go!", "Bouge !"),  # with the first by its English, with the third by its French
        ("Salut", "Hi"),  # a side is not compared with the other side
        ("Hello.", "salut"),
    )
    assert groups(pairs) == {frozenset(group) for group in ([0, 2, 3], [1, 5], [4])}
    assert groups([]) == set()


def groups(pairs: list[Pair]) -> set[frozenset[int]]:
    """Return the rows of each component."""
    members: dict[int, set[int]] = {}
    for row, component in enumerate(components(pairs).tolist()):
        members.setdefault(component, set()).add(row)
    return {*map(frozenset, members.values())}


def brute_key(side: str, text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).lower()
    words = "".join(letter if letter.isalnum() else " " for letter in folded).split()
    return f"{side} {' '.join(words)}"


def brute_components(pairs: list[Pair]) -> set[frozenset[int]]:
    """Walk the graph of pairs that share a key, from each pair in turn."""
    keys = [{brute_key("1", pair.first), brute_key("2", pair.second)} for pair in pairs]
    found = set()
    for start in range(len(pairs)):
        reached, waiting = {start}, [start]
        while waiting:
            here = keys[waiting.pop()]
            new = [i for i in range(len(pairs)) if i not in reached and keys[i] & here]
            reached.update(new)
            waiting += new
        found.add(frozenset(reached))
    return found


@pytest.mark.parametrize("seed", range(10))
def test_components_are_those_of_a_brute_force_walk(seed: int) -> None:
    rng = random.Random(seed)

    def sentence() -> str:
        text = str(rng.randrange(40)) + rng.choice(["", ".", "_!", " é", " E\u0301", " É?"])
        return rng.choice(["", "Oh, "]) + text

    pairs = pairs_of(*((sentence(), sentence()) for _ in range(60)))
    assert groups(pairs) == brute_components(pairs)


def test_a_component_goes_where_the_digest_of_its_smallest_first_side_says() -> None:
    # `printf %s w459 | sha256sum`, read as a number, modulo 1000: 9; the others: 10, 29 and 30.
    pairs = pairs_of(("w459", "a"), ("w3428", "b"), ("w628", "c"), ("w828", "d"), ("zz", "a"))
    split = split_pairs(pairs)
    assert split.dev == forward([pairs[0], pairs[4]])
    assert split.test == forward(pairs[1:3])
    assert split.train == forward([pairs[3]])


def test_the_smallest_pair_is_that_of_the_cleaned_text_in_python_order() -> None:
    pairs = pairs_of(("w459", "a"), ("W0", "a"))  # upper case comes first; W0 gives 138
    assert split_pairs(pairs).train == forward(pairs)
    assert split_pairs(pairs[:1]).dev == forward(pairs[:1])


def test_the_split_of_the_real_corpus_is_the_published_one(
    real_pairs: list[Pair], real_split: SplitPairs
) -> None:
    assert len(real_pairs) == 166_979
    assert len({*components(real_pairs).tolist()}) == 109_350
    sizes = [len(real_split.train), len(real_split.dev), len(real_split.test)]
    assert sizes == [161_973, 1_646, 3_360]
    assert len(EvaluationSet.from_examples(real_split.dev).sources) == 1_179
    # Of commit 96967a4: each pair's line in the file and its split. Two English sides of the corpus
    # have a soft hyphen, which is dropped, but which decides their split as before.
    lines = "".join(
        f"{example.line} {split}\n"
        for split, examples in enumerate((real_split.train, real_split.dev, real_split.test))
        for example in examples
    )
    digest = "4f2179fdbc7684a969dd0b5427f69c317f756464493012ab0bb1392861135532"
    assert hashlib.sha256(lines.encode()).hexdigest() == digest
    assert len(EvaluationSet.from_examples(real_split.test).sources) == 2_339


def brute_capped(pairs: list[Pair], split: list[Example], most: int) -> set[Example]:
    """Return what stays of a split: of its components the smallest by number that fit."""
    number: dict[int, int] = {}
    first_keys: dict[int, set[str]] = {}
    members: dict[int, set[Example]] = {}
    for place, component in enumerate(sorted(map(sorted, brute_components(pairs)))):
        for row in component:
            if Example(*pairs[row]) in split:
                text = brute_key("1", pairs[row].first)[2:]
                digest = hashlib.blake2b(text.encode(), digest_size=16).digest()[:8]
                number[place] = (number.get(place, 0) + int.from_bytes(digest, "little")) % 2**64
                first_keys.setdefault(place, set()).add(text)
                members.setdefault(place, set()).add(Example(*pairs[row]))
    kept: set[Example] = set()
    for place in sorted(number, key=number.__getitem__):
        if len(first_keys[place]) <= most:
            most -= len(first_keys[place])
            kept |= members[place]
    return kept


@pytest.mark.parametrize("seed", range(5))
def test_dev_and_test_of_a_large_corpus_are_components_with_so_many_sources(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(component_module, "_FIRST_BUCKETS", (0, 300, 700))  # more of dev and test
    firsts = [f"w{rng.randrange(300)}{rng.choice(['', '.', '!'])}" for _ in range(300)]
    pairs = pairs_of(*((first, f"x{rng.randrange(900)}") for first in firsts))
    whole = split_pairs(pairs)
    monkeypatch.setattr(component_module, "MAX_SOURCES", 20)
    found = split_pairs(pairs)
    for split, before in ((found.dev, whole.dev), (found.test, whole.test)):
        assert {*split} == brute_capped(pairs, before, 20)
        assert 15 <= len({brute_key("1", example.source) for example in split}) <= 20
        assert len(split) < len(before)
    assert sorted([*found.train, *found.dev, *found.test]) == sorted(forward(pairs))
    other = split_pairs(rng.sample(pairs, len(pairs)))
    assert [{*split} for split in (other.dev, other.test)] == [{*found.dev}, {*found.test}]


def test_a_component_that_is_larger_than_a_split_may_be_is_trained_on() -> None:
    # The smallest first side decides on test: `printf %s A47 | sha256sum`, modulo 1000, is 13.
    most = component_module.MAX_SOURCES
    chained = [("A47", "same"), *((f"b{number}", "same") for number in range(most - 1))]
    assert len(split_pairs(pairs_of(*chained, ("w628", "c"))).test) == most
    larger = split_pairs(pairs_of(*chained, ("z", "same"), ("w628", "c")))
    assert larger.test == [Example("w628", "c", most + 2)]


@pytest.mark.slow
def test_no_two_splits_of_the_real_corpus_share_a_sentence(
    real_pairs: list[Pair], real_split: SplitPairs
) -> None:
    splits = (real_split.train, real_split.dev, real_split.test)
    keys = [
        {brute_key("1", example.source) for example in split}
        | {brute_key("2", example.target) for example in split}
        for split in splits
    ]
    assert keys[0].isdisjoint(keys[1])
    assert keys[0].isdisjoint(keys[2])
    assert keys[1].isdisjoint(keys[2])
    assert sorted(example for split in splits for example in split) == sorted(forward(real_pairs))
    for split in splits:
        assert [example.line for example in split] == sorted(example.line for example in split)


def test_an_evaluation_set_groups_references_in_the_order_of_the_file() -> None:
    sides = [("Go.", "Va !"), ("Hi.", "Salut !"), ("Go.", "Allez !"), ("go.", "Va.")]
    evaluation = EvaluationSet.from_examples(Example(*each, 1) for each in sides)
    assert evaluation.sources == ["Go.", "Hi.", "go."]
    assert evaluation.references == [["Va !", "Allez !"], ["Salut !"], ["Va."]]


def test_the_other_direction_exchanges_the_sides_and_nothing_else() -> None:
    pairs = pairs_of(("w828", "x"), ("w459", "y"), ("w3428", "z"), ("w628", "z"))
    there, back = split_pairs(pairs), split_pairs(pairs, reverse=True)
    assert back.train == [Example("x", "w828", 1)]
    assert back.dev == [Example("y", "w459", 2)]
    assert EvaluationSet.from_examples(back.test) == EvaluationSet(["z"], [["w3428", "w628"]])
    for split, swapped in (
        (there.train, back.train),
        (there.dev, back.dev),
        (there.test, back.test),
    ):
        assert split == [Example(target, source, line) for source, target, line, _ in swapped]


def test_a_corpus_is_split_alike_for_both_directions(tmp_path: Path) -> None:
    path = tmp_path / "c.tsv"
    path.write_text("w459\tw828\nw828\tw459\n")  # 9, so dev; 30, so train
    there = data_config(corpus=str(path))
    back = data_config(corpus=str(path), source="fr", target="en")
    corpus = load_one(there)
    assert split_pairs(corpus.pairs, reverse=there.reversed) == SplitPairs(
        [Example("w828", "w459", 2)], [Example("w459", "w828", 1)], []
    )
    assert split_pairs(corpus.pairs, reverse=back.reversed) == SplitPairs(
        [Example("w459", "w828", 2)], [Example("w828", "w459", 1)], []
    )
