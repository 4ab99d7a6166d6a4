"""Find the files of a corpus."""

import errno
import glob
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import zstandard

from gru_mt.errors import UserError, quoted, shown

# What unpacking a damaged file raises; ValueError is for a name in a zip that is not text.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    zstandard.ZstdError,
    EOFError,
    ValueError,
)
_PACKED = (".gz", ".zst")
TABLES = (".tsv", ".txt", ".csv", ".tmx")
_ABOUT = re.compile(r"_about|readme|licen[sc]e|copying", re.IGNORECASE)  # no sentences in these


class Place(NamedTuple):
    """A file, or a member of a zip archive."""

    path: Path
    member: str = ""

    def __str__(self) -> str:
        return shown(f"{self.path}:{self.member}" if self.member else self.path)

    @property
    def name(self) -> str:
        """The file's name without its folder, and without .gz or .zst."""
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


Shard = tuple[Place, ...]  # a table, or two parallel files


def user_path(name: str) -> Path:
    """Return the path that a configuration names, with `~` expanded; UserError for no path."""
    try:
        return Path(name).expanduser()
    except (RuntimeError, ValueError) as error:  # no such user; a NUL or a lone surrogate
        raise UserError(f"{shown(name)}: no path: {error}") from None


def find_shards(
    paths: Sequence[Path], languages: Sequence[str], *, alone: str | None = None
) -> list[Shard]:
    """Return what a corpus's paths name: tables, or couples of parallel files.

    A folder, a pattern or a zip archive is sorted by name. In it, files whose names differ only in
    their endings, which are the `languages`, are parallel (Moses): train.en and train.fr. Where
    text of one language stands `alone`, each file with its ending is read, and each table. Raises
    UserError where it has nothing to read.
    """
    if len(paths) > 1:
        return [tuple(map(_only, paths))]
    [path] = paths
    if _is_folder(path):
        found = [Place(each) for each in sorted(path.glob("[!.]*")) if each.is_file()]
    elif path.suffix.lower() == ".zip" and path.is_file():
        found = _members(path)
    elif (pattern := str(path)) != glob.escape(pattern) and not path.exists():
        found = [Place(Path(each)) for each in sorted(glob.glob(pattern, recursive=True))]
        found = [place for place in found if place.path.is_file()]
    else:
        return [(Place(path),)]
    shards = _grouped(found, languages) if alone is None else _alone(found, alone)
    if not shards:
        there = ", ".join(quoted(place.name) for place in found[:5]) or "nothing"
        endings = f".{alone}" if alone else f".{languages[0]} and .{languages[1]}"
        raise UserError(
            f"{shown(path)}: no corpus in it: expected tables ({', '.join(TABLES)}) or files that "
            f"end in {endings}, found "
            f"{there}{', ...' if len(found) > 5 else ''}"
        )
    return shards


def _only(path: Path) -> Place:
    """Return the place of one of two parallel files: the file, or the only text in a zip."""
    if path.suffix.lower() != ".zip" or not path.is_file():
        return Place(path)
    members = [place for place in _members(path) if not _ABOUT.match(place.name)]
    if len(members) != 1:
        raise UserError(
            f"{shown(path)}: {len(members):,} files in it; a zip archive that is one of two "
            "parallel files has one"
        )
    return members[0]


def _grouped(places: Iterable[Place], languages: Sequence[str]) -> list[Shard]:
    """Return the couples of parallel files; where there are none, the tables."""
    first, second = languages
    texts = [place for place in places if not _ABOUT.match(place.name)]
    sides = {
        side: {place.name.removesuffix(f".{side}"): place for place in texts
               if place.name.endswith(f".{side}")}
        for side in languages
    }  # fmt: skip
    couples: list[Shard] = [(sides[first][stem], sides[second][stem])
               for stem in sides[first] if stem in sides[second]]  # fmt: skip
    return couples or [(place,) for place in texts if place.ending in TABLES]


def _alone(places: Iterable[Place], language: str) -> list[Shard]:
    """Return the files of text in one language, and the tables."""
    texts = [place for place in places if not _ABOUT.match(place.name)]
    return [(place,) for place in texts if place.ending in (*TABLES, f".{language.lower()}")]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # open_text tells what is wrong with it
        return False


def _members(path: Path) -> list[Place]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(member.filename for member in archive.infolist() if not member.is_dir())
    except (*DAMAGE, RuntimeError) as error:  # RuntimeError: a version of zip that is not known
        raise damaged(path, error) from None
    except OSError as error:
        if error.errno in (None, errno.EINVAL):
            raise damaged(path, error) from None
        raise UserError(f"{shown(path)}: cannot be read: {error.strerror}") from None
    hidden = re.compile(r"(^|/)(__MACOSX/|\.[^/]*$)")
    return [Place(path, name) for name in names if not hidden.search(name)]


def packing(name: str) -> str:
    """Return the ending of a packed file's name: ".gz", ".zst", or "" if it is none."""
    return next((ending for ending in _PACKED if name.lower().endswith(ending)), "")


def damaged(path: Path, error: Exception) -> UserError:
    """Return what to say of a file that cannot be unpacked."""
    return UserError(
        f"{shown(path)}: damaged, or not of the kind its name says ({shown(error)}); "
        "delete it and fetch it again"
    )
