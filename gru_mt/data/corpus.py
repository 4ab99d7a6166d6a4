"""From files to sentence pairs, with every line kept or counted under the reason it was not."""

import difflib
import hashlib
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from gru_mt.config import DataConfig, ParallelFiles
from gru_mt.data import fra_eng
from gru_mt.data.files import read_unpacked, user_path
from gru_mt.data.phrasebook import sentences
from gru_mt.data.text import CONTROL, clean, count_words
from gru_mt.errors import UserError, shown

FRA_ENG_SHA256 = "0bb85dbaa1c896844649094d7eaf2e34bee34e84fe362b26ce7e8f2e12aae104"  # fra.txt
TATOEBA_ATTRIBUTION = (
    "Sentence pairs from the Tatoeba project (tatoeba.org), packed by manythings.org/anki; "
    "CC-BY 2.0"
)
MAX_CHARACTERS = 25  # of a side for each of data.max_words; a longer one is no sentence
_BUILT_IN = ("fra-eng", "phrasebook")  # English first, French second


class Pair(NamedTuple):
    """The corpus's first and second side, cleaned; ordered as Python orders (source, target)."""

    source: str
    target: str
    line: int  # 1-based line of the corpus where the pair was first seen


class Reason(StrEnum):
    """Why a line gives no pair; a line falls to the first that fits."""

    NOT_UTF8 = "not UTF-8"
    NO_TAB = "no tab"
    COLUMNS = "more than three columns"
    CONTROL = "control characters"
    EMPTY = "empty side"
    TOO_LONG = "too long"
    RATIO = "too long a ratio"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Dropped:
    """How many lines went for one reason, and the numbers of the first three."""

    count: int
    first_lines: tuple[int, ...]

    def __str__(self) -> str:
        lines = ", ".join(str(number) for number in self.first_lines)
        return f"{self.count:,}, first at line{'s' * (len(self.first_lines) > 1)} {lines}"


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """What became of every line: `read` is `kept` plus all of `dropped`. `asdict` fits JSON."""

    read: int
    kept: int
    dropped: dict[Reason, Dropped]  # the most frequent first

    def lines(self) -> list[str]:
        """Return plain lines for a person: the totals, then one line for each reason."""
        reasons = [f"{reason}: {dropped}" for reason, dropped in self.dropped.items()]
        return [f"{self.read:,} lines read, {self.kept:,} kept", *reasons]


@dataclass(frozen=True, slots=True)
class Corpus:
    pairs: list[Pair]  # distinct, in the order of the file
    report: CorpusReport
    sha256: str  # of the text as read, unpacked; of parallel files: of one after the other
    attribution: str  # what must be said with the data, "" where nothing is known
    warnings: tuple[str, ...] = ()


