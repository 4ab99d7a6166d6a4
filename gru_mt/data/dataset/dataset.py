"""The training pairs as ids, in a folder of arrays: all that training reads of a corpus.

source.npy and target.npy have the ids of all pairs, one after the other, each closed by <eos>;
bounds.npy has 0 and where each pair ends in both; places.npy has the line and the corpus of each.
np.load maps them into memory with mmap_mode="r". Where training reads texts too, for augmentation
or for other subwords, these lie beside them.

Shapes: N pairs, M of them, T ids.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gru_mt.data.augment.augmenter import WordLists
from gru_mt.data.corpus.builder import LineNumbers
from gru_mt.data.dataset.ids import EncodedPairs, IdSequences
from gru_mt.data.dataset.store import (
    Array,
    ArrayWriter,
    DiskArray,
    Ints,
    LazySequence,
    TextArray,
    TextColumn,
    os_errors_as,
)
from gru_mt.data.types import Texts
from gru_mt.errors import UserError
from gru_mt.storage import file_digest, read_checksummed_json, write_checksummed_json

SIDES = "source", "target"
_BOUNDS = np.dtype([(side, np.int64) for side in SIDES])
PLACES = np.dtype([("line", np.int64), ("corpus", np.uint16)])
_FACTS = "data.json"


class PreparedChunk(NamedTuple):
    """Some pairs, ready to be stored."""

    pairs: EncodedPairs
    texts: tuple[TextArray, TextArray] | None  # masked and truecased, where training reads them
    place_M: Array  # PLACES


def id_type(vocabulary_size: int) -> npt.DTypeLike:
    """Return the smallest type of an id: two bytes for a vocabulary of up to 65,536."""
    return np.min_scalar_type(max(256, vocabulary_size - 1))


class Prepared:
    """N prepared pairs in a folder."""

    def __init__(self, folder: Path) -> None:
        """Take a folder that `writing` filled; UserError where it is damaged."""
        self._folder = folder
        self.facts = read_checksummed_json(folder / _FACTS)
        self._bounds = self._array("bounds")
        size = len(self._bounds) - 1
        for side in SIDES:
            if len(self._array(side)) != self._bounds[side][-1]:
                raise UserError(f"{folder}: damaged: {side}.npy has not as many ids as it should")
        self.sizes: list[int] = self.facts["sizes"]  # the pairs of each corpus
        self.places = self._array("places")
        if len(self.places) != size:
            raise UserError(f"{folder}: damaged: places.npy has {len(self.places):,}, not {size:,}")

    def __len__(self) -> int:
        return len(self.places)

    def __reduce__(self) -> tuple[object, ...]:
        return Prepared, (self._folder,)  # another process maps the arrays too

    def _array(self, name: str) -> Array:
        """Return an array, mapped into memory."""
        path = self._folder / f"{name}.npy"
        try:
            array: Array = np.load(path, mmap_mode="r")
        except (OSError, ValueError, EOFError) as error:
            raise UserError(f"{path}: damaged, or missing: {error}") from None
        return array

    def taken(self, row_M: Ints, cut_tokens: int | None = None) -> EncodedPairs:
        """Return the ids of the pairs at some rows; a side of more than `cut_tokens` loses its end.

        The arrays are mapped anew each time, as pages that were read stay in a mapping's memory.
        """
        bound_N = self._array("bounds")
        sides = []
        for side in SIDES:
            start_M, length_M = (
                bound_N[side][row_M],
                bound_N[side][row_M + 1] - bound_N[side][row_M],
            )
            first_T = np.repeat(start_M - np.cumsum(length_M) + length_M, length_M)
            ids = self._array(side)[first_T + np.arange(len(first_T))]
            sides.append(IdSequences.of(ids, length_M, cut_tokens=cut_tokens))
        return EncodedPairs(*sides)

    def longer_than(self, tokens: int) -> tuple[int, int]:
        """Return how many sources and how many targets have more tokens, <eos> included."""
        bound_N = self._array("bounds")
        source, target = (int((np.diff(bound_N[side]) > tokens).sum()) for side in SIDES)
        return source, target

    def texts(self) -> "LazyTexts":
        """Return the two sides of each pair, masked and truecased, where they are stored."""
        return LazyTexts(self._folder)

    def words(self) -> WordLists:
        """Return the word lists of augmentation."""
        known = self.facts["words"]
        return WordLists(known["dictionary"], tuple(known["names"]))

    def where(self, row: int) -> str:
        """Return the file and the line of a pair."""
        line, corpus = self.places[row].tolist()
        return LineNumbers(self.facts["lines"][corpus]).where(line)


def _opened(path: Path, mode: Literal["rb", "w+b"]) -> IO[bytes]:
    with os_errors_as(path):
        return path.open(mode, buffering=0)


class LazyTexts(LazySequence[Texts]):
    """The two sides of N pairs on disk."""

    def __init__(self, folder: Path, *, new: bool = False) -> None:
        """Take a folder that has them, or will have."""
        mode: Literal["rb", "w+b"] = "w+b" if new else "rb"
        self._source, self._target = (
            TextColumn(
                DiskArray(_opened(folder / f"{side}.txt", mode), np.uint8),
                DiskArray(_opened(folder / f"{side}.bounds", mode), np.int64),
            )
            for side in SIDES
        )

    def append(self, sources: TextArray, targets: TextArray) -> None:
        """Add pairs at the end."""
        self._source.append(sources)
        self._target.append(targets)

    def __len__(self) -> int:
        return len(self._source)

    def read(self, row_M: Ints) -> list[Texts]:
        """Return the pairs at some rows."""
        return [*map(Texts, self._source.read(row_M), self._target.read(row_M))]

    def one(self, row: int) -> Texts:
        """Return the pair at a row."""
        return Texts(self._source.one(row), self._target.one(row))


def write_prepared(
    folder: Path,
    chunks: Iterable[PreparedChunk],
    facts: Callable[[], dict[str, Any]],
    *,
    id_types: tuple[npt.DTypeLike, npt.DTypeLike],
) -> None:
    """Write pairs, and then `facts()` about them, into a folder that is there and empty.

    `facts` must have "words", those of augmentation, and "lines", `LineNumbers` of each corpus.
    """
    sizes = Counter[int]()
    with ExitStack() as stack:

        def array(name: str, dtype: npt.DTypeLike) -> ArrayWriter:
            return stack.enter_context(ArrayWriter(folder / f"{name}.npy", dtype))

        bounds, places = array("bounds", _BOUNDS), array("places", PLACES)
        ids = [array(side, dtype) for side, dtype in zip(SIDES, id_types, strict=True)]
        texts: LazyTexts | None = None
        last = np.zeros(1, _BOUNDS)
        bounds.append(last)
        for chunk in chunks:
            bound_M = np.empty(len(chunk.place_M), _BOUNDS)
            for side, writer in zip(SIDES, ids, strict=True):
                sentences: IdSequences = getattr(chunk.pairs, side)
                writer.append(sentences.ids)
                bound_M[side] = last[side] + np.cumsum(sentences.length_N)
            bounds.append(bound_M)
            last = bound_M[-1:]
            places.append(chunk.place_M)
            sizes.update(chunk.place_M["corpus"].tolist())
            if chunk.texts is not None:
                texts = texts or LazyTexts(folder, new=True)
                texts.append(*chunk.texts)
    found = facts()
    sizes_of = [sizes[corpus] for corpus in range(len(found["lines"]))]
    digests = _digests(sorted(folder.iterdir()))
    write_checksummed_json(folder / _FACTS, found | {"sizes": sizes_of, "sha256s": digests})


def _digests(paths: Iterable[Path]) -> dict[str, str]:
    """Return the SHA-256 of each file by its name; a thread for each file reads it."""
    paths = [*paths]
    with ThreadPoolExecutor() as threads:
        return dict(
            zip((path.name for path in paths), threads.map(file_digest, paths), strict=True)
        )


def check_undamaged(folder: Path) -> None:
    """Raise UserError that names a file which is not as `write_prepared` wrote it.

    It reads them all, about 400 bytes a pair. What an earlier version wrote has no digests.
    """
    fix = f"remove {folder} and repeat the command, which prepares it anew from the corpus"
    try:
        before = read_checksummed_json(folder / _FACTS).get("sha256s", {})
        now = _digests(folder / name for name in before)
    except UserError as error:
        raise UserError(f"{error}; {fix}") from None
    for name, digest in before.items():
        if now[name] != digest:
            raise UserError(f"{folder / name}: damaged: not what was written; {fix}")


def holds_prepared(folder: Path) -> bool:
    """Return whether `write_prepared` filled a folder, which nothing else has been put into."""
    try:
        known = {_FACTS, *read_checksummed_json(folder / _FACTS)["sha256s"]}
        return known >= {path.name for path in folder.iterdir()}
    except (OSError, UserError, KeyError):
        return False
