"""Sentences with texts that a translation must have as they are: items, numbers, names, terms."""

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from gru_mt.data.text.normalize import IN_WORD, SENTENCE_END
from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS
from gru_mt.evaluation.robustness.perturbations import unmarked

_NAME = re.compile(rf"(?<![{IN_WORD}'’-])[^\W\d_]{{3,}}(?![{IN_WORD}-])")  # as Tom in "Tom's"
_PUNCTUATION = re.escape(
    r"""!"#$%&()*+,./:;<=>?@[\]^_`{|}~«»“”„…。，、！？；：؟،؛।「」『』（）¿¡–—"""
)
# A word with apostrophes: "don't" is one.
WHOLE_WORD = re.compile(rf"(?<![{IN_WORD}'’-])[^\W\d_][^\s{_PUNCTUATION}]*")
_LATIN = "0-9A-Za-z\u00c0-\u024f\u1e00-\u1eff"  # Chinese or Arabic text may touch a Latin name
_TRIES = 20  # draws until a text is new to its sentence; else the sentence is left out

# What is added to a sentence: templates. D is a digit, N one from 1 to 9, X a hexadecimal one, W a
# made-up word, C one with a capital, V one in capitals. After a backslash a character is itself.
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
    "a {placeholder}": [
        *("{W}", "{N}", "{{W}}", "{W_W}", "{{ W.W }}", "{W W}", "{N, number}", "{W:.Nf}", "@{W}"),
    ],
    "a {% tag %} or <%= tag %>": ["{% if W %}", "{% W.W %}", "<%= W %>", "<%= W.W %>"],
    "a __name__ or [name]": ["__W__", "[W]", "[W_W]", "$(W)", ":W", "<@NDDDDDDD>"],
    "a format such as %s": [
        *("%s", "%d", "%N$s", "%(W)d", "%dx%d", "%d%%", "%ss", "%n", "%N", "%0Nd", "%.Nf"),
    ],
    "a $VARIABLE": ["$V", "${V}", "$V_V"],
    "an entity such as &amp;": ["&amp;", "&lt;", "&nbsp;", "&eacute;", "&#3N;"],
    "`code`": ["`W`", "`W(W, N)`", "`W --W=D`", "`W.W[N]`"],
    "snake_case or camelCase": ["W_W", "W_W_W", "WC", "WCC", "CC", "W_W()", "WC.W()"],
    "an escape such as \\n": [r"\\n", r"\\t", r"\\\N", r"\\r\\n"],
    "a path": ["src/W.W", "W/W/W", "~/W/W", "/usr/W/W", "./W/W.W", r"\C:\\W\\W"],
    "a file name": ["W.pdf", "W_W.py", "IMG_DDDD.jpg", "W-W.tar.gz"],
    "an @name": ["@W", "@W_W", "@WDD"],
    "a #tag": ["#W", "#WDD", "#W_W", "#ND"],
    "a name such as C++": [r"\C++", r"\C#", "F#", r".\NET", r"\Node.js", r"AS\P.\NET"],
    "a MAC, IPv6, DOI or place": [
        *("XX:XX:XX:XX:XX:XX", "fe80::XXXX:NXX:XXXX", "200N:db8:N::XXXX:N", "10.NDDD/W.DD"),
        r"4D°1D′2D″\N",
    ],
    "an emoji such as :smile:": [":W:", ":W_W:", ":+N:"],
    "an emoji": ["😀", "🎉", "👍🏽", "❤️", "👨‍👩‍👧", "🇫🇷", "🤷‍♀️", "☕"],
    "a symbol such as →": [*"→•§°²×=|*_#<>~^†©"],
    "a reserved character": PLACEHOLDER_TOKENS,
}
# Names that hardly any training corpus has, of many languages and scripts; none is in fra-eng.
_NAMES = """
Aarav Abimbola Adwoa Aðalsteinn Aigerim Akosua Anahit Anoushka Ásgeir Astghik Ayşe Babajide
Bartłomiej Björgvin Bogdana Botond Božena Brínleifur Bronisława Caoimhe Çağla Chidinma Chinedu
Chiyoko Chloë D'Angelo D'Souza Dagný Darragh Deepika Dmitriy Dragoslav Dzmitry Ebru Eilidh
Eleftheria Eszter Evgeniya Farrukh Fatemeh Feodosiy Folasade Gintarė Grzegorz Gülşen Guðrún Håkon
Haruto Henrikas Hiroshi Hyejin Iñaki Ikechukwu Iryna Ismaïl Jadwiga Joaquín Jūratė Jürgen
Kateřina Khadija Kwabena Kyriakos Lakshmi Lidiya Ljiljana Lorcán Łukasz Lưu M'Baye Maëlle
Małgorzata Mehmet Mikołaj Mstislav Mthunzi N'Diaye N'Golo Nagendra Ngozi Nguyễn Niamh O'Callaghan
O'Sullivan Oddný Oluwaseun Øystein Parvaneh Pelageya Phạm Pınar Qiaohui Radosław Raghunath Ruairí
Rūta Ryōhei Sa'id Saoirse Satsuki Seong-min Shreya Siobhán Soo-jin Søren Svyatoslav Szymon Tadhg
Takeshi Tendai Thandiwe Tomáš Tuğçe Tymofiy Uğur Väinö Vyacheslav Wanjiru Wojciech Xiuying Xochitl
Yaroslava Yevhen Zbigniew Zeynep Zhanna Žofie Zsófia Þórunn
"""
NAMES = tuple(_NAMES.split())
NUMBERS = (
    *("-N", "-ND", "-N.D", "−N", "+N", "±N", "~ND", "N-N", "ND-ND", "N–N", "N:N", "N:DD", "N/N"),
    *("N x N", "N × N", "½", "N½", "N²", "ND°", "ND%", "N.N.N", "№ N", "§ N", "(N)", "C N:"),
    *(r"\XI\V", r"\VII"),
)
_NUMBER = re.compile(  # with its sign; or a numeral of two letters and more
    r"(?<!\w)[-−+±]\d+ | \d+ | [½²] | (?<![^\W\d_])[IVX]{2,}(?![^\W\d_])", re.VERBOSE
)


