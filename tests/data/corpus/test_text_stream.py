"""Files of any packing and encoding are read piece by piece; damage is named in one line."""

import bz2
import contextlib
import gzip
import hashlib
import lzma
import random
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from gru_mt.data.corpus import text_stream
from gru_mt.data.corpus.detect import kind_of
from gru_mt.data.corpus.files import CorpusFile
from gru_mt.data.corpus.report import SAMPLE
from gru_mt.data.corpus.text_stream import TextStream, open_text
from gru_mt.errors import UserError
from tests.corpora import PAIRS, TABLE, data_config, load, pairs, refusal, write, zipped

GO = b"Go.\tVa !\n"
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


@pytest.mark.parametrize("ending", PACKINGS)
def test_a_packed_file_is_read_whatever_its_name_says(ending: str) -> None:
    packed = PACKINGS[ending](TABLE.encode())
    write({f"c.tsv{ending}": packed, f"C{ending.upper()}": packed, "c.tsv": packed})
    for name in (f"c.tsv{ending}", f"C{ending.upper()}", "c.tsv"):
        corpus = load(name)
        assert [pair[:2] for pair in corpus.pairs] == PAIRS
        assert corpus.sha256 == hashlib.sha256(TABLE.encode()).hexdigest()
    assert len([*Path().iterdir()]) == 3, "nothing was written"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_large_frames_of_zstandard_follow_each_other(encoding: str) -> None:
    """Of some of its bytes nothing can be unpacked yet, which is not the end."""
    rows = [(f"{number} {number * number}", f"{number}") for number in range(8_000)]
    text = "".join(f"{first}\t{second}\n" for first, second in rows).encode(encoding)
    write({"c.tsv.zst": zstandard.compress(text[:-10]) + zstandard.compress(text[-10:])})
    assert pairs({"path": "c.tsv.zst", "encoding": encoding}) == rows


@pytest.mark.parametrize("ending", [*PACKINGS, ".zip"])
def test_a_download_that_was_cut_off_is_refused_wherever_it_ends(ending: str) -> None:
    packed = zipped(("c.txt", GO * 9)) if ending == ".zip" else PACKINGS[ending](GO * 9)
    for size in range(1, len(packed)):
        write({f"c{ending}": packed[:size]})
        message = refusal(f"c{ending}")
        assert f"c{ending}: damaged, or not of the kind its name says (" in message
        assert message.endswith("; delete it and fetch it again")


def test_a_damaged_or_locked_zip_is_refused_in_one_line_or_read() -> None:
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2):
        whole = zipped(("fré.txt", GO * 50), method=method)
        rng = random.Random(method)
        for _ in range(15):
            damaged = bytearray(whole)
            damaged[rng.randrange(len(whole))] = rng.randrange(256)
            write({"c.zip": bytes(damaged)})
            with contextlib.suppress(UserError):
                assert load("c.zip").report.read > 0
    locked, nameless = bytearray(zipped(("c.txt", GO))), bytearray(zipped(("c", GO)))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(signature) + offset] |= 1  # the flag for encryption
        at = nameless.index(signature) + offset + 20
        nameless[at], nameless[at + 2] = 0, 1  # bytes of the name, and of what follows it
    write({"c.zip": bytes(locked), "d.zip": bytes(nameless)})
    assert "c.zip: cannot be unpacked: " in refusal("c.zip")
    assert "d.zip: no corpus in it" in refusal("d.zip")


@pytest.mark.parametrize("name", ["c.tsv", "c.gz"])
def test_a_line_too_long_for_a_sentence_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What is packed may unpack to a line that no memory has room for."""
    monkeypatch.setattr(text_stream, "MAX_LINE_BYTES", len(GO))
    packed = gzip.compress if name == "c.gz" else bytes
    write({name: packed(GO * 3)})
    assert load(name).report.read == 3
    write({name: packed(GO * 2 + b" " + GO)})
    assert "line 3 has more than 9 bytes" in refusal(name)
    monkeypatch.setattr(text_stream, "MAX_LINE_BYTES", 2 * SAMPLE)
    pieces = iter([b"x" * SAMPLE] * 9)
    with pytest.raises(UserError, match="line 1 has more than 200,000 bytes"):
        next(TextStream(pieces, CorpusFile(Path("c.tsv"))).lines())
    assert len([*pieces]) == 7, "the rest was read too"


def test_a_file_is_read_piece_by_piece() -> None:
    """Memory holds no more than a piece of it, and its digest is that of the whole."""
    text = b"".join(b"sentence %d\tphrase %d\n" % (n, n) for n in range(200_000))
    write({"c.tsv.gz": gzip.compress(text, 1)})
    tracemalloc.start()
    with open_text(CorpusFile(Path("c.tsv.gz"))) as stream:
        assert sum(1 for _ in stream.lines()) == 200_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(text) / 2
    assert stream.sha256 == hashlib.sha256(text).hexdigest()
    assert stream.sample == text[:SAMPLE].rpartition(b"\n")[0], "whole lines"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (TABLE.replace("\n", "\r").encode(), None),  # of old Macs
        (TABLE.encode("cp1252"), "cp1252"),
        (TABLE.encode("utf-16"), None),
        (TABLE.encode("utf-16-le"), None),  # without a mark
        (TABLE.encode("utf-16-be"), "utf-16"),
        (("\ufeff" + TABLE).encode("utf-16-le"), "UTF-16LE"),  # with one
        (TABLE.encode("utf-32-le"), "utf-32"),
        (("\ufeff" + TABLE).encode(), "cp1252"),  # the mark is right
    ],
)
def test_another_encoding_is_read_where_it_is_named_or_marked(
    data: bytes, encoding: str | None
) -> None:
    write({"c.tsv": data})
    assert pairs({"path": "c.tsv", "encoding": encoding}) == PAIRS


def test_an_encoding_that_the_file_has_not_is_refused() -> None:
    write({"c.tsv": b"a\tb\n\x81\tc\n"})
    assert "c.tsv: not cp1252 at byte 4" in refusal({"path": "c.tsv", "encoding": "cp1252"})
    for name in ("klingon", "hex", "undefined"):
        with pytest.raises(ValueError, match="is no encoding that Python knows"):
            data_config({"path": "a.tsv", "encoding": name})


def test_text_is_told_from_utf16_and_from_files_of_other_programs() -> None:
    texts = ["Where is it?\n", "Où est-ce ?\r\nIci.\r\n", "Где вокзал? Там, вот он.\n" * 3,
             "駅はどこ\nあ い う\n" * 9, "PK, BZh9, GIF89a, PAR1.\n", "BM", ""]  # fmt: skip
    for text in texts:
        for encoding in ("utf-8", "utf-8-sig", "cp1252"):
            assert kind_of(text.encode(encoding, errors="replace")) is None, (text, encoding)
    assert kind_of(b"a\0b\nI see one cat.\n" * 9) is None, "a few zero bytes"
    files = {f"UTF-16 {name}": text.encode(name)
             for name in ("utf-16", "utf-16-le", "utf-16-be") for text in texts[:4]}  # fmt: skip
    files |= {"picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"}
    for name, content in files.items():
        found = kind_of(content)
        assert found, name
        assert name.split()[0] in found.name
