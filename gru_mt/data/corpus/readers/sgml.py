"""The lines of one side: plain ones, or those that SGML of WMT and files of IWSLT hold in tags."""

import re
from collections.abc import Iterable, Iterator, Sequence

from gru_mt.data.corpus.report import Dropped, DropReason
from gru_mt.data.corpus.text_stream import TextStream
from gru_mt.data.text.normalize import unescaped
from gru_mt.errors import UserError, short_repr

_SEGMENT = re.compile(r"<seg\b[^>]*>((?:(?!<seg\b).)*?)</seg\s*>", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(r"<seg\b", re.IGNORECASE)
_TAG, _LONGEST_TAG = re.compile(r"</?seg\b", re.IGNORECASE), 20
_ABOUT = (
    "url|keywords|speaker|talkid|title|description|reviewer|translator|doc|mteval|srcset|refset"
    "|tstset|dataset|collection|content|body|transcript"
)  # elements beside the sentences
_MARKUP = re.compile(rf"\s*(<[?!]|</?({_ABOUT})\b)", re.IGNORECASE)
_BEGINNING = re.compile(rf"\ufeff?(?:{_MARKUP.pattern}|\s*<seg\b)", re.IGNORECASE)
_BOTH = re.compile(r"<src\b.*<(ref|hyp)\b", re.DOTALL | re.IGNORECASE)  # WMT's files since 2021


def begins_markup(start: str) -> bool:
    """Return whether text begins with a tag of SGML, of IWSLT's files or of XML."""
    return _BEGINNING.match(start) is not None


def side_lines(text: TextStream) -> Iterator[str | Dropped]:
    """Yield each sentence of a file in one language, or why a line has none.

    Raises UserError for markup that has no segments, or those of several languages.
    """
    is_markup = begins_markup(text.start)
    return _sentences(text.lines(), text.start, text.file) if is_markup else text.lines()


def read_segments(lines: Sequence[str], file: object) -> list[str]:
    """Return the sentences in lines that begin with markup; errors are those of `side_lines`."""
    found = _sentences(lines, "\n".join(lines), file)
    return [line for line in found if isinstance(line, str)]


def _sentences(lines: Iterable[str | Dropped], start: str, file: object) -> Iterator[str | Dropped]:
    if _BOTH.search(start):
        raise UserError(f"{file}: has several languages; write each into a file of its own")
    if _OPEN.search(start):
        yield from _segments(lines, file)
        return
    if re.match(r"\s*<[?!]", start):
        raise UserError(f"{file}: is XML without <seg>: save it as plain text, or as TMX")
    for line in lines:
        is_about = isinstance(line, str) and _MARKUP.match(line)
        yield Dropped(DropReason.MARKUP, str(line)) if is_about else line


def _segments(lines: Iterable[str | Dropped], file: object) -> Iterator[str]:
    rest = ""
    for line in lines:
        if isinstance(line, Dropped):
            raise UserError(f"{file}: not UTF-8: set encoding")
        before = len(rest)
        rest += line + "\n"
        if before and not _TAG.search(rest, max(0, before - _LONGEST_TAG)):
            continue  # within a segment
        end = 0
        for match in _SEGMENT.finditer(rest):
            if _OPEN.search(rest, end, match.start()):
                break
            end = match.end()
            yield unescaped(match[1]).strip()
        begun = _OPEN.search(rest, end)
        rest = rest[begun.start() :] if begun else ""
        if _OPEN.search(rest, 1):
            raise UserError(f"{file}: a <seg> has no end, </seg>: {short_repr(rest)}")
    if rest:
        raise UserError(f"{file}: ends within a <seg>")
