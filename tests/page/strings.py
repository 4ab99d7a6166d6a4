"""Texts on which the page's JavaScript is compared with Python: of people, and at random."""

import random
import re
import sys
import unicodedata
import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS

CHANGED = "ƛɤʕჼꟲꟳꟴꟓꟕꭩ"  # in case since Python 3.11's Unicode, as Node 20 knows
KNOWN = [
    letter
    for letter in map(chr, range(sys.maxunicode + 1))
    if unicodedata.category(letter) != "Cn" and letter not in CHANGED
]
INSERTED = """
    a@b.org https://x.org/a?b=1 555-1234 1,299.99 $5 10:30 7 5th 12 <b> </b> <br/> {name} `x y` %s
    #tag @tom 😀 :) A4 COVID-19 report.pdf /usr/bin Zbigniew O'Sullivan dont Im ( « \ue013 ²
    Mr. e.g. etc. U.S. M. Mme No. p.m. Jan. J. fig. 1. 2) (a) 6 ft. in. Vol. .NET x.Then [1] - …
    ... ! ? ?! • , ” “ \" ' » [ ] ‘ ’
"""
SENTENCES = [
    "He is big.", "I see one cat.", "where are you?", "THE DOG IS HERE.", "Is Zbigniew at home",
    "Wait...", "Cat", "I have 5 of 12 (7-0) keys.", "Tom's -5 degrees: cold!", "dont teh 我 2nd",
    "no, He is Ken, It's one", "e.g. he is w/ u, W/o r. E. g., r u u r I see u/n",
    "{a} «Oui».", "",
]  # fmt: skip
FRAMES = [
    "<p>{}</p>", "<b>{}</b> {}", "{} <i>{}</i>{}", "<p>{} <b>{} <i>{}</i></b></p>", "😀 {}",
    "{}!😀", "{{\\an8}}{}", "@tom {}", "1) {}", "1.2 {}", "10:30 {}", "- {}", "• {}", "> {}",
    "# {}", "[x] {}", "{{name}}: {}", "%s {}", "{}\\n{}", "{}<br>{}", "<li>{}<LI>{}", "| {} | {} |",
    "**{}** {}", "_{}_ *{}", '"{}"', "({}) {}", "« {} »", "“{}” {}", "Tom: {}", 'msgid "{}"',
    "title={}", "a: {}", "[{}](https://a.org) {}", "![{}][1]", "[b]{}[/b]", "\\textbf{{{}}} {}",
    "<1>{}</1>{}", "{}: {}", "{{{{#if a}}}} {}", "[Tom]: {}", "[Tom] {}", "**Note:** {}",
    "<b>Note a b</b>: {} {}", "IV. {}", '"a.b": "{}",', '{{"a": "{}", "b": "{}"}}',
    "&lt;b&gt;{}&lt;/b&gt;", "(a) {}", "k) {}", "M. {}",
    "{{n, plural, one {{{}}} other {{{}}}}} {}", "1984 {}", "{} [1] {}", "¿{}", "print('{}')",
    "\ue010 {} \ue011", "{}\u2028{}", "… {}", "</b>{}<b>", "&quot;{}&quot;", "&nbsp;{}",
    "{}&nbsp;{}", "{}&#10;{}", "① {}", "<td>12</td><td>{}</td>", "Ms. {}", "Tom Inc. {}",
    '"{}","{}";"5"', "{} -- {}", "He is: {}", "so a: {}", "Tom A: {}", "{} > {}", "{} → {}",
    "Tom;{};5", "{}|5;;{}", "Ken, {}", "So, {}, {}", "Hi Ken,{}", "{}; {}", "{}—{} – {}",
    "Re: {}", "FW: {}", "'a.b': '{}', \"{}\", '{}'", "{} / {} / {}",
    "१) {} २) {} ३) {}", "१) {} ३) {}", "{} & {}", "Ken & {}", "cat & dogs & Vizq & KEY & THE",
    "{} & I",
    'So "a {}", or "b" (« c » 5) and “{}”', 'I SEE "{}" AND "THE DOG"', 'He says "{}," 12 "a."',
    '"{},",\t"{}"', "{}...,", "a{}m².,ok", "{{g,select,x{{{}\u200f }}}}{}", "a\t\t{}",
]  # fmt: skip
ALPHABETS = {
    "any": KNOWN,
    "latin": [letter for letter in KNOWN if letter < "\u0250"],
    "words": [*"aeintéEÉTßİıσςΣДд我のʼ’' -.\u0301\u0345ǅⅧ²_5          "],
    "marks": [*PLACEHOLDER_TOKENS, "\ue000", *"aZ5é▁ :.,()我 \n", "<b>", "</b>", "7 ", "{x}"],
    "soup": [*"0123456789.,:;/-–+'’()[]{}<>|*\\\"`@#$€%&=~?!^_°   \u00a0\u202faAtTé"],
    "words with digits": ["http://", "www.", ".com", "555", "A4", "x", "1 ", "10:30", *"-./"],
    "emoji": [*"😀👍🏽👩🇫🇷❤☺©1#\ufe0f\u200d\u20e3 a", "\U000e0067", "\U000e007f"],
    "scripts": [*"我明白了のトムシャมาကाहिन्दीمرحبا٢٠٢٤שלום한국어გამ აДом Ωδός ①१२ 。、！？.a1 "],
    "unseen": [
        *"aeé \u0301\u00ad\u200b\u2060\ufeff\u200d👩.,@",
        *"\u200f\u202a\u2069\u2011",
        *("x.org/", "a@b.org"),
    ],
    "wide": [*"ＡｚＺ０９．，：＇！＊ﬀﬁﬆﬓﾃ　\u0301\u00ad@a .1"],
    "vowel signs": [*"लड़कीकाजাতিকုမ္မကြီกี่ตَبּקक्‍षمی‌خ5 ०।.,' #@/-", "https://", "5 "],
    "controls": [
        *map(chr, range(0x21)), *"\x7f\x85\xa0\u2028\u2029\ufeff\u180e\u3000\u200b\ud800\udc80a.",
    ],
    "sentences": ["he", "The", "I", "12", "[1]", "Mr", "p.m", "''", *"aB5.?!…,;:\"'“”‘’«»()• "],
}  # fmt: skip


