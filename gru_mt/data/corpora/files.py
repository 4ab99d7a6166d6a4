"""Find the files of a corpus, and read one, unpacked, as the bytes of UTF-8.

A file that is too large, damaged or of another kind is refused with what to do about it.
"""

import codecs
import errno
import glob
import gzip
import io
import lzma
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

import zstandard

from gru_mt.errors import UserError, quoted, shown

MAX_BYTES = 2_000_000_000  # of a file in memory, unpacked
# What unpacking a damaged file raises; ValueError is for a name in a zip that is not text.
_DAMAGE = (
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
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


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
        return name[: -len(packed)] if (packed := _packing(name)) else name

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
    except (OSError, ValueError):  # read_text tells what is wrong with it
        return False


def _members(path: Path) -> list[Place]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(member.filename for member in archive.infolist() if not member.is_dir())
    except (*_DAMAGE, RuntimeError) as error:  # RuntimeError: a version of zip that is not known
        raise _damaged(path, error) from None
    except OSError as error:
        if error.errno in (None, errno.EINVAL):
            raise _damaged(path, error) from None
        raise UserError(f"{shown(path)}: cannot be read: {error.strerror}") from None
    hidden = re.compile(r"(^|/)(__MACOSX/|\.[^/]*$)")
    return [Place(path, name) for name in names if not hidden.search(name)]


def read_text(place: Place, *, encoding: str = "utf-8", missing: str = "") -> bytes:
    """Return the text of a file in UTF-8; a .zip, .gz or .zst is unpacked in memory.

    Raises UserError where it cannot be read, or is not text in `encoding`; lines that are not UTF-8
    are no error here. `missing` ends the message of a file not found.
    """
    data = _read_unpacked(place, missing)
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise UserError(
            f"{place}: looks like a spreadsheet or another document: save it as tab-separated "
            "text (.tsv); a zip archive must be named .zip"
        )
    if encoding == "utf-8":
        if data.startswith(_UTF_16) or data[:4_000].count(0) > len(data[:4_000]) / 4:
            raise UserError(f"{place}: looks like UTF-16: set encoding: utf-16")
        return data
    try:
        return data.decode(encoding).encode()
    except UnicodeDecodeError as error:
        raise UserError(
            f"{place}: not {encoding} at byte {error.start:,}: {error.reason}"
        ) from None


def _read_unpacked(place: Place, missing: str) -> bytes:
    path = place.path
    try:
        if not _is_regular(path):
            raise UserError(
                f"{shown(path)}: not a regular file; a run reads its corpus again when it resumes"
            )
        with path.open("rb") as file:
            if not place.member:
                return _all(_unpacked(file, path.name), path)
            with zipfile.ZipFile(file) as archive, archive.open(place.member) as member:
                return _all(_unpacked(member, place.member), path)
    except FileNotFoundError:
        where = "" if path.is_absolute() else f" in {shown(Path.cwd())}"
        raise UserError(f"{shown(path)}: no such file{where}{missing}") from None
    except OSError as error:
        if error.errno in (None, errno.EINVAL):  # None: gzip, bz2; EINVAL: a bad zip's offset
            raise _damaged(path, error) from None
        raise UserError(f"{shown(path)}: cannot be read: {error.strerror}") from None
    except _DAMAGE as error:
        raise _damaged(path, error) from None
    except RuntimeError as error:  # zipfile: it needs a password, or the compression is unknown
        raise UserError(f"{shown(path)}: cannot be unpacked: {shown(error)}") from None


def _packing(name: str) -> str:
    return next((ending for ending in _PACKED if name.lower().endswith(ending)), "")


def _unpacked(file: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield what is in a file, some megabytes at a time."""
    match _packing(name):
        case ".zst":
            yield from _unpacked_zst(file)
        case ".gz":
            with gzip.open(file) as plain:
                yield from iter(partial(plain.read, 1 << 20), b"")
        case _:
            yield from iter(partial(file.read, 1 << 20), b"")


def _unpacked_zst(file: IO[bytes]) -> Iterator[bytes]:
    frame, whole = zstandard.ZstdDecompressor().decompressobj(), True
    while packed := file.read(1 << 12):  # which may hold 128 MB
        while packed:
            yield frame.decompress(packed)
            packed, whole = frame.unused_data, frame.eof
            if whole:
                frame = zstandard.ZstdDecompressor().decompressobj()
    if not whole:
        raise EOFError("it ends early")


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except ValueError as error:  # a NUL or a lone surrogate
        raise UserError(f"{shown(path)}: no path: {error}") from None


def _damaged(path: Path, error: Exception) -> UserError:
    return UserError(
        f"{shown(path)}: damaged, or not of the kind its name says ({shown(error)}); "
        "delete it and fetch it again"
    )


def _all(chunks: Iterable[bytes], path: Path) -> bytes:
    """Return all chunks as one; UserError that names `path` if it has more than MAX_BYTES."""
    data = io.BytesIO()
    for chunk in chunks:
        data.write(chunk)
        if data.tell() > MAX_BYTES:
            raise UserError(f"{shown(path)}: more than {MAX_BYTES:,} bytes of text")
    return data.getvalue()
