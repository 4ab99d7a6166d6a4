"""Sentences with markup around them or around their words, which a translation must have too."""

import random
import re
from collections.abc import Sequence
from functools import partial

from gru_mt.evaluation.robustness.cases import WHOLE_WORD, Case, Sentence, drawn, has_texts

Pair = tuple[str, str]  # what opens, and what closes

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
_TAG = r"</?\w+[^<>]*>"
_PAIR = re.compile(rf"<(\w+)\b[^<>]*>((?:(?!{_TAG}).)*)</\1\b[^<>]*>")  # without tags inside
MARKDOWN = (
    *(("*", "*"), ("**", "**"), ("***", "***"), ("_", "_"), ("~~", "~~"), ("`", "`")),
    *(("[", "](https://example.org/a-b)"), ("![", "](img/x-1.png)")),
)
STARTS = ("", "", "## ", "* ", "- ", "> ", "1. ")  # of a line of Markdown
LONGEST = 3  # words that Markdown's marks stand around


def add_frame(one: Sentence, rng: random.Random) -> Case:
    """Return a sentence in a frame, which must stand around its translation, spaces aside."""
    before, _, after = drawn(FRAMES, rng).partition("…")
    wanted = "".join(f"{before}{one.plain}{after}".split())
    return Case(
        before + one.source + after, lambda translation: "".join(translation.split()) == wanted
    )


def add_tags(one: Sentence, rng: random.Random) -> Case | None:
    """Return a sentence with tags around a word; None if it has no letter or has tags."""
    text = one.source
    if not WHOLE_WORD.search(text) or "<" in text:
        return None
    pair = rng.choice(TAGS)

    def holds(translation: str) -> bool:
        opening, closing = map(translation.find, pair)
        return opening <= closing and has_texts(dict.fromkeys(pair, 1), translation)

    return Case(_wrapped(text, [pair], rng, most=1), holds)


def _wrapped(text: str, pairs: Sequence[Pair], rng: random.Random, *, most: int) -> str:
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


def nest_tags(one: Sentence, rng: random.Random) -> Case | None:
    """Return a sentence with nested pairs of tags; None if it has tags, or less than two words."""
    text = one.source
    count = len(WHOLE_WORD.findall(text))
    if count < 2 or "<" in text:
        return None
    pairs = rng.sample(TAGS, rng.choice((2, 3)))
    if rng.choice((True, False)):
        source = _wrapped(text, pairs, rng, most=count)
    else:
        opening, closing = rng.choice(BLOCKS)
        source = opening + _wrapped(text, pairs[1:], rng, most=count) + closing
    return Case(source, partial(has_nested_tags, source))


def has_nested_tags(source: str, translation: str) -> bool:
    """Return whether a translation has the tags of the source, well nested, around letters."""
    if sorted(re.findall(_TAG, translation)) != sorted(re.findall(_TAG, source)):
        return False
    while (pair := _PAIR.search(translation)) and _has_letter(pair[2]):
        translation = translation.replace(pair[0], pair[2])  # the pair around it is next
    return not re.search(_TAG, translation)


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, text))


def add_markdown(one: Sentence, rng: random.Random) -> Case | None:
    """Return a sentence with Markdown; None if it has no letter, or has such marks."""
    text = one.source
    if not WHOLE_WORD.search(text) or re.search(r"[][*_~`#>]", text):
        return None
    start, pair = rng.choice(STARTS), rng.choice(MARKDOWN)
    body = _wrapped(text, [pair], rng, most=LONGEST)
    return Case(start + body, partial(has_markdown, start, pair, body))


def has_markdown(start: str, pair: Pair, body: str, translation: str) -> bool:
    """Return whether a translation has the marks of `start` and of `body`, a pair around words."""
    rest = translation.removeprefix(start)
    opening, closing = pair
    inside = rest.partition(opening)[2].rpartition(closing)[0]
    return (
        translation.startswith(start)
        and all(rest.count(mark) == body.count(mark) for mark in pair)
        and inside == inside.strip()
        and _has_letter(inside)
    )
