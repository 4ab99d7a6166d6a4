"""The page's characters, spaces and words are Python's."""

import re
import sys
from collections.abc import Callable

import pytest

from gru_mt.data.text import SPACELESS, clean, is_word
from tests.page.node import needs_node, run_node
from tests.page.strings import CHANGED, KNOWN, random_strings

pytestmark = needs_node

STRINGS = random_strings(3_000)


@pytest.mark.parametrize(
    ("in_javascript", "in_python"),
    [
        ("(text) => new RegExp(pattern`^\\w$`, 'u').test(text)", re.compile(r"\w").match),
        ("(text) => new RegExp(pattern`^[\\d.]$`, 'u').test(text)", re.compile(r"[\d.]").match),
        ("(text) => new RegExp(pattern`^ [^\\s] $`, 'u').test(text)", re.compile(r"\S").match),
        ("isUpper", str.isupper),
        ("isLower", str.islower),
        ("isTitle", str.istitle),
        ("isCapitalised", str.isupper),
        ("(text) => text.toLowerCase() !== text", lambda letter: letter.lower() != letter),
        ("isWord", is_word),
        ("(text) => text.search(SPACELESS) === 0", SPACELESS.match),
    ],
)
def test_characters_are_of_the_classes_that_python_has(
    in_javascript: str, in_python: Callable[[str], object]
) -> None:
    script = f"""
        import {{ isCapitalised, isLower, isTitle, isUpper, isWord, pattern, SPACELESS }}
          from "./text.js";
        const isOne = {in_javascript};
        result = Array.from({{ length: data }}, (_, code) => isOne(String.fromCodePoint(code)));
        result = result.flatMap((holds, code) => (holds ? [code] : []));
    """
    found = {*map(chr, run_node(script, sys.maxunicode + 1))}
    assert found & {*KNOWN} == {letter for letter in KNOWN if in_python(letter)}
    assert len(CHANGED) == 10


def test_texts_are_in_the_case_that_python_says() -> None:
    names = "isUpper, isLower, isTitle"
    script = f"""
        import {{ {names} }} from "./text.js";
        result = data.map((text) => [text.toLowerCase(), text.toUpperCase(),
          ...[{names}].map((is) => is(text))]);
    """
    found = run_node(script, STRINGS)
    for text, of_javascript in zip(STRINGS, found, strict=True):
        cases = [text.lower(), text.upper(), text.isupper(), text.islower(), text.istitle()]
        assert of_javascript == cases, ascii(text)


def test_texts_are_cleaned_stripped_and_counted_as_python_does() -> None:
    names = "clean, isWord, strip, stripStart, stripEnd, size"
    script = f"""
        import {{ {names} }} from "./text.js";
        result = data.map((text) => [{names}].map((each) => each(text)));
    """
    texts = [*STRINGS, " " * 99_999 + ".", f"a{'  ' * 50_000}b"]
    for text, found in zip(texts, run_node(script, texts), strict=True):
        stripped = [text.strip(), text.lstrip(), text.rstrip()]
        assert found == [clean(text), is_word(text), *stripped, len(text)], ascii(text)


def test_letters_of_scripts_without_spaces_are_found() -> None:
    script = 'import { SPACELESS } from "./text.js"; result = data.map((t) => t.match(SPACELESS));'
    for text, found in zip(STRINGS, run_node(script, STRINGS), strict=True):
        assert (found or []) == SPACELESS.findall(text), ascii(text)
