"""Find the files of a corpus, in folders, patterns and archives, and name them."""

import errno
import glob
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import zstandard

from gru_mt.config.data import FilesConfig
from gru_mt.data.corpus.detect import compression
from gru_mt.errors import UserError, short_repr, short_text

# What reading, unpacking and pyarrow raise. A zip gives RuntimeError where it needs a password, or
# its version is unknown, and ValueError for a name that is not text.
_READ_ERRORS = (OSError, EOFError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error,
                lzma.LZMAError, zstandard.ZstdError)  # fmt: skip
JSON_LINES = (".jsonl", ".ndjson")
TABLES = (".tsv", ".txt", ".csv", ".tmx", *JSON_LINES, ".parquet")
_ABOUT = re.compile(  # files about others, which have no sentences; _SUCCESS is Spark's
    r"(_about|readme|licen[sc]e|copying|notice|attribution|_success|_(common_)?metadata)(\.\w+)?",
    re.IGNORECASE,
)
_NO_FILE = re.compile(r"(^|/)(__MACOSX/|\.[^/]*$|$)")  # members of an archive: hidden, folders


class CorpusFile(NamedTuple):
    """A file, or a member of a zip archive."""

    path: Path
    member: str = ""

    def __str__(self) -> str:
        return short_text(f"{self.path}:{self.member}" if self.member else self.path)

    @property
    def name(self) -> str:
        """The file's name without its folder, and without .gz and its like."""
        path = self.path if self.path.name.strip(".") else self.path.resolve()  # of . and ..
        name = PurePosixPath(self.member or path.name).name
        return name.removesuffix(PurePosixPath(name).suffix) if compression(name) else name

    def stem(self, languages: Sequence[str]) -> str:
        """Return the name without its ending: "mine.en" -> "mine", "a.en-fr.tsv" -> "a"."""
        name = self.name
        for ending in (".zip", ".json", *TABLES, *languages, "-".join(languages)):
            name = name.removesuffix(f".{ending.removeprefix('.')}") or name
        return name

    @property
    def ending(self) -> str:
        """What stands after the name's last dot, with the dot, in small letters."""
        return PurePosixPath(self.name).suffix.lower()


FileGroup = tuple[CorpusFile, ...]  # a table, or two parallel files


class FoundFiles(NamedTuple):
    """The files of a corpus, and a line about what is beside them, if anything is."""

    groups: list[FileGroup]
    notes: list[str]


def user_path(name: str) -> Path:
    """Return the path that a configuration names, with `~` expanded; UserError for no user."""
    try:
        return Path(name).expanduser()
    except RuntimeError as error:  # no such user
        raise UserError(f"{short_text(name)}: no path: {error}") from None


def corpus_name(files: FilesConfig, languages: Sequence[str]) -> str:
    """Return the name of a corpus, or of a dev or test set: its own, or its first file's."""
    return files.name or CorpusFile(Path(files.path[0])).stem(languages)


def find_files(
    paths: Sequence[Path], languages: Sequence[str], *, only_language: str | None = None
) -> FoundFiles:
    """Return what a corpus's paths name: tables, or couples of parallel files.

    A folder, a pattern or a zip archive is sorted by name. In it, files whose names differ only in
    their endings, which are the `languages`, are parallel (Moses): train.en and train.fr. Of a
    monolingual corpus, with an `only_language`, the files with its ending and all tables are read.
    Raises UserError where there is nothing to read.
    """
    if len(paths) > 1:
        return FoundFiles([tuple(map(_only_file, paths))], [])
    [path] = paths
    found = files_in(path)
    if found is None:
        return FoundFiles([(CorpusFile(path),)], [])
    texts = [file for file in found if not _ABOUT.fullmatch(file.name)]
    groups = _grouped(texts, languages, only_language)
    folders = sorted(path.glob("[!.]*/")) if os.path.isdir(path) else []
    folder_names = [f"{folder.name}/" for folder in folders]
    if not groups:
        names = [*(file.name for file in found), *folder_names]
        there = ", ".join(map(short_repr, names[:5])) or "nothing"
        wanted = f".{only_language or f'{languages[0]} and .{languages[1]}'}"
        raise UserError(
            f"{short_text(path)}: no corpus in it: expected tables ({', '.join(TABLES)}) or files "
            f"that end in {wanted}, found {there}{', ...' if len(names) > 5 else ''}"
        )
    read = {file for group in groups for file in group}
    unread = [*(file.name for file in texts if file not in read), *folder_names]
    about = f"{short_text(path)}: not read: {', '.join(map(short_repr, unread))}"
    return FoundFiles(groups, [about] if unread else [])


