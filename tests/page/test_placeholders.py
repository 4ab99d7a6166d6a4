"""The page copies what `translate` does, and puts it back where that does."""

import random
import re
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.text.placeholders import (
    Span,
    disjoint,
    find_placeholders,
    mask,
    placeholder_indices,
    restore,
)
from tests.data.text.test_placeholders import KNOWN, LONG, OPENED, cases, random_text
from tests.page.node import needs_node, run_node
from tests.page.strings import (
    FRAMES,
    corpus_pairs,
    framed,
    random_strings,
    with_insertions,
    without_pairs,
)

pytestmark = needs_node


def assert_same_placeholders(texts: list[str]) -> None:
    """Compare what is found in each text, with known words and without, and the text put back."""
    script = """
        import { findPlaceholders, mask, restore } from "./placeholders.js";
        const known = new Set(data.known);
        result = data.texts.map((text) => {
          const spans = findPlaceholders(text);
          const masked = mask(text, spans);
          const isWhole = restore(masked.text, masked.placeholders) === text;
          const careful = findPlaceholders(text, (word) => known.has(word.toLowerCase()));
          return [masked.text, masked.placeholders, careful.map((span) => span.text),
            isWhole && spans.every((s) => text.slice(s.start, s.end) === s.text)];
        });
    """
    known = {*KNOWN.split()}
    found = run_node(script, {"texts": texts, "known": [*known]})
    for text, of_javascript in zip(texts, found, strict=True):
        masked = mask(text, find_placeholders(text))
        careful = find_placeholders(text, lambda word: word.lower() in known)
        expected = [masked.text, [*masked.placeholders], [span.text for span in careful], True]
        assert of_javascript == expected, ascii(text)


def test_placeholders_of_every_kind_are_those_of_python() -> None:
    rng = random.Random(1)
    pieces = [without_pairs(random_text(rng)) for _ in range(600)]
    ends = [f"`a{end}b` <a{end}b='{end}'>" for end in "\n\r\x0b\x1c\x85\u2028"]
    plain = [re.sub("[⟦⟧]", "", case) for case in cases()]
    mixed = ["".join(rng.choices([*"  .,a", *" ".join(plain).split()], k=8)) for _ in range(800)]
    assert_same_placeholders([*plain, *ends, *pieces, *mixed, *framed(FRAMES, 2)])


def test_placeholders_of_any_text_are_those_of_python() -> None:
    assert_same_placeholders(random_strings(1_500))


def test_placeholders_of_the_corpus_are_those_of_python(fra_eng_zip: Path) -> None:
    lines = [line for pair in corpus_pairs(fra_eng_zip, 500) for line in pair]
    assert_same_placeholders([*lines, *with_insertions(lines)])


@pytest.mark.parametrize("size", [3_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_long_text_of_any_piece_is_searched(size: int) -> None:
    # Neither time nor memory may grow with more than the length.
    pieces = [*LONG.split(), "<a_=_", "<a_=", "%0", "%1", "http://a(" + "b" * 50, "١a", "{_", "Ａ"]
    script = """
        import { findPlaceholders } from "./placeholders.js";
        const knows = (word) => word.length % 2 > 0;
        const { pieces, opened } = data;
        result = pieces.map((piece) => {
          const text = piece.repeat(data.size / piece.length);
          return [text, text + "¿", piece + piece.slice(-1).repeat(data.size)].map(
            (each) => findPlaceholders(each, knows).length,
          );
        });
        for (const start of opened) {
          for (const piece of ["a", "a ", "a.", "=", "'", "("]) {
            findPlaceholders(start + piece.repeat(data.size / 5), knows);
          }
        }
    """
    data: dict[str, Any] = {name: [each.replace("_", " ") for each in group]
            for name, group in (("pieces", pieces), ("opened", OPENED.split()))}  # fmt: skip
    assert len(run_node(script, {**data, "size": size})) == len(pieces)


def test_marks_stand_for_the_placeholders_that_python_says() -> None:
    rng = random.Random(1)
    marks = [*map(chr, range(0xE010, 0xE018)), "a", " ", "\n"]
    texts = ["".join(rng.choices(marks, k=rng.randrange(30))) for _ in range(1_000)]
    placeholders = [*"abcdefghij", "\ue011", "$&", "$1"]
    script = """
        import { placeholderIndices, restore } from "./placeholders.js";
        const { texts, placeholders } = data;
        result = texts.map((text) => [placeholderIndices(text), restore(text, placeholders)]);
    """
    found = run_node(script, {"texts": texts, "placeholders": placeholders})
    assert found == [[placeholder_indices(text), restore(text, placeholders)] for text in texts]


def test_of_spans_that_overlap_those_are_kept_that_python_keeps() -> None:
    rng = random.Random(1)
    text = "aé😀 " * 8
    groups = []
    for _ in range(1_000):
        places = [sorted(rng.sample(range(len(text)), 2)) for _ in range(rng.randrange(9))]
        groups.append([Span(start, end, text[start:end]) for start, end in places])
    script = """
        import { disjoint } from "./placeholders.js";
        result = data.map((spans) => disjoint(spans).map(({ start, text }) => [start, text]));
    """
    given = [[span._asdict() for span in spans] for spans in groups]
    expected = [[[span.start, span.text] for span in disjoint(spans)] for spans in groups]
    assert run_node(script, given) == expected
