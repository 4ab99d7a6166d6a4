"""What becomes of the lines of a corpus: rows, and counts of those that are dropped."""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from gru_mt.data.corpus.detect import likely_encoding

SAMPLE = 100_000  # bytes that hints and the layout of a table are drawn from


class DropReason(StrEnum):
    """Why a line gives no pair. If several reasons fit, it is the first in this order."""

    NOT_UTF8 = "not UTF-8"
    BLANK = "blank line"
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
    MOJIBAKE = "UTF-8 that was read as Latin-1"
    CONTROL = "control characters"
    EMPTY = "empty side"
    TOO_LONG = "too long"
    RATIO = "too long a ratio"
    DUPLICATE = "duplicate"
    COPY = "same text on both sides"
    DIGITS = "other numbers"
    NEAR = "near-duplicate"
    SCRIPT = "another script"


NO_LOSS = (DropReason.BLANK, DropReason.HEADER)  # lines that nobody meant to be pairs


class Dropped(NamedTuple):
    """A line without a pair."""

    reason: DropReason
    text: str  # the line, or what could be read of it


Record = list[str] | Dropped  # a text in each language that is read, and perhaps an attribution
Row = tuple[str, str, str] | Dropped  # first side, second side, attribution or ""

_QUOTES = "cells that hold a delimiter or quotation marks stand in such; these are doubled"
_HINTS = {
    DropReason.NO_TAB: "for parallel files set path: [FILE, FILE]",
    DropReason.OTHER_COLUMNS: _QUOTES,
    DropReason.QUOTES: _QUOTES,
    DropReason.MOJIBAKE: "repair it, as Python's ftfy does, or write it again as UTF-8",
    DropReason.SEVERAL_COLUMNS: "set columns to the one of data.target, such as columns: [2]",
    DropReason.TOO_LONG: "data.max_words is the limit",
    DropReason.RATIO: "data.max_ratio is the limit",
}


@dataclass(frozen=True, slots=True)
class DroppedLines:
    """How many lines were dropped for one reason, and the first three."""

    count: int
    first_lines: tuple[int | str, ...]  # FILE:NUMBER where a corpus has several files
    examples: tuple[str, ...] = field(default=(), compare=False)  # the beginnings of these lines

    def __str__(self) -> str:
        lines = ", ".join(map(str, self.first_lines))
        return f"{self.count:,}, first at line{'s' * (len(self.first_lines) > 1)} {lines}"


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """How many lines were read, kept and dropped: `read` is `kept` plus all of `dropped`.

    `asdict` turns it into JSON values.
    """

    read: int
    kept: int
    dropped: dict[DropReason, DroppedLines]  # the most frequent first

    def lines(self) -> list[str]:
        """Return lines for a person to read: the totals, then one line for each reason."""
        reasons = [f"{reason}: {dropped}" for reason, dropped in self.dropped.items()]
        return [f"{self.read:,} lines read, {self.kept:,} kept", *reasons]


def hint(reason: DropReason, sample: bytes, languages: Sequence[str]) -> str:
    """Return what to do about lines that were dropped for `reason`, or ""; `sample` has such."""
    match reason:
        case DropReason.NO_TAB if _is_csv(sample):
            return "looks like CSV: name it .csv, or set delimiter"
        case DropReason.COLUMNS:
            return f"set columns to those of {' and '.join(languages)}, counted from 1"
        case DropReason.NOT_UTF8:
            encoding = likely_encoding(sample, languages)
            return (
                f"looks like {encoding.capitalize()}: save it as UTF-8, or in a configuration set "
                f"encoding: {encoding}"
            )
        case DropReason.LANGUAGE:
            return f"data.languages {[*languages]} must be the codes that it has"
    return _HINTS.get(reason, "")


def _is_csv(sample: bytes) -> bool:
    """Return whether most lines have the same number of commas or semicolons outside quotes."""
    lines = sample.decode(errors="replace").splitlines()[:200]
    return any(
        columns > 1 and count > 0.8 * len(lines)
        for mark in ",;"
        for columns, count in Counter(map(len, csv.reader(lines, delimiter=mark))).most_common(1)
    )
