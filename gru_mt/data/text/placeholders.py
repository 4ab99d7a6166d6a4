"""Replace what a translation copies by placeholder tokens, and put it back.

It copies what `patterns` matches, and signs that training hardly saw.
"""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle
from typing import NamedTuple

from gru_mt.data.text.normalize import IN_WORD, SPACELESS, WORD
from gru_mt.data.text.patterns import CLOCK, CODE, MONEY, OTHERS, SIGNS, formats
from gru_mt.data.tokenizer.special import ANY_PLACEHOLDER, PLACEHOLDER, PLACEHOLDER_TOKENS

_CHUNK = re.compile(  # but "big.|5" is of two cells, and "5|He is" too
    rf"(?:(?!{ANY_PLACEHOLDER}|(?<=[.!?…])\||\|[A-Z][a-z]*\s[a-z])\S)+|\|"
)
_SIGNS = re.compile(rf"\}}|(?:(?!\}})[{SIGNS}])+")  # each } closes a { of its own
_OUTER = "\"'“”„‘’«»(),.;:!?…"  # marks of a sentence around a word
# A superscript or a fraction, if it is one of SIGNS; but after punctuation it is of a footnote.
_NUMERIC = re.compile(r"(?<![.,;:!?\"'”’»)])[^\W\d_]")
_UNIT = re.compile(  # 3D, 5kW, 1e-5, 2x4, 5 pm, 3 m: known from "I'm", but as no unit
    r"(?!\d[AP]M$)\d(?:[a-zµ]?[A-Z]|e-\d)|\d[^\W\d_]+\W?\d|\d\s(?:[apAP]\.?\s?[mM]\.?|[mgls])$"
)
_TRIGGERS = re.compile(  # all that is copied has some of it, and most sentences do not
    rf"[^\s{IN_WORD},.!?'\"’“”„«»()…:;。，！？、–-]|[\d_\ufe0f]|[.:;(][^\s.]|[xX]D"
    r"|[IVXLCDM]{2}|[a-z][A-Z]|\s-|\u00b2|\u00b3|\u00b9|[\u00bc-\u00be\u2070-\u2189]"
    r"|(?:SELECT|UPDATE|INSERT|DELETE|CREATE|import)\s|[a-f]{8}|\.{5}"
)


class Span(NamedTuple):
    """A part of a text: from character `start` to the one before `end`."""

    start: int
    end: int
    text: str  # what a translation has in its place


class Masked(NamedTuple):
    """A text without its spans, and what stood there."""

    text: str  # with a character of PLACEHOLDER_TOKENS in place of each span
    placeholders: tuple[str, ...]  # placeholder i stands where PLACEHOLDER_TOKENS[i % 8] does


