"""The page copies what `translate` does, and puts it back where that does."""

import dataclasses
import random
import re
from pathlib import Path

from gru_mt.data.literals import (
    find_literals,
    literal_indices,
    mask,
    restore,
    tag_pairs,
)
from tests.data.test_literals import LONG, cases, random_text
from tests.page.node import needs_node, run_node
from tests.page.strings import corpus_pairs, random_strings, with_insertions, without_pairs

pytestmark = needs_node


def assert_same_literals(texts: list[str]) -> None:
    """Compare what is found in each text, the text with marks, and the text put back."""
    script = """
        import { findLiterals, mask, restore } from "./literals.js";
        result = data.map((text) => {
          const spans = findLiterals(text);
          const masked = mask(text, spans);
          const isWhole = restore(masked.text, masked.literals) === text;
          return [masked, isWhole && spans.every((s) => text.slice(s.start, s.end) === s.text)];
        });
    """
    for text, (masked, is_whole) in zip(texts, run_node(script, texts), strict=True):
        expected = dataclasses.asdict(mask(text, find_literals(text)))
        assert masked == expected | {"literals": [*expected["literals"]]}, ascii(text)
        assert is_whole, ascii(text)


def test_literals_of_every_kind_are_those_of_python() -> None:
    rng = random.Random(1)
    pieces = [without_pairs(random_text(rng)) for _ in range(6_000)]
    ends = [f"`a{end}b` <a{end}b='{end}'>" for end in "\n\r\x0b\x1c\x85\u2028"]
    assert_same_literals([*(re.sub("[⟦⟧]", "", case) for case in cases()), *ends, *pieces])


def test_literals_of_any_text_are_those_of_python() -> None:
    assert_same_literals(random_strings(9_000))


def test_literals_of_the_corpus_are_those_of_python(fra_eng_zip: Path) -> None:
    lines = [line for pair in corpus_pairs(fra_eng_zip, 2_000) for line in pair]
    assert_same_literals([*lines, *with_insertions(lines)])


def test_a_long_text_of_any_piece_is_searched() -> None:
    # Neither time nor memory may grow with more than the length.
    pieces = [*LONG.split(), "<a_=_", "<a_=", "%0", "%1", "http://a(" + "b" * 50, "١a", "{_", "Ａ"]
    script = """
        import { findLiterals } from "./literals.js";
        result = data.map((piece) => {
          const text = piece.repeat(100_000 / piece.length);
          return [text, text + "¿", piece + piece.slice(-1).repeat(100_000)].map(
            (each) => findLiterals(each).length,
          );
        });
    """
    assert len(run_node(script, [piece.replace("_", " ") for piece in pieces])) == len(pieces)


def test_marks_stand_for_the_literals_that_python_says() -> None:
    rng = random.Random(1)
    marks = [*map(chr, range(0xE010, 0xE018)), "a", " ", "\n"]
    texts = ["".join(rng.choices(marks, k=rng.randrange(30))) for _ in range(1_000)]
    literals = [*"abcdefghij", "\ue011", "$&", "$1"]
    script = """
        import { literalIndices, restore } from "./literals.js";
        const { texts, literals } = data;
        result = texts.map((text) => [literalIndices(text), restore(text, literals)]);
    """
    found = run_node(script, {"texts": texts, "literals": literals})
    assert found == [[literal_indices(text), restore(text, literals)] for text in texts]


def test_tags_are_paired_as_python_pairs_them() -> None:
    rng = random.Random(1)
    tags = ["<b>", "</b>", "<i>", "</i>", "<br/>", '<a b="c">', "</a>", "<b_é.x>", "</b_é.x>", "5"]
    groups = [rng.choices(tags, k=rng.randrange(12)) for _ in range(2_000)]
    script = 'import { tagPairs } from "./literals.js"; result = data.map(tagPairs);'
    assert run_node(script, groups) == [[[*pair] for pair in tag_pairs(group)] for group in groups]
