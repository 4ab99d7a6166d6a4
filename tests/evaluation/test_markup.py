"""Markup around a sentence or its words: where it is put, and when it counts as kept."""

import random
import re

from gru_mt.evaluation.markup import add_tags


def test_tags_stand_around_a_word() -> None:
    sources = set()
    for seed in range(100):
        case = add_tags("I don't.", random.Random(seed))
        assert case
        assert case.holds(case.source)
        opening, closing = case.wanted
        assert opening.strip("<").split(">")[0].split()[0] == closing.strip("</>")
        sources.add(case.source.replace(opening, "[").replace(closing, "]"))
    assert sources == {"[I] don't.", "I [don't]."}
    hindi = add_tags("नमस्ते।", random.Random(1))
    assert hindi
    assert "नमस्ते" in re.split("[<>]", hindi.source), "vowel signs belong to their word"
    assert add_tags("12 !", random.Random(1)) is None
    assert add_tags("<b>a</b>", random.Random(1)) is None
