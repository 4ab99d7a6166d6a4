"""From the bytes of a file to UTF-8 with a line feed at the end of each line."""

import codecs
import re
from collections.abc import Iterator
from itertools import chain

from gru_mt.config.fields import known_encoding
from gru_mt.data.corpus.signatures import LOOKED_AT, is_utf16, marked_encoding
from gru_mt.errors import UserError, short_repr

_DECLARED = re.compile(rb"""\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([^"']{1,40})["']""")
_BEFORE_XML = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"  # marks, spaces, and the zeros of UTF-16
_COMMON = "\t\n\r <>"  # characters that text has in every language


def encoding_of(start: bytes, asked: str | None, place: object) -> str:
    """Return the encoding of a file by its beginning; None of `asked` is UTF-8.

    A byte order mark tells it for certain; then what a user asks for; then what XML declares.
    Raises UserError for UTF-16 that nobody named.
    """
    marked = marked_encoding(start)
    if asked is None and start.lstrip(_BEFORE_XML).startswith(b"<"):
        return marked or _order(_declared(start, place), start)
    if asked is None and (marked.startswith("utf-16") or is_utf16(start)):
        raise UserError(f"{place}: looks like UTF-16: set encoding: utf-16")
    return marked or _order(asked or "utf-8", start)


def recoded(pieces: Iterator[bytes], encoding: str, place: object) -> Iterator[bytes]:
    """Yield text in an encoding as UTF-8. Raises UserError where it is not in that encoding."""
    if encoding == "utf-8":
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    done = 0  # bytes before this piece
    for piece in chain(pieces, [b""]):
        waiting = len(decoder.getstate()[0])
        try:
            text = decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            raise UserError(
                f"{place}: not {encoding} at byte {done - waiting + error.start:,}: {error.reason}"
            ) from None
        except UnicodeError as error:
            raise UserError(f"{place}: not {encoding}: {error}") from None
        yield text.encode(errors="surrogatepass")  # half a pair is no UTF-8: its line is dropped
        done += len(piece)


def with_line_feeds(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield UTF-8 with line feeds where each line ends in a carriage return alone (old Macs)."""
    start = b""
    while len(start) < LOOKED_AT and (piece := next(pieces, b"")):
        start += piece
    is_old = b"\r" in start and b"\n" not in start
    for piece in chain([start] if start else [], pieces):
        yield piece.replace(b"\r", b"\n") if is_old else piece


def _declared(start: bytes, place: object) -> str:
    """Return the encoding that XML declares for itself, and else UTF-8.

    A declaration that can be read as ASCII is not in UTF-16, whatever it says.
    """
    match = _DECLARED.match(start.removeprefix(codecs.BOM_UTF8))
    if not match:
        return "utf-16" if is_utf16(start) else "utf-8"
    name = match[1].decode(errors="replace")
    try:
        known = codecs.lookup(known_encoding(name)).name
    except ValueError:
        raise UserError(
            f"{place}: declares the encoding {short_repr(name)}, which nobody knows: set encoding"
        ) from None
    return "utf-8" if known.startswith(("utf-8", "utf-16", "utf-32")) else known


def _order(encoding: str, start: bytes) -> str:
    """Return UTF-16 or UTF-32 with the order of its bytes; another encoding as it is."""
    name = codecs.lookup(encoding).name
    if name not in ("utf-16", "utf-32"):
        return encoding
    return max(
        (f"{name}-le", f"{name}-be"),
        key=lambda each: sum(map(start.decode(each, errors="ignore").count, _COMMON)),
    )
