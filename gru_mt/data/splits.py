"""A split without leaks: pairs that share a sentence, but for case and punctuation, stay together.

The split depends on the pairs alone, so scores on dev and test can be compared between seeds,
machines, versions and directions of translation. Dev and test do not grow with a large corpus: see
`capped`.

Shapes: N pairs, K columns, M pairs of a split.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gru_mt.data.dataset.store import Digests, Ints, digests
from gru_mt.data.text.normalize import IN_WORD
from gru_mt.data.types import Example, Pair

_SEPARATORS = re.compile(rf"(?:[^{IN_WORD}]|_)+")
_MAY_BE_MARK = re.compile("[\u0300-\u036f\u0483-\u0489\u0591-\u1dff\u200c\u200d\u20d0-\U0010ffff]")
_PLAIN_SEPARATORS = re.compile(r"[\W_]+")  # the same where no mark is, in a third of the time
_VARIANTS = re.compile("[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]")  # how a sign is drawn
DEV, TEST, TRAIN = range(3)
_FIRST_BUCKETS = (0, 10, 30)  # of dev, test and train
_BUCKETS = 1000
MOST_SOURCES = 3_000  # different first sides in dev, and in test


@dataclass(frozen=True, slots=True)
class Split:
    """The three splits, each in the order of the file."""

    train: list[Example]
    dev: list[Example]
    test: list[Example]


def key(text: str) -> str:
    """Return `text` without its case and punctuation: "Go, now!" -> "go now"."""
    folded = unicodedata.normalize("NFKC", text).lower()
    if not _MAY_BE_MARK.search(folded):
        return _PLAIN_SEPARATORS.sub(" ", folded).strip()
    return _SEPARATORS.sub(" ", _VARIANTS.sub("", folded)).strip()


def bucket(text: str) -> int:
    """Return the SHA-256 of a text, modulo 1000."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % _BUCKETS


def first_alike(columns_NK: npt.NDArray[np.uint64]) -> Ints:
    """Return for each of N rows the first one that has the same K numbers: itself, or one before.

    [[5], [7], [5]] -> [0, 1, 0].
    """
    order_N = np.lexsort(columns_NK.T)
    is_new_N = np.ones(len(order_N), np.bool_)
    is_new_N[1:] = (columns_NK[order_N[1:]] != columns_NK[order_N[:-1]]).any(axis=1)
    first_N = np.empty(len(order_N), np.int64)
    first_N[order_N] = order_N[is_new_N][np.cumsum(is_new_N) - 1]
    return first_N


def component_of(first_key_N: Digests, second_key_N: Digests) -> npt.NDArray[np.int32]:
    """Return the number of each pair's component, by the digests of its sides' keys.

    Pairs share a component if a side of theirs has the same key, or if a chain of such pairs links
    them.
    """
    from scipy.sparse import coo_array  # it takes a while, and translating needs only `key`
    from scipy.sparse.csgraph import connected_components

    size = len(first_key_N)
    first_N, second_N = first_alike(first_key_N), size + first_alike(second_key_N)
    links = coo_array((np.ones(size, np.int8), (first_N, second_N)), (2 * size, 2 * size))
    component_of_node: npt.NDArray[np.int32] = connected_components(links, directed=False)[1]
    return component_of_node[first_N]


def parts_of(
    component_N: npt.NDArray[np.int32], bucket_N: npt.NDArray[np.uint16], firsts: Sequence[str]
) -> Ints:
    """Return the split of each pair, DEV, TEST or TRAIN: about 1 % is dev, 2 % test.

    No component is divided. Its split depends on its smallest pair, as Python sorts strings: on the
    bucket of that pair's first side, as it was written. So `firsts` are read only where the buckets
    of a component differ in their split.
    """
    part_N = np.searchsorted(_FIRST_BUCKETS, bucket_N, side="right") - 1
    count = int(component_N.max(initial=-1)) + 1
    least, most = np.full(count, TRAIN), np.full(count, DEV)
    np.minimum.at(least, component_N, part_N)
    np.maximum.at(most, component_N, part_N)
    smallest: dict[int, tuple[str, int]] = {}  # first side and split, by component
    for row in np.flatnonzero((least < most)[component_N]).tolist():
        found = firsts[row], int(part_N[row])
        component = int(component_N[row])
        smallest[component] = min(found, smallest.get(component, found))
    for component, (_, split) in smallest.items():
        least[component] = split
    return least[component_N]


def capped(part_N: Ints, component_N: npt.NDArray[np.int32], first_key_N: Digests) -> Ints:
    """Return the splits with at most MOST_SOURCES keys of first sides in dev, and in test.

    A component has the sum of its pairs' digests as a number, modulo 2^64. Where a split has more,
    its components with the smallest numbers that fit stay, and the others are trained on. None is
    divided. The order of the pairs does not matter.
    """
    capped_N = part_N.copy()
    for split in (DEV, TEST):
        row_M = np.flatnonzero(part_N == split)
        number_M, digest_M = component_N[row_M], first_key_N[row_M]
        found, place_M = np.unique(number_M, return_inverse=True)
        keys = np.bincount(place_M[first_alike(digest_M) == np.arange(len(row_M))])
        sums = np.zeros(len(found), np.uint64)
        np.add.at(sums, place_M, digest_M[:, 0])
        left, is_out = MOST_SOURCES, np.ones(len(found), np.bool_)
        for each in np.argsort(sums).tolist():
            if keys[each] <= left:
                left -= keys[each]
                is_out[each] = False
            if not left:
                break
        capped_N[row_M[is_out[place_M]]] = TRAIN
    return capped_N


def components(pairs: Sequence[Pair]) -> list[list[int]]:
    """Return the indices of `pairs` in groups; see `component_of`.

    Indices ascend within a group, and groups by their first index.
    """
    members: dict[int, list[int]] = {}
    for index, component in enumerate(_components(pairs).tolist()):
        members.setdefault(component, []).append(index)
    return list(members.values())


def split_pairs(pairs: Sequence[Pair], *, reverse: bool = False) -> Split:
    """Return the split of `pairs`; see `parts_of` and `capped`.

    The source of an example is the pair's first side, or its second with `reverse`.
    """
    firsts = [pair.first for pair in pairs]
    bucket_N = np.array([*map(bucket, firsts)], np.uint16)
    component_N = _components(pairs)
    part_N = capped(parts_of(component_N, bucket_N, firsts), component_N, digests(map(key, firsts)))
    examples = as_examples(pairs, reverse=reverse)
    train, dev, test = (
        [examples[row] for row in np.flatnonzero(part_N == split)] for split in (TRAIN, DEV, TEST)
    )
    return Split(train, dev, test)


def _components(pairs: Sequence[Pair]) -> npt.NDArray[np.int32]:
    sides = zip(*(pair[:2] for pair in pairs), strict=True) if pairs else ((), ())
    return component_of(*(digests(map(key, side)) for side in sides))


def as_examples(pairs: Iterable[Pair], *, reverse: bool, corpus: int = 0) -> list[Example]:
    """Return pairs in the direction from the first side to the second, or with `reverse` back."""
    if reverse:
        return [Example(second, first, line, corpus) for first, second, line in pairs]
    return [Example(first, second, line, corpus) for first, second, line in pairs]
