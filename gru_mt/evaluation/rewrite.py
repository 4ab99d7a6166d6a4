"""Sentences of a test set, rewritten as people type them. All is a pure function of text and rng.

A rewriting that does not fit a sentence returns it as it is.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gru_mt.data.special import LITERALS
from gru_mt.data.text import IN_WORD, WORD
from gru_mt.evaluation.names import NAMES

FINAL_MARKS = ".!?…。！？؟।"
_MARK = re.compile(rf"\s*[{FINAL_MARKS}]+$")
_LEAST_LETTERS = 4  # of a word that gets a typo
_NAME = re.compile(rf"(?<![{IN_WORD}'’-])[^\W\d_]{{3,}}(?![{IN_WORD}-])")  # as Tom in "Tom's"
_PUNCTUATION = re.escape(
    r"""!"#$%&()*+,./:;<=>?@[\]^_`{|}~«»“”„…。，、！？；：؟،؛।「」『』（）¿¡–—"""
)
# A word with apostrophes: "don't" is one.
_WORD = re.compile(rf"(?<![{IN_WORD}'’-])[^\W\d_][^\s{_PUNCTUATION}]*")
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_CURLY = {'"': "“”", "'": "‘’"}
_STRAIGHT = str.maketrans("“”„‘’", '"""\'\'')
_LATIN = "0-9A-Za-z\u00c0-\u024f\u1e00-\u1eff"  # Chinese or Arabic text may touch a Latin name
_TRIES = 20  # draws until a text is new to its sentence; else the sentence is left out

# What is added to a sentence. D is a digit, N one from 1 to 9, W a made-up word, V one in capitals.
ITEMS: dict[str, Sequence[str]] = {
    "a number of 1 digit": ["N"],
    "a number of 2 digits": ["ND"],
    "a number of 3 digits": ["NDD"],
    "a number of 4 to 6 digits": ["NDDD", "NDDDD", "NDDDDD"],
    "a phone number": ["555-DDDD", "NDD-555-DDDD", "(NDD) 555-DDDD", "+4N N DD DD DD DD"],
    "a price": ["$ND", "£N.DD", "€N,DDD.DD", "$NDDD.DD"],
    "a date": ["20ND-0N-1D", "1D/0N/20ND", "2D.0N.19DD"],
    "a URL": ["https://www.W.org/W?id=DD&W=N", "http://W.example.com/W/W_W.html#W", "www.W-W.net"],
    "an e-mail address": ["W.WDD@example.org", "W@W.co.uk", "W+W@W-W.com"],
    "a {placeholder}": ["{W}", "{N}", "{{W}}", "{W_W}"],
    "a format such as %s": ["%s", "%d", "%N$s", "%(W)d"],
    "a $VARIABLE": ["$V", "${V}", "$V_V"],
    "an entity such as &amp;": ["&amp;", "&lt;", "&nbsp;", "&eacute;", "&#3N;"],
    "`code`": ["`W`", "`W(W, N)`", "`W --W=D`", "`W.W[N]`"],
    "a file name": ["W.pdf", "W_W.py", "IMG_DDDD.jpg", "W-W.tar.gz"],
    "an @name": ["@W", "@W_W", "@WDD"],
    "a #tag": ["#W", "#WDD", "#W_W"],
    "an emoji": ["😀", "🎉", "👍🏽", "❤️", "👨‍👩‍👧", "🇫🇷", "🤷‍♀️", "☕"],
    "a reserved character": LITERALS,
}
TAGS = (
    ("<b>", "</b>"),
    ("<em>", "</em>"),
    ('<a href="https://example.org/?q=1">', "</a>"),
    ('<span class="x-1">', "</span>"),
)


def unmarked(text: str) -> str:
    """Return `text` without its final marks: "Où ?" -> "Où"; but not if nothing else is there."""
    return _MARK.sub("", text) or text


def has_final_mark(text: str) -> bool:
    """Return whether `text` ends as a sentence does."""
    return text.endswith(tuple(FINAL_MARKS))


def title_case(text: str) -> str:
    """Return `text` as a heading: "don't you?" -> "Don't You?"."""
    return re.sub(r"(?<!\S)([^\w\s]*)(\w)", lambda match: match[1] + match[2].title(), text)


def without_apostrophes(text: str) -> str:
    """Return `text` without those inside words: "I don't" -> "I dont"."""
    return re.sub(rf"(?<=[{IN_WORD}])['’](?=\w)", "", text)


