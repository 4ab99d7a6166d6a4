"""The account of a corpus: each line becomes a pair, or is counted under the reason to drop it.

Shapes: N pairs that were read, M of them that are kept.
"""

import bisect
import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from gru_mt.config.data import DataConfig
from gru_mt.data.corpus.filters import (
    ENTITY,
    KEYS,
    MAX_EXAMPLE,
    METADATA,
    SHOWN,
    FilteredChunk,
    PairFlag,
    rows_in_other_scripts,
)
from gru_mt.data.corpus.fra_eng import FRA_ENG_SHA256, TATOEBA_ATTRIBUTION
from gru_mt.data.corpus.languages import languages_warning
from gru_mt.data.corpus.report import SAMPLE, CorpusReport, DroppedLines, DropReason, advice
from gru_mt.data.corpus.text_stream import TextStream
from gru_mt.data.dataset.store import Array, DiskArray, Ints, LazySequence, Subset, TextColumn
from gru_mt.data.splits import capped, component_of, first_alike, parts_of
from gru_mt.data.types import Pair
from gru_mt.errors import UserError

_MOSTLY, _OFTEN, _SOME = 0.9, 0.1, 0.001  # shares of pairs
_LOOKED_AT, _FEW = 1_000, 20  # attributions; of the former, pairs too


class LineNumbers:
    """Where the lines of a corpus are, which are numbered from 1 throughout its files."""

    def __init__(self, files: Iterable[tuple[str, int]] = ()) -> None:
        """Take files, each with the number that its first line has in the corpus."""
        self.files = [*files]

    def begin(self, name: str, line: int) -> None:
        """Note that a file's first line is line number `line` of the corpus."""
        self.files.append((name, line))

    def where(self, line: int) -> str:
        """Return the file and the number that line `line` of the corpus has there: "a.tsv:7"."""
        place = bisect.bisect_right(self.files, line, key=lambda file: file[1]) - 1
        name, first_line = self.files[place]
        return f"{name}:{line - first_line + 1}"

    def short(self, line: int) -> int | str:
        """Return the number alone where there is one file."""
        return line if len(self.files) == 1 else self.where(line)


class PairStore(LazySequence[Pair]):
    """The pairs of corpora on disk, with what the account and the split want to know of each."""

    def __init__(self, folder: Path | None) -> None:
        """Begin with none, in new files; see `DiskArray.scratch`."""
        self.sides = TextColumn.scratch(folder), TextColumn.scratch(folder)
        self._metadata = DiskArray.scratch(METADATA, folder)

    def append(self, judged: FilteredChunk, line: int) -> None:
        """Add the pairs of a chunk, which begins with line number `line` of the corpus."""
        for side, texts in zip(self.sides, judged.sides, strict=True):
            side.append(texts)
        judged.metadata_M["line"] += line
        self._metadata.append(judged.metadata_M)

    def __len__(self) -> int:
        return len(self._metadata)

    def read(self, row_M: Ints) -> list[Pair]:
        """Return the pairs at some rows."""
        first, second = (side.read(row_M) for side in self.sides)
        return [*map(Pair, first, second, self._metadata.at(row_M)["line"].tolist())]

    def metadata(self, name: str, start: int, stop: int) -> Array:
        """Return one of METADATA of each pair from row `start` to before `stop`."""
        return self._metadata.field(name, start, stop)


class FileEnd(NamedTuple):
    """What is known of a file, or of two parallel files, at the end."""

    sha256s: list[str]  # of the texts
    sample: bytes  # of their beginnings
    notes: list[str]  # what to tell a user about how they were read

    @classmethod
    def of(cls, texts: Sequence[TextStream]) -> Self:
        """Return what is known of texts that were read."""
        sample = b"".join(text.sample for text in texts)[:SAMPLE]
        notes = [note for text in texts for note in text.notes]
        return cls([text.sha256 for text in texts], sample, notes)


