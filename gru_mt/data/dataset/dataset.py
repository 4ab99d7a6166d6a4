"""The training pairs as ids, in a folder of arrays: all that training reads of a corpus.

source.npy and target.npy have the ids of all pairs, one after the other, each closed by <eos>;
bounds.npy has 0 and where each pair ends in both; places.npy has the line and the corpus of each.
Where training reads texts too, to augment them or to sample subwords, these lie beside them.

Shapes: N pairs, M of them, T ids.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gru_mt.data.augment.word_lists import WordLists
from gru_mt.data.corpus.builder import line_name
from gru_mt.data.dataset.ids import EncodedPairs, IdSequences
from gru_mt.data.dataset.store import (
    Array,
    ArrayWriter,
    DiskArray,
    Ints,
    LazySequence,
    TextArray,
    TextColumn,
)
from gru_mt.data.types import Texts
from gru_mt.errors import UserError
from gru_mt.storage import (
    file_digest,
    os_errors_as,
    read_checksummed_json,
    write_checksummed_json,
)

SIDES = "source", "target"
LINE = np.dtype([("line", np.int64), ("corpus", np.uint16)])
_BOUNDS = np.dtype([(side, np.int64) for side in SIDES])
_METADATA = "data.json"


class EncodedChunk(NamedTuple):
    """M encoded pairs."""

    pairs: EncodedPairs
    texts: tuple[TextArray, TextArray] | None  # masked and truecased, where training reads them
    line_M: Array  # LINE

    def __len__(self) -> int:
        return len(self.line_M)


def id_type(vocabulary_size: int) -> npt.DTypeLike:
    """Return the smallest type of an id: two bytes for a vocabulary of up to 65,536."""
    return np.min_scalar_type(max(256, vocabulary_size - 1))


class Dataset:
    """N training pairs in a folder."""

    def __init__(self, folder: Path) -> None:
        """Take a folder that `write_arrays` and `write_metadata` filled.

        Raises UserError where it is damaged.
        """
        self._folder = folder
        self.metadata = read_checksummed_json(folder / _METADATA)
        self.sizes: list[int] = self.metadata["sizes"]  # the pairs of each corpus
        self.line_N = self._mapped("places")  # LINE
        bound_N = self._mapped("bounds")
        if len(bound_N) - 1 != len(self):
            raise UserError(f"{folder}: damaged: places.npy has {len(self):,}, not "
                            f"{len(bound_N) - 1:,}")  # fmt: skip
        for side in SIDES:
            if len(self._mapped(side)) != bound_N[side][-1]:
                raise UserError(f"{folder}: damaged: {side}.npy has not as many ids as it should")

    def __len__(self) -> int:
        return len(self.line_N)

    def __reduce__(self) -> tuple[object, ...]:
        return Dataset, (self._folder,)  # another process maps the arrays too

    def _mapped(self, name: str) -> Array:
        """Return an array, mapped into memory anew, as pages that were read stay in a map."""
        path = self._folder / f"{name}.npy"
        try:
            array: Array = np.load(path, mmap_mode="r")
        except (OSError, ValueError, EOFError) as error:
            raise UserError(f"{path}: damaged, or missing: {error}") from None
        return array

    def select(self, row_M: Ints, max_tokens: int | None = None) -> EncodedPairs:
        """Return the pairs at some rows; a side of more than `max_tokens` tokens loses its end."""
        bound_N = self._mapped("bounds")
        sides = []
        for side in SIDES:
            start_M = bound_N[side][row_M]
            length_M = bound_N[side][row_M + 1] - start_M
            first_T = np.repeat(start_M - np.cumsum(length_M) + length_M, length_M)
            ids = self._mapped(side)[first_T + np.arange(len(first_T))]
            sides.append(IdSequences.of(ids, length_M).truncated(max_tokens))
        return EncodedPairs(*sides)

    def longer_than(self, tokens: int) -> tuple[int, int]:
        """Return how many sources and how many targets have more tokens, <eos> included."""
        bound_N = self._mapped("bounds")
        source, target = (int((np.diff(bound_N[side]) > tokens).sum()) for side in SIDES)
        return source, target

    def texts(self) -> "PairTexts":
        """Return the two sides of each pair, masked and truecased, where they are stored."""
        return PairTexts(self._folder)

    def word_lists(self) -> WordLists:
        """Return the words that augmentation needs."""
        lists = self.metadata["words"]
        return WordLists(lists["dictionary"], tuple(lists["names"]))

    def where(self, row: int) -> str:
        """Return the file and the line of a pair."""
        line, corpus = self.line_N[row].tolist()
        return line_name(self.metadata["lines"][corpus], line)


class PairTexts(LazySequence[Texts]):
    """The two sides of N pairs on disk."""

    def __init__(self, folder: Path, *, mode: Literal["rb", "w+b"] = "rb") -> None:
        """Open the texts in a folder, or with mode "w+b" begin without any."""

        def opened(name: str, dtype: npt.DTypeLike) -> DiskArray:
            with os_errors_as(folder / name):
                return DiskArray((folder / name).open(mode), dtype)

        self._source, self._target = (
            TextColumn(opened(f"{side}.txt", np.uint8), opened(f"{side}.bounds", np.int64))
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


def write_arrays(
    folder: Path,
    chunks: Iterable[EncodedChunk],
    id_types: tuple[npt.DTypeLike, npt.DTypeLike],
    *,
    corpora: int,
) -> list[int]:
    """Write pairs into an empty folder; return how many there are of each of several corpora."""
    size_C = np.zeros(corpora, np.int64)
    with ExitStack() as stack:

        def array(name: str, dtype: npt.DTypeLike) -> ArrayWriter:
            return stack.enter_context(closing(ArrayWriter(folder / f"{name}.npy", dtype)))

        bounds, lines = array("bounds", _BOUNDS), array("places", LINE)
        ids = [array(side, dtype) for side, dtype in zip(SIDES, id_types, strict=True)]
        texts: PairTexts | None = None
        last = np.zeros(1, _BOUNDS)
        bounds.append(last)
        for chunk in chunks:
            bound_M = np.empty(len(chunk), _BOUNDS)
            for side, writer in zip(SIDES, ids, strict=True):
                sentences: IdSequences = getattr(chunk.pairs, side)
                writer.append(sentences.ids)
                bound_M[side] = last[side] + np.cumsum(sentences.length_N)
            bounds.append(bound_M)
            last = bound_M[-1:]
            lines.append(chunk.line_M)
            size_C += np.bincount(chunk.line_M["corpus"], minlength=corpora)
            if chunk.texts is not None:
                texts = texts or PairTexts(folder, mode="w+b")
                texts.append(*chunk.texts)
    sizes: list[int] = size_C.tolist()
    return sizes


def write_metadata(folder: Path, metadata: dict[str, Any]) -> None:
    """Write what is known of the arrays in a folder, and the SHA-256 of each file there.

    It must have "words", for `word_lists`; "lines", the `FirstLines` of each corpus; and "sizes".
    """
    digests = _digests(sorted(folder.iterdir()))
    write_checksummed_json(folder / _METADATA, metadata | {"sha256s": digests})


def _digests(paths: Iterable[Path]) -> dict[str, str]:
    """Return the SHA-256 of each file by its name; threads read several at once."""
    paths = [*paths]
    with ThreadPoolExecutor() as threads:
        digests = [*threads.map(file_digest, paths)]
    return dict(zip((path.name for path in paths), digests, strict=True))


def check_undamaged(folder: Path) -> None:
    """Raise UserError that names a file which is not as it was written.

    All files are read, about 400 bytes a pair. What an earlier version wrote has no digests.
    """
    fix = f"remove {folder} and repeat the command, which prepares it anew from the corpus"
    try:
        before = read_checksummed_json(folder / _METADATA).get("sha256s", {})
        now = _digests(folder / name for name in before)
    except UserError as error:
        raise UserError(f"{error}; {fix}") from None
    for name, digest in before.items():
        if now[name] != digest:
            raise UserError(f"{folder / name}: damaged: not what was written; {fix}")


def holds_dataset(folder: Path) -> bool:
    """Return whether a folder holds a whole dataset, and nothing else."""
    try:
        known = {_METADATA, *read_checksummed_json(folder / _METADATA)["sha256s"]}
        return known >= {path.name for path in folder.iterdir()}
    except (OSError, UserError, KeyError):
        return False
