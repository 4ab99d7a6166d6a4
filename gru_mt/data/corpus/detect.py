"""Tell what a file is and how its letters are encoded, by its first bytes."""

import codecs
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import NamedTuple

from gru_mt.config.fields import known_encoding
from gru_mt.data.corpus.languages import language_code
from gru_mt.errors import UserError, short_repr

LOOKED_AT = 4_096  # bytes at its beginning that decide what a file is
_SAVE, _UNPACK = "save its text as plain text in UTF-8", "unpack it first"
_TABLE = "save it as tab-separated text (.tsv)"
_JSON = "write it as JSON lines, as pandas does with to_json(FILE, orient='records', lines=True)"


class FileKind(NamedTuple):
    """What a file is that is no plain text."""

    name: str
    fix: str  # what makes lines of text of it
    corpus_fix: str = _TABLE  # what makes a corpus of it
    compression: str = ""  # the ending of its name, where it can be unpacked


UTF_16 = FileKind("UTF-16", _SAVE)
_PICTURE = FileKind("a picture", "type its text")
PARQUET = FileKind("a Parquet table", _SAVE, "give it alone, and not in an archive")
_KINDS = {
    rb"\x1f\x8b\x08": FileKind("packed by gzip", _UNPACK, _UNPACK, ".gz"),
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": FileKind("packed by bzip2", _UNPACK, _UNPACK, ".bz2"),
    rb"\xfd7zXZ\0": FileKind("packed by xz", _UNPACK, _UNPACK, ".xz"),
    rb"\x28\xb5\x2f\xfd": FileKind("packed by zstd", _UNPACK, _UNPACK, ".zst"),
    rb"PK\x03\x04": FileKind(
        "a zip archive, as Word, Excel and OpenDocument files are",
        _SAVE,
        f"{_TABLE}; an archive of corpora must be named .zip",
    ),
    rb"\xd0\xcf\x11\xe0\xa1\xb1": FileKind("a file of an older Word or Excel", _SAVE),
    rb"%PDF-\d\.": FileKind("a PDF", _SAVE),
    rb"\{\\rtf\d": FileKind("an RTF document", _SAVE),
    rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|.{257}ustar": FileKind("a packed archive", _UNPACK, _UNPACK),
    rb"\x89PNG\r\n|\xff\xd8\xff[\xc0-\xfe]|GIF8[79]a[^\n]{0,9}\0": _PICTURE,
    rb"II\*\0|MM\0\*|RIFF.{4}WEBP": _PICTURE,
    rb"SQLite format 3\0": FileKind("a database of SQLite", _SAVE, "export its table as CSV"),
    rb"PAR1[\x00-\x1f]": PARQUET,
    rb"ARROW1\0|\xff{4}.{2}\0\0\x10\0\0\0|FEA1\0": FileKind("an Arrow table", _SAVE, _JSON),
    rb"\x89HDF|\x93NUMPY|Obj\x01|\x80[\x02-\x05][c}\]\x8c\x95]": FileKind(
        "data of a program", _SAVE, _JSON
    ),
}
_BYTE_ORDER_MARKS = {  # the longer ones first
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    "utf-8": (codecs.BOM_UTF8,),
}
_DECLARED = re.compile(rb"""\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([^"']{1,40})["']""")
_OLDER = {  # encodings of older files in languages that Western Europe's has no letters for
    "ja": ("shift_jis", "cp932", "euc-jp"),  # cp932 and cp949: as Windows has them
    "zh": ("gb18030", "big5"),
    "ko": ("euc-kr", "cp949"),
    "el": ("cp1253",),
    "tr": ("cp1254",),
    "he": ("cp1255",),
    "th": ("cp874",),
    "vi": ("cp1258",),
    **dict.fromkeys(("ru", "uk", "be", "bg", "mk", "sr"), ("cp1251",)),
    **dict.fromkeys(("pl", "cs", "sk", "hu", "hr", "sl", "ro"), ("cp1250",)),
    **dict.fromkeys(("ar", "fa", "ur"), ("cp1256",)),
    **dict.fromkeys(("et", "lt", "lv"), ("cp1257",)),
}
# Letters that nearly every sentence of Japanese and of Chinese has.
_FREQUENT = re.compile("[ぁ-ん的一是不了在人有我他她你這这來来個个們们說说]")
_COMMON = "\t\n\r <>"  # characters that text has in every language


