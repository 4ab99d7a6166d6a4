"""Find the files of a corpus."""

import errno
import glob
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import zstandard

from gru_mt.data.corpus.signatures import packing
from gru_mt.errors import UserError, short_repr, short_text

# What unpacking a damaged file raises; ValueError is for a name in a zip that is not text.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    zstandard.ZstdError,
    EOFError,
    ValueError,
)
JSON_LINES = (".jsonl", ".ndjson")
TABLES = (".tsv", ".txt", ".csv", ".tmx", *JSON_LINES)
_ABOUT = re.compile(  # no sentences in these
    r"(_about|readme|licen[sc]e|copying|notice|attribution)(\.\w+)?", re.IGNORECASE
)


class CorpusFile(NamedTuple):
    """A file, or a member of a zip archive."""

    path: Path
    member: str = ""

    def __str__(self) -> str:
        return short_text(f"{self.path}:{self.member}" if self.member else self.path)

    @property
    def name(self) -> str:
        """The file's name without its folder, and without .gz and its like."""
        name = PurePosixPath(self.member or self.path.name).name
        return name[: -len(packed)] if (packed := packing(name)) else name

    def stem(self, languages: Sequence[str]) -> str:
        """Return the name without its ending: "mine.en" -> "mine", "a.en-fr.tsv" -> "a"."""
        name = self.name
        for ending in (".zip", *TABLES, *languages, "-".join(languages)):
            name = name.removesuffix(f".{ending.removeprefix('.')}") or name
        return name

    @property
    def ending(self) -> str:
        """What stands after the name's last dot, with the dot, in small letters."""
        return PurePosixPath(self.name).suffix.lower()


FileGroup = tuple[CorpusFile, ...]  # a table, or two parallel files


def user_path(name: str) -> Path:
    """Return the path that a configuration names, with `~` expanded; UserError for no path."""
    try:
        return Path(name).expanduser()
    except (RuntimeError, ValueError) as error:  # no such user; a NUL or a lone surrogate
        raise UserError(f"{short_text(name)}: no path: {error}") from None


def find_files(
    paths: Sequence[Path], languages: Sequence[str], *, alone: str | None = None
) -> list[FileGroup]:
    """Return what a corpus's paths name: tables, or couples of parallel files.

    A folder, a pattern or a zip archive is sorted by name. In it, files whose names differ only in
    their endings, which are the `languages`, are parallel (Moses): train.en and train.fr. Where
    text of one language stands `alone`, each file with its ending is read, and each table. Raises
    UserError where it has nothing to read.
    """
    if len(paths) > 1:
        return [tuple(map(_only, paths))]
    [path] = paths
    found = _inside(path)
    if found is None:
        return [(CorpusFile(path),)]
    groups = _chosen(found, languages, alone)
    if not groups:
        there = ", ".join(short_repr(place.name) for place in found[:5]) or "nothing"
        endings = f".{alone}" if alone else f".{languages[0]} and .{languages[1]}"
        raise UserError(
            f"{short_text(path)}: no corpus in it: expected tables ({', '.join(TABLES)}) or "
            "files that "
            f"end in {endings}, found "
            f"{there}{', ...' if len(found) > 5 else ''}"
        )
    return groups


def notes_on_unread(
    paths: Sequence[Path], languages: Sequence[str], *, alone: str | None = None
) -> list[str]:
    """Return a line about what `find_files` leaves out of a folder, a pattern or an archive.

    There is none where that is nothing. Hidden files, and those that tell about the others, do not
    count.
    """
    found = _inside(paths[0]) if len(paths) == 1 else None
    if found is None:
        return []
    read = {place for group in _chosen(found, languages, alone) for place in group}
    folders = sorted(paths[0].glob("[!.]*/")) if _is_folder(paths[0]) else []
    unread = [place.name for place in found if place not in read and not _is_about(place)]
    unread += [f"{folder.name}/" for folder in folders]
    return (
        [f"{short_text(paths[0])}: not read: {', '.join(map(short_repr, unread))}"]
        if unread
        else []
    )


