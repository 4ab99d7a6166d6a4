"""Read a file as UTF-8, unpacked, piece by piece: no file is in memory as a whole."""

import bz2
import codecs
import gzip
import hashlib
import lzma
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from typing import IO

import zstandard

from gru_mt.data.corpus.detect import LOOKED_AT, UTF_16, compression, encoding_of, kind_of
from gru_mt.data.corpus.files import CorpusFile, open_archive, read_errors_as
from gru_mt.data.corpus.report import SAMPLE, Dropped, DropReason
from gru_mt.errors import UserError

MAX_LINE_BYTES = 10_000_000
PIECE = 1 << 18  # bytes that are read at a time
_NO_CORPUS = {  # by how they begin
    rb"\s*(<!doctype html|<html\b)": "a web page: was it saved in place of the file?",
    rb"\s*(<\?xml[^>]*>\s*)?<xliff\b": "XLIFF: export it as TMX, or as tab-separated text",
    rb"(#.*\n|\s)*msgid\s+\"": "a PO file: export it as TMX, or as tab-separated text",
    rb"\s*\d+\s+[\d:]+,\d{3} -->": "subtitles: write a sentence on each line, and no times",
    rb"version https://git-lfs\.": "a pointer of Git LFS: fetch the file with git lfs pull",
}
_OPEN: dict[str, Callable[[IO[bytes]], gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile]] = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}


class TextStream:
    """The text of a file in UTF-8, from its beginning to its end, once."""

    def __init__(self, pieces: Iterator[bytes], file: CorpusFile) -> None:
        """Take the text in pieces of any length; messages name `file`."""
        start, self._pieces = _peek(pieces, SAMPLE)
        if b"\r" in start and b"\n" not in start:  # lines of old Macs
            start = start.replace(b"\r", b"\n")
            self._pieces = (piece.replace(b"\r", b"\n") for piece in self._pieces)
        # The first lines, and half a line only where it is the first.
        whole = start[:SAMPLE].rpartition(b"\n")[0] if len(start) >= SAMPLE else b""
        self.file, self.sample = file, whole or start[:SAMPLE]
        self.start = self.sample.decode(errors="replace").removeprefix("\ufeff")
        self.notes: list[str] = []  # what to tell a user about how it was read
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """The digest of what has been read."""
        return self._digest.hexdigest()

    def pieces(self) -> Iterator[bytes]:
        """Yield the text in pieces that end anywhere, none of them empty."""
        for piece in filter(None, self._pieces):
            self._digest.update(piece)
            yield piece

    def lines(self) -> Iterator[str | Dropped]:
        """Yield the lines without their ends and a byte order mark, or why one is no text.

        A line feed ends a line. Raises UserError for one that is too long to be a sentence.
        """
        for number, line in enumerate(self._split(), start=1):
            if len(line) >= MAX_LINE_BYTES:
                raise UserError(
                    f"{self.file}: line {number:,} has more than {MAX_LINE_BYTES:,} bytes; a "
                    "corpus has a sentence on each line"
                )
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            try:
                yield line.decode().rstrip("\r")
            except UnicodeDecodeError:
                yield Dropped(DropReason.NOT_UTF8, line.decode(errors="replace"))

    def _split(self) -> Iterator[bytes]:
        rest = b""
        for piece in self.pieces():
            *lines, rest = (rest + piece).split(b"\n")
            yield from lines
            if len(rest) >= MAX_LINE_BYTES:
                break
        if rest:
            yield rest


@contextmanager
def open_text(
    file: CorpusFile, *, encoding: str | None = None, missing: str = ""
) -> Iterator[TextStream]:
    """Yield the text of a file in UTF-8; what is packed is unpacked while it is read.

    Raises UserError, here or at reading, where it cannot be read, or is not text in `encoding`;
    lines that are not UTF-8 are no error here. `missing` ends the message of a file not found.
    """
    packed = _unpacked(file, missing)
    try:
        start, pieces = _peek(packed, LOOKED_AT)
        if (kind := kind_of(start)) not in (None, UTF_16):
            raise UserError(f"{file}: is {kind.name}: {kind.corpus_fix}")
        for beginning, what in _NO_CORPUS.items():
            if re.match(beginning, start.removeprefix(codecs.BOM_UTF8), re.IGNORECASE):
                raise UserError(f"{file}: is {what}")
        yield TextStream(_as_utf8(pieces, encoding_of(start, encoding, file), file), file)
    finally:
        packed.close()


def _peek(pieces: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """Return the first `size` bytes or more, as far as there are such; and all pieces."""
    start = b""
    for piece in pieces:
        start += piece
        if len(start) >= size:
            break
    return start, chain([start], pieces)


def _unpacked(file: CorpusFile, missing: str) -> Generator[bytes, None, None]:
    path = file.path
    with read_errors_as(path, missing), ExitStack() as stack:
        if path.exists() and not path.is_file():
            raise UserError(
                f"{file}: not a regular file; a run reads its corpus again when it resumes"
            )
        packed: IO[bytes] = stack.enter_context(path.open("rb"))
        if file.member:
            packed = stack.enter_context(open_archive(path).open(file.member))
        kind = kind_of(packed.peek(16))  # type: ignore[attr-defined]  # as both kinds have it
        ending = compression(file.member or path.name) or (kind.compression if kind else "")
        if ending == ".zst":
            yield from _unpacked_zstd(packed)
            return
        opened = stack.enter_context(_OPEN[ending](packed)) if ending else packed
        yield from iter(partial(opened.read, PIECE), b"")


def _unpacked_zstd(file: IO[bytes]) -> Iterator[bytes]:
    """Yield what all frames hold; EOFError where one is cut, which zstandard's reader hides."""
    frame = None
    for packed in iter(partial(file.read, 1 << 12), b""):  # which may hold 128 MB
        while packed:
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            yield frame.decompress(packed)
            packed = frame.unused_data
            if frame.eof:
                frame = None
    if frame:
        raise EOFError("it ends early")


def _as_utf8(pieces: Iterator[bytes], encoding: str, file: CorpusFile) -> Iterator[bytes]:
    if encoding == "utf-8":
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    done = 0  # bytes before this piece
    for piece in chain(filter(None, pieces), [b""]):  # the last is the end
        waiting = len(decoder.getstate()[0])
        try:
            text = decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            at = f"byte {done - waiting + error.start:,}"
            raise UserError(f"{file}: not {encoding} at {at}: {error.reason}") from None
        yield text.encode(errors="surrogatepass")  # half a pair is no UTF-8: its line is dropped
        done += len(piece)
