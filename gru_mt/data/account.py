"""The account of a corpus: each line becomes a pair, or is counted under the reason to drop it."""

import bisect
import hashlib
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gru_mt.config import DataConfig
from gru_mt.data.corpora.fra_eng import FRA_ENG_SHA256, TATOEBA_ATTRIBUTION
from gru_mt.data.corpora.report import SAMPLE, CorpusReport, DroppedLines, advice, is_header
from gru_mt.data.corpora.rows import Dropped, DropReason, Row
from gru_mt.data.example import Pair
from gru_mt.data.filters import PairFilters, of_other_scripts
from gru_mt.data.text import CONTROL, clean, count_words
from gru_mt.errors import UserError

MAX_CHARACTERS = 25  # of a side, for each word that data.max_words allows
SHOWN, MAX_EXAMPLE = 3, 80  # lines shown of those dropped for a reason, characters of each
_MOSTLY, _OFTEN = 0.9, 0.1  # shares of pairs
_LOOKED_AT, _FEW = 1_000, 20  # attributions


class LineNumbers:
    """Where the lines of a corpus are, which are numbered from 1 throughout its files."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._first_lines: list[int] = []

    def begin(self, name: str, line: int) -> None:
        """Note that a file's first line is line number `line` of the corpus."""
        self._names.append(name)
        self._first_lines.append(line)

    def where(self, line: int) -> str:
        """Return the file and the number that line `line` of the corpus has there: "a.tsv:7"."""
        place = bisect.bisect_right(self._first_lines, line) - 1
        return f"{self._names[place]}:{line - self._first_lines[place] + 1}"

    def short(self, line: int) -> int | str:
        """Return the number alone where there is one file."""
        return line if len(self._names) == 1 else self.where(line)


@dataclass(frozen=True, slots=True)
class Corpus:
    """The pairs of a corpus, and the facts to report about them."""

    name: str
    pairs: list[Pair]  # distinct, in the order of the file
    report: CorpusReport
    sha256: str  # of the unpacked text; of several files, one after the other
    attribution: str  # the credit that its licence asks for; "" if none is known
    warnings: tuple[str, ...]
    lines: LineNumbers


