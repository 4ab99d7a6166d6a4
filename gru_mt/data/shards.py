"""A corpus that was judged in shards, each by a command of its own, on one machine or on many.

A shard has each N-th chunk of a corpus, judged, and the end of each file. All N together are the
lines that `judged_lines` gives. Its file has lines of JSON, each followed by the bytes that it
announces; the last line is the SHA-256 of all before it.
"""

import hashlib
import json
import re
import weakref
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import numpy as np

from gru_mt.config.load import yaml_inline
from gru_mt.config.schema import DataConfig
from gru_mt.data.corpus.builder import FileEnd
from gru_mt.data.corpus.judging import FACTS, Judged
from gru_mt.data.corpus.load import (
    JudgedChunk,
    Lines,
    check_names_differ,
    corpus_name,
    judged_lines,
)
from gru_mt.data.corpus.readers.rows import DropReason
from gru_mt.data.dataset.store import Packed, os_errors_as
from gru_mt.data.origins import changed_origin, origins
from gru_mt.data.stages import Tell, tell_nobody
from gru_mt.errors import UserError, short_repr
from gru_mt.flat import flat
from gru_mt.storage import replacing

MOST = 500  # shards of a corpus, as all are open at once
_READ = 1 << 20  # bytes
_NAME = re.compile(r"([1-9][0-9]*)-of-([1-9][0-9]*)")

_Part = JudgedChunk | FileEnd | None  # None is the end of a corpus


class Shard(NamedTuple):
    """One of `total` shards, numbered from 1."""

    number: int
    total: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the shard that a user calls "3/64"; UserError where there is no such."""
        match = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", text)
        shard = cls(*map(int, match.groups())) if match else cls(0, 0)
        if not 1 <= shard.number <= shard.total <= MOST:
            raise UserError(
                f"--shard {short_repr(text)}: give a number and how many shards there are, up to "
                f"{MOST:,}, such as 3/64"
            )
        return shard

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"

    def path(self, folder: Path) -> Path:
        """Return the shard's file."""
        return folder / f"{self.number}-of-{self.total}"


def write_shard(
    shard: Shard, config: DataConfig, folder: Path, tell: Tell = tell_nobody
) -> tuple[int, list[Shard]]:
    """Judge a shard's lines of the corpora, and write its file into a folder, whole or not at all.

    Return how many lines it has, and which shards are still missing there. Raises UserError as
    `load_corpora` does for what cannot be read.
    """
    check_names_differ(config)
    with os_errors_as(folder):
        folder.mkdir(parents=True, exist_ok=True)
    head = {
        "shard": str(shard),
        "version": version("gru-mt"),
        "settings": _settings(config),
        "origins": origins(config),
    }
    lines = 0
    with replacing(shard.path(folder)) as temporary, temporary.open("wb") as file:
        writer = _Writer(file)
        writer.write(head)
        for place, corpus in enumerate(config.corpus):
            name = corpus_name(corpus, config.languages)
            for each in judged_lines(config, place, shard.number - 1, shard.total):
                if isinstance(each, JudgedChunk):
                    lines += each.judged.lines
                    tell(f"reading {name}", f"{lines:,} lines", each.share)
                writer.write_part(each)
            writer.write_part(None)
        writer.end()
    every = [Shard(number, shard.total) for number in range(1, shard.total + 1)]
    return lines, [each for each in every if not each.path(folder).is_file()]


class Shards:
    """All shards of a corpus, which stand for its lines; see `load_corpora`."""

    def __init__(self, config: DataConfig, folder: Path) -> None:
        """Take a folder with shards.

        Raises UserError where one is missing, or was made with other settings or from other files.
        """
        found = [
            Shard(*map(int, match.groups()))
            for path in folder.iterdir()
            if (match := _NAME.fullmatch(path.name))
        ]
        totals = sorted({shard.total for shard in found})
        if not totals:
            raise UserError(
                f"{folder}: has no shard; make them with gru-mt data --shard, or remove the folder"
            )
        if len(totals) > 1:
            many = " and of ".join(map(str, totals))
            raise UserError(f"{folder}: has shards of {many}; remove those that are not meant")
        missing = sorted({*range(1, totals[0] + 1)} - {shard.number for shard in found})
        if missing:
            raise UserError(
                f"{folder}: {len(missing):,} of {totals[0]:,} shards are missing; make the first "
                f"with gru-mt data --shard {missing[0]}/{totals[0]}, or remove the folder"
            )
        self._readers = [_Reader(shard.path(folder)) for shard in sorted(found)]
        for reader in self._readers:
            _check_same(reader, config)

    def __len__(self) -> int:
        return len(self._readers)

    def __call__(self, place: int) -> Lines:
        """Yield the lines of the corpus at a place in the configuration; 0 first, then 1, ..."""
        for number in count():
            reader = self._readers[number % len(self)]
            while not isinstance(part := reader.part(), JudgedChunk):
                for other in self._readers:
                    if other is not reader and other.part() != part:
                        raise UserError(f"{other.path}: is of other files than {reader.path}")
                if part is None:
                    return
                yield part
            yield part


