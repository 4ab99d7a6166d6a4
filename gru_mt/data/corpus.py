"""Read a corpus into sentence pairs. Each line is kept, or counted under the reason to drop it."""

import difflib
import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gru_mt.config import DataConfig, ParallelFiles
from gru_mt.data.corpora import fra_eng
from gru_mt.data.corpora.files import read_unpacked, user_path
from gru_mt.data.corpora.fra_eng import FRA_ENG_SHA256, TATOEBA_ATTRIBUTION
from gru_mt.data.corpora.parallel import parallel_rows
from gru_mt.data.corpora.phrasebook import sentences
from gru_mt.data.corpora.rows import DropReason, Row
from gru_mt.data.corpora.table import table_rows
from gru_mt.data.text import CONTROL, clean, count_words
from gru_mt.errors import UserError, shown

MAX_CHARACTERS = 25  # of a side, for each word that data.max_words allows
_BUILT_IN = ("fra-eng", "phrasebook")  # their first side is English, their second French


class Pair(NamedTuple):
    """A cleaned pair, its sides in the order of the corpus. The split decides which is the source.

    Pairs sort by their first side, then by their second, as Python sorts strings.
    """

    first: str
    second: str
    line: int  # 1-based line of the corpus where the pair was first seen


@dataclass(frozen=True, slots=True)
class DroppedLines:
    """How many lines were dropped for one reason, and the numbers of the first three."""

    count: int
    first_lines: tuple[int, ...]

    def __str__(self) -> str:
        lines = ", ".join(str(number) for number in self.first_lines)
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


@dataclass(frozen=True, slots=True)
class Corpus:
    """The pairs of a corpus, and the facts to report about them."""

    pairs: list[Pair]  # distinct, in the order of the file
    report: CorpusReport
    sha256: str  # of the unpacked text; of parallel files, one after the other
    attribution: str  # the credit that its licence asks for; "" if none is known
    warnings: tuple[str, ...] = ()


def load_corpus(config: DataConfig) -> Corpus:
    """Return the corpus that `config` names, each pair in the order of `config.languages`.

    Raises UserError, one line that names the file, if there is no such corpus, it cannot be read,
    parallel files differ in length, or no pair is left.
    """
    if isinstance(config.corpus, ParallelFiles):
        paths = corpus_files(config)
        texts = [read_unpacked(path) for path in paths]
        where = " and ".join(map(shown, paths))
        return _account(parallel_rows(*texts, where=where), config, b"".join(texts), where)
    if config.corpus in _BUILT_IN and config.languages == ["fr", "en"]:
        raise UserError(
            f"data.languages must be [en, fr] for {config.corpus}, whose first side is English; "
            "for French to English set data.source to fr and data.target to en"
        )
    if config.corpus == "phrasebook":
        lines = (f"{english}\t{french}\n" for english, french in sentences.generate())
        text = "".join(lines).encode()
        return _account(table_rows(text), config, text, "phrasebook")
    [path] = corpus_files(config) or [fra_eng.find_or_fetch()]
    near = difflib.get_close_matches(config.corpus, _BUILT_IN, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    text = read_unpacked(path, missing=f", nor a corpus ({' or '.join(_BUILT_IN)}){hint}")
    return _account(table_rows(text), config, text, shown(path))


def corpus_files(config: DataConfig) -> list[Path]:
    """Return the user's files of the corpus, the first side's file first; none if built in."""
    if isinstance(config.corpus, ParallelFiles):
        names = [config.corpus.source, config.corpus.target]
        return [user_path(name) for name in (reversed(names) if config.reversed else names)]
    return [] if config.corpus in _BUILT_IN else [user_path(config.corpus)]


def _account(rows: Iterable[Row], config: DataConfig, text: bytes, where: str) -> Corpus:
    """Return the corpus made of `rows`, which were read from `text`; messages call it `where`."""
    pairs: list[Pair] = []
    seen: set[tuple[str, str]] = set()
    dropped: defaultdict[DropReason, list[int]] = defaultdict(list)
    tatoeba = others = 0  # pairs whose attribution names Tatoeba, or somebody else
    line = 0
    for line, row in enumerate(rows, start=1):
        cleaned = _cleaned_or_dropped(row, config, seen)
        if isinstance(cleaned, DropReason):
            dropped[cleaned].append(line)
            continue
        first, second, attribution = cleaned
        seen.add((first, second))
        pairs.append(Pair(first, second, line))
        if "tatoeba.org" in attribution:
            tatoeba += 1
        elif attribution:
            others += 1

    report = _report(line, len(pairs), dropped)
    if not pairs:
        raise UserError(_nothing_left(where, report))
    sha256 = hashlib.sha256(text).hexdigest()
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


def _cleaned_or_dropped(row: Row, config: DataConfig, seen: set[tuple[str, str]]) -> Row:
    """Return `row` with its sides cleaned, or the reason to drop it; `seen` has the pairs kept."""
    if isinstance(row, DropReason):
        return row
    first, second = clean(row[0]), clean(row[1])
    if CONTROL.search(first) or CONTROL.search(second):
        return DropReason.CONTROL
    if not first or not second:
        return DropReason.EMPTY
    if max(len(first), len(second)) > MAX_CHARACTERS * config.max_words:
        return DropReason.TOO_LONG
    shorter, longer = sorted((count_words(first), count_words(second)))
    if longer > config.max_words:
        return DropReason.TOO_LONG
    if longer > config.max_ratio * shorter:
        return DropReason.RATIO
    if (first, second) in seen:
        return DropReason.DUPLICATE
    return first, second, row[2].strip()


def _report(read: int, kept: int, dropped: dict[DropReason, list[int]]) -> CorpusReport:
    frequent_first = sorted(dropped.items(), key=lambda item: -len(item[1]))
    by_reason = {
        reason: DroppedLines(len(lines), tuple(lines[:3])) for reason, lines in frequent_first
    }
    return CorpusReport(read, kept, by_reason)


def _nothing_left(where: str, report: CorpusReport) -> str:
    if not report.read:
        return f"{where}: is empty"
    reason, dropped = next(iter(report.dropped.items()))
    return f"{where}: no pair is left; lines read: {report.read:,}; most often {reason}: {dropped}"
