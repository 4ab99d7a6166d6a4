"""Sentences with markup around them or around their words, which a translation must have too.

All is a pure function of text and rng.
"""

import random

from gru_mt.evaluation.cases import WHOLE_WORD, Case

TAGS = (
    ("<b>", "</b>"),
    ("<em>", "</em>"),
    ('<a href="https://example.org/?q=1">', "</a>"),
    ('<span class="x-1">', "</span>"),
)


def add_tags(text: str, rng: random.Random) -> Case | None:
    """Return `text` with tags around one of its words; None if it has no letter or has tags."""
    words = list(WHOLE_WORD.finditer(text))
    if not words or "<" in text:
        return None
    opening, closing = rng.choice(TAGS)
    word = rng.choice(words)
    start, end = word.start(), word.start() + len(word[0].rstrip("'’-"))
    tagged = text[:start] + opening + text[start:end] + closing + text[end:]
    return Case(tagged, {opening: 1, closing: 1}, in_order=True)