def other_quotes(text: str) -> str:
    """Return `text` with curly quotation marks and apostrophes for straight ones, or the reverse.

    "It's" -> "It’s"; '"No"' -> "“No”". A text that has straight ones gets no others.
    """
    if not re.search("[\"']", text):
        return text.translate(_STRAIGHT)
    opening = re.sub(r"(?<![^\s(])[\"']", lambda match: _CURLY[match[0]][0], text)
    return re.sub("[\"']", lambda match: _CURLY[match[0]][1], opening)


def spaced_marks(text: str) -> str:
    """Return `text` with a space before marks: "Yes, why?" -> "Yes , why ?"."""
    return re.sub(r"(?<=[^\s,.!?;:…])([,.!?;:…]+)(?=\s|$)", r" \1", text)


def doubled_mark(text: str, rng: random.Random) -> str:
    """Return `text` with its final mark two or three times: "Why?" -> "Why???"."""
    if not has_final_mark(text) or has_final_mark(text[:-1]):
        return text
    return text + text[-1] * rng.choice((1, 2))


def typo(text: str, rng: random.Random) -> str:
    """Return `text` with one letter swapped, dropped, doubled or a key beside it instead.

    It is in a word of at least 4 letters; a text without one is returned as it is.
    """
    words = [word for word in WORD.finditer(text) if len(word[0]) >= _LEAST_LETTERS]
    if not words:
        return text
    start, end = rng.choice(words).span()
    at = rng.randrange(start, end - 1)
    letter, after = text[at], text[at + 1]
    ways = [after + letter, after, letter * 2 + after]
    ways.append(rng.choice(_keys_beside(letter)) + after)
    return text[:at] + rng.choice([way for way in ways if way != letter + after]) + text[at + 2 :]


def _keys_beside(letter: str) -> list[str]:
    """Return the letters left and right of one on a keyboard, in its case; itself if on none."""
    for row in _KEYS:
        if (at := row.find(letter.lower())) >= 0:
            keys = row[max(0, at - 1) : at] + row[at + 1 : at + 2]
            return list(keys.upper() if letter.isupper() else keys)
    return [letter]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A way to rewrite sentences, and what is then expected of a translation."""

    name: str
    rewrite: Callable[[str, random.Random], str]
    expected: Callable[[str], str] = str  # applied to references and to the plain translations
    everywhere: bool = False  # on all sentences, not only on some of them


REWRITINGS = (
    Rewriting("UPPER CASE", lambda text, _: text.upper(), expected=str.upper, everywhere=True),
    Rewriting("Title Case", lambda text, _: title_case(text), everywhere=True),
    Rewriting("lower case", lambda text, _: text.lower(), everywhere=True),
    Rewriting("no final mark", lambda text, _: unmarked(text), expected=unmarked, everywhere=True),
    Rewriting("no apostrophes", lambda text, _: without_apostrophes(text)),
    Rewriting("other quotation marks", lambda text, _: other_quotes(text)),
    Rewriting("a space before marks", lambda text, _: spaced_marks(text)),
    Rewriting("several final marks", doubled_mark),
    Rewriting("one typo", typo, everywhere=True),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A source with texts that its translation must have, each so many times."""

    source: str
    wanted: Mapping[str, int]
    in_order: bool = False  # each text is to come before the next

    def holds(self, translation: str) -> bool:
        """Return whether the translation has what is wanted of it."""
        places = [translation.find(text) for text in self.wanted]
        return (not self.in_order or places == sorted(places)) and all(
            occurrences(text, translation) == count for text, count in self.wanted.items()
        )


def occurrences(item: str, text: str) -> int:
    """Return how often `item` is in `text` as a whole: no digit goes on, nor a word by a letter.

    Of "5" there are two in "5 or 5?", and none in "15", "3,5" or "5:30".
    """
    return len(_whole(item).findall(text))


def _whole(item: str) -> re.Pattern[str]:
    before = after = ""
    if item[0].isdigit():
        before = r"(?<!\d)(?<!\d[.,:])"
    elif item[0].isalpha():
        before = rf"(?<![{_LATIN}])"
    if item[-1].isdigit():
        after = r"(?![.,:]?\d)"
    elif item[-1].isalpha():
        after = rf"(?![{_LATIN}])"
    return re.compile(before + re.escape(item) + after)


