"""Tell from a file's first bytes that it is no plain text, and what it is."""

import re
from typing import NamedTuple

_SAVE, _UNPACK = "save its text as plain text in UTF-8", "unpack it first"


class Kind(NamedTuple):
    """What a file is, and what makes lines of text of it."""

    name: str
    fix: str


_KINDS = (
    (rb"PK\x03\x04", Kind("a zip archive, as Word, Excel and OpenDocument files are", _SAVE)),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind("a file of an older Word or Excel", _SAVE)),
    (rb"%PDF-\d\.", Kind("a PDF", _SAVE)),
    (rb"\{\\rtf\d", Kind("an RTF document", _SAVE)),
    (rb"\x1f\x8b\x08", Kind("packed by gzip", _UNPACK)),
    (rb"\xfd7zXZ\0", Kind("packed by xz", _UNPACK)),
    (rb"BZh\d1AY&SY", Kind("packed by bzip2", _UNPACK)),
    (rb"\x28\xb5\x2f\xfd", Kind("packed by zstd", _UNPACK)),
    (rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07", Kind("a packed archive", _UNPACK)),
    (
        rb"\x89PNG\r\n|\xff\xd8\xff[\xc0-\xfe]|GIF8[79]a[^\n]{0,9}\0|II\*\0|MM\0\*|RIFF(?s:.){4}WEBP",
        Kind("a picture", "type its text"),
    ),
    (rb"SQLite format 3\0", Kind("a database of SQLite", _SAVE)),
    (rb"PAR1[\x00-\x1f]", Kind("a Parquet table", _SAVE)),
    (rb"\xff\xfe|\xfe\xff", Kind("UTF-16", _SAVE)),
)


def kind_of(start: bytes) -> Kind | None:
    """Return what a file is whose first bytes are `start`; None for what may be lines of text."""
    for pattern, kind in _KINDS:
        if re.match(pattern, start):
            return kind
    return Kind("UTF-16", _SAVE) if _is_utf16(start[:4_096]) else None


def _is_utf16(start: bytes) -> bool:
    """Return whether bytes without a byte order mark are UTF-16.

    A space, a line feed and each Latin letter has a zero byte then, always on the same side. Bytes
    that are read the other way are mostly no characters.
    """
    start = start[: len(start) // 2 * 2]
    zeros = [start[side::2].count(0) for side in (0, 1)]
    if sum(zeros) < max(4, len(start) // 50) or all(zeros):
        return False
    text = start.decode("utf-16-le" if zeros[1] else "utf-16-be", errors="replace")
    return all(each.isprintable() or each.isspace() for each in text.removesuffix("\ufffd"))
