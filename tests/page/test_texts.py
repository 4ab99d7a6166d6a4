"""The page reads words, placeholders and short texts as `translate` does."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.text.normalize import IN_WORD, MARKS, SPACELESS, WORD, clean, in_word, is_short
from gru_mt.data.text.translation_memory import TranslationMemory
from gru_mt.inference.confidence import is_repetitive
from tests.data.text import test_placeholders, test_translation_memory
from tests.data.text.test_translation_memory import FRENCH, MEMORY
from tests.data.text.test_truecase import NAMES
from tests.page.node import assert_same, needs_node, run_node
from tests.page.strings import KNOWN, corpus_pairs, random_strings, written_strings

pytestmark = needs_node

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


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_characters_are_of_the_classes_that_python_has(every: bool) -> None:
    script = f"""
        import {{ inWord, isCapitalised, isLower, isTitle, isUpper }} from "./text/normalize.js";
        import {{ pattern, SPACELESS, WORD }} from "./text/normalize.js";
        const is = (source) => {{
          const one = new RegExp(source, "u");
          return (letter) => one.test(letter);
        }};
        const letters = data.map((code) => String.fromCodePoint(code));
        const all = [{", ".join(CLASSES)}];
        result = all.map((holds) => letters.map((letter) => (holds(letter) ? "1" : "0")).join(""));
    """
    known = KNOWN if every else [*KNOWN[:8_000], *KNOWN[8_000::17]]
    found = run_node(script, [*map(ord, known)])
    for (name, holds), of_javascript in zip(CLASSES.items(), found, strict=True):
        pairs = zip(known, of_javascript, strict=True)
        wrong = [letter for letter, bit in pairs if bool(holds(letter)) != (bit == "1")]
        assert not wrong, f"{name}: {wrong[:20]!a}"


NORMALIZED = """
import { clean, isLower, isTitle, isUpper, size, strip } from "./text/normalize.js";
import { SPACELESS, stripEnd, stripStart } from "./text/normalize.js";
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
    assert_same(NORMALIZED, normalized, [*random_strings(1_000), *long])


# Short texts of the training split

MEMORY_SCRIPT = """
import { TranslationMemory } from "./text/translation_memory.js";
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


@pytest.mark.slow
def test_short_texts_of_the_corpus_are_found_as_python_finds_them(fra_eng_zip: Path) -> None:
    sources, targets = zip(*corpus_pairs(fra_eng_zip, 8_000), strict=True)
    for one, other in ((sources, targets), (targets, sources)):
        short = [*filter(is_short, one)]
        assert len(short) > 300
        assert_same_translations(TranslationMemory.learn(one, other), short)


# Long texts


@pytest.mark.parametrize("size", [200, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_long_text_of_any_piece_is_read_in_linear_time(size: int) -> None:
    pieces = [*test_placeholders.LONG.split(), "<a_=_", "<a_=", "%0", "http://a(" + "b" * 50, "{_"]
    pieces += ["ab_", "Ab_", "e\u0301", "a'", "Mr._A", "«", "a\u0301\u0301'", "我", "abc_abd_"]
    script = """
        import { isRepetitive } from "./inference/confidence.js";
        import { findNames } from "./text/names.js";
        import { findPlaceholders } from "./text/placeholders.js";
        import { Truecaser } from "./text/truecase.js";
        const truecaser = Truecaser.from(data.truecaser, []);
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
