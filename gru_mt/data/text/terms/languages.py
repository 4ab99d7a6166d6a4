"""How languages write dates and numerals: the table dates.tsv."""

from pathlib import Path
from typing import NamedTuple

SPACE = "[ \u00a0\u202f]"
IN_WORD = "[0-9A-Za-z_\u00c0-\u024f]"
START = rf"(?<!{IN_WORD}|[-–.,:/])"


class Language(NamedTuple):
    """How a language writes dates. Names are those of Unicode's CLDR; months have no other."""

    code: str
    months: str
    weekdays: str
    day: str  # a date; what is in brackets may be missing
    month: str  # a month of a year
    on_day: str  # when something happens
    in_month: str
    on: str  # the words for it before a day, as a pattern
    within: str  # and before a month
    article: str  # before a day otherwise, as a pattern
    first: str  # day of a month, if it is not 1
    before: str  # words before "le 4 juillet" where it does not say when, as a pattern
    ordinal: str  # of a number; "" if there is no common form
    decade: str
    in_decade: str
    in_year: str
    since_year: str
    until_year: str
    on_weekday: str
    on_weekdays: str
    in_any_month: str


_ROWS = Path(__file__).with_name("dates.tsv").read_text(encoding="utf-8").splitlines()[1:]
LANGUAGES = {row.code: row for row in (Language(*line.split("\t")) for line in _ROWS)}