class Sentence(NamedTuple):
    """A source, its references, and the translation of it as it is."""

    source: str
    references: Sequence[str] = ()
    plain: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A source, and whether a translation of it has what it must have."""

    source: str
    holds: Callable[[str], bool]


def has_texts(wanted: Mapping[str, int], translation: str) -> bool:
    """Return whether a translation has each of some texts so many times."""
    return all(len(whole(text).findall(translation)) == wanted[text] for text in wanted)


def _has_terms(wanted: Mapping[str, int], translation: str) -> bool:
    """Return `has_texts`; a text may get a capital where a sentence begins with it."""
    for text in wanted:
        capital = re.escape(text[:1].upper() + text[1:])
        translation = re.sub(rf"((?:^|[{SENTENCE_END}])\W*){capital}", rf"\g<1>{text}", translation)
    return has_texts(wanted, translation)


def has_numbers(source: str, translation: str) -> bool:
    """Return whether a translation has each number of the source as often, with its sign."""
    wanted, found = (Counter(_NUMBER.findall(text)) for text in (source, translation))
    return all(found[number] == count for number, count in wanted.items())


def whole(item: str) -> re.Pattern[str]:
    """Return a pattern of `item` where no digit or letter goes on: "5", not in "15" or "5:3"."""
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


def add_items(one: Sentence, rng: random.Random, kinds: Sequence[str]) -> Case | None:
    """Return a sentence with an item of each kind; None if none is found that is new to it."""
    items: list[str] = []
    for kind in kinds:
        item = _new(partial(drawn, ITEMS[kind], rng), [one.source, *items])
        if item is None:
            return None
        items.append(item)
    return Case(_placed(one.source, items, rng), partial(has_texts, dict.fromkeys(items, 1)))


def _placed(text: str, items: Sequence[str], rng: random.Random) -> str:
    """Return `text` with items at its start, between words, before its final mark or after it."""
    body = unmarked(text)
    words = body.split(" ")
    end = len(words)
    gaps: list[list[str]] = [[] for _ in range(end + 2)]  # before each word, the mark, and after it
    for item in items:
        choices = [0, end, end + 1]
        if end > 1:
            choices.append(rng.randrange(1, end))
        gaps[rng.choice(choices)].append(item)
    pieces = [piece for gap, word in zip(gaps, words, strict=False) for piece in (*gap, word)]
    marked = " ".join([*pieces, *gaps[end]]) + text[len(body) :]
    return " ".join([marked, *gaps[end + 1]])


def drawn(templates: Sequence[str], rng: random.Random) -> str:
    """Return one of some templates with its digits and words drawn; see `ITEMS`."""
    draw = {
        "D": lambda: rng.choice("0123456789"),
        "N": lambda: rng.choice("123456789"),
        "X": lambda: rng.choice("0123456789abcdef"),
        "W": lambda: _made_up(rng, rng.choice((2, 3))),
        "C": lambda: _made_up(rng, 2).title(),
        "V": lambda: _made_up(rng, 2).upper(),
    }
    template = rng.choice(templates)
    return re.sub(r"\\(.)|[DNXWCV]", lambda match: match[1] or draw[match[0]](), template)


def add_numbers(one: Sentence, rng: random.Random) -> Case | None:
    """Return a sentence with a number that is signed or joined: -5, 7-0; None if it has numbers."""
    if _NUMBER.search(one.source):
        return None
    number = drawn(NUMBERS, rng)
    is_label = number.endswith(":")  # "Tavo 3: ..."
    source = f"{number} {one.source}" if is_label else _placed(one.source, [number], rng)
    return Case(source, partial(has_numbers, source))


def _new(draw: Callable[[], str], others: Sequence[str]) -> str | None:
    """Return the first of some draws that no other text has in it, and that has none in itself."""
    for _ in range(_TRIES):
        item = draw()
        if not any(item in other or other in item for other in others):
            return item
    return None


def _made_up(rng: random.Random, syllables: int) -> str:
    """Return a word that hardly is one: "tavo", "nikozu"."""
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(syllables))


def glossary_terms(sources: Sequence[str], count: int, rng: random.Random) -> dict[str, str]:
    """Return up to `count` words of the sources, each with a made-up translation of its own."""
    found = {word.lower() for source in sources for word in WHOLE_WORD.findall(source)}
    words = sorted(word for word in found if len(word) >= 3 and not re.search(r"[\d'’-]", word))
    terms: dict[str, str] = {}
    for number, word in enumerate(rng.sample(words, min(count, len(words)))):
        name = _new(lambda: _made_up(rng, 4), list(terms.values()))
        assert name, "there are millions of them"
        shapes = (name, name.title(), f"{name[:4]} {name[4:]}", name.upper())
        terms[word] = shapes[number % len(shapes)]
    return terms


def with_terms(text: str, terms: Mapping[str, str]) -> Case | None:
    """Return `text` with the translations that a glossary demands for it; None if it has no term.

    None, too, if one is beside an apostrophe or a hyphen: is "don" a word of "don't"?
    """
    found = [word for word in WHOLE_WORD.findall(text.lower()) if word in terms]
    pieces = [word for word in re.split(rf"[\s'’{_PUNCTUATION}-]+", text.lower()) if word in terms]
    if not found or len(found) != len(pieces):
        return None
    return Case(text, partial(_has_terms, {terms[word]: found.count(word) for word in found}))


def rename(one: Sentence, rng: random.Random) -> Case | None:
    """Return a sentence with another name for one of its own; None if it has none.

    A name is a capitalised word that every reference has too, and as often: Tom, or Paris.
    """
    for name in filter(str.istitle, dict.fromkeys(_NAME.findall(one.source))):
        count = len(whole(name).findall(one.source))
        if all(has_texts({name: count}, reference) for reference in one.references):
            other = _new(lambda: rng.choice(NAMES), [one.source])
            if other is None:
                return None
            return Case(whole(name).sub(other, one.source), partial(has_texts, {other: count}))
    return None
