"""The page reads words, placeholders and short texts as `translate` does."""

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.text.names import find_names
from gru_mt.data.text.normalize import (
    IN_WORD,
    MARKS,
    SPACELESS,
    WORD,
    clean,
    in_word,
    is_short,
    words,
)
from gru_mt.data.text.placeholders import find_placeholders, mask, placeholder_indices, restore
from gru_mt.data.text.translation_memory import TranslationMemory
from gru_mt.data.text.truecase import Truecaser, is_all_caps
from gru_mt.inference.confidence import is_repetitive
from tests.data.text import test_placeholders, test_translation_memory, test_truecase
from tests.data.text.test_translation_memory import FRENCH, MEMORY
from tests.data.text.test_truecase import ENGLISH, NAMES
from tests.inference import test_confidence
from tests.inference.preprocessing import test_sentence
from tests.page.node import assert_same, needs_node, run_node
from tests.page.strings import (
    KNOWN,
    corpus_pairs,
    framed,
    random_strings,
    with_insertions,
    written_strings,
)

pytestmark = needs_node

WRITTEN = written_strings(test_truecase, test_placeholders, test_sentence, test_confidence)
MIXED_CASE = Truecaser.learn(
    [
        "x straße İstanbul ΟΔΟΣ e\u0301te\u0301 ǆ 我 ² isn't l'été I don't. it isnt Im Isn't here",
        f"so ca'nts, c'ants and ca'nts, {'ab' * 20}",
    ],
    ["", ""],
)
MISSPELT = ["I see cants so", f"so {'ab' * 20}cd and {'ab' * 21}", "don't Dont L’ete isn’t ISNT"]
MIXED_MEMORY = TranslationMemory.learn(
    *zip(
        *FRENCH,
        *[(text, f"¿{text[::-1]}?") for text in ("Ça", "ΟΔΟΣ!", "straße.", "İx", "我。", "1st")],
        *[("a b c d", f"x, {word} ß") for word in ("aÇ", "Έ", "ßEßarts")] * 3,
        strict=True,
    )
)

# Characters

CLASSES: dict[str, Callable[[str], object]] = {  # in JavaScript, and in Python
    "is(pattern`^\\w$`)": re.compile(r"\w").match,
    "is(pattern`^[\\d.]$`)": re.compile(r"[\d.]").match,
    "is(pattern`^ [^\\s] $`)": re.compile(r"\S").match,
    "is(pattern`^[\\m]$`)": re.compile(f"[{MARKS}]").match,
    "is(pattern`^[^\\w\\m]$`)": re.compile(f"[^{IN_WORD}]").match,
    "is(`^${WORD}$`)": WORD.match,
    "inWord": in_word,
    "is(SPACELESS.source)": SPACELESS.match,
    "isUpper": str.isupper,
    "isLower": str.islower,
    "isTitle": str.istitle,
    "isCapitalised": str.isupper,
    "(letter) => letter.toLowerCase() !== letter": lambda letter: letter.lower() != letter,
}


def test_characters_are_of_the_classes_that_python_has() -> None:
    script = f"""
        import {{ inWord, isCapitalised, isLower, isTitle, isUpper, WORD }} from "./normalize.js";
        import {{ pattern, SPACELESS }} from "./normalize.js";
        const is = (source) => {{
          const one = new RegExp(source, "u");
          return (letter) => one.test(letter);
        }};
        const letters = data.map((code) => String.fromCodePoint(code));
        const all = [{", ".join(CLASSES)}];
        result = all.map((holds) => letters.map((letter) => (holds(letter) ? "1" : "0")).join(""));
    """
    found = run_node(script, [*map(ord, KNOWN)])
    for (name, holds), of_javascript in zip(CLASSES.items(), found, strict=True):
        pairs = zip(KNOWN, of_javascript, strict=True)
        wrong = [letter for letter, bit in pairs if bool(holds(letter)) != (bit == "1")]
        assert not wrong, f"{name}: {wrong[:20]!a}"


NORMALIZED = """
import { clean, isLower, isTitle, isUpper, size, strip } from "./normalize.js";
import { SPACELESS, stripEnd, stripStart } from "./normalize.js";
const of = (text) => [text.toLowerCase(), text.toUpperCase(), isUpper(text), isLower(text),
  isTitle(text), clean(text), strip(text), stripStart(text), stripEnd(text), size(text),
  text.match(SPACELESS) ?? []];
"""


