"""Ordinals, decades and years, and how another language writes them: the 90s, les années 90."""

import re
from collections.abc import Iterator

from gru_mt.data.text.terms.languages import IN_WORD, SPACE, START, Language

_AFTER_YEAR = (  # which is no number of words, as in "in 2000 words"
    rf"(?![.,:][0-9])(?=[.,;:!?)<*]|$|{SPACE}(?:and|or|but|at|by|with|when|while|as|after|before|"
    rf"because|to|for|from|in|on|he|she|it|we|they|you|i|there|the|my|his|her|our|their)"
    rf"(?!{IN_WORD}))"
)
_DECADE = "([1-9][0-9]{0,2}0)"
_ORDINAL_ENDS = {"fr": "er|re|ère|e|i?[eè]me", "nl": "e|de|ste"}
_ENGLISH_ORDINALS = {"[0-9]*1[123]": "th", "[0-9]*1": "st", "[0-9]*2": "nd", "[0-9]*3": "rd"}


def numerals_of(source: Language, target: Language) -> tuple[tuple[str, str], ...]:
    """Return patterns and forms; where two of a length are found, the first one counts."""
    found = _english(target) if source.code == "en" else _others(source, target)
    return tuple((pattern, form) for pattern, form in found if form)


def _others(source: Language, target: Language) -> Iterator[tuple[str, str]]:
    """Yield decades as the source language writes them, and its ordinals."""
    for own, form in ((source.in_decade, target.in_decade), (source.decade, target.decade)):
        words = own.replace(" ", SPACE).replace("{}", _DECADE)
        yield rf"{START}{words}(?!{IN_WORD})", form
    if ends := _ORDINAL_ENDS.get(source.code):
        number, end = "[1-9][0-9]{0,3}", rf"(?:{ends})(?!{IN_WORD})"
        english = _ENGLISH_ORDINALS | {number: "th"} if target.code == "en" else {}
        for digits, ending in english.items():
            yield rf"{START}({digits}){end}", f"{{}}{ending}"
        yield rf"{START}(1){end}", target.first
        yield rf"{START}({number}){end}", target.ordinal


def _english(target: Language) -> Iterator[tuple[str, str]]:
    """Yield ordinals, decades and years of English."""
    start, end = START, rf"(?:st|nd|rd|th)(?!{IN_WORD})"
    decade = rf"the{SPACE}['’]?{_DECADE}['’]?s(?!{IN_WORD})"
    on, day_end = rf"{start}on{SPACE}the{SPACE}", rf"{end}(?={SPACE}*(?:[.,;:!?)]|$))"
    sign = re.sub(r".*\{day\}([^\s\[]?).*", r"\1", target.day)  # 5. and 5日
    year = rf"{SPACE}(1[1-9][0-9]{{2}}|20[0-9]{{2}}){_AFTER_YEAR}"
    yield from (
        (rf"{start}in{year}", target.in_year),
        (rf"{start}since{year}", target.since_year),
        (rf"{start}until{year}", target.until_year),
        (rf"{start}in{SPACE}{decade}", target.in_decade),
        (rf"{start}{decade}", target.decade),
        (rf"{on}(1){day_end}", target.first and target.on_day.format(target.first)),
        (rf"{on}([1-9]|[12][0-9]|3[01]){day_end}", target.on_day.format(f"{{}}{sign}")),
        (rf"{start}(1){end}", target.first),
        (rf"{start}([1-9][0-9]{{0,3}}){end}", target.ordinal),
    )
