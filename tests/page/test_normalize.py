"""The page's characters, spaces and words are Python's."""

import re
from collections.abc import Callable

from gru_mt.data.text.normalize import IN_WORD, MARKS, SPACELESS, WORD, clean, in_word
from tests.page.node import needs_node, run_node
from tests.page.strings import KNOWN, random_strings

pytestmark = needs_node

STRINGS = random_strings(3_000)


PREDICATES: dict[str, Callable[[str], object]] = {  # what is to be the same in Python
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
        const all = [{", ".join(PREDICATES)}];
        result = all.map((holds) => letters.map((letter) => (holds(letter) ? "1" : "0")).join(""));
    """
    found = run_node(script, [*map(ord, KNOWN)])
    for (name, holds), of_javascript in zip(PREDICATES.items(), found, strict=True):
        wrong = [
            a for a, b in zip(KNOWN, of_javascript, strict=True) if bool(holds(a)) != (b == "1")
        ]
        assert not wrong, f"{name}: {wrong[:20]!a}"


def test_texts_are_in_the_case_that_python_says() -> None:
    names = "isUpper, isLower, isTitle"
    script = f"""
        import {{ {names} }} from "./normalize.js";
        result = data.map((text) => [text.toLowerCase(), text.toUpperCase(),
          ...[{names}].map((is) => is(text))]);
    """
    found = run_node(script, STRINGS)
    for text, of_javascript in zip(STRINGS, found, strict=True):
        cases = [text.lower(), text.upper(), text.isupper(), text.islower(), text.istitle()]
        assert of_javascript == cases, ascii(text)


def test_texts_are_cleaned_stripped_and_counted_as_python_does() -> None:
    names = "clean, strip, stripStart, stripEnd, size"
    script = f"""
        import {{ {names} }} from "./normalize.js";
        result = data.map((text) => [{names}].map((each) => each(text)));
    """
    texts = [*STRINGS, " " * 99_999 + ".", f"a{'  ' * 50_000}b"]
    for text, found in zip(texts, run_node(script, texts), strict=True):
        stripped = [text.strip(), text.lstrip(), text.rstrip()]
        assert found == [clean(text), *stripped, len(text)], ascii(text)


def test_letters_of_scripts_without_spaces_are_found() -> None:
    script = (
        'import { SPACELESS } from "./normalize.js"; result = data.map((t) => t.match(SPACELESS));'
    )
    for text, found in zip(STRINGS, run_node(script, STRINGS), strict=True):
        assert (found or []) == SPACELESS.findall(text), ascii(text)
