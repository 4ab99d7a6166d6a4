"""Builds a corpus from lines, and counts those that are dropped by reason.

Shapes: N pairs that were read, M of them.
"""

import bisect
import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gru_mt.config.data import DataConfig
from gru_mt.data.corpus.filters import (
    ENTITY,
    KEYS,
    SHOWN,
    FilteredChunk,
    example,
    rows_in_other_scripts,
)
from gru_mt.data.corpus.fra_eng import FRA_ENG_SHA256, TATOEBA_ATTRIBUTION
from gru_mt.data.corpus.languages import languages_warning
from gru_mt.data.corpus.report import NO_LOSS, CorpusReport, DroppedLines, DropReason, hint
from gru_mt.data.dataset.components import first_alike
from gru_mt.data.dataset.store import Array, Ints, LazySequence, Subset, TupleStore
from gru_mt.data.types import Pair
from gru_mt.errors import UserError

_MOSTLY, _OFTEN, _SOME = 0.9, 0.1, 0.001  # shares of pairs
_LOOKED_AT = 1_000  # pairs


FirstLines = Sequence[tuple[str, int]]  # files, with the number of their first line in the corpus


def line_name(files: FirstLines, line: int) -> str:
    """Return the file and the number there of line `line` of a corpus, from 1: "a.tsv:7"."""
    name, first_line = files[bisect.bisect_right(files, line, key=lambda file: file[1]) - 1]
    return f"{name}:{line - first_line + 1}"


@dataclass(frozen=True, slots=True)
class Corpus:
    """The pairs of a corpus, and what to report about them."""

    name: str
    stored: TupleStore[Pair]  # of this corpus and others, with METADATA
    row_N: Ints  # of `stored`: the distinct pairs, at least one, in the order of the file
    report: CorpusReport
    sha256: str  # of the text; of several files, of their digests in lines
    attribution: str  # the credit that its licence asks for; "" if none is known
    warnings: tuple[str, ...]
    files: FirstLines

    @property
    def pairs(self) -> LazySequence[Pair]:
        """The distinct pairs, in the order of the file."""
        return Subset(self.stored, self.row_N)

    def metadata(self, name: str) -> Array:
        """Return one of METADATA of each distinct pair."""
        start, stop = int(self.row_N[0]), int(self.row_N[-1]) + 1
        return self.stored.field(name, start, stop)[self.row_N - start]