def kind_of(start: bytes) -> FileKind | None:
    """Return what a file is whose first bytes are `start`; None for what may be lines of text."""
    for pattern, kind in _KINDS.items():
        if re.match(pattern, start, re.DOTALL):
            return kind
    return UTF_16 if _marked_encoding(start) == "utf-16" or _is_utf16(start) else None


def compression(name: str) -> str:
    """Return how a file of this name is compressed: ".gz", ".bz2", ".xz", ".zst", or ""."""
    ending = PurePath(name).suffix.lower()
    return ending if any(kind.compression == ending for kind in _KINDS.values()) else ""


def encoding_of(start: bytes, asked: str | None, file: object) -> str:
    """Return the encoding of a file by its beginning.

    A byte order mark decides; then what a user asks for; then what XML declares; else it is UTF-16
    where it looks like it, or UTF-8. Raises UserError, which names `file`, for an unknown one.
    """
    if marked := _marked_encoding(start):
        return marked
    asked = asked or _declared_encoding(start, file)
    name = codecs.lookup(asked).name
    if name not in ("utf-16", "utf-32"):
        return asked
    orders = f"{name}-le", f"{name}-be"
    return max(orders, key=lambda order: sum(map(start.decode(order, "ignore").count, _COMMON)))


def likely_encoding(text: bytes, languages: Sequence[str]) -> str:
    """Return the encoding that older files in these languages have.

    Of those that can be, it is the one in which the most letters are _FREQUENT. By the frequencies
    of all letters charset-normalizer takes French in cp1252 for cp775.
    """
    for language in languages:
        fitting: dict[str, int] = {}
        for encoding in _OLDER.get(language_code(language), ()):
            with suppress(UnicodeDecodeError):
                fitting[encoding] = len(_FREQUENT.findall(text.decode(encoding)))
        if fitting:
            return max(fitting, key=fitting.__getitem__)
    return "cp1252" if re.search(rb"[\x80-\x9f]", text) else "latin-1"


def _marked_encoding(start: bytes) -> str:
    marks = _BYTE_ORDER_MARKS.items()
    return next((encoding for encoding, mark in marks if start.startswith(mark)), "")


def _is_utf16(start: bytes) -> bool:
    """Return whether bytes without a mark are UTF-16: zeros are all on one side of the pairs.

    A space, a line feed and each Latin letter has one. The text must be of characters, too.
    """
    start = start[: min(len(start), LOOKED_AT) // 2 * 2]
    zeros = [start[side::2].count(0) for side in (0, 1)]
    if sum(zeros) < max(4, len(start) // 50) or all(zeros):
        return False
    text = start.decode("utf-16-le" if zeros[1] else "utf-16-be", errors="replace")
    text = text.removesuffix("\ufffd")
    return all(character.isprintable() or character.isspace() for character in text)


def _declared_encoding(start: bytes, file: object) -> str:
    """Return what XML declares, but for UTF-16 where it is in ASCII; else what the bytes tell."""
    match = _DECLARED.match(start)
    if not match:
        return "utf-16" if _is_utf16(start) else "utf-8"
    known = declared_encoding(match[1].decode(errors="replace"), file)
    return "utf-8" if known.startswith(("utf-8", "utf-16", "utf-32")) else known


def declared_encoding(name: str, file: object) -> str:
    """Return Python's name of an encoding that a file declares; UserError for an unknown one."""
    try:
        return codecs.lookup(known_encoding(name)).name
    except ValueError:
        fix = "set encoding, or save it as UTF-8"
        raise UserError(
            f"{file}: declares the encoding {short_repr(name)}, which nobody knows: {fix}"
        ) from None
