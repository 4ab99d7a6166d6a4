"""Subword sampling: a sentence is segmented at random, anew each time, as a seed decides.

SentencePiece samples too, but otherwise in each process, and a resumed run must go on as it was.
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
MOST_WORDS, MOST_CHARACTERS = 100_000, 20  # of words whose segmentations are cached

Segmenter = Callable[[str, random.Random], list[str]]  # a word, with its space -> pieces


def unigram_segmenter(scores: Mapping[str, float], exponent: float) -> Segmenter:
    """Return what draws a segmentation of a word with its probability in a unigram model.

    It is the product of its pieces' probabilities, each to the power of `exponent`, over that of
    all segmentations (Kudo 2018, arXiv:1804.10959, l = infinity). `scores` are the logarithms of
    the probabilities. A character that is no piece is one by itself.
    """
    longest = max(map(len, scores), default=1)

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
            weights = [*accumulate(math.exp(score - most) for score in found.values())]
            forward.append(most + math.log(weights[-1]))
            ends.append(([*found], [weight / weights[-1] for weight in weights]))
        return ends

    cached = lru_cache(MOST_WORDS)(last_pieces)

    def segment(word: str, rng: random.Random) -> list[str]:
        pieces, end = list[str](), len(word)
        ends = (cached if end <= MOST_CHARACTERS else last_pieces)(word)
        while end:
            found, cumulative = ends[end - 1]
            last = len(found) - 1
            index = bisect(cumulative, rng.random(), hi=last) if last else 0
            pieces.append(found[index])
            end -= len(found[index])
        return pieces[::-1]

    return segment


def bpe_segmenter(scores: Mapping[str, float], dropout: float) -> Segmenter:
    """Return what merges a word's characters with BPE, where each merge may be dropped.

    At each step every possible merge is left out with the probability `dropout`, and the best of
    the others is made; without others the word is done (Provilkov et al. 2020, arXiv:1910.13267,
    algorithm 1). The higher its score, the earlier a piece is merged.
    """

    def segment(word: str, rng: random.Random) -> list[str]:
        pieces = [*word]
        while True:
            merges = [
                (scores[first + second], -index)
                for index, (first, second) in enumerate(pairwise(pieces))
                if first + second in scores and rng.random() >= dropout
            ]
            if not merges:
                return pieces
            index = -max(merges)[1]
            pieces[index : index + 2] = [pieces[index] + pieces[index + 1]]

    return segment