class CorpusBuilder:
    """Takes the filtered chunks of one corpus in their order, then returns the corpus."""

    def __init__(
        self, config: DataConfig, label: str, sides: Sequence[int], pairs: TupleStore[Pair]
    ) -> None:
        """Begin without lines. Only `sides` of it have text; its pairs go to the end of `pairs`."""
        self._config, self._label, self._sides = config, label, sides  # messages begin with it
        self._pairs, self._first_row = pairs, len(pairs)
        self.lines = 0  # that were read
        # Whoever reads the files fills these.
        self.first_lines: list[tuple[str, int]] = []  # see `FirstLines`
        self.sha256s: list[str] = []  # of the texts
        self.notes: list[str] = []  # what to tell a user about how they were read
        self.sample = b""  # the beginning of the first
        self._counts = Counter[DropReason]()
        self._examples: defaultdict[DropReason, list[tuple[int, str]]] = defaultdict(list)

    def add(self, chunk: FilteredChunk) -> None:
        """Take the next chunk."""
        for reason, index, text in chunk.dropped:
            self._counts[reason] += 1
            if self._counts[reason] <= SHOWN:
                self._examples[reason].append((self.lines + 1 + index, text))
        chunk.metadata_M["line"] += self.lines + 1
        self._pairs.append(chunk.sides, chunk.metadata_M)
        self.lines += chunk.lines

    def corpus(self, name: str) -> Corpus:
        """Return the corpus, or raise UserError where too little is left of it."""
        row_N = self._distinct()
        if "scripts" in self._config.filters:
            texts = [Subset(self._pairs.sides[side], row_N) for side in self._sides]
            out = {index for side in texts for index in rows_in_other_scripts(side)}
            index_M = np.array(sorted(out), np.int64)
            self._drop(DropReason.SCRIPT, row_N[index_M])
            row_N = np.delete(row_N, index_M)
        index_N = row_N - self._first_row
        same, tatoeba, others = (
            int(self._metadata(field)[index_N].sum())
            for field in ("is_same", "is_tatoeba", "is_other")
        )
        report = self._report(len(row_N))
        self._check(report, same)
        [sha256, *more] = self.sha256s
        if more:
            sha256 = hashlib.sha256("\n".join(self.sha256s).encode()).hexdigest()
        is_tatoeba = tatoeba or sha256 == FRA_ENG_SHA256
        credited = [TATOEBA_ATTRIBUTION] if is_tatoeba else []
        if others:
            own = f"pairs that name their own source in column 3 of {self._label}: {others:,}"
            credited.append(own)
        odd = self._odd(report, same, row_N, row_N[self._metadata("has_entity")[index_N]])
        warnings = (*dict.fromkeys(self.notes), *(f"{self._label}: {line}" for line in odd))
        credit, files = "; ".join(credited), self.first_lines
        return Corpus(name, self._pairs, row_N, report, sha256, credit, warnings, files)

    def _metadata(self, name: str) -> Array:
        return self._pairs.field(name, self._first_row, len(self._pairs))

    def _distinct(self) -> Ints:
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

    def _drop(self, reason: DropReason, row_M: Ints) -> None:
        if len(row_M):
            self._counts[reason] += len(row_M)
            pairs = self._pairs.read(row_M[:SHOWN])
            self._examples[reason] += [(line, example(*sides)) for *sides, line in pairs]

    def _line(self, line: int) -> int | str:
        return line if len(self.first_lines) == 1 else line_name(self.first_lines, line)

    def _report(self, kept: int) -> CorpusReport:
        dropped = {}
        counts, examples = self._counts, self._examples
        for reason in sorted(counts, key=lambda its: (-counts[its], examples[its])):
            numbers, texts = zip(*examples[reason], strict=True)
            lines = tuple(map(self._line, numbers))
            dropped[reason] = DroppedLines(counts[reason], lines, texts)
        return CorpusReport(self.lines, kept, dropped)

    def _check(self, report: CorpusReport, same: int) -> None:
        """Raise UserError where no pair is left, or most lines or sides cannot be meant."""
        if not report.read:
            raise UserError(f"{self._label}: is empty")
        no_loss = NO_LOSS if report.kept else ()
        losses = {reason: its for reason, its in report.dropped.items() if reason not in no_loss}
        dropped = sum(lines.count for lines in losses.values())
        if not report.kept or dropped / report.read > self._config.allow_dropped:
            reason, lines = next(iter(losses.items()))
            message = f"{dropped:,} of {report.read:,} lines dropped; most often {reason}: {lines}"
            if found := hint(reason, self.sample, self._config.languages):
                message += f"; {found}"
            if report.kept:
                share = math.ceil(1_000 * dropped / report.read) / 1_000
                message += f"; to go on without them set data.allow_dropped to {share:.3f} or more"
            raise UserError(f"{self._label}: {message}")
        if same > _MOSTLY * report.kept:
            raise UserError(
                f"{self._label}: {same:,} of {report.kept:,} pairs have the same text on "
                "both sides; was a file or column named twice?"
            )

    def _odd(self, report: CorpusReport, same: int, row_N: Ints, entity_M: Ints) -> Iterator[str]:
        """Yield what is odd in N pairs, of which M have an HTML entity."""
        for reason in (DropReason.NOT_UTF8, DropReason.MOJIBAKE):
            if lines := report.dropped.get(reason):
                found = hint(reason, self.sample, self._config.languages)
                yield f"lines that are {reason}: {lines}: {found}"
        if same > _OFTEN * report.kept:
            yield f"{same:,} pairs have the same text on both sides"
        if len(entity_M) > _SOME * report.kept:
            [(first, second, line)] = self._pairs.read(entity_M[:1])
            [entity, *_] = ENTITY.findall(f"{first} {second}")
            yield (
                f"{len(entity_M):,} of {report.kept:,} pairs have HTML entities, the first is "
                f"{entity} in line {self._line(line)}: replace them by what they stand for, as "
                "Python's html.unescape does"
            )
        sample = self._pairs.read(row_N[:: max(1, report.kept // _LOOKED_AT)])
        sides = [pair.first for pair in sample], [pair.second for pair in sample]
        if warning := languages_warning(sides, self._config.languages):
            yield warning
