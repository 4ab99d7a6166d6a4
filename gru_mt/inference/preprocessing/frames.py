"""The frame of a sentence: what stands around it and is no part of it, as a bullet or a tag is."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gru_mt.data.text.normalize import LETTER, SENTENCE_END, WORD
from gru_mt.data.text.patterns import BBCODE
from gru_mt.data.tokenizer.special import ANY_PLACEHOLDER, PLACEHOLDER

_PAIRS = (  # the first opens
    '""', "''", "“”", "„“”", "«»", "»«", "‹›", "‘’", "‚‘", "()", "「」", "『』", "【】", "《》"
)  # fmt: skip
_APOSTROPHES = "'‘’‚"  # alone they may be of a word: 'tis
_IN_WORD = re.compile(r"(?<=\w)['’](?=\w)")
_QUOTES = {pair[0]: pair[1:] for pair in _PAIRS}
_CLOSING = "".join(_QUOTES.values())
_PART = re.compile(  # of a frame, with the spaces after it
    rf"""
    (?P<placeholder> {ANY_PLACEHOLDER}) (?: \s*(?P<mark>[,:–—-])\s+ | \s*)
    | (?: [-–—‒―·…]+ | \.\.+) (?: \s+ | (?=[¿¡]?{LETTER}|{ANY_PLACEHOLDER})) | (?:[»›]|[;:]+)\s+
    | [・①-⒛⓪❶-➓]\s*
    | (?: "[\w.-]{{1,60}}" | '[\w.-]{{1,60}}' ) \s*  # a key of JSON, of Python, of PHP
      (?: [:=] | {ANY_PLACEHOLDER}(?=\s*["']) ) \s*
    | [(（\[]? (?: \d{{1,3}}(?:[.:]\d{{1,3}})* | (?!M\.|[Cc]\.-à)[A-Za-z] | [ivx]{{1,5}}
      | [IVX]{{1,5}} )
      [.)）、\]]+ [-–]? (?: \s+ | (?={LETTER}(?!\.)))
    | \d{{1,3}}(?:(?:\.\d{{1,3}})+ | (?:[:h]\d\d)* \s[-–—]) \s+ (?={LETTER})
    | \d{{1,3}}[-–—] \s+ (?![a-zà-ÿ])(?={LETTER})  # 1- Buy, but not 5- to 6-year-olds
    | (?P<number> \d{{1,3}}(?:[:h]\d\d)*) (?: \s+ | (?={ANY_PLACEHOLDER}))
    | (?P<label> {LETTER}[\w.'’-]{{0,30}})
      (?: (?P<colon>:)\s+ | \s?(?P<equals>{ANY_PLACEHOLDER})\s* | \s+(?="))
    | (?P<quote> [{re.escape("".join(_QUOTES))}]) \s*
    """,
    re.VERBOSE,
)
_ENDED = re.compile(rf"[{SENTENCE_END}](?:[{_CLOSING}\s]|{ANY_PLACEHOLDER})*$")
_NOTE = re.compile(rf"(?<=[{SENTENCE_END}])\s?\(\d{{1,3}}\)$")  # "He is big. (1)"
_LONGEST_NOTE = 7  # characters, and the mark before it
_MOST_PARTS = 100  # on a side of a frame
MAIL_LABELS = ("Re", "RE", "Fw", "FW")  # of answers, and of what is forwarded
_WORDLIKE = re.compile(r"[^\W_]")
_NO_WORD = re.compile(  # tags, signs, emoji, escapes and the like, though they may have letters
    rf"{BBCODE}|\[[xX ]\]|\[/[^\[\]]*\]|</?[^<>]*>|(?:&#?\w+;)+|&lt;.*&gt;|:[\w+-]+:|\\.*|[§&]\w"
    r"|\{[\\/][^{}]*\}|\{[\w-]+=[^{}]*\}|\{%.*%\}|\{\{[#/^!].*\}\}"
    r"|\$?\[!?|\]\(.*|\.\. .*",
    re.DOTALL,
)


class _Seam(NamedTuple):
    position: int  # in the text, where a sentence may begin or end
    quote: str = ""  # the quotation mark or bracket beside it


def core(
    text: str,
    placeholders: Sequence[str | None],
    pairs: Sequence[tuple[int, int]],
    is_small: Callable[[str], bool],
) -> tuple[int, int]:
    """Return where the sentence begins and ends in a masked text with its frame.

    A frame is what stands before the sentence: placeholders, bullets, numbering, a speaker's name
    with a colon, a key with =; and the placeholders after it, and quotes or brackets around the
    whole. A placeholder that may be a word, as {name} or 1984, is of the frame where a colon
    follows, or a capital after all parts; one that is None never is. Of `pairs` a frame has both or
    none. `is_small` tells whether a word is mostly written small.

    "\\ue010 He is big.\\ue011" -> (2, 12)
    """
    starts = _starts(text, placeholders, is_small)
    ends = _ends(text, placeholders, starts[-1].position)
    while True:
        start, end = starts[-1].position, ends[-1].position
        first = len(PLACEHOLDER.findall(text[:start]))
        last = len(placeholders) - len(PLACEHOLDER.findall(text[end:]))
        torn = [(a, b) for a, b in pairs if (first <= a < last) != (first <= b < last)]
        opening, closing = ("".join(seam.quote for seam in seams) for seams in (starts, ends))
        if not torn and _are_whole(opening, closing, text[start:end]):
            break
        # Give up the innermost part of the frame, on the side that has half of a pair.
        is_left = any(a < first for a, _ in torn) or (not torn and opening)
        (starts if len(ends) == 1 or (is_left and len(starts) > 1) else ends).pop()
    has_words = any(map(str.isalpha, text[start:end]))
    return (start, end) if has_words else (0, len(text))


def _starts(
    text: str, placeholders: Sequence[str | None], is_small: Callable[[str], bool]
) -> list[_Seam]:
    """Return where the sentence may begin: at 0, or after one or more parts of a frame.

    From the first part on that may be of the sentence they count only before a capital; with a
    number among them only before a word that is capitalised as it begins a sentence.
    """
    starts, number, following = [_Seam(0)], 0, [*placeholders, ""]
    sure, has_number = 0, False  # how many starts are sure, if not all
    while len(starts) < _MOST_PARTS and (part := _PART.match(text, starts[-1].position)):
        is_of_frame = _is_of_frame(part, following[number], is_small)
        if is_of_frame is False:
            break
        sure = sure or (len(starts) if is_of_frame is None else 0)
        has_number = has_number or part["number"] is not None
        number += len(PLACEHOLDER.findall(part[0]))
        starts.append(_Seam(part.end(), part["quote"] or ""))
    word = WORD.match(text, starts[-1].position)
    begins = word and word[0][0].isupper() and (is_small(word[0]) or not has_number)
    return starts[:sure] if sure and not begins else starts


def _is_of_frame(
    part: re.Match[str], placeholder: str | None, is_small: Callable[[str], bool]
) -> bool | None:
    """Return whether a part before the sentence is one of its frame; `placeholder` is the next.

    It is None for what may be a part of the sentence: a number, a placeholder like a word, and a
    small word with a colon. The label of a speaker has a name, a key = or a quotation after it.
    """
    if part["placeholder"]:
        if placeholder is None:
            return False
        is_sure = part["mark"] or not is_wordlike(placeholder)
        return True if is_sure else None if len(part[0]) > 1 else False
    if part["number"]:
        return None
    if not (word := part["label"]):
        return True
    if part["equals"]:
        return placeholder == "="
    if part["colon"] and word[0].isupper():
        return len(word) == 1 or word in MAIL_LABELS or not is_small(word)
    if part["colon"]:
        return None if word.islower() else False
    return word.islower() and not is_small(word)


def is_wordlike(placeholder: str) -> bool:
    """Return whether a placeholder may stand for a word, as a number or {name} does."""
    return bool(_WORDLIKE.search(placeholder)) and not _NO_WORD.fullmatch(placeholder)


def _ends(text: str, placeholders: Sequence[str | None], start: int) -> list[_Seam]:
    """Return where the sentence may end: at the text's end, or before parts of a frame."""
    ends, number = [_Seam(len(text))], len(placeholders)
    while len(ends) < _MOST_PARTS and (rest := text[start : ends[-1].position].rstrip()):
        if note := _NOTE.search(rest[-_LONGEST_NOTE:]):
            ends.append(_Seam(start + len(rest) - len(note[0])))
            continue
        last, rest = rest[-1], text[: start + len(rest) - 1]
        if PLACEHOLDER.match(last):
            number -= 1
            placeholder = placeholders[number]
            if placeholder is None or (is_wordlike(placeholder) and not _ENDED.search(rest)):
                break
        elif last in ",;":
            if rest[-1:] not in _CLOSING:  # of a value
                break
        elif last in "-–—":
            if not rest[-1:].isspace():
                break
        elif last not in _CLOSING:
            break
        ends.append(_Seam(len(rest.rstrip()), last if last in _CLOSING else ""))
    return ends


def _are_whole(opening: str, closing: str, inside: str) -> bool:
    """Return whether no quotation mark or bracket of the frame has its other half elsewhere.

    It may have none, as where a quotation goes on in the next line.
    """
    if not opening and not closing:
        return True
    apostrophes = [sum(map(side.count, _APOSTROPHES)) for side in (opening, closing)]
    kinds = {mark for pair in _PAIRS for mark in pair if {*pair} & {*opening, *closing}}
    return apostrophes[0] == apostrophes[1] and kinds.isdisjoint(_IN_WORD.sub("", inside))