class Account:
    """The account of one corpus while it is read."""

    def __init__(self, config: DataConfig, where: str, sides: Sequence[int] = (0, 1)) -> None:
        """Begin with no file; messages call the corpus `where`. Only `sides` of it have text."""
        self._config, self._where, self._sides = config, where, sides
        self._pairs: list[Pair] = []
        self._seen: set[tuple[str, str]] = set()
        self._dropped: defaultdict[DropReason, list[int]] = defaultdict(list)
        self._examples: defaultdict[DropReason, list[str]] = defaultdict(list)
        self._read = self._line_in_file = 0
        self._tatoeba = self._others = 0  # pairs whose attribution names Tatoeba, or somebody else
        self._thirds: set[str] = set()  # the first attributions to others, each once
        self._same = 0  # pairs whose sides are equal
        self._filters = PairFilters(config.filters)
        self._lines, self._digest, self._sample = LineNumbers(), hashlib.sha256(), b""

    def begin(self, name: str, text: bytes) -> None:
        """Take a file, whose rows follow."""
        self._digest.update(text)
        self._lines.begin(name, self._read + 1)
        self._line_in_file = 0
        self._sample = self._sample or text[:SAMPLE]

    def add(self, row: Row) -> None:
        """Take the row of the next line."""
        self._read += 1
        self._line_in_file += 1
        cleaned = self._cleaned_or_dropped(row)
        if isinstance(cleaned, Dropped):
            self._drop(cleaned, self._read)
            return
        first, second, attribution = cleaned
        self._seen.add((first, second))
        self._pairs.append(Pair(first, second, self._read))
        self._same += first == second
        if "tatoeba.org" in attribution:
            self._tatoeba += 1
        elif attribution:
            self._others += 1
            if len(self._thirds) < _LOOKED_AT:
                self._thirds.add(attribution)

    def _drop(self, dropped: Dropped, line: int) -> None:
        self._dropped[dropped.reason].append(line)
        if len(self._dropped[dropped.reason]) <= SHOWN:
            self._examples[dropped.reason].append(dropped.text[:MAX_EXAMPLE].strip())

    def _drop_other_scripts(self) -> None:
        """Drop the pairs of which a side is in a script that its language has not."""
        places: set[int] = set()
        for side in self._sides:
            places.update(of_other_scripts([pair[:2][side] for pair in self._pairs]))
        for place in sorted(places):
            first, second, line = self._pairs[place]
            self._drop(Dropped(DropReason.SCRIPT, f"{first} | {second}"), line)
        self._pairs = [pair for place, pair in enumerate(self._pairs) if place not in places]

    def corpus(self, name: str) -> Corpus:
        """Return the corpus, or raise UserError where too little is left of it."""
        if "scripts" in self._config.filters:
            self._drop_other_scripts()
        report = self._report()
        self._refuse(report)
        sha256 = self._digest.hexdigest()
        attributions = []
        if self._tatoeba or sha256 == FRA_ENG_SHA256:
            attributions.append(TATOEBA_ATTRIBUTION)
        if self._others:
            attributions.append(
                f"pairs that name their own source in column 3 of {self._where}: {self._others:,}"
            )
        warnings = tuple(self._warnings(report))
        return Corpus(
            name, self._pairs, report, sha256, "; ".join(attributions), warnings, self._lines
        )

    def _cleaned_or_dropped(self, row: Row) -> Row:
        """Return `row` with its sides cleaned, or why there is none."""
        if isinstance(row, Dropped):
            return row
        first, second = clean(row[0]), clean(row[1])
        reason = self._reason(first, second)
        if reason is not None:
            return Dropped(reason, f"{first[:MAX_EXAMPLE]} | {second}")
        return first, second, row[2].strip()

    def _reason(self, first: str, second: str) -> DropReason | None:
        """Return why a pair of cleaned sides is dropped; None if it is kept."""
        config = self._config
        if self._line_in_file == 1 and is_header(first, second, config.languages):
            return DropReason.HEADER
        if CONTROL.search(first) or CONTROL.search(second):
            return DropReason.CONTROL
        texts = [(first, second)[side] for side in self._sides]
        if not all(texts):
            return DropReason.EMPTY
        if max(map(len, texts)) > MAX_CHARACTERS * config.max_words:
            return DropReason.TOO_LONG
        shorter, *_, longer = sorted(map(count_words, texts * 2))
        if longer > config.max_words:
            return DropReason.TOO_LONG
        if longer > config.max_ratio * shorter:
            return DropReason.RATIO
        if (first, second) in self._seen:
            return DropReason.DUPLICATE
        return self._filters.reason(first, second) if len(texts) > 1 else None

    def _report(self) -> CorpusReport:
        frequent_first = sorted(self._dropped.items(), key=lambda item: -len(item[1]))
        by_reason = {
            reason: DroppedLines(
                len(lines),
                tuple(map(self._lines.short, lines[:SHOWN])),
                tuple(self._examples[reason]),
            )
            for reason, lines in frequent_first
        }
        return CorpusReport(self._read, len(self._pairs), by_reason)

    def _refuse(self, report: CorpusReport) -> None:
        """Raise UserError where no pair is left, or most lines or sides cannot be meant."""
        if not report.read:
            raise UserError(f"{self._where}: is empty")
        headers = report.dropped.get(DropReason.HEADER)
        dropped = report.read - report.kept - (headers.count if headers and report.kept else 0)
        share = math.ceil(1_000 * dropped / report.read) / 1_000
        if not report.kept or dropped > self._config.allow_dropped * report.read:
            reason, lines = next(iter(report.dropped.items()))
            said = advice(reason, self._sample, self._config.languages)
            message = f"{dropped:,} of {report.read:,} lines dropped; most often {reason}: {lines}"
            if said:
                message += f"; {said}"
            if report.kept:
                message += f"; to go on without them set data.allow_dropped to {share:.3f} or more"
            raise UserError(f"{self._where}: {message}")
        if self._same > _MOSTLY * report.kept:
            raise UserError(
                f"{self._where}: {self._same:,} of {report.kept:,} pairs have the same text on "
                "both sides; was one file or column named twice?"
            )

    def _warnings(self, report: CorpusReport) -> Iterator[str]:
        if not_utf8 := report.dropped.get(DropReason.NOT_UTF8):
            said = advice(DropReason.NOT_UTF8, self._sample, self._config.languages)
            yield f"{self._where}: lines that are not UTF-8: {not_utf8}: {said}"
        if self._same > _OFTEN * report.kept:
            yield f"{self._where}: {self._same:,} pairs have the same text on both sides"
        if len(self._thirds) > _FEW and 2 * len(self._thirds) > min(self._others, _LOOKED_AT):
            yield (
                f"{self._where}: column 3 is read as an attribution, and looks like text: set "
                "columns: [1, 2], or [1, 3] to train on it"
            )