def normalized(text: str) -> list[Any]:
    cases = [text.lower(), text.upper(), text.isupper(), text.islower(), text.istitle()]
    stripped = [text.strip(), text.lstrip(), text.rstrip()]
    return [*cases, clean(text), *stripped, len(text), SPACELESS.findall(text)]


def test_texts_are_cleaned_stripped_and_counted_as_in_python() -> None:
    long = [" " * 99_999 + ".", f"a{'  ' * 50_000}b"]
    assert_same(NORMALIZED, normalized, [*random_strings(3_000), *long])


# What is copied

PLACEHOLDERS = """
import { findPlaceholders, mask, placeholderIndices, restore } from "./placeholders.js";
const known = new Set(data.known);
const of = (text) => {
  const spans = findPlaceholders(text);
  const masked = mask(text, spans);
  const careful = findPlaceholders(text, (word) => known.has(word.toLowerCase()));
  return [masked.text, masked.placeholders, restore(masked.text, masked.placeholders),
    spans.map((span) => text.slice(span.start, span.end)), careful.map((span) => span.text),
    placeholderIndices(text), restore(text, data.others)];
};
"""
OTHERS = [*"abcdefghij", "\ue011", "$&", "$1"]


def assert_same_placeholders(texts: list[str]) -> None:
    known = {*test_placeholders.KNOWN.split()}

    def placeholders(text: str) -> list[Any]:
        spans = find_placeholders(text)
        masked = mask(text, spans)
        careful = find_placeholders(text, lambda word: word.lower() in known)
        found: list[Any] = [masked.text, masked.placeholders, text, [span.text for span in spans]]
        found += [[span.text for span in careful], placeholder_indices(text), restore(text, OTHERS)]
        return found

    assert_same(PLACEHOLDERS, placeholders, texts, known=[*known], others=OTHERS)


def test_placeholders_are_those_of_python() -> None:
    rng = random.Random(1)
    plain = [re.sub("[⟦⟧]", "", case) for case in test_placeholders.cases()]
    ends = [f"`a{end}b` <a{end}b='{end}'>" for end in "\n\r\x0b\x1c\x85\u2028"]
    mixed = ["".join(rng.choices([*"  .,a", *" ".join(plain).split()], k=8)) for _ in range(1_000)]
    assert_same_placeholders([*plain, *ends, *mixed, *framed(2), *random_strings(2_000)])


# Words, their case and their spelling

READING = """
import { findNames } from "./names.js";
import { words } from "./normalize.js";
import { isAllCaps, Truecaser } from "./truecase.js";
const truecaser = Truecaser.from(data.truecaser);
const ofWord = (word) => {
  const { spelling } = truecaser, small = word.toLowerCase();
  return [truecaser.has(word), truecaser.isCommon(word), truecaser.isSmall(word),
    spelling.corrected(small) ?? null, spelling.corrected(small, 300) ?? null,
    spelling.undoubled(small) ?? null, spelling.divided(small) ?? null, spelling.hasStem(small)];
};
const of = (text) => {
  const truecased = truecaser.truecased(text);
  return [isAllCaps(text), truecaser.hasAll(text), truecased, truecaser.cased(text),
    truecaser.corrected(text), truecaser.corrected(truecased),
    [text, truecased].map((each) => findNames(each, truecaser).map((span) => span.text)),
    words(text).map((word) => [word, ...ofWord(word)])];
};
"""


