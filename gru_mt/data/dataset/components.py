"""Components: the pairs that are linked by the sentences they share, and the split of each.

Texts are compared by digests of 128 bits, so that a corpus need not be in memory.

Shapes: N pairs, K columns, M pairs of a split.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from gru_mt.data.dataset.store import Ints
from gru_mt.data.text.normalize import IN_WORD

Digests = npt.NDArray[np.uint64]  # N rows of two numbers: 128 bits of each text

DEV, TEST, TRAIN = range(3)
MAX_SOURCES = 3_000  # different first sides in dev, and in test
_FIRST_BUCKETS = (0, 10, 30)  # of dev, test and train
_BUCKETS = 1000
_SEPARATORS = re.compile(rf"(?:[^{IN_WORD}]|_)+")
_MAY_BE_MARK = re.compile("[\u0300-\u036f\u0483-\u0489\u0591-\u1dff\u200c\u200d\u20d0-\U0010ffff]")
_PLAIN_SEPARATORS = re.compile(r"[\W_]+")  # the same where no mark is, in a third of the time
_VARIANTS = re.compile("[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]")  # how a sign is drawn


def key(text: str) -> str:
    """Return `text` without its case and punctuation: "Go, now!" -> "go now"."""
    folded = unicodedata.normalize("NFKC", text).lower()
    if not _MAY_BE_MARK.search(folded):
        return _PLAIN_SEPARATORS.sub(" ", folded).strip()
    return _SEPARATORS.sub(" ", _VARIANTS.sub("", folded)).strip()


def bucket(text: str) -> int:
    """Return the SHA-256 of a text, modulo 1000."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % _BUCKETS


def digests(texts: Iterable[str]) -> Digests:
    """Return 128 bits of BLAKE2b for each text (RFC 7693)."""
    joined = b"".join(hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts)
    return np.frombuffer(joined, np.uint64).reshape(-1, 2)


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


def split_components(
    component_N: npt.NDArray[np.int32], bucket_N: npt.NDArray[np.uint16], firsts: Sequence[str]
) -> Ints:
    """Return the split of each pair: about 1 % is dev, 2 % test. No component is divided.

    A component goes where its smallest pair, as Python sorts strings, goes by the bucket of its
    first side as it was written. `firsts` are read only where the buckets of a component differ.
    """
    split_N = np.searchsorted(_FIRST_BUCKETS, bucket_N, side="right") - 1
    count = int(component_N.max(initial=-1)) + 1
    least, most = np.full(count, TRAIN), np.full(count, DEV)
    np.minimum.at(least, component_N, split_N)
    np.maximum.at(most, component_N, split_N)
    smallest: dict[int, tuple[str, int]] = {}  # first side and split, by component
    for row in np.flatnonzero((least < most)[component_N]).tolist():
        found, component = (firsts[row], int(split_N[row])), int(component_N[row])
        smallest[component] = min(found, smallest.get(component, found))
    for component, (_, split) in smallest.items():
        least[component] = split
    return least[component_N]


def capped(split_N: Ints, component_N: npt.NDArray[np.int32], first_key_N: Digests) -> Ints:
    """Return the splits with at most MAX_SOURCES keys of first sides in dev, and in test.

    A component has the sum of its pairs' digests as a number, modulo 2^64. Where a split has more,
    its components with the smallest numbers that fit stay, and the others are trained on. None is
    divided. The order of the pairs does not matter.
    """
    capped_N = split_N.copy()
    for split in (DEV, TEST):
        row_M = np.flatnonzero(split_N == split)
        digest_M = first_key_N[row_M]
        components, component_M = np.unique(component_N[row_M], return_inverse=True)
        keys = np.bincount(component_M[first_alike(digest_M) == np.arange(len(row_M))])
        sums = np.zeros(len(components), np.uint64)
        np.add.at(sums, component_M, digest_M[:, 0])
        left, is_out = MAX_SOURCES, np.ones(len(components), np.bool_)
        for component in np.argsort(sums).tolist():
            if keys[component] <= left:
                left -= keys[component]
                is_out[component] = False
        capped_N[row_M[is_out[component_M]]] = TRAIN
    return capped_N
