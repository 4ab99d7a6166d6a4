"""Markdown: texts change, and what a parser of CommonMark sees around and in them does not."""

import random
import re

import pytest
from markdown_it import MarkdownIt

from gru_mt.documents.registry import read_document
from tests.documents.translators import capitals, translated

PAGE = """---
title: no text
---

# Title *one* #

A **bold [link](http://x.org "no")** that
goes `code  x` on. It ends.
New one.

> [!NOTE]
> a quote\x20\x20
> with breaks\\
> and **bold
> on**

- [ ] item one
  goes on
- ![alt text](a.png) and [defined link][] and [other][d]

  | a | b |
  |---|:-:|
  | x `a\\|b` | a |
  | | a \\| b |

::: tip
inside
:::

Setext
======

    code here

```sh
code # here
```
<p>
html
</p>

1) a <b>tag</b> &amp; <http://auto.org>

[d]: http://d.org
[defined link]: <e.md> "title"
"""
TEXTS = [
    "Title *one*",
    'A **bold [link](http://x.org "no")** that goes `code  x` on. It ends.',
    "New one.", "a quote", "with breaks", "and **bold on**", "[ ] item one goes on",
    "![alt text](a.png) and [defined link][defined link] and [other][d]",
    "a", "b", r"x `a\|b`", "a", r"a \| b", "inside", "Setext",
    "a <b>tag</b> &amp; <http://auto.org>",
]  # fmt: skip
KEPT = r"`[^`]*`|\]\([^)]*\)|\]\[[^\]]*\]|<[^>]*>|&\w+;|\\."


def words_in_capitals(text: str) -> str:
    """Return a text in capitals, but for code, links and tags."""
    parts = re.split(f"({KEPT})", text)
    return "".join(part if i % 2 else part.upper() for i, part in enumerate(parts))


def without_words(text: str) -> list[tuple[str, ...]]:
    """Return the tokens of a page, without the characters of texts, and where lines end in them."""
    found: list[tuple[str, ...]] = []
    for token in MarkdownIt().enable("table").parse(text):
        found += [(token.type, token.markup, "" if token.children else token.content)]
        found += [
            (each.type, str({**each.attrs, "alt": ""}), each.markup)
            for each in token.children or []
            if each.type not in ("softbreak", "text", "text_special")
        ]
    return found


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_what_does_not_change_is_the_same_byte_for_byte(ending: str) -> None:
    for page in (PAGE, f"\ufeff{PAGE}", PAGE.rstrip(), "", "\n\n", "---\nno front matter"):
        data = page.replace("\n", ending).encode()
        assert translated(data, "a.md") == data
        changed = translated(data, "a.md", words_in_capitals).decode()
        expected = page.replace("[defined link][]", "[defined link][defined link]")
        assert changed.casefold().split() == expected.casefold().split()


def test_headings_paragraphs_items_and_cells_are_texts() -> None:
    assert read_document(PAGE.encode(), "a.markdown").texts == TEXTS
    new = translated(PAGE, "a.md", words_in_capitals).decode()
    assert without_words(new) == without_words(PAGE)
    assert "> AND **BOLD\n> ON**" in new
    assert "- [ ] ITEM ONE\n  GOES ON\n" in new, "it is wrapped as it was"


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("a **b** c\n", "x y **z**", "x y **z**\n"),
        ("a **b** c\n", "x y z", "a **b** c\n"),  # what would lose markup stays
        ("a [b](c) d\n", "x [y](other) z", "a [b](c) d\n"),
        ("*a [b](c)*\n", "*x* [y](c)", "*a [b](c)*\n"),  # and what would not be nested as it was
        ("*a* **[b](c)**\n", "*[x](c)* **y**", "*a* **[b](c)**\n"),
        ("*a **" * 500 + "b" + "** a*" * 500, "x", "*a **" * 500 + "b" + "** a*" * 500),
        ("a b\n", "1. x", "a b\n"),
        ("a bbb ccc\nd e\n", "xxx yyy 1. z", "xxx yyy 1. z\n"),  # no line begins a list
        ("Term\n: what it is\n", ": x", ": x\n: x\n"),
        ("> aaa\n>   bbb\n", "x y z", "> x y\n>   z\n"),
        ("|a|\n|-|\n|b|\n", "x | y", "|x \\| y|\n|-|\n|x \\| y|\n"),
    ],
)
def test_a_translation_changes_no_markup(source: str, translation: str, expected: str) -> None:
    assert translated(source, "a.md", lambda text: translation).decode() == expected


def test_a_line_says_which_text_is_not_translated(caplog: pytest.LogCaptureFixture) -> None:
    page = b"a\n\n*b* c\n\n**d** e\n\n`f` g"
    assert translated(page, "a.md", lambda text: "x") == page.replace(b"a", b"x")
    lost = [f"a.md, line {line}: is not translated, as it would lose markup" for line in (3, 5, 7)]
    assert caplog.messages == lost


def test_whatever_a_page_has_its_structure_stays() -> None:
    rng = random.Random(1)
    parts = re.findall(r"\w+|\s|.", PAGE)
    for _ in range(100):
        page = "".join(rng.choices(parts, k=rng.randint(1, 60)))
        assert translated(page, "a.md").decode() == page
        new = translated(page, "a.md", capitals).decode()
        assert [t[0] for t in without_words(new)] == [t[0] for t in without_words(page)], page


def test_a_footnote_is_no_link() -> None:
    page = "See this[^1].\n\n[^1]: https://a.org\n"
    assert translated(page, "a.md", capitals).decode() == page.replace("See this", "SEE THIS")
