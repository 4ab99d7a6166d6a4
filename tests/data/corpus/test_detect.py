"""What is no plain text is told by its first bytes, as the programs that write it begin it."""

import bz2
import gzip
import lzma
import sqlite3
from pathlib import Path

import pytest
import zstandard

from gru_mt.data.corpus.detect import kind_of
from tests.corpora import zipped

TEXTS = [
    "Where is the station?\n",
    "Où est la gare ?\r\nIci.\r\n",
    "Где вокзал? Там, за углом, вот он.\n" * 3,
    "駅はどこですか。\n" * 9,
    "PK is a name. BZh9 too, GIF89a, PAR1 and RIFF.\n",
    "BM is short.\n",
    "MM",
    "",
]


def test_text_is_of_no_other_kind() -> None:
    for text in TEXTS:
        for encoding in ("utf-8", "utf-8-sig", "cp1252"):
            assert kind_of(text.encode(encoding, errors="replace")) is None, (text, encoding)
    assert kind_of(b"a\0b\nI see one cat.\n" * 9) is None, "a few zero bytes"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_told_with_and_without_its_mark(encoding: str) -> None:
    for text in (*TEXTS[:3], "駅はどこ\nあ い う\n" * 9):
        found = kind_of(text.encode(encoding))
        assert found is not None, text
        assert found.name == "UTF-16"


def test_files_of_other_programs_are_named() -> None:
    text = b"I see one cat.\n" * 9
    connection = sqlite3.connect("a.db")
    connection.execute("create table a (b)")
    connection.close()
    files = {
        "zip": zipped(("word/document.xml", b"<a/>")),
        "gzip": gzip.compress(text),
        "bzip2": bz2.compress(text),
        "xz": lzma.compress(text),
        "zstd": zstandard.compress(text),
        "SQLite": Path("a.db").read_bytes(),
        "PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
        "RTF": b"{\\rtf1\\ansi{\\fonttbl}}",
        "older": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16),
        "picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "Parquet": b"PAR1\x15\x04",
    }
    for name, content in files.items():
        found = kind_of(content)
        assert found is not None, name
        assert name in found.name
