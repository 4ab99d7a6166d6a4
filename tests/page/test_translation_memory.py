"""The page finds the short texts of the training split as `translate` does."""

from pathlib import Path

import pytest

from gru_mt.data.text.normalize import is_short
from gru_mt.data.text.translation_memory import TranslationMemory
from tests.data.text import test_translation_memory
from tests.data.text.test_translation_memory import FRENCH, MEMORY, empty, learned
from tests.page.node import needs_node, run_node
from tests.page.strings import corpus_pairs, random_strings, written_strings

pytestmark = needs_node

SCRIPT = """
import { TranslationMemory } from "./translation_memory.js";
const memory = TranslationMemory.from(data.memory);
result = data.texts.map((text) => memory.find(text));
"""
MARKS = [*" .!?…,;:。！？؟।¿¡'’`", "...", "?!"]
MIXED = learned(
    *FRENCH,
    *[(text, f"¿{text[::-1]}?") for text in ("Ça", "ΟΔΟΣ!", "straße.", "İx", "我。", "ǆ", "1st")],
    *[("a b c d", f"x, {word} ß") for word in ("aÇ", "Έ", "ßEßarts")] * 3,
)


def six_forms(text: str) -> list[str]:
    """Return a text as people type it: with other marks, in small letters and in capitals."""
    bare = text.rstrip(" .!?")
    return [text, bare, f"{bare}.", f"{bare}!", text.lower(), text.upper()]


def assert_same_translations(memory: TranslationMemory, texts: list[str]) -> None:
    data = {"memory": memory.to_bytes().decode(), "texts": texts}
    for text, found in zip(texts, run_node(SCRIPT, data), strict=True):
        assert found == memory.find(text), ascii(text)


@pytest.mark.parametrize("memory", [MEMORY, MIXED, empty()])
def test_any_text_is_found_as_python_finds_it(memory: TranslationMemory) -> None:
    sources = [pair.source for group in memory._pairs.values() for pair in group]
    marked = [f"{text.rstrip('.!?')}{mark}" for text in sources for mark in MARKS]
    first = [f"{mark}{text}" for text in sources for mark in MARKS]
    texts = [form for text in [*sources, *marked, *first] for form in six_forms(text)]
    texts += [text.title() for text in sources] + written_strings(test_translation_memory)
    assert_same_translations(memory, [*texts, *random_strings(500, seed=5)])


def test_the_corpus_is_found_as_python_finds_it(fra_eng_zip: Path) -> None:
    pairs = corpus_pairs(fra_eng_zip, 8_000)
    sources, targets = zip(*pairs, strict=True)
    memory = TranslationMemory.learn(sources, targets)
    short = [*filter(is_short, sources)]
    assert len(short) > 300
    assert_same_translations(memory, [form for text in short for form in six_forms(text)])
    backwards = TranslationMemory.learn(targets, sources)
    texts = [*filter(is_short, targets)]
    assert_same_translations(backwards, [form for text in texts for form in six_forms(text)])
