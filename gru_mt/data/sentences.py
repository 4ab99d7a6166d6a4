"""Cut a line into its sentences."""

import re

from gru_mt.data.corpora.header import language_code
from gru_mt.data.special import LITERALS

_LETTER = re.compile(rf"(?![{LITERALS[0]}-{LITERALS[-1]}])[^\W\d_]")
_MARKER = re.compile(r"\s*+(?:[(\[]?(?:\d{1,3}|[A-Za-z])[.)\]]+|[-*•·–—])\s*")  # 2. or (a) or -
_TITLE = re.compile(r"(?<!\w)(?:M|MM|Mr|Mrs|Ms|Mmes?|Mlles?|Dr|Pr|Prof|Mgr|St|Ste)\.\s*+$")
_FIRST = re.compile(r"\s*+(\d{1,3})\.\s")
_LAST = re.compile(r"(?<![\w.,])(\d{1,3})\.\s++$")
_TAIL = 20  # characters that show how a sentence ends


def pieces(text: str, language: str) -> list[str]:
    """Return what sentencex makes of `text`, or of one as long that it does not stop at."""
    from sentencex import segment  # only a translation needs it

    text = re.sub(r"\s", " ", text)  # it fails at a space of several bytes after an initial,
    text = re.sub(r"[\ud800-\udfff]", "\ufffd", text)  # and at what is no UTF-8
    return segment(language_code(language), text)  # type: ignore[no-any-return]


def cut(text: str, language: str) -> list[str]:
    """Return the sentences of a line, whose sum is `text`; none for "".

    A sentence keeps the space after it, and the first one that before it. `language` is a code or
    an English name; an unknown one is cut like English.

    "Hi! Mr. X is in. 1. Go" -> ["Hi! ", "Mr. X is in. ", "1. Go"]
    """
    seams, end = [0], 0
    for piece in pieces(text, language):
        start, end = end, end + len(piece)
        last, part = text[max(seams[-1], start - _TAIL) : start], text[start:end]
        goes_on = not last.strip() or _MARKER.fullmatch(last) or _TITLE.search(last)
        if not goes_on and (_LETTER.search(part) or _MARKER.fullmatch(part)):
            seams.append(start)
    if len(seams) > 1 and _MARKER.fullmatch(text, seams[-1]):
        seams.pop()  # a marker of nothing
    for i in range(1, len(seams)):  # "1. Milk 2. " + "Eggs": the 2 is of what comes
        marker = _FIRST.match(text, seams[i - 1])
        ending = _LAST.search(text, max(seams[i - 1], seams[i] - _TAIL), seams[i])
        if marker and ending and int(ending[1]) == int(marker[1]) + 1:
            seams[i] = ending.start()
    return [text[i:j] for i, j in zip(seams, [*seams[1:], len(text)], strict=True) if j]
