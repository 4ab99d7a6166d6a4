"""Which n-grams one system gets right more often than another."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 4  # words, as in BLEU


@dataclass(frozen=True, slots=True)
class NgramCounts:
    """How often two systems get an n-gram right: its words with spaces between."""

    ngram: str
    first: int
    second: int

    @property
    def gained(self) -> int:
        """How much more often the second has it right."""
        return self.second - self.first


def compare_ngrams(
    first: Sequence[str],
    second: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    tokenizer: str,
) -> list[NgramCounts]:
    """Return the n-grams that one system gets right more often, those of the second's first.

    They are sorted from the greatest gain to the greatest loss, and equal ones by length. Where an
    n-gram is part of a longer one with the same two counts, only the longer one is listed.
    """
    counts = [right_ngrams(texts, references, tokenizer=tokenizer) for texts in (first, second)]
    either = counts[0] | counts[1]
    differing = sorted(
        (ngram for ngram in either if counts[0][ngram] != counts[1][ngram]),
        key=lambda ngram: (counts[0][ngram] - counts[1][ngram], -len(ngram), ngram),
    )
    within = {
        (part, counts[0][ngram], counts[1][ngram])
        for ngram in differing
        for part in (ngram[1:], ngram[:-1])
    }
    return [
        NgramCounts(" ".join(ngram), counts[0][ngram], counts[1][ngram])
        for ngram in differing
        if (ngram, counts[0][ngram], counts[1][ngram]) not in within
    ]


def right_ngrams(
    texts: Sequence[str], references: Sequence[Sequence[str]], *, tokenizer: str
) -> Counter[tuple[str, ...]]:
    """Return how often `texts` have each n-gram that a reference of the sentence has too.

    A sentence counts it at most as often as that one of its references which has most of it, as
    BLEU does: "the the" against [["the cat"], ["a the"]] counts "the" once.
    """
    from sacrebleu import BLEU
    from sacrebleu.metrics.helpers import extract_all_word_ngrams

    tokenize = BLEU(tokenize=tokenizer).tokenizer

    def ngrams(text: str) -> Counter[tuple[str, ...]]:
        found: Counter[tuple[str, ...]] = extract_all_word_ngrams(tokenize(text), 1, LONGEST)[0]
        return found

    right: Counter[tuple[str, ...]] = Counter()
    for text, alternatives in zip(texts, references, strict=True):
        most: Counter[tuple[str, ...]] = Counter()
        for reference in alternatives:
            most |= ngrams(reference)
        right.update(ngrams(text) & most)
    return right