def assert_same_reading(truecaser: Truecaser, texts: list[str]) -> None:
    spelling = truecaser.spelling

    def of_word(word: str) -> list[Any]:
        small = word.lower()
        known = [word in truecaser, truecaser.is_common(word), truecaser.is_small(word)]
        found = [spelling.corrected(small), spelling.corrected(small, most=300)]
        found += [spelling.undoubled(small), spelling.divided(small)]
        return [word, *known, *found, spelling.has_stem(small)]

    def reading(text: str) -> list[Any]:
        truecased = truecaser.truecased(text)
        found = [is_all_caps(text), truecaser.has_all(text), truecased, truecaser.cased(text)]
        found += [truecaser.corrected(text), truecaser.corrected(truecased)]
        names = [[span.text for span in find_names(one, truecaser)] for one in (text, truecased)]
        return [*found, names, [*map(of_word, words(text))]]

    assert_same(READING, reading, texts, truecaser=truecaser.to_bytes().decode())


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
    [ENGLISH, NAMES, MIXED_CASE, Truecaser({}, copies_names=True)],
    ids=["English", "names are copied", "mixed", "empty"],
)
def test_words_are_read_as_python_reads_them(truecaser: Truecaser) -> None:
    assert_same_reading(truecaser, [*WRITTEN, *MISSPELT, *random_strings(300, seed=2)])


# Short texts of the training split

MEMORY_SCRIPT = """
import { TranslationMemory } from "./translation_memory.js";
const memory = TranslationMemory.from(data.memory);
const of = (text) => memory.find(text);
"""


def assert_same_translations(memory: TranslationMemory, texts: list[str]) -> None:
    """Compare what is found of texts as people type them: other marks, small letters, capitals."""
    forms = []
    for text in texts:
        bare = text.rstrip(" .!?")
        forms += [text, bare, f"{bare}.", f"{bare}!", text.lower(), text.upper(), text.title()]
    assert_same(MEMORY_SCRIPT, memory.find, forms, memory=memory.to_bytes().decode())


@pytest.mark.parametrize("memory", [MEMORY, MIXED_MEMORY], ids=["French", "mixed"])
def test_short_texts_are_found_as_python_finds_them(memory: TranslationMemory) -> None:
    sources = [pair.source for group in memory._pairs.values() for pair in group]
    marks = [*" .!?…,;:。！？؟।¿¡'’`", "...", "?!"]
    marked = [f"{text.rstrip('.!?')}{mark}" for text in sources for mark in marks]
    first = [f"{mark}{text}" for text in sources for mark in marks]
    written = written_strings(test_translation_memory)
    assert_same_translations(memory, [*sources, *marked, *first, *written, *random_strings(200)])


# All of it


def test_the_corpus_is_read_as_python_reads_it(fra_eng_zip: Path) -> None:
    pairs = corpus_pairs(fra_eng_zip, 8_000)
    sources, targets = zip(*pairs, strict=True)
    truecaser = Truecaser.learn(sources, targets)
    assert truecaser.copies_names
    lines = [line for pair in pairs[::24] for line in pair]
    inserted = with_insertions(lines)
    assert_same_placeholders([*lines, *inserted])
    assert_same_reading(truecaser, [*lines, *inserted, *with_typos(lines), *with_typos(lines)])
    for one, other in ((sources, targets), (targets, sources)):
        short = [*filter(is_short, one)]
        assert len(short) > 300
        assert_same_translations(TranslationMemory.learn(one, other), short)


@pytest.mark.parametrize("size", [3_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_long_text_of_any_piece_is_read_in_linear_time(size: int) -> None:
    pieces = [*test_placeholders.LONG.split(), "<a_=_", "<a_=", "%0", "http://a(" + "b" * 50, "{_"]
    pieces += ["ab_", "Ab_", "e\u0301", "a'", "Mr._A", "«", "a\u0301\u0301'", "我", "abc_abd_"]
    script = """
        import { isRepetitive } from "./confidence.js";
        import { findNames } from "./names.js";
        import { findPlaceholders } from "./placeholders.js";
        import { Truecaser } from "./truecase.js";
        const truecaser = Truecaser.from(data.truecaser);
        const of = (text) => {
          findPlaceholders(text, (word) => word.length % 2 > 0);
          truecaser.corrected(truecaser.truecased(text));
          findNames(text, truecaser);
          return isRepetitive(text);
        };
    """
    texts = [piece.replace("_", " ") * (size // len(piece)) for piece in pieces]
    texts += [text + end for text in texts for end in ("¿", "=", " ?")]
    opened = [start.replace("_", " ") for start in test_placeholders.OPENED.split()]
    texts += [start + piece * (size // 5) for start in opened for piece in ("a", "a ", "=", "(")]
    assert_same(script, is_repetitive, texts, truecaser=NAMES.to_bytes().decode())
