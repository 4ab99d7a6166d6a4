"""Subwords drawn at random: the same sentence is cut in other ways each time.

SentencePiece draws them too, but other ones in each process. Here a seed decides, and so a resumed
run goes on as it would have.
"""

import math
import random
import re
from bisect import bisect
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import accumulate, pairwise

SPACE = "\u2581"  # SentencePiece writes a space so, and takes the character itself for one
WORDS = re.compile(f"{SPACE}[^{SPACE}]*")  # no piece has a space after its first character
MOST_WORDS = 100_000  # whose ways to be cut are remembered

Cut = Callable[[str, random.Random], list[str]]  # a word, with its space -> pieces


def unigram_segmenter(scores: Mapping[str, float], exponent: float) -> Cut:
    """Return what draws a cut of a word with the probability of a unigram model.

    It is the product of its pieces' probabilities, each to the power of `exponent`, over that of
    all cuts: sampling from all segmentations (Kudo 2018, arXiv:1804.10959, with l = infinity).
    `scores` has the logarithm of each piece's probability. A character that is no piece is one by
    itself.
    """
    longest = max(map(len, scores), default=1)

    @lru_cache(MOST_WORDS)
    def last_pieces(word: str) -> list[tuple[list[str], list[float]]]:
        """Return for each end in a word the pieces before it, and their cumulative probability."""
        forward, ends = [0.0], []
        for end in range(1, len(word) + 1):
            found = {
                word[start:end]: forward[start] + exponent * scores[word[start:end]]
                for start in range(max(0, end - longest), end)
                if word[start:end] in scores
            } or {word[end - 1]: forward[end - 1]}
            most = max(found.values())
            weights = [*accumulate(math.exp(each - most) for each in found.values())]
            forward.append(most + math.log(weights[-1]))
            ends.append(([*found], [each / weights[-1] for each in weights]))
        return ends

    def cut(word: str, rng: random.Random) -> list[str]:
        ends, pieces, end = last_pieces(word), list[str](), len(word)
        while end:
            found, cumulative = ends[end - 1]
            place = bisect(cumulative, rng.random(), hi=len(found) - 1) if len(found) > 1 else 0
            pieces.append(found[place])
            end -= len(found[place])
        return pieces[::-1]

    return cut


def bpe_segmenter(scores: Mapping[str, float], dropout: float) -> Cut:
    """Return what merges a word's characters with BPE, where each merge may be dropped.

    At each step every possible merge is left out with the probability `dropout`, and the best of
    the others is made; without others the word is done (Provilkov et al. 2020, arXiv:1910.13267,
    algorithm 1). The higher its score, the earlier a piece is merged.
    """

    def cut(word: str, rng: random.Random) -> list[str]:
        pieces = [*word]
        while True:
            merges = [
                (scores[one + other], -place)
                for place, (one, other) in enumerate(pairwise(pieces))
                if one + other in scores and rng.random() >= dropout
            ]
            if not merges:
                return pieces
            place = -max(merges)[1]
            pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]

    return cut
