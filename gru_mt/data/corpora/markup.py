"""The lines of one side: plain ones, or those that SGML of WMT and files of IWSLT hold in tags."""

import html
import re
from collections.abc import Iterator

from gru_mt.data.corpora.reading import TextStream
from gru_mt.data.corpora.rows import Dropped, DropReason
from gru_mt.data.corpora.table import text_lines
from gru_mt.errors import UserError

_SEGMENT = re.compile(r"<seg\b[^>]*>(.*?)</seg\s*>", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(r"<seg\b", re.IGNORECASE)
_ABOUT = (
    "url|keywords|speaker|talkid|title|description|reviewer|translator|doc|mteval|srcset|refset"
    "|tstset|dataset|collection|content|body|transcript"
)  # elements beside the sentences
_MARKUP = re.compile(rf"\s*(<[?!]|</?({_ABOUT})\b)", re.IGNORECASE)
_BOTH = re.compile(r"<src\b.*<(ref|hyp)\b", re.DOTALL | re.IGNORECASE)  # WMT's files since 2021


def is_markup(text: TextStream) -> bool:
    """Return whether a file begins with markup and not with a sentence."""
    start = text.beginning().decode(errors="replace").lstrip("\ufeff \t\r\n")
    return bool(_MARKUP.match(start)) or _OPEN.match(start) is not None


def side_lines(text: TextStream) -> Iterator[str | Dropped]:
    """Yield each sentence of a file in one language, or why a line has none.

    Raises UserError for markup that has no segments, or those of several languages.
    """
    if not is_markup(text):
        yield from text_lines(text)
        return
    start = text.beginning().decode(errors="replace")
    if _BOTH.search(start):
        raise UserError(f"{text.place}: has several languages; write each into a file of its own")
    if _OPEN.search(start):
        yield from _segments(text)
        return
    if re.match(r"\s*<[?!]", start.lstrip("\ufeff")):
        raise UserError(f"{text.place}: is XML without <seg>: save it as plain text, or as TMX")
    for line in text_lines(text):
        is_about = isinstance(line, str) and _MARKUP.match(line)
        yield Dropped(DropReason.MARKUP, str(line)) if is_about else line


def _segments(text: TextStream) -> Iterator[str | Dropped]:
    rest = ""
    for line in text_lines(text):
        if isinstance(line, Dropped):
            raise UserError(f"{text.place}: not UTF-8: set encoding")
        rest += line + "\n"
        end = 0
        for match in _SEGMENT.finditer(rest):
            end = match.end()
            yield html.unescape(match[1]).strip()
        begun = _OPEN.search(rest, end)
        rest = rest[begun.start() :] if begun else ""
    if rest:
        raise UserError(f"{text.place}: ends within a <seg>")
