"""Dates that name a month, and how another language writes them: "on July 4" -> "le 4 juillet".

Decades, ordinals and years are written so too: "in the 1990s" -> "dans les années 1990".

So are names of weekdays and months alone that training hardly has: "on Thursday" -> "jeudi".

The offline page has the same rules: the patterns are such that JavaScript reads them too.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from functools import cache
from typing import Any, NamedTuple

from gru_mt.data.corpus.languages import language_code
from gru_mt.data.text.placeholders import Span, disjoint
from gru_mt.data.text.terms.languages import IN_WORD, LANGUAGES, SPACE, START, Language
from gru_mt.data.text.terms.numerals import numerals_of

_SHORTEST, _LONGEST = 3, 5  # letters of a name that is cut: Jan., Sept.
_SHORT_WEEKDAYS = "Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun"
_SHORT_MONTHS = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_LEAP_YEAR = 2000
_LONGEST_BEFORE = 40  # characters of the words that go with a date
_OPTIONAL = re.compile(r"\[[^{\]]*\{(\w+)\}[^\]]*\]")
_ACCENTS = re.compile("[\u0300-\u036f]")


class DateRules(NamedTuple):
    """How dates of a source language are found, and how the target language writes them."""

    patterns: tuple[str, ...]  # of a day, and of a month and its year
    alone: tuple[str, ...]  # of a weekday and a month without more; none in scripts without spaces
    months: dict[str, int]  # numbers from 0 by names in small letters
    weekdays: dict[str, int]
    before: str
    has_capitals: bool  # whether names of months begin with one
    numerals: tuple[tuple[str, str], ...]  # patterns of ordinals, decades and years, and forms
    target: Language

    def to_json(self) -> dict[str, Any]:
        """Return the rules as JSON values, for the page."""
        names = "patterns", "alone"
        named = {
            name: [each.replace("(?P<", "(?<") for each in getattr(self, name)] for name in names
        }
        return self._asdict() | named | {"target": self.target._asdict()}

    def find(
        self, text: str, is_small: Callable[[str], bool], is_rare: Callable[[str], bool]
    ) -> list[Span]:
        """Return the dates in `text`, of a day or of a month and its year, as the target has them.

        Words before them go with them: "on July 4, 1985" -> [Span(0, 15, "le 4 juillet 1985")].
        `is_small` tells whether a word is mostly written small: "march 5 miles" has no date;
        `is_rare` whether a model may not know a name of a month or a weekday.
        """
        found = [*self._alone(text, is_small, is_rare)]
        if re.search("[0-9]", text):
            found += (*self._found(text, is_small), *self._numerals(text))
        return disjoint(found)

    def _alone(
        self, text: str, is_small: Callable[[str], bool], is_rare: Callable[[str], bool]
    ) -> Iterator[Span]:
        """Yield the names of weekdays and of months; without "in" May may be a verb.

        English ones may be cut, as in "on Sat" and "Mon-Fri"; without these words sat is a verb.
        """
        target = self.target
        kinds = (
            (self.weekdays, target.weekdays.split(), target.on_weekday),
            (self.months, target.months.split(), target.in_any_month),
        )
        for pattern, (numbers, names, form) in zip(self.alone, kinds, strict=False):
            for match in _compiled(pattern).finditer(text):
                name, last = match["name"], match["last"]
                before = text[: match.start()].rstrip()[-_LONGEST_BEFORE:]
                is_other = self.has_capitals and is_small(name)  # the verb may
                if match["short"]:
                    is_sure = numbers is self.weekdays and not is_other
                elif self.has_capitals:
                    is_sure = numbers is self.weekdays or not (is_other or name.islower())
                else:
                    is_sure = not name.istitle()  # Julio, Domingo
                is_alone = last or (is_sure and not match["many"])
                is_unknown = last or match["short"] or is_other or is_rare(name)
                number, end = (numbers.get(each.lower()) for each in (name, last or name))
                if number is None or end is None or not is_unknown:
                    continue
                if not (match["lead"] or is_alone):
                    continue
                written = names[number]
                if last:
                    written += match["dash"] + names[end]
                if match["lead"] and not re.search(self.before, before, re.IGNORECASE):
                    written = (target.on_weekdays if match["many"] else form).format(written)
                yield Span(*match.span(), written)

    def _numerals(self, text: str) -> Iterator[Span]:
        """Yield the ordinals, the decades and the years of a text."""
        for pattern, form in self.numerals:
            for match in _compiled(pattern).finditer(text):
                yield Span(*match.span(), form.format(match[1]))

    def _found(self, text: str, is_small: Callable[[str], bool]) -> Iterator[Span]:
        for pattern in map(_compiled, self.patterns):
            for match in pattern.finditer(text):
                name, lead = match["month"], match["lead"]
                is_verb = self.has_capitals and name.islower() and is_small(name)
                is_date = not is_verb or lead or match["weekday"]
                written = self._written(match) if is_date else None
                if not written:
                    continue
                form = self.target.on_day if match["day"] else self.target.in_month
                before = text[: match.start()].rstrip()[-_LONGEST_BEFORE:]
                says_when = bool(lead) and not re.search(self.before, before, re.IGNORECASE)
                is_alone = text.strip(" .,:") == match[0]
                if says_when or (match["day"] and self.target.before and not is_alone):
                    written = form.format(written)
                yield Span(*match.span(), written)

    def _written(self, match: re.Match[str]) -> str | None:
        """Return a date as the target language writes it; None if there is no such day."""
        target, day, year = self.target, match["day"], match["year"]
        month, weekday = (
            numbers.get((match[name] or "").rstrip(".,").lower())
            for name, numbers in (("month", self.months), ("weekday", self.weekdays))
        )
        if month is None:  # to `re`, ſ is an s
            return None
        try:
            date(int(year or _LEAP_YEAR), month + 1, int(day or 1))
        except ValueError:
            return None
        values = {
            "weekday": "" if weekday is None else target.weekdays.split()[weekday],
            "day": target.first if target.first and day and int(day) == 1 else day,
            "month": target.months.split()[month],
            "year": year,
        }
        form = _OPTIONAL.sub(
            lambda part: part[0][1:-1] if values[part[1]] else "",
            target.day if day else target.month,
        )
        return form.format(**values)


@cache
def date_rules(source: str, target: str) -> DateRules | None:
    """Return the rules for two languages, by codes or names; None if they are not known."""
    rows = [LANGUAGES.get(language_code(name)) for name in (source, target)]
    if not (rows[0] and rows[1]):
        return None
    months, weekdays = _numbers(rows[0].months.split()), _numbers(rows[0].weekdays.split())
    return DateRules(
        patterns=tuple(_patterns(rows[0], months, weekdays)),
        alone=tuple(_alone_patterns(rows[0])),
        months=months,
        weekdays=weekdays,
        before=rf"(?<!{IN_WORD})(?:{rows[0].before})$" if rows[0].before else "(?!)",
        has_capitals=rows[0].months[0].isupper(),
        numerals=numerals_of(rows[0], rows[1]),
        target=rows[1],
    )


def _numbers(names: list[str]) -> dict[str, int]:
    """Return the number of each name in small letters, from 0; also cut, and without accents."""
    small = [name.lower() for name in names]
    found = {name: number for number, name in enumerate(small)}
    for number, name in enumerate(small):
        for size in range(_SHORTEST, min(_LONGEST, len(name) - 1) + 1):
            if sum(other.startswith(name[:size]) for other in small) == 1:
                found.setdefault(name[:size], number)
    plain = {_ACCENTS.sub("", unicodedata.normalize("NFD", name)): n for name, n in found.items()}
    return plain | found


def _patterns(row: Language, months: Mapping[str, int], weekdays: Iterable[str]) -> Iterator[str]:
    """Yield patterns with the groups lead, weekday, day, month and year."""
    lengths = [*map(len, row.months.split())]
    cut = [name for name, number in months.items() if len(name) < lengths[number]]
    month, weekday, short = (
        "|".join(sorted(names, key=len)[::-1]) for names in (months, weekdays, cut)
    )
    if row.day.startswith("[{year}年]"):  # 1985年7月4日
        year = "(?<![0-9])(?P<year>[0-9]{4})年"
        month = f"(?<![0-9])(?P<month>{month})"
        day = f"(?P<day>[0-9]{{1,2}})[日号](?P<weekday>{weekday})?"
        yield f"{_no('lead')}(?:{year})?{month}{day}"
        yield f"{_no('lead')}{_no('weekday')}{_no('day')}{year}{month}"
        return
    of = rf"(?:{SPACE}(?:of|in|de|del))?{SPACE}"
    day = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er|[º°])?"
    # Only a name that is cut has a full stop of its own: "on 5 March. He is".
    month = rf"(?P<month>(?:{short or '(?!)'})\.(?={SPACE})|(?:{month}))"
    year = rf"(?:,{SPACE}|{of})(?P<year>[0-9]{{4}})"
    weekday = rf"(?:(?P<weekday>(?:{weekday})\.?,?){SPACE}(?:(?:the|den|dem|le|el|il){SPACE})?)?"
    start, end = START, rf"(?!{IN_WORD}|[-–/.:,'’][0-9])"
    article = f"|{row.article}" if row.article else ""
    before_day = rf"{start}(?:(?:(?P<lead>{row.on}){article}){SPACE})?{weekday}"
    dot = r"\.?" if "{day}." in row.day else ""
    yield f"{before_day}{day}{dot}{of}{month}(?:{year})?{end}"
    if "{month} {day}" in row.day:
        yield f"{before_day}{month}{SPACE}(?:the{SPACE})?{day}(?:{year})?{end}"
    within = rf"(?:(?P<lead>{row.within}){SPACE})?"
    yield f"{start}{within}{_no('weekday')}{_no('day')}{month}{year}{end}"


def _alone_patterns(row: Language) -> Iterator[str]:
    """Yield patterns of a weekday and of a month: lead, name or short, many, and dash with last."""
    if row.day.startswith("[{year}年]"):
        return
    many = "(?P<many>s)?" if row.code == "en" else _no("many")
    kinds = (
        (row.on, row.weekdays, _SHORT_WEEKDAYS, many),
        (row.within, row.months, _SHORT_MONTHS, _no("many")),
    )
    for lead, names, short, end in kinds:
        full = "|".join(names.split())
        name, last = rf"(?P<name>{_no('short')}(?:{full})){end}", _no("dash") + _no("last")
        if row.code == "en":
            name = rf"(?P<name>(?P<short>{short})(?!{IN_WORD})|{full}){end}"
            last = rf"(?:(?P<dash>{SPACE}?[-–]{SPACE}?)(?P<last>{short}|{full}))?"
        yield rf"{START}(?:(?P<lead>{lead}){SPACE})?{name}{last}(?!{IN_WORD}|-)"


def _no(group: str) -> str:
    """Return the pattern of an empty text with a group that matches nothing."""
    return f"(?P<{group}>(?!))?"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
