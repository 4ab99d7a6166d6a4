"""The files that prepared pairs are from, and whether they are still what they were."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from gru_mt.config.data import CorpusConfig, DataConfig, FilesConfig
from gru_mt.data.corpus.files import find_files, user_path
from gru_mt.data.corpus.load import is_built_in
from gru_mt.errors import UserError, short_text
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
    """Return which of the files, folders and patterns are no longer there, or no longer whole.

    Raises UserError for a file that has changed. One with the same size and time has not.
    """
    missing = [short_text(path) for each in _sources(config) for path in _missing(config, each)]
    if missing:
        return missing
    origins_before = [*map(Origin._make, before)]
    left, paths = iter(origins_before), _paths(config)
    if all(any(_is_same(path, origin) for origin in left) for path in paths):
        return ["part of data.corpus"] if len(paths) < len(origins_before) else []
    raise UserError(
        f"{changed_origin(config, origins_before)}: the corpus has changed since; restore it, or "
        "start anew with --fresh"
    )


def _missing(config: DataConfig, files: FilesConfig) -> list[str]:
    """Return which names of a corpus or a set lead to no files any more."""
    if all(user_path(path).is_file() for path in files.path):
        return []
    try:
        if all(path.exists() for path in _files(config, files)):
            return []
    except UserError:  # an empty folder, a pattern without a file, one side alone
        pass
    return [path for path in files.path if not user_path(path).exists()] or files.path


def changed_origin(config: DataConfig, before: Iterable[Sequence[Any]]) -> str | None:
    """Return a file that is not what it was `before`; None without one.

    It is "data.corpus" where there are more or fewer. A file of the same size and time has not
    changed.
    """
    for path, origin in zip_longest(_paths(config), map(Origin._make, before)):
        if path is None or origin is None:
            return "data.corpus"
        if not _is_same(path, origin):
            return short_text(path)
    return None


def _is_same(path: Path, origin: Origin) -> bool:
    stamp = _stamp(path)
    return stamp == origin[:2] or _digest(path, *stamp) == origin.sha256


@cache
def _digest(path: Path, size: int, changed_ns: int) -> str:
    """Return a file's SHA-256; each of many groups asks for it."""
    return file_digest(path)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise UserError(f"{short_text(path)}: cannot be read: {error.strerror}") from None
    return status.st_size, status.st_mtime_ns


def _sources(config: DataConfig) -> list[FilesConfig]:
    own = [corpus for corpus in config.corpus if not is_built_in(corpus)]
    return [*own, *config.dev, *config.test]


def _paths(config: DataConfig) -> list[Path]:
    paths = [path for each in _sources(config) for path in _files(config, each)]
    return [*dict.fromkeys(paths)]


def _files(config: DataConfig, files: FilesConfig) -> list[Path]:
    """Return the files of a corpus, or of a set of dev or test."""
    only = config.target if isinstance(files, CorpusConfig) and files.side else None
    found = find_files([*map(user_path, files.path)], config.languages, only_language=only)
    return [file.path for group in found.groups for file in group]