def load_corpus(config: DataConfig) -> Corpus:
    """Return the corpus that `config` names, its pairs in the order of `config.languages`.

    Raises UserError, on one line that names the file, where there is no such corpus, where it
    cannot be read, where parallel files differ in length, and where no pair is left.
    """
    if isinstance(config.corpus, ParallelFiles):
        return _load_parallel(corpus_files(config), config)
    if config.corpus in _BUILT_IN and config.languages == ["fr", "en"]:
        raise UserError(
            f"data.languages must be [en, fr] for {config.corpus}, whose first side is English; "
            "for French to English set data.source to fr and data.target to en"
        )
    if config.corpus == "phrasebook":
        text = "".join(f"{english}\t{french}\n" for english, french in sentences.generate())
        return _corpus(_table_rows(text.encode()), config, [text.encode()], "phrasebook")
    [path] = corpus_files(config) or [fra_eng.find_or_fetch()]
    near = difflib.get_close_matches(config.corpus, _BUILT_IN, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    data = read_unpacked(path, missing=f", nor a corpus ({' or '.join(_BUILT_IN)}){hint}")
    return _corpus(_table_rows(data), config, [data], shown(path))


def corpus_files(config: DataConfig) -> list[Path]:
    """Return the user's files with the corpus, that of the first side first; none if built in."""
    if isinstance(config.corpus, ParallelFiles):
        names = [config.corpus.source, config.corpus.target]
        return [user_path(name) for name in (reversed(names) if config.reversed else names)]
    return [] if config.corpus in _BUILT_IN else [user_path(config.corpus)]


def _load_parallel(paths: list[Path], config: DataConfig) -> Corpus:
    data = [read_unpacked(path) for path in paths]
    first, second = ([*_lines(text)] for text in data)
    where = " and ".join(map(shown, paths))
    if len(first) != len(second):
        raise UserError(
            f"{where}: {len(first):,} and {len(second):,} lines; parallel files need as many"
        )
    return _corpus(map(_parallel_row, first, second), config, data, where)


# Rows: a line's first side, second side and attribution, or the reason that there are none

Row = tuple[str, str, str] | Reason


def _lines(data: bytes) -> io.BytesIO:
    """Return the lines of `data`, which a line feed alone ends, without a byte order mark."""
    return io.BytesIO(data.removeprefix(b"\xef\xbb\xbf"))  # `clean` takes the \r\n off


def _table_rows(data: bytes) -> Iterator[Row]:
    for line in _lines(data):
        try:
            match line.decode().split("\t"):
                case [source, target]:
                    yield source, target, ""
                case [source, target, attribution]:
                    yield source, target, attribution
                case [_]:
                    yield Reason.NO_TAB
                case _:
                    yield Reason.COLUMNS
        except UnicodeDecodeError:
            yield Reason.NOT_UTF8


def _parallel_row(first: bytes, second: bytes) -> Row:
    try:
        return first.decode(), second.decode(), ""
    except UnicodeDecodeError:
        return Reason.NOT_UTF8


# Pairs


def _judged(row: Row, config: DataConfig, seen: set[tuple[str, str]]) -> Row:
    """Return `row` with its sides cleaned, or the reason to drop it."""
    if isinstance(row, Reason):
        return row
    source, target = clean(row[0]), clean(row[1])
    if CONTROL.search(source) or CONTROL.search(target):
        return Reason.CONTROL
    if not source or not target:
        return Reason.EMPTY
    if max(len(source), len(target)) > MAX_CHARACTERS * config.max_words:
        return Reason.TOO_LONG
    shorter, longer = sorted((count_words(source), count_words(target)))
    if longer > config.max_words:
        return Reason.TOO_LONG
    if longer > config.max_ratio * shorter:
        return Reason.RATIO
    if (source, target) in seen:
        return Reason.DUPLICATE
    return source, target, row[2].strip()


def _corpus(rows: Iterable[Row], config: DataConfig, texts: list[bytes], where: str) -> Corpus:
    pairs: list[Pair] = []
    seen: set[tuple[str, str]] = set()
    dropped: defaultdict[Reason, list[int]] = defaultdict(list)
    tatoeba = others = 0  # pairs whose third column names Tatoeba, or somebody else
    line = 0
    for line, row in enumerate(rows, start=1):
        judged = _judged(row, config, seen)
        if isinstance(judged, Reason):
            dropped[judged].append(line)
            continue
        source, target, attribution = judged
        seen.add((source, target))
        pairs.append(Pair(source, target, line))
        if "tatoeba.org" in attribution:
            tatoeba += 1
        elif attribution:
            others += 1

    report = _report(line, len(pairs), dropped)
    if not pairs:
        raise UserError(_nothing_left(where, report))
    sha256 = hashlib.sha256(b"".join(texts)).hexdigest()
    attributions, warnings = [], []
    if tatoeba or config.corpus == "fra-eng" or sha256 == FRA_ENG_SHA256:
        attributions.append(TATOEBA_ATTRIBUTION)
    if others:
        attributions.append(f"pairs that name their own source in column 3 of {where}: {others:,}")
    if config.corpus == "fra-eng" and sha256 != FRA_ENG_SHA256:
        warnings.append(
            f"{where}: not the fra-eng of 2019-04-07 (SHA-256 {sha256[:12]}..., not "
            f"{FRA_ENG_SHA256[:12]}...): scores are not comparable with the published ones"
        )
    return Corpus(pairs, report, sha256, "; ".join(attributions), tuple(warnings))


def _report(read: int, kept: int, dropped: dict[Reason, list[int]]) -> CorpusReport:
    frequent_first = sorted(dropped.items(), key=lambda item: -len(item[1]))
    by_reason = {reason: Dropped(len(lines), tuple(lines[:3])) for reason, lines in frequent_first}
    return CorpusReport(read, kept, by_reason)


def _nothing_left(where: str, report: CorpusReport) -> str:
    if not report.read:
        return f"{where}: is empty"
    reason, dropped = next(iter(report.dropped.items()))
    return f"{where}: no pair is left; lines read: {report.read:,}; most often {reason}: {dropped}"