def _inside(path: Path) -> list[CorpusFile] | None:
    """Return the files in a folder, a zip archive or a pattern, by name; None for a file."""
    if _is_folder(path):
        return [CorpusFile(each) for each in sorted(path.glob("[!.]*")) if each.is_file()]
    if path.suffix.lower() == ".zip" and path.is_file():
        return _members(path)
    if (pattern := str(path)) != glob.escape(pattern) and not path.exists():
        found = [CorpusFile(Path(each)) for each in sorted(glob.glob(pattern, recursive=True))]
        return [place for place in found if place.path.is_file()]
    return None


def _only(path: Path) -> CorpusFile:
    """Return the place of one of two parallel files: the file, or the only text in a zip."""
    if path.suffix.lower() != ".zip" or not path.is_file():
        return CorpusFile(path)
    members = [place for place in _members(path) if not _is_about(place)]
    if len(members) != 1:
        raise UserError(
            f"{short_text(path)}: {len(members):,} files in it; a zip archive that is one of two "
            "parallel files has one"
        )
    return members[0]


def _chosen(
    found: Sequence[CorpusFile], languages: Sequence[str], alone: str | None
) -> list[FileGroup]:
    """Return the couples of parallel files and the tables, or the text that stands `alone`."""
    texts = [place for place in found if not _is_about(place)]
    if alone is not None:
        return [(place,) for place in texts if place.ending in (*TABLES, f".{alone.lower()}")]
    tables: list[FileGroup] = [(place,) for place in texts if place.ending in TABLES]
    first, second = ({_stem(place, side): place for place in texts} for side in languages)
    couples: list[FileGroup] = [(place, second[stem]) for stem, place in first.items()
                            if stem and stem in second]  # fmt: skip
    order = {place: number for number, place in enumerate(found)}
    return sorted([*couples, *tables], key=lambda group: order[group[0]])


def _stem(place: CorpusFile, side: str) -> str:
    """Return where a file is, without the ending that names its language; "" without such."""
    folder = PurePosixPath(place.member).parent if place.member else place.path.parent
    stem = place.name.removesuffix(f".{side}")
    return f"{folder}/{stem}" if stem != place.name else ""


def _is_about(place: CorpusFile) -> bool:
    """Return whether a file tells about the others, and holds no sentences."""
    return _ABOUT.fullmatch(place.name) is not None


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # open_text tells what is wrong with it
        return False


def _members(path: Path) -> list[CorpusFile]:
    try:
        members = open_archive(path).infolist()
        names = sorted(member.filename for member in members if not member.is_dir())
    except (*DAMAGE, RuntimeError) as error:  # RuntimeError: a version of zip that is not known
        raise damaged(path, error) from None
    except OSError as error:
        if error.errno in (None, errno.EINVAL):
            raise damaged(path, error) from None
        raise UserError(f"{short_text(path)}: cannot be read: {error.strerror}") from None
    hidden = re.compile(r"(^|/)(__MACOSX/|\.[^/]*$)")
    return [CorpusFile(path, name) for name in names if not hidden.search(name)]


def open_archive(path: Path) -> zipfile.ZipFile:
    """Return an open archive, for all its members: its directory is read once.

    Another process opens it anew, as the place in a file is common to those that share it.
    """
    return _opened(path.resolve(), path.stat().st_mtime_ns, os.getpid())


@lru_cache(1)
def _opened(path: Path, _changed_ns: int, _process: int) -> zipfile.ZipFile:
    return zipfile.ZipFile(path)


def damaged(path: Path, error: Exception) -> UserError:
    """Return what to say of a file that cannot be unpacked."""
    return UserError(
        f"{short_text(path)}: damaged, or not of the kind its name says ({short_text(error)}); "
        "delete it and fetch it again"
    )
