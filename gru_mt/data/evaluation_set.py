"""Dev and test sets: sentences with references, from a split or from a user's own files."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, Self

from pydantic import TypeAdapter, ValidationError

from gru_mt.config.data import DataConfig, EvaluationSetConfig
from gru_mt.data.corpus.files import CorpusFile, FileGroup, corpus_name, find_files, user_path
from gru_mt.data.corpus.languages import languages_warning
from gru_mt.data.corpus.readers.columns import ReadOptions
from gru_mt.data.corpus.readers.json_lines import are_named
from gru_mt.data.corpus.readers.registry import open_group, read_rows
from gru_mt.data.corpus.readers.sgml import side_lines
from gru_mt.data.corpus.report import NO_LOSS, Dropped, DropReason
from gru_mt.data.corpus.text_stream import open_text
from gru_mt.data.text.normalize import CONTROL, normal
from gru_mt.data.types import Example
from gru_mt.errors import UserError
from gru_mt.storage import read_checksummed_json

_LINE_ENDS = re.compile(r"\s*[\r\n]+\s*")  # in a cell of a table
_LOOKED_AT = 1_000  # sentences that tell which language they are in
_NO_REFERENCE = "the sentence has no reference; add it, or remove the line"
_LEFT_OUT = (DropReason.LANGUAGE, DropReason.XML)  # units of a translation memory


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """Source sentences in the order of the file, and the references of each, at least one."""

    sources: list[str]
    references: list[list[str]]
    name: str = ""

    @classmethod
    def from_examples(cls, examples: Iterable[Example], name: str = "") -> Self:
        """Return each source once: (a, x), (b, y), (a, z) -> a with x and z, b with y."""
        references: dict[str, list[str]] = {}
        for example in examples:
            references.setdefault(example.source, []).append(example.target)
        return cls(list(references), list(references.values()), name)

    @classmethod
    def from_files(cls, files: Sequence[tuple[object, Sequence[str]]], name: str = "") -> Self:
        """Return the set of the lines of a source file, then of reference files, each by its name.

        An empty reference means that the sentence has fewer; blank lines at the end of all files
        are left out. Raises UserError if the files differ in length, or a sentence has no
        reference.
        """
        (source, sources), *others = files
        for path, lines in others:
            if len(lines) != len(sources):
                raise UserError(f"{path}: {len(lines):,} lines, but {source} has {len(sources):,}")
        rows = zip(*(lines for _, lines in others), strict=True)
        references = [[text for text in row if text] for row in rows]
        sentences = len(sources)
        while sentences and not (sources[sentences - 1] or references[sentences - 1]):
            sentences -= 1  # blank lines at the end
        if [] in references[:sentences]:
            place = f"{others[0][0]}:{references.index([]) + 1}"
            raise UserError(f"{place}: {_NO_REFERENCE}")
        return cls([*sources[:sentences]], references[:sentences], name)

    @property
    def examples(self) -> list[Example]:
        """Each source with each of its references."""
        pairs = zip(count(1), self.sources, self.references, strict=False)
        return [Example(source, target, n) for n, source, targets in pairs for target in targets]


_SETS = TypeAdapter(list[EvaluationSet])


def sets_to_json(sets: Sequence[EvaluationSet]) -> dict[str, Any]:
    """Return sets as JSON values."""
    return {"sets": [{"name": found.name} | asdict(found) for found in sets]}


def load_sets(path: Path) -> list[EvaluationSet]:
    """Return the sets of a file of checksummed JSON; UserError where it is missing or damaged."""
    try:
        return sets_from_json(read_checksummed_json(path))
    except ValueError as error:
        raise UserError(f"{path}: damaged: {error}") from None


def sets_from_json(values: dict[str, Any]) -> list[EvaluationSet]:
    """Return the sets that `sets_to_json` gave; ValueError says what is wrong with others."""
    try:
        sets = _SETS.validate_python(values.get("sets"))
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, ('sets', *first['loc'])))}: {first['msg']}") from None
    for found in sets:
        sizes = len(found.sources), len(found.references)
        if sizes[0] != sizes[1]:
            raise ValueError(f"{found.name}: {sizes[0]:,} sources, references of {sizes[1]:,}")
        if not all(found.references):
            raise ValueError(f"{found.name}: a sentence has no references")
    return sets


def load_evaluation_set(
    files: EvaluationSetConfig, config: DataConfig, key: str
) -> tuple[EvaluationSet, list[str]]:
    """Return a user's own set, and notes about how it was read. Every line is `normal`.

    Raises UserError, which names the file and the line, for a line that is not text or has no
    reference. `key` is where `files` stands in the configuration.
    """
    groups, notes = find_files([*map(user_path, files.path)], config.languages)
    found = EvaluationSet([], [], corpus_name(files, config.languages))
    looked_at: tuple[list[str], list[str]] = [], []
    for group in groups:
        columns = _columns(group, files, config, notes)
        for side, (_, lines) in zip(looked_at, columns, strict=False):
            side += lines[: _LOOKED_AT - len(side)]
        if config.reversed:
            if len(columns) > 2:
                raise UserError(
                    f"{key}: {len(columns) - 1} files are in {config.source}, which is translated "
                    "from: name one of them"
                )
            columns.reverse()
        of_group = EvaluationSet.from_files(columns)
        found.sources.extend(of_group.sources)
        found.references.extend(of_group.references)
    if said := languages_warning(looked_at, config.languages):
        notes.append(f"{groups[0][0]}: {said}")
    if not found.sources:
        raise UserError(f"{user_path(files.path[0])}: is empty")
    return found, notes


def _columns(
    group: FileGroup, files: EvaluationSetConfig, config: DataConfig, notes: list[str]
) -> list[tuple[CorpusFile, list[str]]]:
    """Return the sources and the references of a table, or of parallel files, each by its file."""
    is_named = are_named(group)
    if len(group) > 1 and not is_named:
        return [(file, _lines(file, files.encoding)) for file in group]
    file = group[0]
    sides: tuple[list[str], list[str]] = [], []
    left_out = Counter[DropReason]()
    with open_group(group, files.encoding) as sources:
        options = ReadOptions(config.languages, files.columns, files.delimiter)
        for number, row in enumerate(read_rows(sources, options), start=1):
            if not isinstance(row, Dropped):
                for side, text in zip(sides, row[:2], strict=True):
                    side.append(_checked(text, file, number))
                if not sides[not config.reversed][-1]:
                    raise UserError(f"{file}:{number}: {_NO_REFERENCE}")
            elif row.reason in _LEFT_OUT or is_named:
                left_out[row.reason] += 1
            elif row.reason not in NO_LOSS:
                raise UserError(f"{file}:{number}: {row.reason}")
        notes += sources[0].notes
    if left_out:
        counts = ", ".join(f"{reason}: {count:,}" for reason, count in left_out.items())
        notes.append(f"{file}: left out: {counts}")
    return [*zip((file, group[-1]), sides, strict=True)]


def _lines(file: CorpusFile, encoding: str | None) -> list[str]:
    texts = []
    with open_text(file, encoding=encoding) as text:
        for number, line in enumerate(side_lines(text), start=1):
            if not isinstance(line, Dropped):
                texts.append(_checked(line, file, number))
            elif line.reason is not DropReason.MARKUP:
                raise UserError(f"{file}:{number}: {line.reason}; set encoding")
    return texts


def _checked(text: str, file: CorpusFile, number: int) -> str:
    text = normal(_LINE_ENDS.sub(" ", text)).strip()
    if CONTROL.search(text):
        raise UserError(f"{file}:{number}: has control characters")
    return text