def _check_same(reader: "_Reader", config: DataConfig) -> None:
    """Raise UserError where a shard is of another version, other settings or other files."""
    if reader.head["version"] != version("gru-mt"):
        raise UserError(
            f"{reader.path}: made by gru-mt {reader.head['version']}, not {version('gru-mt')}; "
            "make it again"
        )
    before, now = (flat(each) for each in (reader.head["settings"], _settings(config)))
    for name in now | before:
        if before.get(name) != now.get(name):
            values = [yaml_inline(each.get(name)) for each in (before, now)]
            raise UserError(
                f"{reader.path}: made with data.{name} {values[0]}, not {values[1]}; make it again"
            )
    if changed := changed_origin(config, reader.head["origins"]):
        raise UserError(f"{reader.path}: {changed} has changed since; make it again")


def _settings(config: DataConfig) -> dict[str, Any]:
    """Return the settings that decide what is in a shard, as JSON has them."""
    names = ("languages", "source", "target", "max_words", "max_ratio", "filters")
    values = config.model_dump(mode="json", include={*names})
    corpora = [
        each.model_dump(mode="json", include={"path", "encoding", "columns", "delimiter", "side"})
        for each in config.corpus
    ]
    return values | {"corpus": {str(place): each for place, each in enumerate(corpora)}}


class _Writer:
    """Writes the file of a shard."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._digest = file, hashlib.sha256()

    def write(self, values: dict[str, Any], *buffers: bytes) -> None:
        """Write a line of JSON, and the bytes after it."""
        line = json.dumps(values | {"bytes": [*map(len, buffers)]}).encode() + b"\n"
        for each in (line, *buffers):
            self._file.write(each)
            self._digest.update(each)

    def write_part(self, part: _Part) -> None:
        match part:
            case None:
                self.write({"kind": "corpus end"})
            case FileEnd(sha256s, sample, notes):
                self.write({"kind": "file end", "sha256s": sha256s, "notes": notes}, sample)
            case JudgedChunk(begins, share, judged):
                values = {"kind": "chunk", "begins": begins, "share": share, "lines": judged.lines}
                for name in ("dropped", "examples", "others"):
                    values[name] = getattr(judged, name)
                packed = [
                    each for side in judged.sides for each in (side.data, side.length_N.tobytes())
                ]
                self.write(values, judged.fact_M.tobytes(), *packed)

    def end(self) -> None:
        self._file.write(self._digest.hexdigest().encode())


class _Reader:
    """Reads the file of a shard, once and in order."""

    def __init__(self, path: Path) -> None:
        """Take a file, and read its head; UserError where it is damaged."""
        self.path = path
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}") from None
        weakref.finalize(self, self._file.close)
        self._check_undamaged()
        self.head, _ = self._read()

    def _check_undamaged(self) -> None:
        digest, size = hashlib.sha256(), self.path.stat().st_size
        left = size - len(digest.hexdigest())
        while left > 0 and (data := self._file.read(min(left, _READ))):
            digest.update(data)
            left -= len(data)
        if self._file.read() != digest.hexdigest().encode():
            raise UserError(f"{self.path}: damaged; make it again")
        self._file.seek(0)

    def _read(self) -> tuple[dict[str, Any], list[bytes]]:
        values: dict[str, Any] = json.loads(self._file.readline())
        return values, [self._file.read(size) for size in values["bytes"]]

    def part(self) -> _Part:
        """Return the next part."""
        values, buffers = self._read()
        match values["kind"]:
            case "corpus end":
                return None
            case "file end":
                return FileEnd(values["sha256s"], buffers[0], values["notes"])
        facts, *packed = buffers
        first, second = (
            Packed(data, np.frombuffer(length_N, np.int64))
            for data, length_N in zip(packed[::2], packed[1::2], strict=True)
        )
        judged = Judged(
            values["lines"],
            {DropReason(reason): number for reason, number in values["dropped"].items()},
            [(DropReason(reason), place, text) for reason, place, text in values["examples"]],
            (first, second),
            np.frombuffer(bytearray(facts), FACTS),
            [(place, text) for place, text in values["others"]],
        )
        return JudgedChunk(values["begins"], values["share"], judged)
