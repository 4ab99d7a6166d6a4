"""Read a file as UTF-8, unpacked, piece by piece: no file is in memory as a whole.

A file that is damaged or of another kind is refused with what to do about it, at once or when the
reading comes to the damage.
"""

import bz2
import codecs
import errno
import gzip
import hashlib
import io
import lzma
import os
import re
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO

import zstandard

from gru_mt.data.corpus.encodings import encoding_of, recoded, with_line_feeds
from gru_mt.data.corpus.files import DAMAGE, CorpusFile, damaged, open_archive
from gru_mt.data.corpus.report import SAMPLE
from gru_mt.data.corpus.signatures import LOOKED_AT, UTF_16, kind_of, packing
from gru_mt.errors import UserError, short_text

MAX_LINE_BYTES = 10_000_000
_PIECE = 1 << 20  # bytes that are read at a time
_WEB_PAGE = re.compile(rb"\s*(<!doctype html|<html\b)", re.IGNORECASE)
_START = 16  # bytes that tell how a file is packed
_OPEN: dict[str, Callable[[IO[bytes]], gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile]] = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}


class TextStream(io.RawIOBase):
    """The text of a file, from its beginning to its end, once."""

    def __init__(
        self, pieces: Iterator[bytes], place: CorpusFile, share: Callable[[], float] = float
    ) -> None:
        """Take the text in pieces of any length; messages call it `place`.

        `share` tells how much of the file was read so far, from 0 to 1.
        """
        self._pieces, self._left, self.place = pieces, memoryview(b""), place
        self.share = share
        self._digest, self.sample = hashlib.sha256(), b""
        self.notes: list[str] = []  # what to tell a user about how it was read

    @property
    def sha256(self) -> str:
        """The digest of what has been read."""
        return self._digest.hexdigest()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read some bytes into `buffer`; return how many, 0 at the end."""
        while not self._left:
            if (piece := self._next()) is None:
                return 0
            self._left = memoryview(piece)
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size

    def _next(self) -> bytes | None:
        piece = next(self._pieces, None)
        if piece is not None:
            self._digest.update(piece)
            self.sample += piece[: SAMPLE - len(self.sample)]
        return piece

    def beginning(self) -> bytes:
        """Return the first SAMPLE bytes of a text of which nothing was read; they stay to read."""
        pieces = [bytes(self._left)]
        while len(self.sample) < SAMPLE and (piece := self._next()) is not None:
            pieces.append(piece)
        self._left = memoryview(b"".join(pieces))
        return self.sample

    def lines(self) -> Iterator[bytes]:
        """Yield the lines, without a byte order mark; only a line feed ends a line.

        Raises UserError for one that is too long to be a sentence.
        """
        buffered = io.BufferedReader(self, _PIECE)
        read = partial(buffered.readline, MAX_LINE_BYTES + 1)
        first = read().removeprefix(codecs.BOM_UTF8)
        for number, line in enumerate(chain([first] if first else [], iter(read, b"")), start=1):
            if len(line) > MAX_LINE_BYTES:
                raise UserError(
                    f"{self.place}: line {number:,} has more than {MAX_LINE_BYTES:,} bytes; a "
                    "corpus has a sentence on each line"
                )
            yield line


@contextmanager
def open_text(
    place: CorpusFile, *, encoding: str | None = None, missing: str = ""
) -> Iterator[TextStream]:
    """Yield the text of a file in UTF-8; what is packed is unpacked while it is read.

    Raises UserError, here or at reading, where it cannot be read, or is not text in `encoding`;
    lines that are not UTF-8 are no error here. `missing` ends the message of a file not found.
    """
    read = [0.0]
    pieces = _unpacked(place, missing, read)
    try:
        start = b""
        while len(start) < LOOKED_AT and (piece := next(pieces, b"")):
            start += piece
        if (kind := kind_of(start)) not in (None, UTF_16):
            raise UserError(f"{place}: is {kind.name}: {kind.corpus_fix}")
        if _WEB_PAGE.match(start):
            raise UserError(f"{place}: is a web page: was it saved in place of the file?")
        known = encoding_of(start, encoding, place)
        text = recoded(chain([start] if start else [], pieces), known, place)
        yield TextStream(with_line_feeds(text), place, lambda: read[0])
    finally:
        pieces.close()


def _unpacked(place: CorpusFile, missing: str, read: list[float]) -> Generator[bytes, None, None]:
    """Yield what is in a file, some megabytes at a time; `read` gets the share that was read."""
    path = place.path
    try:
        if not _is_regular(path):
            raise UserError(
                f"{short_text(path)}: not a regular file; a run reads its corpus again when it "
                "resumes"
            )
        with path.open("rb") as file, ExitStack() as stack:
            packed: IO[bytes] = file
            start, size = file.peek(_START), os.fstat(file.fileno()).st_size
            if place.member:
                archive = open_archive(path)
                packed = stack.enter_context(archive.open(place.member))
                start = packed.peek(_START)  # type: ignore[attr-defined]  # it is a ZipExtFile
                size = archive.getinfo(place.member).file_size
            kind = kind_of(start)
            named = packing(place.member or path.name)
            for piece in _pieces(packed, named or (kind.packing if kind else "")):
                read[0] = packed.tell() / max(1, size)
                yield piece
    except FileNotFoundError:
        where = "" if path.is_absolute() else f" in {short_text(Path.cwd())}"
        raise UserError(f"{short_text(path)}: no such file{where}{missing}") from None
    except OSError as error:
        if error.errno in (None, errno.EINVAL):  # None: gzip, bz2; EINVAL: a bad zip's offset
            raise damaged(path, error) from None
        raise UserError(f"{short_text(path)}: cannot be read: {error.strerror}") from None
    except DAMAGE as error:
        raise damaged(path, error) from None
    except RuntimeError as error:  # zipfile: it needs a password, or the compression is unknown
        raise UserError(f"{short_text(path)}: cannot be unpacked: {short_text(error)}") from None


def _pieces(file: IO[bytes], packed: str) -> Iterator[bytes]:
    if packed == ".zst":
        yield from _unpacked_zst(file)
        return
    with ExitStack() as stack:
        plain = stack.enter_context(_OPEN[packed](file)) if packed else file
        yield from iter(partial(plain.read, _PIECE), b"")


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
        raise UserError(f"{short_text(path)}: no path: {error}") from None
