"""Tell what a file is by its first bytes, whatever its name says."""

import codecs
import re
from pathlib import PurePath
from typing import NamedTuple

LOOKED_AT = 4_096  # bytes that tell what a file is
_SAVE, _UNPACK = "save its text as plain text in UTF-8", "unpack it first"
_TABLE = "save it as tab-separated text (.tsv)"
_JSON = "write it as JSON lines, as pandas does with to_json(FILE, orient='records', lines=True)"


class Kind(NamedTuple):
    """What a file is that is no plain text."""

    name: str
    fix: str  # what makes lines of text of it
    corpus_fix: str = _TABLE  # what makes a corpus of it
    packing: str = ""  # the ending of its name, where it can be unpacked


UTF_16 = Kind("UTF-16", _SAVE)
_KINDS = {
    rb"\x1f\x8b\x08": Kind("packed by gzip", _UNPACK, _UNPACK, ".gz"),
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": Kind("packed by bzip2", _UNPACK, _UNPACK, ".bz2"),
    rb"\xfd7zXZ\0": Kind("packed by xz", _UNPACK, _UNPACK, ".xz"),
    rb"\x28\xb5\x2f\xfd": Kind("packed by zstd", _UNPACK, _UNPACK, ".zst"),
    rb"PK\x03\x04": Kind(
        "a zip archive, as Word, Excel and OpenDocument files are",
        _SAVE,
        f"{_TABLE}; an archive of corpora must be named .zip",
    ),
    rb"\xd0\xcf\x11\xe0\xa1\xb1": Kind("a file of an older Word or Excel", _SAVE),
    rb"%PDF-\d\.": Kind("a PDF", _SAVE),
    rb"\{\\rtf\d": Kind("an RTF document", _SAVE),
    rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|.{257}ustar": Kind("a packed archive", _UNPACK, _UNPACK),
    rb"\x89PNG\r\n|\xff\xd8\xff[\xc0-\xfe]|GIF8[79]a[^\n]{0,9}\0|II\*\0|MM\0\*|RIFF.{4}WEBP": Kind(
        "a picture", "type its text"
    ),
    rb"SQLite format 3\0": Kind("a database of SQLite", _SAVE, "export its table as CSV"),
    rb"PAR1[\x00-\x1f]": Kind("a Parquet table", _SAVE, _JSON),
    rb"ARROW1\0|\xff{4}.{2}\0\0\x10\0\0\0|FEA1\0": Kind("an Arrow table", _SAVE, _JSON),
    rb"\x89HDF|\x93NUMPY|Obj\x01|\x80[\x02-\x05][c}\]\x8c\x95]": Kind(
        "data of a program", _SAVE, _JSON
    ),
}
_MARKS = {  # byte order marks, the longer ones first
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def kind_of(start: bytes) -> Kind | None:
    """Return what a file is whose first bytes are `start`; None for what may be lines of text."""
    for pattern, kind in _KINDS.items():
        if re.match(pattern, start, re.DOTALL):
            return kind
    return UTF_16 if marked_encoding(start) == "utf-16" or is_utf16(start) else None


def packing(name: str) -> str:
    """Return the ending of a packed file's name: ".gz", ".bz2", ".xz", ".zst"; "" if it is none."""
    ending = PurePath(name).suffix.lower()
    return ending if any(kind.packing == ending for kind in _KINDS.values()) else ""


def marked_encoding(start: bytes) -> str:
    """Return the encoding that a byte order mark tells; "" where there is none."""
    return next((encoding for mark, encoding in _MARKS.items() if start.startswith(mark)), "")


def is_utf16(start: bytes) -> bool:
    """Return whether bytes without a byte order mark are UTF-16.

    A space, a line feed and each Latin letter has a zero byte then, always on the same side. Bytes
    that are read the other way are mostly no characters.
    """
    start = start[: min(len(start), LOOKED_AT) // 2 * 2]
    zeros = [start[side::2].count(0) for side in (0, 1)]
    if sum(zeros) < max(4, len(start) // 50) or all(zeros):
        return False
    text = start.decode("utf-16-le" if zeros[1] else "utf-16-be", errors="replace")
    return all(each.isprintable() or each.isspace() for each in text.removesuffix("\ufffd"))
