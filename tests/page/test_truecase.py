"""The page reads words, capitals and typos as `translate` does."""

import random
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.text.names import find_names
from gru_mt.data.text.normalize import words
from gru_mt.data.text.spelling import Spelling
from gru_mt.data.text.truecase import Truecaser, is_all_caps
from tests.data.text import test_placeholders, test_truecase
from tests.data.text.test_truecase import ENGLISH, NAMES
from tests.inference import test_confidence
from tests.inference.preprocessing import test_sentence
from tests.page.node import needs_node, run_node
from tests.page.strings import corpus_pairs, random_strings, with_insertions, written_strings

pytestmark = needs_node

STRINGS = written_strings(test_truecase, test_placeholders, test_sentence, test_confidence)
MIXED = Truecaser.learn(
    [
        "x straße İstanbul ΟΔΟΣ e\u0301te\u0301 ǆ 我 ² isn't l'été I don't. it isnt Im Isn't here",
        f"so ca'nts, c'ants and ca'nts, {'ab' * 20}",
    ],
    ["", ""],
)
HARD = ["I see cants so", f"so {'ab' * 20}cd and {'ab' * 21}", "", "don't Dont L’ete isn’t ISNT"]


def assert_same_reading(truecaser: Truecaser, texts: list[str]) -> None:
    script = """
        import { findNames } from "./names.js";
        import { words } from "./normalize.js";
        import { isAllCaps, Truecaser } from "./truecase.js";
        const truecaser = Truecaser.from(data.truecaser);
        const spelt = (spelling, word) => [spelling.corrected(word) ?? null,
          spelling.corrected(word, 300) ?? null, spelling.undoubled(word) ?? null,
          spelling.divided(word) ?? null, spelling.hasStem(word)];
        result = data.texts.map((text) => {
          const found = words(text);
          const truecased = truecaser.truecased(text);
          return [found, isAllCaps(text), truecased, truecaser.cased(text),
            truecaser.corrected(text),
            truecaser.corrected(truecased), findNames(text, truecaser).map((span) => span.text),
            findNames(truecased, truecaser).map((span) => span.text), truecaser.hasAll(text),
            found.map((word) => [truecaser.has(word), truecaser.isCommon(word),
            truecaser.isSmall(word)]),
            found.map((word) => spelt(truecaser.spelling, word.toLowerCase()))];
        });
    """
    data = {"truecaser": truecaser.to_bytes().decode(), "texts": texts}
    for text, of_javascript in zip(texts, run_node(script, data), strict=True):
        found = words(text)
        truecased = truecaser.truecased(text)
        assert of_javascript == [
            found,
            is_all_caps(text),
            truecased,
            truecaser.cased(text),
            truecaser.corrected(text),
            truecaser.corrected(truecased),
            [span.text for span in find_names(text, truecaser)],
            [span.text for span in find_names(truecased, truecaser)],
            truecaser.has_all(text),
            [
                [word in truecaser, truecaser.is_common(word), truecaser.is_small(word)]
                for word in found
            ],
            [spelt(truecaser.spelling, word.lower()) for word in found],
        ], ascii(text)


def spelt(spelling: Spelling, word: str) -> list[Any]:
    return [
        spelling.corrected(word),
        spelling.corrected(word, most=300),
        spelling.undoubled(word),
        spelling.divided(word),
        spelling.has_stem(word),
    ]


def with_typos(lines: list[str]) -> list[str]:
    """Return each line with one to three words that are typed wrongly."""
    rng = random.Random(1)

    def mistyped(word: str) -> str:
        place, letter = rng.randrange(len(word)), rng.choice("abcdefghijklmnopqrstuvwxyz'’")
        before, at, after = word[:place], word[place], word[place + 1 :]
        forms = [f"{before}{at}{at}{after}", f"{before}{at * 4}{after}", before + after or "x"]
        forms += [f"{before}{letter}{after}", f"{before}{letter}{at}{after}", word.upper()]
        forms += [f"{before}{after[:1]}{at}{after[1:]}", word.title(), f"{word}{letter * 2}thes"]
        return rng.choice([*forms, word.replace("'", ""), f"{word}-{word}", f"Mr. {word}"])

    def changed(line: str) -> str:
        found = line.split() or ["x"]
        for place in rng.choices(range(len(found)), k=rng.randint(1, 3)):
            found[place] = mistyped(found[place])
        return rng.choice([" ", " ", " ", ""]).join(found)

    return [*map(changed, lines)]


@pytest.mark.parametrize(
    "truecaser",
    [
        ENGLISH,
        NAMES,
        MIXED,
        Truecaser({}, copies_names=True),
        Truecaser({"dont": "dont"}, copies_names=False),
    ],
)
def test_any_text_is_read_as_python_reads_it(truecaser: Truecaser) -> None:
    texts = [*STRINGS, *HARD, *random_strings(300, seed=2)]
    assert_same_reading(truecaser, [text for text in texts if len(text) < 500])


def test_the_corpus_is_read_as_python_reads_it(fra_eng_zip: Path) -> None:
    pairs = corpus_pairs(fra_eng_zip, 8_000)
    truecaser = Truecaser.learn(*zip(*pairs, strict=True))
    lines = [line for pair in pairs[::24] for line in pair]
    assert truecaser.copies_names
    typed = [*with_insertions(lines), *with_typos(lines), *with_typos(lines[::2])]
    assert_same_reading(truecaser, [*lines, *typed, *random_strings(300, seed=3)])


def test_a_long_word_is_read_in_linear_time() -> None:
    units = ["a", "ab ", "Ab ", "e\u0301", "a'", "A-", "Mr. A", "«", ". ", "a\u0301\u0301'", "我"]
    script = """
        import { findNames } from "./names.js";
        import { Truecaser } from "./truecase.js";
        const truecaser = Truecaser.from(data.truecaser);
        result = data.texts.map((text) => [truecaser.truecased(text), truecaser.corrected(text),
          findNames(text, truecaser)].length);
    """
    texts = [unit * (50_000 // len(unit)) for unit in units]
    data = {"truecaser": NAMES.to_bytes().decode(), "texts": [*texts, *(f"{t}=" for t in texts)]}
    assert run_node(script, data) == [3] * 2 * len(units)
