"""Texts to try the page's JavaScript on."""

import random
import unicodedata

from gru_mt.data.text.normalize import clean

KINDS = {
    "any": [(0, 0xD7FF), (0xE000, 0x10FFFF)],
    "Latin": [(0x20, 0x7E)] * 3 + [(0xC0, 0x17F), (0x300, 0x36F)],
    "marks and digits": [(0x20, 0x40), (0x5B, 0x60), (0x2010, 0x203A), (0xA0, 0xBF)],
    "emoji": [(0x1F300, 0x1FAFF), (0x2600, 0x27BF), (0x1F1E6, 0x1F1FF), (0x200D, 0x200D)],
    "Asian": [(0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x3000, 0x3003)],
    "Arabic": [(0x600, 0x6FF), (0x20, 0x20), (0x590, 0x5FF)],
    "our own": [(0xE000, 0xE001), (0xE010, 0xE017), (0x2581, 0x2581), (0x61, 0x66), (0x20, 0x20)],
    "control": [(0, 0x1F), (0x7F, 0xA0), (0x61, 0x66)],
}


def random_texts(count: int) -> list[str]:
    """Return texts of KINDS in turns.

    They have no character that Python's Unicode does not know, because JavaScript's is newer.
    """
    rng = random.Random(7)
    kinds = [*KINDS.values()]
    texts = []
    for n in range(count):
        ranges = rng.choices(kinds[n % len(kinds)], k=rng.randint(0, 30))
        letters = (chr(rng.randint(*ends)) for ends in ranges)
        texts.append("".join(each for each in letters if unicodedata.category(each) != "Cn"))
    return texts


def cleaned_texts(count: int) -> list[str]:
    """Return random texts as the tokenizer gets them."""
    return [clean(text) for text in random_texts(count)]