def disjoint(spans: Iterable[Span]) -> list[Span]:
    """Return `spans`, ascending, less those that a longer one overlaps, or an equal one before."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        index = bisect(kept, span)
        if (index == 0 or kept[index - 1].end <= span.start) and (
            index == len(kept) or span.end <= kept[index].start
        ):
            kept.insert(index, span)
    return kept


def mask(text: str, spans: Sequence[Span]) -> Masked:
    """Return `text` with a placeholder token for each of `spans`: ascending, disjoint.

    "a@b.org or c@d.org" -> "\\ue010 or \\ue011"; the ninth is "\\ue010" again.
    """
    parts: list[str] = []
    end = 0
    for span, token in zip(spans, cycle(PLACEHOLDER_TOKENS), strict=False):
        parts += text[end : span.start], token
        end = span.end
    return Masked("".join([*parts, text[end:]]), tuple(span.text for span in spans))


def placeholder_indices(text: str) -> list[int]:
    """Return which placeholder each token in `text` stands for.

    The j-th PLACEHOLDER_TOKENS[k], from 0, stands for placeholder k + 8 j.
    """
    seen: Counter[str] = Counter()
    indices = []
    for token in PLACEHOLDER.findall(text):
        indices.append(PLACEHOLDER_TOKENS.index(token) + len(PLACEHOLDER_TOKENS) * seen[token])
        seen[token] += 1
    return indices


def restore(text: str, placeholders: Sequence[str]) -> str:
    """Return `text` with its placeholders in place of tokens; a token without one stays."""
    indices = iter(placeholder_indices(text))

    def put(match: re.Match[str]) -> str:
        index = next(indices)
        return placeholders[index] if index < len(placeholders) else match[0]

    return PLACEHOLDER.sub(put, text)


def find_placeholders(text: str, knows: Callable[[str], bool] | None = None) -> list[Span]:
    """Return what a translation of `text` copies, ascending: addresses, code, long numbers, emoji.

    Of numbers, and of words with digits, it is those with three digits or more, prices and
    percentages, and words that begin with a letter, as A4, or that have letters that no training
    sentence `knows`, as 5pm; but no clock time: "Call 555-1234 at 10:30" -> [Span(5, 13,
    "555-1234")]. Signs are copied too, and with them a word that they join: r/ab, but only the / of
    "he/she", if all parts are known.
    """
    if not _TRIGGERS.search(text):
        return []
    if CODE.fullmatch(text):
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        return [Span(start, end, text[start:end])]
    is_all_caps = text == text.upper()
    spans = [
        Span(*match.span(), match[0])
        for match in formats(plain=not OTHERS.search(text)).finditer(text)
        if not (is_all_caps and match["roman"])
        and not (match["digits"] and _is_models(match[0], knows, is_all_caps=is_all_caps))
    ]
    if not _SIGNS.search(text):
        return spans
    rest = list(text)
    for start, end, _ in spans:
        rest[start:end] = PLACEHOLDER_TOKENS[0] * (end - start)
    for chunk in _CHUNK.finditer("".join(rest)):
        for first, last in _with_signs(chunk[0], knows):
            start, end = chunk.start() + first, chunk.start() + last
            spans.append(Span(start, end, text[start:end]))
    return sorted(spans)


def _is_models(found: str, knows: Callable[[str], bool] | None, *, is_all_caps: bool) -> bool:
    """Return whether a number, or a word with digits, is left to the model: 5th, but not 16GB."""
    digits = sum(map(str.isdecimal, found))
    if digits and knows and not all(map(knows, WORD.findall(found))):
        return False
    has_unit = not is_all_caps and _UNIT.search(found)
    is_few = digits < (1 if found[0].isalpha() or has_unit else 3) and not MONEY.search(found)
    return is_few or CLOCK.fullmatch(found) is not None


def _with_signs(chunk: str, knows: Callable[[str], bool] | None) -> Iterator[tuple[int, int]]:
    """Yield where what is copied of some characters without a space begins and ends."""
    signs = [match.span() for match in _SIGNS.finditer(chunk)]
    if not signs:
        return
    found, has_digits = WORD.findall(chunk), any(map(str.isdigit, chunk))
    if not found and not has_digits:
        yield 0, len(chunk.rstrip(".,;:!?")) or len(chunk)
        return
    if SPACELESS.search(chunk):  # it may be a whole sentence
        yield from signs
        return
    first, last = len(chunk) - len(chunk.lstrip(_OUTER)), len(chunk.rstrip(_OUTER))
    left = signs[0][1] if signs[0][0] == first else first
    right = signs[-1][0] if signs[-1][1] == last else last
    if any(left <= a and b <= right for a, b in signs):  # they join words
        parts_known = knows is not None and all(len(word) > 1 and knows(word) for word in found)
        is_whole = has_digits or not parts_known or "@" in chunk
    else:  # C#, ^d+$ and /ɪ/, but *a* and *so*
        is_short = right < last and all(len(word) == 1 for word in found)
        is_whole = is_short and chunk[first:left] != chunk[right:last]
        is_whole = is_whole or (knows is not None and not any(map(knows, found)))
    if is_whole or any(_NUMERIC.match(chunk, a) for a, _ in signs):
        yield first, last
    else:
        yield from signs


def mask_pair(source: str, target: str) -> tuple[str, str]:
    """Return two sides with those placeholders masked that both have, each as often in both."""
    sides = [find_placeholders(source), find_placeholders(target)]
    if not all(sides):
        return source, target
    first, second = (Counter(span.text for span in side) for side in sides)
    sides = [[span for span in side if first[span.text] == second[span.text]] for side in sides]
    tokens: dict[str, list[str]] = {}
    for span, token in zip(sides[0], cycle(PLACEHOLDER_TOKENS), strict=False):
        tokens.setdefault(span.text, []).append(token)
    for start, end, text in reversed(sides[1]):
        target = target[:start] + tokens[text].pop() + target[end:]
    return mask(source, sides[0]).text, target
