"""Read a corpus's file, unpacked, as bytes; refuse a file that is too large or damaged."""

import errno
import gzip
import io
import lzma
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

from gru_mt.errors import UserError, quoted, shown

MAX_BYTES = 2_000_000_000  # of a corpus in memory, unpacked
# What unpacking a damaged file raises; ValueError is for a name in a zip that is not text.
_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError)


def user_path(name: str) -> Path:
    """Return the path that a configuration names, with `~` expanded; UserError for no path."""
    try:
        return Path(name).expanduser()
    except (RuntimeError, ValueError) as error:  # no such user; a NUL or a lone surrogate
        raise UserError(f"{shown(name)}: no path: {error}") from None


def read_unpacked(path: Path, *, missing: str = "") -> bytes:
    """Return the text at `path` as bytes; a .zip or a .gz is unpacked in memory.

    Raises UserError where it cannot be read; `missing` ends the message of a file not found.
    """
    try:
        if not _is_regular(path):
            raise UserError(
                f"{shown(path)}: not a regular file; a run reads its corpus again when it resumes"
            )
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as archive, archive.open(_member(archive, path)) as file:
                return _read_bounded(file, path)
        if path.suffix.lower() == ".gz":
            with gzip.open(path) as file:
                return _read_bounded(file, path)
        with path.open("rb") as file:
            return _read_bounded(file, path)
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


def _member(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    """Return the only text in `archive`, without `_about.txt` and hidden files; else UserError."""
    texts = [
        member
        for member in archive.infolist()
        if (name := PurePosixPath(member.filename)).suffix.lower() in (".txt", ".tsv")
        and name.name != "_about.txt"
        and not name.name.startswith(".")
    ]
    if len(texts) == 1:
        return texts[0]
    names = [quoted(member.filename) for member in (texts or archive.infolist())]
    listed = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    raise UserError(
        f"{shown(path)}: {'several' if texts else 'no'} .txt or .tsv files in it, expected one: "
        f"{listed or 'it is empty'}"
    )


def _read_bounded(file: IO[bytes] | gzip.GzipFile, path: Path) -> bytes:
    """Return all of `file`; UserError that names `path` if it has more than MAX_BYTES."""
    data = io.BytesIO()
    while chunk := file.read(1 << 20):
        data.write(chunk)
        if data.tell() > MAX_BYTES:
            raise UserError(f"{shown(path)}: more than {MAX_BYTES:,} bytes of text")
    return data.getvalue()
