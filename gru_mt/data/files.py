"""A corpus's file as bytes, plain or packed: read whole within a bound, or refused in one line."""

import gzip
import io
import lzma
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

from gru_mt.errors import UserError, quoted

MAX_BYTES = 2_000_000_000  # of a corpus in memory, unpacked
_DAMAGE = (  # what unpacking raises; ValueError where a name in a zip is not text
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    ValueError,
)


def shown(value: object) -> str:
    """Return a path or another's message for one of ours: as it is, quoted where it is odd."""
    text = str(value)
    return text if text.isprintable() and len(text) <= 300 else quoted(text)


def user_path(name: str) -> Path:
    """Return the path that a configuration names, a `~` expanded; UserError for no path at all."""
    try:
        path = Path(name).expanduser()
        path.is_file()  # asks the system, which takes no NUL and no lone surrogate
    except (RuntimeError, ValueError) as error:
        raise UserError(f"{shown(name)}: no path: {error}") from None
    return path


def read_unpacked(path: Path, *, missing: str = "") -> bytes:
    """Return the text at `path` as bytes, unpacked in memory where it is a .zip or a .gz.

    Raises UserError where it cannot be read; `missing` is added to that of a file not found.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UserError(
                f"{shown(path)}: not a regular file; a run reads its corpus again when it resumes"
            )
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as archive, archive.open(_member(archive, path)) as file:
                return _bounded(file, path)
        if path.suffix.lower() == ".gz":
            with gzip.open(path) as file:
                return _bounded(file, path)
        with path.open("rb") as file:
            return _bounded(file, path)
    except _DAMAGE as error:
        raise UserError(
            f"{shown(path)}: damaged, or not of the kind its name says ({shown(error)}); "
            "delete it and fetch it again"
        ) from None
    except FileNotFoundError:
        where = "" if path.is_absolute() else f" in {shown(Path.cwd())}"
        raise UserError(f"{shown(path)}: no such file{where}{missing}") from None
    except OSError as error:
        raise UserError(f"{shown(path)}: cannot be read: {error.strerror or error}") from None
    except RuntimeError as error:  # zipfile's word for a password or an unknown compression
        raise UserError(f"{shown(path)}: cannot be unpacked: {shown(error)}") from None


def _member(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    """Return the one text of pairs in `archive`, which `_about.txt` and hidden files are not."""
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


def _bounded(file: IO[bytes] | gzip.GzipFile, path: Path) -> bytes:
    data = io.BytesIO()
    while chunk := file.read(1 << 20):
        data.write(chunk)
        if data.tell() > MAX_BYTES:
            raise UserError(f"{shown(path)}: more than {MAX_BYTES:,} bytes of text")
    return data.getvalue()
