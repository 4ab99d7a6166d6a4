"""What is no plain text is told by its first bytes, as the programs that write it begin it."""

import bz2
import gzip
import io
import lzma
import sqlite3
import zipfile
from pathlib import Path

import pytest
import zstandard

from gru_mt.data.corpus.detect import kind_of

TEXTS = [
    "Where is the station?\n",
    "Où est la gare ?\r\nIci.\r\n",
    "Где вокзал? Там, за углом, вот он.\n",
    "駅はどこですか。\n" * 9,
    "PK is a name. BZh9 too, GIF89a, PAR1 and RIFF.\n",
    "BM is short.\n",
    "MM",
    "",
]


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/document.xml", "<a/>")
    return buffer.getvalue()


def database(folder: Path) -> bytes:
    connection = sqlite3.connect(folder / "a.db")
    connection.execute("create table a (b)")
    connection.close()
    return (folder / "a.db").read_bytes()


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_of_no_other_kind(text: str) -> None:
    assert kind_of(text.encode()) is None
    assert kind_of(text.encode("utf-8-sig")) is None
    assert kind_of(text.encode("cp1252", errors="replace")) is None


def test_text_with_a_few_zero_bytes_is_no_utf16() -> None:
    assert kind_of(b"a\0b\nI see one cat.\n" * 9) is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [*TEXTS[:2], TEXTS[2] * 3, "駅はどこ\nあ い う\n" * 9])
def test_utf16_is_told_with_and_without_its_mark(text: str, encoding: str) -> None:
    found = kind_of(text.encode(encoding))
    assert found is not None
    assert found.name == "UTF-16"


def test_files_of_other_programs_are_named(tmp_path: Path) -> None:
    text = b"I see one cat.\n" * 9
    files = {
        "zip": zipped(),
        "gzip": gzip.compress(text),
        "bzip2": bz2.compress(text),
        "xz": lzma.compress(text),
        "zstd": zstandard.compress(text),
        "SQLite": database(tmp_path),
        "PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
        "RTF": b"{\\rtf1\\ansi{\\fonttbl}}",
        "older": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16),
        "picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    }
    for name, content in files.items():
        found = kind_of(content)
        assert found is not None, name
        assert name in found.name