def add_items(text: str, kinds: Sequence[str], rng: random.Random) -> Case | None:
    """Return `text` with an item of each kind put in: at its start, between words, or at its end.

    The end is before the final mark or after it. None if no item is found that is new to the text.
    """
    items: list[str] = []
    for kind in kinds:
        item = _new(partial(_draw, kind, rng), [text, *items])
        if item is None:
            return None
        items.append(item)
    body = unmarked(text)
    words = body.split(" ")
    end = len(words)
    gaps: list[list[str]] = [[] for _ in range(end + 2)]  # before each word, the mark, and after it
    for item in items:
        places = [0, end, end + 1]
        if end > 1:
            places.append(rng.randrange(1, end))
        gaps[rng.choice(places)].append(item)
    pieces = [piece for gap, word in zip(gaps, words, strict=False) for piece in (*gap, word)]
    marked = " ".join([*pieces, *gaps[end]]) + text[len(body) :]
    return Case(" ".join([marked, *gaps[end + 1]]), dict.fromkeys(items, 1))


def _draw(kind: str, rng: random.Random) -> str:
    """Return one of a kind's `ITEMS` with its digits and words drawn."""
    draw = {
        "D": lambda: str(rng.randrange(10)),
        "N": lambda: str(rng.randrange(1, 10)),
        "W": lambda: made_up(rng, syllables=rng.choice((2, 3))),
        "V": lambda: made_up(rng, syllables=2).upper(),
    }
    return re.sub("[DNWV]", lambda match: draw[match[0]](), rng.choice(ITEMS[kind]))


def _new(draw: Callable[[], str], others: Sequence[str]) -> str | None:
    """Return the first of some draws that no other text has in it, and that has none in itself."""
    for _ in range(_TRIES):
        item = draw()
        if not any(item in other or other in item for other in others):
            return item
    return None


def made_up(rng: random.Random, *, syllables: int) -> str:
    """Return a word that hardly is one: "tavo", "nikozu"."""
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(syllables))


def add_tags(text: str, rng: random.Random) -> Case | None:
    """Return `text` with tags around one of its words; None if it has no letter or has tags."""
    words = list(_WORD.finditer(text))
    if not words or "<" in text:
        return None
    opening, closing = rng.choice(TAGS)
    word = rng.choice(words)
    start, end = word.start(), word.start() + len(word[0].rstrip("'’-"))
    tagged = text[:start] + opening + text[start:end] + closing + text[end:]
    return Case(tagged, {opening: 1, closing: 1}, in_order=True)


def glossary_terms(sources: Sequence[str], count: int, rng: random.Random) -> dict[str, str]:
    """Return up to `count` words of the sources, each with a made-up translation of its own.

    Some translations are in capitals, begin with one or have two words.
    """
    found = {word.lower() for source in sources for word in _WORD.findall(source)}
    words = sorted(word for word in found if len(word) >= 3 and not re.search(r"[\d'’-]", word))
    terms: dict[str, str] = {}
    for number, word in enumerate(rng.sample(words, min(count, len(words)))):
        name = _new(lambda: made_up(rng, syllables=4), list(terms.values()))
        assert name, "there are millions of them"
        shapes = (name, name.title(), f"{name[:4]} {name[4:]}", name.upper())
        terms[word] = shapes[number % len(shapes)]
    return terms


def with_terms(text: str, terms: Mapping[str, str]) -> Case | None:
    """Return `text` with the translations that a glossary demands for it.

    None if it has no term, or one has an apostrophe or a hyphen beside it: whether "don" is a word
    of "don't" is the glossary's affair.
    """
    alone = [word for word in _WORD.findall(text.lower()) if word in terms]
    parts = [part for part in re.split(rf"[\s'’{_PUNCTUATION}-]+", text.lower()) if part in terms]
    if not alone or len(alone) != len(parts):
        return None
    return Case(text, {terms[word]: alone.count(word) for word in alone})


def rename(text: str, references: Sequence[str], rng: random.Random) -> Case | None:
    """Return `text` with another name for one of its own; None if it has none.

    A name is a capitalised word that every reference has too, and as often: Tom, or Paris.
    """
    for name in filter(str.istitle, dict.fromkeys(_NAME.findall(text))):
        count = occurrences(name, text)
        if all(occurrences(name, reference) == count for reference in references):
            other = _new(lambda: rng.choice(NAMES), [text])
            return Case(_whole(name).sub(other, text), {other: count}) if other else None
    return None