def random_strings(count: int, seed: int = 1) -> list[str]:
    """Return texts of each of ALPHABETS in turn, of 30 characters at most."""
    rng = random.Random(seed)
    kinds = [*ALPHABETS.values()]
    texts = ("".join(rng.choices(kinds[n % len(kinds)], k=rng.randrange(31))) for n in range(count))
    return [*map(without_pairs, texts)]


def framed(count: int, seed: int = 1) -> list[str]:
    """Return each of FRAMES with SENTENCES in it, `count` times, and as often in another frame."""
    rng = random.Random(seed)
    texts = [frame.format(*rng.choices(SENTENCES, k=3)) for frame in FRAMES for _ in range(count)]
    doubled = [rng.choice(FRAMES).replace("{}", "{0}").format(text, "", "") for text in texts]
    return [*texts, *doubled]


def without_pairs(text: str) -> str:
    """Return `text` without pairs of surrogates: to JavaScript one is a single character."""
    return re.sub("([\ud800-\udbff])[\udc00-\udfff]+", r"\1", text)


def written_strings(*modules: ModuleType) -> list[str]:
    """Return every text that the tests of these modules are parametrized with."""

    def strings(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | tuple):
            yield from chain.from_iterable(map(strings, value))

    tests = chain.from_iterable(vars(module).values() for module in modules)
    marks = chain.from_iterable(getattr(test, "pytestmark", []) for test in tests)
    return [text for mark in marks for text in strings(mark.args) if len(text) < 500]


def corpus_pairs(path: Path, count: int) -> list[list[str]]:
    """Return pairs of fra-eng from here and there: an English line and a French one."""
    with zipfile.ZipFile(path) as packed:
        lines = packed.read("fra-eng/fra.txt").decode().splitlines()
    return [line.split("\t")[:2] for line in lines[:: len(lines) // count]]


def with_insertions(lines: list[str], seed: int = 1) -> list[str]:
    """Return lines, with one to four things at random places that are no common words."""
    rng = random.Random(seed)
    things = INSERTED.split()

    def changed(line: str) -> str:
        for _ in range(rng.randint(1, 4)):
            place = rng.choice([rng.randint(0, len(line)), max(0, line.find(" "))])
            space = rng.choice(["", " "])
            line = line[:place] + space + rng.choice(things) + space + line[place:]
        return rng.choice([line, line, line, line.upper(), line.title(), line.lower()])

    return [*map(changed, lines)]