def files_in(path: Path) -> list[CorpusFile] | None:
    """Return the files in a folder, a zip archive or a pattern, by name; None for a file."""
    if os.path.isdir(path):
        names = sorted(path.glob("[!.]*"))
    elif path.suffix.lower() == ".zip" and os.path.isfile(path):
        return _members(path)
    elif str(path) != glob.escape(str(path)) and not os.path.exists(path):
        names = [Path(name) for name in sorted(glob.glob(str(path), recursive=True))]
    else:
        return None
    return [CorpusFile(file) for file in names if file.is_file()]


def _only_file(path: Path) -> CorpusFile:
    """Return one of two parallel files: the file itself, or the only text in a zip."""
    if path.suffix.lower() != ".zip" or not os.path.isfile(path):
        return CorpusFile(path)
    members = [member for member in _members(path) if not _ABOUT.fullmatch(member.name)]
    if len(members) != 1:
        raise UserError(
            f"{short_text(path)}: {len(members):,} files in it; a zip archive that is one of two "
            "parallel files has one"
        )
    return members[0]


def _grouped(
    files: Sequence[CorpusFile], languages: Sequence[str], only_language: str | None
) -> list[FileGroup]:
    """Return tables and couples of parallel files, in the order of their first files."""
    first, second = languages
    alone = TABLES if only_language is None else (*TABLES, f".{only_language.lower()}")
    # By the folder, of an archive or on disk, and the name: of a.en and a.en.gz the last.
    by_name = {(file.path / file.member).with_name(file.name): file for file in files}
    lasts = {*by_name.values()} if only_language is None else set()
    groups: list[FileGroup] = []
    for file in files:
        stem = file.name.removesuffix(f".{first}")
        other = by_name.get((file.path / file.member).with_name(f"{stem}.{second}"))
        if file.ending in alone:
            groups.append((file,))
        elif other and stem != file.name and file in lasts:
            groups.append((file, other))
    return groups


def _members(path: Path) -> list[CorpusFile]:
    with read_errors_as(path):
        names = sorted(open_archive(path).namelist())
    return [CorpusFile(path, name) for name in names if not _NO_FILE.search(name)]


def open_archive(path: Path) -> zipfile.ZipFile:
    """Return an open archive, for all its members: its directory is read once.

    Another process opens it anew, as a position in a file is common to those that share it.
    """
    return _opened(path.resolve(), path.stat().st_mtime_ns, os.getpid())


_opened = lru_cache(1)(lambda path, _changed_ns, _process: zipfile.ZipFile(path))


@contextmanager
def read_errors_as(path: Path, missing: str = "") -> Iterator[None]:
    """Raise UserError for what reading a file raises; `missing` ends that of a missing file."""
    try:
        yield
    except _READ_ERRORS as error:
        match error:
            case FileNotFoundError():
                where = "" if path.is_absolute() else f" in {short_text(Path.cwd())}"
                said = f"no such file{where}{missing}"
            case OSError(errno=number) if number not in (None, errno.EINVAL):  # as damage gives
                said = f"cannot be read: {error.strerror}"
            case RuntimeError():
                said = f"cannot be unpacked: {short_text(error)}"
            case _:
                said = (
                    f"damaged, or not of the kind its name says ({short_text(error)}); delete it "
                    "and fetch it again"
                )
        raise UserError(f"{short_text(path)}: {said}") from None
