"""Sentences with markup around them or around their words, which a translation must have too.

All is a pure function of text and rng. A pair is what opens and what closes: "<b>" and "</b>".
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from gru_mt.evaluation.robustness.cases import WHOLE_WORD, Case, drawn

# Templates as those of items; "…" is where the sentence stands.
FRAMES = (
    *("<p>…</p>", "<b>…</b>", "<i>…</i>", "<li>…</li>", "<h1>…</h1>", "**…**", "_…_", "“…”"),
    *("- …", "* …", "• …", "> …", "# …", "## …", "— …", "– …", "[x] …", "- [ ] …", ">> …"),
    *("N. …", "N) …", "N.N …", "a) …", r"I\V. …", "😀 …", "… 😀", "⚠️ …", r"…\\n"),
    *(r"{\\anN}…", "@W …", "%s …", "{{W}}: …", "C: …", "<v C>…"),
)
TAGS = (
    ("<b>", "</b>"),
    ("<em>", "</em>"),
    ('<a href="https://example.org/?q=1">', "</a>"),
    ('<span class="x-1">', "</span>"),
)
BLOCKS = (("<p>", "</p>"), ("<li>", "</li>"), ('<div class="x-2">', "</div>"))
_TAG = re.compile(r"<(/?)(\w+)[^<>]*>")
MARKDOWN = (
    *(("*", "*"), ("**", "**"), ("***", "***"), ("_", "_"), ("~~", "~~"), ("`", "`")),
    *(("[", "](https://example.org/a-b)"), ("![", "](img/x-1.png)")),
)
STARTS = ("", "", "## ", "* ", "- ", "> ", "1. ")  # of a line of Markdown
LONGEST = 3  # words that Markdown's marks stand around


@dataclass(frozen=True, slots=True)
class Framed:
    """A source in a frame, and its translation without the frame, in that frame."""

    source: str
    wanted: str

    def holds(self, translation: str) -> bool:
        """Return whether the translation is as wanted, white space aside."""
        return "".join(translation.split()) == "".join(self.wanted.split())


def add_frame(text: str, plain: str, rng: random.Random) -> Framed:
    """Return `text` in a frame; `plain` is its translation."""
    before, _, after = drawn(FRAMES, rng).partition("…")
    return Framed(before + text + after, before + plain + after)


def add_tags(text: str, rng: random.Random) -> Case | None:
    """Return `text` with tags around one of its words; None if it has no letter or has tags."""
    if not WHOLE_WORD.search(text) or "<" in text:
        return None
    pair = rng.choice(TAGS)
    return Case(_wrapped(text, [pair], rng, most=1), dict.fromkeys(pair, 1), in_order=True)


def _wrapped(text: str, pairs: Sequence[tuple[str, str]], rng: random.Random, *, most: int) -> str:
    """Return `text` with each pair around words of it in a row, and inside the pair before it."""
    if not pairs:
        return text
    words = list(WHOLE_WORD.finditer(text))
    first = rng.randrange(len(words))
    last = rng.randrange(first, min(first + most, len(words)))
    start, end = words[first].start(), words[last].start() + len(words[last][0].rstrip("'’-"))
    (opening, closing), *others = pairs
    inside = _wrapped(text[start:end], others, rng, most=most)
    return text[:start] + opening + inside + closing + text[end:]


@dataclass(frozen=True, slots=True)
class Nested:
    """A source with pairs of tags, one inside the other, each around words."""

    source: str

    def holds(self, translation: str) -> bool:
        """Return whether it has the same tags, well nested, and each pair around a letter."""
        tags, found = (sorted(_tags(text)) for text in (self.source, translation))
        return tags == found and _nests(translation)


def _tags(text: str) -> list[str]:
    return [match[0] for match in _TAG.finditer(text)]


def _nests(text: str) -> bool:
    """Return whether each tag closes the one that was opened last, with a letter in between."""
    opened: list[re.Match[str]] = []
    for tag in _TAG.finditer(text):
        if not tag[1]:
            opened.append(tag)
            continue
        if not opened or opened[-1][2] != tag[2]:
            return False
        if not _has_letter(text[opened.pop().end() : tag.start()]):
            return False
    return not opened


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, _TAG.sub("", text)))


def nest_tags(text: str, rng: random.Random) -> Nested | None:
    """Return `text` with two or three pairs of tags, the first perhaps around all of it.

    None if it has tags, or less than two words.
    """
    count = len(WHOLE_WORD.findall(text))
    if count < 2 or "<" in text:
        return None
    pairs = rng.sample(TAGS, rng.choice((2, 3)))
    if rng.choice((True, False)):
        return Nested(_wrapped(text, pairs, rng, most=count))
    opening, closing = rng.choice(BLOCKS)
    return Nested(opening + _wrapped(text, pairs[1:], rng, most=count) + closing)


@dataclass(frozen=True, slots=True)
class Marked:
    """A source in Markdown: with a mark at its start, or "", and a pair of marks around words."""

    source: str
    start: str
    pair: tuple[str, str]

    def holds(self, translation: str) -> bool:
        """Return whether it has the marks as often, the pair in order and right around words."""
        if not translation.startswith(self.start):
            return False
        rest, source = (text[len(self.start) :] for text in (translation, self.source))
        opening, closing = self.pair
        inside = rest.partition(opening)[2].rpartition(closing)[0]
        return (
            all(rest.count(mark) == source.count(mark) for mark in self.pair)
            and inside == inside.strip()
            and _has_letter(inside)
        )


def add_markdown(text: str, rng: random.Random) -> Marked | None:
    """Return `text` with emphasis, code, a link or a picture, and perhaps as a heading or an item.

    None if it has no letter, or has such marks.
    """
    if not WHOLE_WORD.search(text) or re.search(r"[][*_~`#>]", text):
        return None
    start, pair = rng.choice(STARTS), rng.choice(MARKDOWN)
    return Marked(start + _wrapped(text, [pair], rng, most=LONGEST), start, pair)
