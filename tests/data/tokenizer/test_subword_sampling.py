"""Segmentations of words are drawn with the probabilities of their formulas, alike everywhere.

Expected values come from enumerating all segmentations.
"""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import combinations, pairwise

import pytest

from gru_mt.data.tokenizer.subword_sampling import Segmenter, bpe_segmenter, unigram_segmenter

Pieces = tuple[str, ...]
SCORES = {"a": -1.0, "b": -2.0, "c": -2.5, "ab": -1.5, "bc": -1.2, "abc": -4.0}
TIMES = 5_000


def all_segmentations(word: str) -> list[Pieces]:
    """Return every segmentation of a word."""
    places = range(1, len(word))
    return [
        tuple(word[start:end] for start, end in pairwise((0, *chosen, len(word))))
        for size in range(len(word))
        for chosen in combinations(places, size)
    ]


def assert_drawn(segmenter: Segmenter, word: str, shares: Mapping[Pieces, float]) -> None:
    """Assert that segmentations are drawn with their probabilities, within 4.5 deviations."""
    rng = random.Random(1)
    found = Counter(tuple(segmenter(word, rng)) for _ in range(TIMES))
    assert math.isclose(sum(shares.values()), 1)
    assert {*found} <= {*shares}
    for pieces, share in shares.items():
        margin = 4.5 * math.sqrt(share * (1 - share) / TIMES)
        assert abs(found[pieces] / TIMES - share) <= margin


@pytest.mark.parametrize("exponent", [0.2, 1.0])
@pytest.mark.parametrize("word", ["abc", "abcab", "b", "aac"])
def test_a_unigram_segmentation_is_drawn_by_the_product_of_its_pieces(
    word: str, exponent: float
) -> None:
    weights = {
        pieces: math.exp(exponent * sum(SCORES[piece] for piece in pieces))
        for pieces in all_segmentations(word)
        if SCORES.keys() >= {*pieces}
    }
    total = sum(weights.values())
    shares = {pieces: weight / total for pieces, weight in weights.items()}
    segmenter = unigram_segmenter(SCORES, exponent)
    assert_drawn(segmenter, word, shares)
    assert segmenter("aéb", random.Random(1)) == ["a", "é", "b"]  # a character that is no piece


def bpe_shares(pieces: Pieces, scores: dict[str, float], dropout: float) -> dict[Pieces, float]:
    """Return the probability of each end of BPE with dropout, over all of what may be dropped."""
    merges = [i for i in range(len(pieces) - 1) if pieces[i] + pieces[i + 1] in scores]
    shares: defaultdict[Pieces, float] = defaultdict(float)
    shares[pieces] += dropout ** len(merges)
    by_rank = sorted(merges, key=lambda i: (-scores[pieces[i] + pieces[i + 1]], i))
    for better, i in enumerate(by_rank):  # all better ones are dropped, this one is not
        merged = (*pieces[:i], pieces[i] + pieces[i + 1], *pieces[i + 2 :])
        for end, share in bpe_shares(merged, scores, dropout).items():
            shares[end] += dropout**better * (1 - dropout) * share
    return shares


@pytest.mark.parametrize("dropout", [0.1, 0.6])
@pytest.mark.parametrize("word", ["abc", "abcab", "bbcbc"])
def test_a_bpe_segmentation_drops_each_possible_merge_at_each_step(
    word: str, dropout: float
) -> None:
    scores = {"ab": 0.0, "bc": -1.0, "abc": -2.0, "a": -3.0, "b": -4.0, "c": -5.0}
    shares = bpe_shares(tuple(word), scores, dropout)
    assert_drawn(bpe_segmenter(scores, dropout), word, shares)
