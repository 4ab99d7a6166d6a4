"""Which lines of a corpus become pairs, as far as that can be decided within a chunk.

Shapes: N lines of a chunk, M of them that give pairs.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gru_mt.config.data import DataConfig
from gru_mt.data.corpus.languages import main_scripts, script_counts
from gru_mt.data.corpus.report import Dropped, DropReason, Row
from gru_mt.data.dataset.components import bucket, digests, key
from gru_mt.data.text.normalize import CONTROL, clean, count_words, spaced

_NUMBER, _DIGIT = re.compile(r"\d+"), re.compile(r"\d")
MAX_CHARACTERS = 25  # of a side, for each word that data.max_words allows
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\dA-Fa-f]{1,6}|[A-Za-z][A-Za-z\d]{1,31});")  # of HTML
# UTF-8 as Latin-1 or Windows-1252 shows it: "Ã©" for "é", "Ð¿" for "п", "â€™" for "’". What also
# ends a word in capitals is left out, as in «SÃO JOSÉ» and ”HYVÄ”.
_TRAIL = "[\x80-\x84\x86-\xaa\xac-\xba\xbc-\xbfŒœŠšŽžŸƒˆ˜†‡‰€™]"
_MOJIBAKE = re.compile(rf"[Â-ÅÎ-Ñ×-Û]{_TRAIL}|[à-ï]{_TRAIL}{{2}}|â€[œ™¦˜“”\x9d]")
SHOWN, _MAX_EXAMPLE = 3, 80  # lines shown of those dropped for a reason, characters of each

METADATA = np.dtype(  # of a pair
    [
        ("line", np.int64),
        ("digest", np.uint64, 2),  # two pairs with the same one are the same
        ("first_key", np.uint64, 2),  # the digest of the `key` of a side
        ("second_key", np.uint64, 2),
        ("bucket", np.uint16),  # of the first side as it was written: it decides the split
        ("is_same", np.bool_),  # its sides are equal
        ("is_tatoeba", np.bool_),  # its attribution names Tatoeba
        ("is_other", np.bool_),  # its attribution names somebody else
        ("has_entity", np.bool_),  # a side has an HTML entity
    ]
)
KEYS = "first_key", "second_key"


class FilteredChunk(NamedTuple):
    """What becomes of N lines."""

    lines: int
    dropped: list[tuple[DropReason, int, str]]  # by index in N, each with its beginning
    sides: tuple[Sequence[str], Sequence[str]]  # of M pairs
    metadata_M: npt.NDArray[np.void]  # METADATA; the first line of the chunk has the number 0


def filter_chunk(config: DataConfig, sides: Sequence[int], rows: Sequence[Row]) -> FilteredChunk:
    """Return what becomes of a chunk's rows; only `sides` of the corpus have text."""
    dropped: list[tuple[DropReason, int, str]] = []
    kept: list[tuple[int, str, str, str, int]] = []
    for index, row in enumerate(rows):
        if isinstance(row, Dropped):
            reason, text = row
        else:
            first, second, attribution = map(clean, row)
            is_mojibake = any(map(_is_mojibake, row[:2]))
            found = DropReason.MOJIBAKE if is_mojibake else _reason(first, second, config, sides)
            if found is None:
                kept.append((index, first, second, attribution, bucket(spaced(row[0]))))
                continue
            reason, text = found, example(first, second)
        shown = text[:_MAX_EXAMPLE].strip().encode(errors="backslashreplace").decode()
        dropped.append((reason, index, shown))
    indices, firsts, seconds, attributions, buckets = zip(*kept, strict=True) if kept else [()] * 5
    metadata_M = np.empty(len(kept), METADATA)
    metadata_M["line"] = indices
    pairs = [*zip(firsts, seconds, strict=True)]
    metadata_M["digest"] = digests(map("\n".join, pairs))
    for name, side in zip(KEYS, (firsts, seconds), strict=True):
        metadata_M[name] = digests(map(key, side))
    metadata_M["bucket"] = buckets
    metadata_M["is_same"] = [first == second for first, second in pairs]
    metadata_M["is_tatoeba"] = ["tatoeba.org" in text for text in attributions]
    metadata_M["is_other"] = [bool(text) and "tatoeba.org" not in text for text in attributions]
    metadata_M["has_entity"] = [ENTITY.search(" ".join(pair)) is not None for pair in pairs]
    return FilteredChunk(len(rows), dropped, (firsts, seconds), metadata_M)


def _is_mojibake(text: str) -> bool:
    return not text.isascii() and _MOJIBAKE.search(text) is not None


def example(first: str, second: str) -> str:
    """Return the beginning of a pair that was dropped."""
    return f"{first[:_MAX_EXAMPLE]} | {second}"[:_MAX_EXAMPLE].strip()


def _reason(first: str, second: str, config: DataConfig, sides: Sequence[int]) -> DropReason | None:
    """Return why a pair of cleaned sides is dropped, whatever the others are; None if it is not."""
    if CONTROL.search(first) or CONTROL.search(second):
        return DropReason.CONTROL
    texts = [(first, second)[side] for side in sides]
    if not all(texts):
        return DropReason.EMPTY
    if max(map(len, texts)) > MAX_CHARACTERS * config.max_words:
        return DropReason.TOO_LONG
    words = [*map(count_words, texts)]
    if max(words) > config.max_words:
        return DropReason.TOO_LONG
    if max(words) > config.max_ratio * min(words):
        return DropReason.RATIO
    return filter_pair(first, second, config.filters) if len(sides) > 1 else None


def filter_pair(first: str, second: str, filters: Sequence[str]) -> DropReason | None:
    """Return why one of `filters` drops a pair by itself; None if none does."""
    if "copies" in filters and first.lower() == second.lower():
        return DropReason.COPY
    if "digits" in filters and _numbers(first) != _numbers(second):
        return DropReason.DIGITS
    return None


def _numbers(text: str) -> list[str]:
    """Return the numbers of a text, in whatever digits: "06" and "۶" are "6"."""
    if not text.isascii():
        text = _DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), text)
    return sorted(number.lstrip("0") for number in _NUMBER.findall(text))


def rows_in_other_scripts(texts: Iterable[str]) -> list[int]:
    """Return the rows of texts that are mostly in scripts that few of all letters have.

    `texts` are gone through twice.
    """
    total = Counter[str]()
    for text in texts:
        total.update(script_counts(text))
    usual = main_scripts(total)
    return [
        row
        for row, counts in enumerate(map(script_counts, texts))
        if 2 * sum(counts[name] for name in usual) < counts.total()
    ]
