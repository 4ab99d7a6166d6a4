"""What a file is by its first bytes, whatever its name says."""

import codecs
import re
from pathlib import PurePath

LOOKED_AT = 4_000  # bytes that tell what a file is
_PACKED = {  # the ending of a packed file, and how one begins
    ".gz": rb"\x1f\x8b\x08",
    ".bz2": rb"BZh[1-9](1AY&SY|\x17rE8P\x90)",
    ".xz": rb"\xfd7zXZ\x00",
    ".zst": rb"\x28\xb5\x2f\xfd",
}
_TO_JSON = "write it as JSON lines, as pandas does with to_json(FILE, orient='records', lines=True)"
_UNPACK = "unpack it, and give its folder"
_OTHERS = {  # how a file of another kind begins, and what to do with it
    rb"PK\x03\x04|\xd0\xcf\x11\xe0": "looks like a spreadsheet or another document: save it as "
    "tab-separated text (.tsv); a zip archive must be named .zip",
    rb"PAR1": f"is a Parquet file: {_TO_JSON}",
    rb"ARROW1|\xff{4}.\0{0,4}|FEA1": f"is an Arrow file: {_TO_JSON}",
    rb"SQLite format 3\0": "is an SQLite database: export its table as CSV",
    rb"\x89HDF|\x93NUMPY|Obj\x01|ORC|\x80[\x02-\x05]": f"holds data of a program: {_TO_JSON}",
    rb"%PDF-|\{\\rtf": "is a document: save it as plain text",
    rb"7z\xbc\xaf|Rar!|\x1f\x9d": f"is a packed archive: {_UNPACK}",
    rb".{257}ustar": f"is a tar archive: {_UNPACK}",
    rb"\s*(<!doctype html|<html\b)": "is a web page: was it saved in place of the file?",
}
_MARKS = {  # byte order marks, the longer ones first
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def packing(name: str) -> str:
    """Return the ending of a packed file's name: ".gz", ".bz2", ".xz", ".zst"; "" if it is none."""
    ending = PurePath(name).suffix.lower()
    return ending if ending in _PACKED else ""


def packing_of(start: bytes) -> str:
    """Return the same by how a file begins."""
    return next((ending for ending, how in _PACKED.items() if re.match(how, start)), "")


def other_kind(start: bytes) -> str:
    """Return what a file is that is no text, and what to do with it; "" where it may be text."""
    return next(
        (said for how, said in _OTHERS.items() if re.match(how, start, re.DOTALL | re.I)), ""
    )


def marked_encoding(start: bytes) -> str:
    """Return the encoding that a byte order mark tells; "" where there is none."""
    return next((encoding for mark, encoding in _MARKS.items() if start.startswith(mark)), "")
