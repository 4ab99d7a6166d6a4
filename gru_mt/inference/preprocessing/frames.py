"""The frame of a sentence: what stands around it and is no part of it, as a bullet or a tag is."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gru_mt.data.text.normalize import SENTENCE_END
from gru_mt.data.text.patterns import BBCODE
from gru_mt.data.tokenizer.special import ANY_PLACEHOLDER, PLACEHOLDER

_QUOTES = {
    '"': '"',
    "'": "'",
    "“": "”",
    "„": "“”",
    "«": "»",
    "‘": "’",
    "(": ")",
    "「": "」",
    "『": "』",
}
_CLOSING = "".join(_QUOTES.values())
_SPACES = re.compile(r"\s*")
_BULLET = re.compile(rf"(?:[-–—‒―·…]+|\.\.+)(?:\s+|(?=[^\W\d_]|{ANY_PLACEHOLDER}))|[»›]\s+")
_NUMBERING = re.compile(
    r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|(?!M\.)[A-Za-z]|[ivx]{1,5}|[IVX]{1,5})[.)\]]+(?:\s+|(?=[^\W\d_]))"
    r"|\d{1,3}(?:\.\d{1,3})+\s+(?=[^\W\d_])"
)
_NUMBER = re.compile(r"\d{1,3}(?::\d\d)*\s+(?=[^\W\d_])")
_KEY = re.compile(r"\"[\w.-]{1,60}\"\s*[:=]\s*")  # of JSON
_LABEL = re.compile(rf"([^\W\d_][\w.'’-]{{0,30}})(?::\s+|\s?({ANY_PLACEHOLDER})\s?|\s+(?=\"))")
_AFTER_PLACEHOLDER = re.compile(r"\s*[,:–—-]\s+|\s*")
_ENDED = re.compile(rf"[{SENTENCE_END}]['\"”’»)]*\s*$")
_WORDLIKE = re.compile(r"[^\W_]")
_NO_WORD = re.compile(  # tags, signs, emoji, escapes and the like, though they may have letters
    rf"{BBCODE}|\[[xX ]\]|\[/[^\[\]]*\]|</?[^<>]*>|&\w+;|&lt;.*&gt;|:[\w+-]+:|\\.*|[§&]\w"
    r"|\{[\\/][^{}]*\}|\{[\w-]+=[^{}]*\}|\{%.*%\}|\{\{[#/^!].*\}\}"
    r"|\$?\[!?|\]\(.*|\.\. .*",
    re.DOTALL,
)


def core(
    text: str,
    placeholders: Sequence[str | None],
    pairs: Sequence[tuple[int, int]],
    is_small: Callable[[str], bool],
) -> tuple[int, int]:
    """Return where the sentence begins and ends in a masked text with its frame.

    A frame is what stands before the sentence: placeholders, bullets, numbering, a speaker's name
    with a colon, a key with =; and the placeholders after it, and quotes or brackets around the
    whole. A placeholder that may be a word, as {name} or 1984, is of the frame where a capital or a
    colon follows; one that is None never is. Of `pairs` a frame has both or none. `is_small` tells
    whether a word is mostly written small.

    "\\ue010 He is big.\\ue011" -> (2, 12)
    """
    starts = _starts(text, placeholders, is_small)
    ends = _ends(text, placeholders, starts[-1].position)
    while True:
        start, end = starts[-1].position, ends[-1].position
        first = len(PLACEHOLDER.findall(text[:start]))
        last = len(placeholders) - len(PLACEHOLDER.findall(text[end:]))
        outside = {*range(first), *range(last, len(placeholders))}
        torn = [pair for pair in pairs if len({*pair} & outside) == 1]
        if not torn and _are_whole([seam.quote for seam in starts], ends, text[start:end]):
            break
        # Give up the innermost part of the frame, on the side that has half of a pair.
        is_left = any(a < first for a, _ in torn) or (not torn and any(s.quote for s in starts))
        (starts if len(ends) == 1 or (is_left and len(starts) > 1) else ends).pop()
    has_words = any(map(str.isalpha, text[start:end]))
    return (start, end) if has_words else (0, len(text))


class _Seam(NamedTuple):
    position: int  # in the text, where a sentence may begin or end
    quote: str = ""  # the quotation mark or bracket beside it


def _starts(
    text: str, placeholders: Sequence[str | None], is_small: Callable[[str], bool]
) -> list[_Seam]:
    """Return where the sentence may begin: at 0, or after one or more parts of a frame."""
    starts, number = [_Seam(0)], 0
    while True:
        position = starts[-1].position
        quote = ""
        if PLACEHOLDER.match(text, position):
            found = _after_placeholder(text, position, placeholders[number])
        else:
            match = (
                _BULLET.match(text, position)
                or _KEY.match(text, position)
                or _NUMBERING.match(text, position)
                or _small_after(_NUMBER.match(text, position), is_small)
                or _label(_LABEL.match(text, position), [*placeholders, ""][number], is_small)
            )
            found = match.end() if match else None
            if not match and text[position : position + 1] in _QUOTES:
                found, quote = position + 1, text[position]
        if found is None:
            return starts
        number += len(PLACEHOLDER.findall(text[position:found]))
        starts.append(_Seam(_end_of_spaces(text, found), quote))


def _end_of_spaces(text: str, position: int) -> int:
    match = _SPACES.match(text, position)
    return match.end() if match else position


def is_wordlike(placeholder: str) -> bool:
    """Return whether a placeholder may stand for a word, as a number or {name} does."""
    return bool(_WORDLIKE.search(placeholder)) and not _NO_WORD.fullmatch(placeholder)


def _after_placeholder(text: str, position: int, placeholder: str | None) -> int | None:
    """Return where a placeholder of the frame and its punctuation end; None if it is of none."""
    if placeholder is None:
        return None
    match = _AFTER_PLACEHOLDER.match(text, position + 1)
    end = match.end() if match else position + 1
    has_mark = bool(text[position + 1 : end].strip())
    if not is_wordlike(placeholder):
        return end if has_mark else position + 1
    follows = text[end : end + 1]
    return end if has_mark or (end > position + 1 and follows.isupper()) else None


def _small_after(
    match: re.Match[str] | None, is_small: Callable[[str], bool]
) -> re.Match[str] | None:
    """Return a number before a word that is capitalised only as it begins a sentence."""
    word = match and re.compile(r"\w+").match(match.string, match.end())
    return match if word and word[0][0].isupper() and is_small(word[0]) else None


def _label(
    match: re.Match[str] | None, placeholder: str | None, is_small: Callable[[str], bool]
) -> re.Match[str] | None:
    """Return a label that is copied: of a speaker, a letter, or a key before a value.

    A speaker has a name; a key is a small word before a capital, or one with = or a quotation.
    """
    if not match:
        return None
    word, follows = match[1], match.string[match.end() :].lstrip("\"'“«")[:1]
    if match[2]:
        return match if placeholder == "=" else None
    is_name = word[0].isupper() and (len(word) == 1 or not is_small(word))
    if match[0].rstrip().endswith(":"):
        return match if is_name or (word.islower() and follows.isupper()) else None
    return match if word.islower() and not is_small(word) else None


def _ends(text: str, placeholders: Sequence[str | None], start: int) -> list[_Seam]:
    """Return where the sentence may end: at the text's end, or before parts of a frame."""
    ends, number = [_Seam(len(text))], len(placeholders) - 1
    while True:
        position = len(text[: ends[-1].position].rstrip())
        if position <= start:
            return ends
        last = text[position - 1]
        if PLACEHOLDER.match(last):
            placeholder = placeholders[number]
            if placeholder is None:
                return ends
            if is_wordlike(placeholder) and not _ENDED.search(text[: position - 1]):
                return ends
            number -= 1
        elif last in ",;" and text[position - 2 : position - 1] in _CLOSING:  # after a value
            ends.append(_Seam(position - 1))
            continue
        elif last not in _CLOSING:
            return ends
        quote = last if last in _CLOSING else ""
        ends.append(_Seam(len(text[: position - 1].rstrip()), quote))


def _are_whole(before: Sequence[str], ends: Sequence[_Seam], inside: str) -> bool:
    """Return whether each quotation mark or bracket of the frame has its other half there."""
    opening, closing = [q for q in before if q], [seam.quote for seam in ends if seam.quote]
    return len(opening) == len(closing) and not any(
        right not in _QUOTES[left] or left in inside or right in inside
        for left, right in zip(opening, closing, strict=True)
    )