@dataclass(frozen=True, slots=True)
class Corpus:
    """The pairs of a corpus, and the facts to report about them."""

    name: str
    stored: PairStore  # of this corpus and others
    row_N: Ints  # of `stored`: the distinct pairs, at least one, in the order of the file
    report: CorpusReport
    sha256: str  # of the unpacked text; of several files, of their digests in lines
    attribution: str  # the credit that its licence asks for; "" if none is known
    warnings: tuple[str, ...]
    lines: LineNumbers

    @property
    def pairs(self) -> LazySequence[Pair]:
        """The distinct pairs, in the order of the file."""
        return Subset(self.stored, self.row_N)

    def splits(self) -> Ints:
        """Return the split of each pair; see `parts_of` and `capped`."""
        component_N = component_of(*map(self.metadata, KEYS))
        firsts = Subset(self.stored.sides[0], self.row_N)
        part_N = parts_of(component_N, self.metadata("bucket"), firsts)
        return capped(part_N, component_N, self.metadata(KEYS[0]))

    def metadata(self, name: str) -> Array:
        """Return one of METADATA of each distinct pair."""
        start, stop = int(self.row_N[0]), int(self.row_N[-1]) + 1
        return self.stored.metadata(name, start, stop)[self.row_N - start]


class CorpusBuilder:
    """The account of one corpus while it is read."""

    def __init__(
        self,
        config: DataConfig,
        where: str,
        sides: Sequence[int],
        pairs: PairStore,
    ) -> None:
        """Begin with no file; messages call the corpus `where`. Only `sides` of it have text.

        Its pairs go to the end of `pairs`.
        """
        self._config, self._where, self._sides = config, where, sides
        self._pairs, self._first_row = pairs, len(pairs)
        self._dropped: defaultdict[DropReason, list[int]] = defaultdict(list)  # the first lines
        self._examples: defaultdict[DropReason, list[str]] = defaultdict(list)
        self._counts = Counter[DropReason]()
        self.read = 0  # lines so far
        self._others: list[tuple[int, str]] = []  # the first rows with attributions to others
        self._lines, self._sha256s, self._sample = LineNumbers(), list[str](), b""
        self._notes: list[str] = []

    def begin(self, name: str) -> None:
        """Take a file, whose chunks follow."""
        self._lines.begin(name, self.read + 1)

    def end(self, file: FileEnd) -> None:
        """Take what is known of the file at its end."""
        self._sha256s += file.sha256s
        self._sample = self._sample or file.sample
        self._notes += file.notes

    def add(self, judged: FilteredChunk) -> None:
        """Take the next chunk of the file."""
        for reason, place, text in judged.examples:
            self._show(reason, self.read + 1 + place, text)
        self._counts.update(judged.dropped)
        if len(self._others) < _LOOKED_AT * _FEW:
            self._others += [(len(self._pairs) + place, text) for place, text in judged.others]
        self._pairs.append(judged, self.read + 1)
        self.read += judged.lines

    def corpus(self, name: str) -> Corpus:
        """Return the corpus, or raise UserError where too little is left of it."""
        row_N = self._distinct()
        if "scripts" in self._config.filters:
            row_N = self._of_usual_scripts(row_N)
        flag_N = self._metadata("flags")[row_N - self._first_row]
        same, tatoeba, others, _ = (int(np.count_nonzero(flag_N & kind)) for kind in PairFlag)
        report = self._report(len(row_N))
        self._refuse(report, same)
        [sha256, *more] = self._sha256s
        if more:
            sha256 = hashlib.sha256("\n".join(self._sha256s).encode()).hexdigest()
        attributions = []
        if tatoeba or sha256 == FRA_ENG_SHA256:
            attributions.append(TATOEBA_ATTRIBUTION)
        if others:
            attributions.append(
                f"pairs that name their own source in column 3 of {self._where}: {others:,}"
            )
        kept = {*row_N[np.isin(row_N, [row for row, _ in self._others])].tolist()}
        thirds = {text for row, text in self._others if row in kept}
        if len(thirds) > _FEW and 2 * len(thirds) > min(others, _LOOKED_AT):
            raise UserError(
                f"{self._where}: column 3 is no attribution, as nearly every line has another text "
                f"in it: set columns to those of {' and '.join(self._config.languages)}"
            )
        warnings = (
            *self._warnings(report, same),
            *self._warnings_of_texts(row_N, row_N[(flag_N & PairFlag.ENTITY) > 0]),
        )
        credit = "; ".join(attributions)
        return Corpus(name, self._pairs, row_N, report, sha256, credit, warnings, self._lines)

    def _distinct(self) -> Ints:
        """Return the rows of the distinct pairs; with a filter, of those with distinct keys too."""
        first_N = alike_N = first_alike(self._metadata("digest"))
        order_N = np.arange(len(first_N))
        if "near_duplicates" in self._config.filters and len(self._sides) > 1:
            alike_N = first_alike(np.hstack([*map(self._metadata, KEYS)]))
        is_same_N = first_N == first_N[alike_N]
        row_N = self._first_row + order_N
        self._drop(DropReason.DUPLICATE, row_N[(alike_N < order_N) & is_same_N])
        self._drop(DropReason.NEAR, row_N[~is_same_N])
        distinct_N: Ints = row_N[alike_N == order_N]
        return distinct_N

    def _metadata(self, name: str) -> Array:
        return self._pairs.metadata(name, self._first_row, len(self._pairs))

    def _of_usual_scripts(self, row_N: Ints) -> Ints:
        """Return the rows of which no side is in a script that its language has not."""
        texts = [Subset(self._pairs.sides[side], row_N) for side in self._sides]
        out = {place for each in texts for place in rows_in_other_scripts(each)}
        place_M = np.array(sorted(out), np.int64)
        self._drop(DropReason.SCRIPT, row_N[place_M])
        return np.delete(row_N, place_M)

    def _drop(self, reason: DropReason, row_M: Ints) -> None:
        """Count pairs as dropped, and show the first ones."""
        if len(row_M):
            self._counts[reason] += len(row_M)
        for first, second, line in self._pairs.read(row_M[:SHOWN]):
            self._show(reason, line, f"{first[:MAX_EXAMPLE]} | {second}"[:MAX_EXAMPLE].strip())

    def _show(self, reason: DropReason, line: int, text: str) -> None:
        if len(self._examples[reason]) < SHOWN:
            self._dropped[reason].append(line)
            self._examples[reason].append(text)

    def _report(self, kept: int) -> CorpusReport:
        frequent_first = sorted(
            self._counts.items(), key=lambda item: (-item[1], self._dropped[item[0]])
        )
        by_reason = {
            reason: DroppedLines(
                count,
                tuple(map(self._lines.short, self._dropped[reason])),
                tuple(self._examples[reason]),
            )
            for reason, count in frequent_first
        }
        return CorpusReport(self.read, kept, by_reason)

    def _refuse(self, report: CorpusReport, same: int) -> None:
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
        if same > _MOSTLY * report.kept:
            raise UserError(
                f"{self._where}: {same:,} of {report.kept:,} pairs have the same text on "
                "both sides; was one file or column named twice?"
            )

    def _warnings(self, report: CorpusReport, same: int) -> Iterator[str]:
        """Yield what wants attention."""
        yield from dict.fromkeys(self._notes)
        if not_utf8 := report.dropped.get(DropReason.NOT_UTF8):
            said = advice(DropReason.NOT_UTF8, self._sample, self._config.languages)
            yield f"{self._where}: lines that are not UTF-8: {not_utf8}: {said}"
        if same > _OFTEN * report.kept:
            yield f"{self._where}: {same:,} pairs have the same text on both sides"

    def _warnings_of_texts(self, row_N: Ints, row_M: Ints) -> Iterator[str]:
        """Yield what is odd in the texts of N pairs, of which M have an HTML entity."""
        if len(row_M) > _SOME * len(row_N):
            [(first, second, line)] = self._pairs.read(row_M[:1])
            [entity, *_] = ENTITY.findall(f"{first} {second}")
            yield (
                f"{self._where}: {len(row_M):,} of {len(row_N):,} pairs have HTML entities, the "
                f"first is {entity} in line {self._lines.short(line)}: replace them by what they "
                "stand for, as Python's html.unescape does"
            )
        sample = self._pairs.read(row_N[:: max(1, len(row_N) // _LOOKED_AT)])
        sides = [pair.first for pair in sample], [pair.second for pair in sample]
        if said := languages_warning(sides, self._config.languages):
            yield f"{self._where}: {said}"
