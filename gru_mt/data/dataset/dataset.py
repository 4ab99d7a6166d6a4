"""The training pairs as ids, in a folder of arrays: all that training reads of a corpus.

source.npy and target.npy have the ids of all pairs, one after the other, each closed by <eos>;
bounds.npy has 0 and where each pair ends in both; places.npy has the line and the corpus of each.
Where training reads texts too, to augment them or to sample subwords, these lie beside them. No
torch here: processes of the pool encode the pairs.

Shapes: N pairs, M of them, T ids.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gru_mt.config.schema import Config
from gru_mt.data.augment.augmenter import WordLists
from gru_mt.data.corpus.builder import line_name
from gru_mt.data.dataset.ids import EncodedPairs, IdSequences, encode_pairs
from gru_mt.data.dataset.store import Array, DiskArray, Ints, TextColumn, TupleStore, npy_writer
from gru_mt.data.text.placeholders import mask_pair
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.data.types import Example, Texts
from gru_mt.errors import UserError
from gru_mt.progress import ProgressBar
from gru_mt.storage import file_digest, os_errors_as, read_checksummed_json, write_checksummed_json

SIDES = "source", "target"
LINE = np.dtype([("line", np.int64), ("corpus", np.uint16)])
_BOUNDS = np.dtype([(side, np.int64) for side in SIDES])
_METADATA = "data.json"


class EncodedChunk(NamedTuple):
    """M encoded pairs."""

    pairs: EncodedPairs
    texts: tuple[list[str], list[str]] | None  # masked and truecased, where training reads them
    line_M: Array  # LINE


class Dataset:
    """N training pairs in a folder."""

    def __init__(self, folder: Path) -> None:
        """Take a folder that `write_dataset` filled; `check_undamaged` reads all of it."""
        self._folder = folder
        self.metadata = read_checksummed_json(folder / _METADATA)
        self.sizes: list[int] = self.metadata["sizes"]  # the pairs of each corpus
        self.line_N = self._mapped("places")  # LINE

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
        bound_N, sides = self._mapped("bounds"), []
        for side in SIDES:
            start_M = bound_N[side][row_M]
            length_M = (bound_N[side][row_M + 1] - start_M).clip(1, max_tokens)
            first_T = np.repeat(start_M - np.cumsum(length_M) + length_M, length_M)
            ids = self._mapped(side)[first_T + np.arange(len(first_T))]
            sides.append(IdSequences.flat(ids, length_M))
        return EncodedPairs(*sides)

    def longer_than(self, tokens: int) -> tuple[int, int]:
        """Return how many sources and how many targets have more tokens, <eos> included."""
        bound_N = self._mapped("bounds")
        source, target = (int((np.diff(bound_N[side]) > tokens).sum()) for side in SIDES)
        return source, target

    def texts(self) -> TupleStore[Texts]:
        """Return the two sides of each pair, masked and truecased, where they are stored."""
        return _texts(self._folder)

    def word_lists(self) -> WordLists:
        """Return the words that augmentation needs."""
        return WordLists(**self.metadata["words"])

    def where(self, row: int) -> str:
        """Return the file and the line of a pair."""
        line, corpus = self.line_N[row].tolist()
        return line_name(self.metadata["lines"][corpus], line)


def _texts(folder: Path, *, mode: Literal["rb", "w+b"] = "rb") -> TupleStore[Texts]:
    """Return the two sides of N pairs in a folder, or with mode "w+b" none of them so far."""

    def opened(name: str, dtype: npt.DTypeLike) -> DiskArray:
        with os_errors_as(folder / name):
            return DiskArray((folder / name).open(mode), dtype)

    columns = [
        TextColumn(opened(f"{side}.txt", np.uint8), opened(f"{side}.bounds", np.int64))
        for side in SIDES
    ]
    return TupleStore(Texts, columns)


def masked(examples: Iterable[Example]) -> list[Example]:
    """Return pairs with what is copied masked on both sides."""
    found = []
    for example in examples:
        source, target = mask_pair(example.source, example.target)
        found.append(example._replace(source=source, target=target))
    return found


def truecased(examples: Iterable[Example], tokenizer: Tokenizer) -> list[Example]:
    """Return pairs with their sources as translation reads them too."""
    read = tokenizer.truecaser.truecased
    return [pair._replace(source=read(pair.source)) for pair in examples]


def learn_words(tokenizer: Tokenizer, known: Sequence[Example]) -> dict[str, Any]:
    """Return the word lists of pairs as JSON values; none of none."""
    if not known:
        return {}
    read = tokenizer.truecaser.truecased
    return WordLists.learn([Texts(read(pair.source), pair.target) for pair in known])._asdict()


def encode_chunk(
    config: Config, tokenizer: Tokenizer, chunk: tuple[Sequence[Example], bool]
) -> EncodedChunk:
    """Return some pairs as ids; the chunk says whether they are masked already."""
    examples, is_masked = chunk
    pairs = truecased(examples if is_masked else masked(examples), tokenizer)
    synthetic_M = [config.data.is_back_translated(pair.corpus) for pair in pairs]
    texts = None
    if config.data.augment or config.tokenizer.sampling:  # training reads them too
        texts = [pair.source for pair in pairs], [pair.target for pair in pairs]
    ids = encode_pairs(tokenizer, pairs, synthetic_N=synthetic_M)
    return EncodedChunk(ids, texts, np.array([pair[2:] for pair in pairs], LINE))


def write_dataset(
    folder: Path, chunks: Iterable[EncodedChunk], *, total: int, vocabulary_sizes: Sequence[int]
) -> None:
    """Write `total` pairs into an empty folder; `write_metadata` comes next.

    An id has two bytes for a vocabulary of up to 65,536.
    """
    last, texts = np.zeros(1, _BOUNDS), None
    types: dict[str, npt.DTypeLike] = {"bounds": _BOUNDS, "places": LINE}
    for side, size in zip(SIDES, vocabulary_sizes, strict=True):
        types[side] = np.min_scalar_type(max(256, size - 1))
    with ExitStack() as stack, ProgressBar("encoding", unit="pairs", total=total) as bar:
        writers = [npy_writer(folder / f"{name}.npy", dtype) for name, dtype in types.items()]
        bounds, lines, *ids = map(stack.enter_context, writers)
        bounds.append(last)
        for chunk in chunks:
            bound_M = np.empty(len(chunk.line_M), _BOUNDS)
            for side, writer in zip(SIDES, ids, strict=True):
                sentences: IdSequences = getattr(chunk.pairs, side)
                writer.append(sentences.ids)
                bound_M[side] = last[side] + np.cumsum(sentences.length_N)
            bounds.append(bound_M)
            last = bound_M[-1:]
            lines.append(chunk.line_M)
            if chunk.texts is not None:
                texts = texts or _texts(folder, mode="w+b")
                texts.append(chunk.texts)
            bar.update(len(bound_M))


def write_metadata(folder: Path, metadata: dict[str, Any]) -> None:
    """Write what is known of the arrays in a folder, and the SHA-256 of each file there.

    It must have "words", for `word_lists`, and "lines", the `FirstLines` of each corpus.
    """
    corpus_N = np.load(folder / "places.npy", mmap_mode="r")["corpus"]
    sizes = np.bincount(corpus_N, minlength=len(metadata["lines"])).tolist()
    digests = _digests(sorted(folder.iterdir()))
    write_checksummed_json(folder / _METADATA, metadata | {"sizes": sizes, "sha256s": digests})


def _digests(paths: list[Path]) -> dict[str, str]:
    """Return the SHA-256 of each file by its name; threads read several at once."""
    with ThreadPoolExecutor() as threads:
        return dict(
            zip((path.name for path in paths), threads.map(file_digest, paths), strict=True)
        )


def check_undamaged(folder: Path) -> None:
    """Raise UserError that names a file which is not as it was written.

    All files are read, about 400 bytes a pair. What an earlier version wrote has no digests.
    """
    fix = f"remove {folder} and repeat the command, which prepares it anew from the corpus"
    try:
        before = read_checksummed_json(folder / _METADATA).get("sha256s", {})
        now = _digests([folder / name for name in before])
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
