"""Pairs that share a sentence stay together; on fra-eng the split is the published one."""

import hashlib
import random
import unicodedata
from itertools import chain
from pathlib import Path

import pytest

from gru_mt.data.corpus import fra_eng
from gru_mt.data.corpus.fra_eng import FRA_ENG_SHA256, TATOEBA_ATTRIBUTION
from gru_mt.data.dataset import components as component_module
from gru_mt.data.dataset.components import DEV, TEST, TRAIN, key
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.splits import split_of
from gru_mt.data.types import Example, Pair
from tests.corpora import components, data_config, load_one, split_pairs


def pairs_of(*sides: tuple[str, str]) -> list[Pair]:
    return [Pair(first, second, line) for line, (first, second) in enumerate(sides, start=1)]


def forward(pairs: list[Pair]) -> list[Example]:
    """Return the pairs from their first side to their second."""
    return [Example(*pair) for pair in pairs]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Go, NOW!", "go now"),
        ("l'été_dernier", "l été dernier"),
        ("E\u0301té", "été"),  # an accent of its own
        ("ﬁn ½", "fin 1 2"),  # a ligature, a fraction
        ("?!", ""),
        ("لَا، شُكْرًا!", "لَا شُكْرًا"),
        ("वह जाती है।", "वह जाती है"),  # she goes; with another vowel sign he does
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
    """A side is not compared with the other side."""
    rng = random.Random(seed)

    def sentence() -> str:
        text = str(rng.randrange(40)) + rng.choice(["", ".", "_!", " é", " E\u0301", " É?"])
        return rng.choice(["", "Oh, "]) + text

    pairs = pairs_of(*((sentence(), sentence()) for _ in range(60)))
    assert groups(pairs) == brute_components(pairs)
    assert groups([]) == set()


def test_a_component_goes_where_the_digest_of_its_smallest_first_side_says() -> None:
    # `printf %s w459 | sha256sum`, read as a number, modulo 1000: 9; the others: 10, 29 and 30.
    pairs = pairs_of(("w459", "a"), ("w3428", "b"), ("w628", "c"), ("w828", "d"), ("zz", "a"))
    split = split_pairs(pairs)
    assert split.dev == forward([pairs[0], pairs[4]])
    assert split.test == forward(pairs[1:3])
    assert split.train == forward([pairs[3]])
    pairs = pairs_of(("w459", "a"), ("W0", "a"))  # to Python upper case comes first; W0 gives 138
    assert split_pairs(pairs).train == forward(pairs)
    assert split_pairs(pairs[:1]).dev == forward(pairs[:1])


@pytest.mark.slow
def test_the_split_of_the_real_corpus_is_the_published_one(
    fra_eng_zip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fra_eng, "find_or_fetch", lambda: fra_eng_zip)
    config = data_config("fra-eng")
    corpus = load_one(config)
    assert corpus.report.lines()[0] == "167,130 lines read, 166,979 kept"
    assert (corpus.sha256, corpus.warnings) == (FRA_ENG_SHA256, ())
    assert corpus.attribution == TATOEBA_ATTRIBUTION
    pairs = [*corpus.pairs]
    assert len({*components(pairs).tolist()}) == 109_350
    split_N = split_of(corpus, config.corpus[0]).tolist()
    train, dev, test = (
        [Example(*pair) for pair, split in zip(pairs, split_N, strict=True) if split == wanted]
        for wanted in (TRAIN, DEV, TEST)
    )
    assert [len(train), len(dev), len(test)] == [161_973, 1_646, 3_360]
    sources = [len(EvaluationSet.from_examples(split).sources) for split in (dev, test)]
    assert sources == [1_179, 2_339]
    # Of commit 96967a4: each pair's line in the file and its split. Two English sides of the corpus
    # have a soft hyphen, which is dropped, but which decides their split as before.
    lines = "".join(
        f"{example.line} {split}\n"
        for split, examples in enumerate((train, dev, test))
        for example in examples
    )
    digest = "4f2179fdbc7684a969dd0b5427f69c317f756464493012ab0bb1392861135532"
    assert hashlib.sha256(lines.encode()).hexdigest() == digest


def brute_capped(pairs: list[Pair], split: list[Example], most: int) -> set[Example]:
    """Return what stays of a split: of its components the smallest by number that fit."""
    components = []  # the number of each, the keys of its first sides, and its members
    for rows in brute_components(pairs):
        members = [Example(*pairs[row]) for row in rows if Example(*pairs[row]) in split]
        texts = [brute_key("1", example.source)[2:] for example in members]
        sums = [hashlib.blake2b(text.encode(), digest_size=16).digest()[:8] for text in texts]
        number = sum(int.from_bytes(digest, "little") for digest in sums) % 2**64
        components.append((number, {*texts}, members))
    kept: set[Example] = set()
    for _, keys, members in sorted(components, key=lambda component: component[0]):
        if len(keys) <= most:
            most -= len(keys)
            kept.update(members)
    return kept


@pytest.mark.parametrize(("seed", "most"), [(0, 20), (1, 20), (2, 20), (3, 3), (4, 3)])
def test_dev_and_test_of_a_large_corpus_are_components_with_so_many_sources(
    seed: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A component with more sources than a split may have is trained on."""
    rng = random.Random(seed)
    monkeypatch.setattr(component_module, "_FIRST_BUCKETS", (0, 300, 700))  # more of dev and test
    firsts = [f"w{rng.randrange(300)}{rng.choice(['', '.', '!'])}" for _ in range(300)]
    pairs = pairs_of(*((first, f"x{rng.randrange(900)}") for first in firsts))
    whole = split_pairs(pairs)
    monkeypatch.setattr(component_module, "MAX_SOURCES", most)
    found = split_pairs(pairs)
    for split, before in ((found.dev, whole.dev), (found.test, whole.test)):
        assert {*split} == brute_capped(pairs, before, most)
        assert most * 0.6 < len({brute_key("1", example.source) for example in split}) <= most
        assert len(split) < len(before)
    assert sorted([*found.train, *found.dev, *found.test]) == sorted(forward(pairs))
    other = split_pairs(rng.sample(pairs, len(pairs)))
    assert [{*split} for split in (other.dev, other.test)] == [{*found.dev}, {*found.test}]
