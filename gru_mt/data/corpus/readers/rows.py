"""What a reader yields for each line of a corpus: a row, or the reason why there is none."""

from enum import StrEnum
from typing import NamedTuple


class DropReason(StrEnum):
    """Why a line gives no pair. If several reasons fit, it is the first in this order."""

    NOT_UTF8 = "not UTF-8"
    NO_TAB = "no tab"
    COLUMNS = "more than three columns"
    OTHER_COLUMNS = "more columns than other lines"
    QUOTES = "unbalanced quotation marks"
    JSON = "no JSON object"
    XML = "no well-formed XML"
    MARKUP = "markup"
    SEVERAL_COLUMNS = "more than one column"
    FEW_COLUMNS = "too few columns"
    LANGUAGE = "language missing"
    HEADER = "header"
    CONTROL = "control characters"
    EMPTY = "empty side"
    TOO_LONG = "too long"
    RATIO = "too long a ratio"
    DUPLICATE = "duplicate"
    COPY = "same text on both sides"
    DIGITS = "other numbers"
    NEAR = "near-duplicate"
    SCRIPT = "another script"


class Dropped(NamedTuple):
    """A line without a pair."""

    reason: DropReason
    text: str  # the line, or what could be read of it


Row = tuple[str, str, str] | Dropped  # first side, second side, attribution or ""
