"""The files that prepared pairs are from, and whether they are still what they were."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from gru_mt.config import DataConfig
from gru_mt.data.corpora.files import find_shards, user_path
from gru_mt.data.corpus import is_built_in
from gru_mt.errors import UserError, shown
from gru_mt.storage import file_digest


class Origin(NamedTuple):
    """A file as it was when it was read."""

    size: int  # bytes
    changed_ns: int
    sha256: str


def origins(config: DataConfig) -> list[Origin]:
    """Return the user's files that a configuration reads, in the order of their reading."""
    return [Origin(*_stamp(path), file_digest(path)) for path in _paths(config)]


def missing_origins(config: DataConfig, before: Iterable[Sequence[Any]]) -> list[str]:
    """Return which of the files `before` are no longer there.

    Raises UserError for a file that has changed. One with the same size and time has not.
    """
    missing = [shown(path) for path in _paths(config) if not path.exists()]
    if missing:
        return missing
    if changed := changed_origin(config, before):
        raise UserError(
            f"{changed}: the corpus has changed since; restore it, or start anew with --fresh"
        )
    return []


def changed_origin(config: DataConfig, before: Iterable[Sequence[Any]]) -> str | None:
    """Return a file that is not what it was `before`; None without one.

    It is "data.corpus" where there are more or fewer. A file of the same size and time has not
    changed.
    """
    for path, origin in zip_longest(_paths(config), map(Origin._make, before)):
        if path is None or origin is None:
            return "data.corpus"
        if not _is_same(path, origin):
            return shown(path)
    return None


def _is_same(path: Path, origin: Origin) -> bool:
    stamp = _stamp(path)
    return stamp == origin[:2] or _digest(path, *stamp) == origin.sha256


@cache
def _digest(path: Path, size: int, changed_ns: int) -> str:
    """Return a file's SHA-256; each of many shards asks for it."""
    return file_digest(path)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise UserError(f"{shown(path)}: cannot be read: {error.strerror}") from None
    return status.st_size, status.st_mtime_ns


def _paths(config: DataConfig) -> list[Path]:
    paths = [
        place.path
        for corpus in config.corpus
        if not is_built_in(corpus)
        for shard in find_shards(
            [*map(user_path, corpus.path)],
            config.languages,
            alone=config.target if corpus.side else None,
        )
        for place in shard
    ]
    paths += [user_path(path) for each in (*config.dev, *config.test) for path in each.path]
    return [*dict.fromkeys(paths)]
