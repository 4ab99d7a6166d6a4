"""The files that a dataset was made from, and whether they are still what they were."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gru_mt.config.data import CorpusConfig, DataConfig, FilesConfig
from gru_mt.data.corpus.files import find_files, user_path
from gru_mt.data.corpus.load import is_built_in
from gru_mt.errors import UserError, short_text
from gru_mt.storage import file_digest, os_errors_as


def source_files(config: DataConfig) -> list[Path]:
    """Return the user's files that a configuration reads, in the order of their reading."""
    found = (path for files in _sources(config) for path in _found(config, files))
    return [*dict.fromkeys(found)]


def fingerprints_of(config: DataConfig) -> list[tuple[int, int, str]]:
    """Return the size, the time in ns and the SHA-256 of each of the `source_files` now."""
    return [(*_size_and_time(path), file_digest(path)) for path in source_files(config)]


def missing_files(config: DataConfig, before: Sequence[Sequence[Any]]) -> list[str]:
    """Return which files, folders and patterns are no longer there, or no longer whole.

    `before` has the fingerprints of the files when they were read. Raises UserError for a file that
    has changed. One with the same size and time has not.
    """
    missing = [name for files in _sources(config) for name in _missing_of(config, files)]
    if missing:
        return [*map(short_text, missing)]
    left, paths = iter(before), source_files(config)
    for path in paths:
        size_and_time = _size_and_time(path)
        if not any(
            size_and_time == (size, changed_ns)
            or (size_and_time[0] == size and file_digest(path) == sha256)
            for size, changed_ns, sha256 in left
        ):
            raise UserError(
                f"{short_text(path)}: the corpus has changed since; restore it, or start anew with "
                "--fresh"
            )
    return ["part of data.corpus"] if len(paths) < len(before) else []


def _sources(config: DataConfig) -> list[FilesConfig]:
    own = [corpus for corpus in config.corpus if not is_built_in(corpus)]
    return [*own, *config.dev, *config.test]


def _found(config: DataConfig, files: FilesConfig) -> list[Path]:
    only = config.target if isinstance(files, CorpusConfig) and files.side else None
    found = find_files([*map(user_path, files.path)], config.languages, only_language=only)
    return [file.path for group in found.groups for file in group]


def _missing_of(config: DataConfig, files: FilesConfig) -> list[str]:
    """Return which names of a corpus, or of a dev or test set, lead to no files any more."""
    paths = {name: user_path(name) for name in files.path}
    with suppress(UserError):  # an empty folder, a pattern without a file, one of parallel files
        if all(map(Path.is_file, paths.values())) or all(map(Path.exists, _found(config, files))):
            return []
    return [name for name, path in paths.items() if not path.exists()] or files.path


def _size_and_time(path: Path) -> tuple[int, int]:
    with os_errors_as(short_text(path), "read"):
        status = path.stat()
    return status.st_size, status.st_mtime_ns
