"""What tests of corpora share."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pytest

from gru_mt.config.data import DataConfig
from gru_mt.data.corpus.builder import Corpus
from gru_mt.data.corpus.load import load_corpora
from gru_mt.data.corpus.report import DropReason
from gru_mt.data.dataset.components import (
    DEV,
    TEST,
    TRAIN,
    bucket,
    capped,
    component_of,
    digests,
    key,
    split_components,
)
from gru_mt.data.dataset.store import Ints, LazySequence
from gru_mt.data.types import Example, Pair
from gru_mt.errors import UserError

T = TypeVar("T")

PAIRS = [("It's summer & hot.", "C'est l'été."), ("Go!", "Vas-y !"), ("No?", "Non ?")]
TABLE = "".join(f"{first}\t{second}\n" for first, second in PAIRS)


class SplitPairs(NamedTuple):
    """Pairs by the split that they go to, in their order."""

    train: list[Example]
    dev: list[Example]
    test: list[Example]


def split_pairs(pairs: Sequence[Pair]) -> SplitPairs:
    """Return the split of pairs as `split_of` makes it of a corpus."""
    firsts = [pair.first for pair in pairs]
    component_N, key_N = components(pairs), digests(map(key, firsts))
    bucket_N = np.array([*map(bucket, firsts)], np.uint16)
    split_N = capped(split_components(component_N, bucket_N, firsts), component_N, key_N)
    examples = [*zip((Example(*pair) for pair in pairs), split_N.tolist(), strict=True)]
    train, dev, test = (
        [example for example, split in examples if split == wanted] for wanted in (TRAIN, DEV, TEST)
    )
    return SplitPairs(train, dev, test)


def components(pairs: Sequence[Pair]) -> npt.NDArray[np.int32]:
    """Return the number of each pair's component."""
    sides = [pair.first for pair in pairs], [pair.second for pair in pairs]
    return component_of(*(digests(map(key, side)) for side in sides))


def data_config(corpus: object, **settings: Any) -> DataConfig:
    """Return the configuration of a corpus of which any share may be dropped."""
    values = {"corpus": corpus, "allow_dropped": 1.0} | settings
    return DataConfig.model_validate(values)


class Listed(LazySequence[T]):
    """Items in memory, where others are stored."""

    def __init__(self, items: Sequence[T]) -> None:
        self._items = [*items]

    def __len__(self) -> int:
        return len(self._items)

    def read(self, row_M: Ints) -> list[T]:
        return [self._items[row] for row in row_M.tolist()]


def load_one(config: DataConfig) -> Corpus:
    """Return the only corpus of a configuration."""
    [corpus] = load_corpora(config)
    return corpus


def load(corpus: object, **settings: Any) -> Corpus:
    """Return a corpus that `data.corpus` names."""
    return load_one(data_config(corpus, **settings))


def pairs(corpus: object, **settings: Any) -> list[tuple[str, str]]:
    """Return the two sides of each pair of a corpus."""
    return [(pair.first, pair.second) for pair in load(corpus, **settings).pairs]


def dropped(corpus: object, **settings: Any) -> dict[DropReason, tuple[int | str, ...]]:
    """Return the first lines of a corpus that are dropped for each reason."""
    return {
        reason: its.first_lines for reason, its in load(corpus, **settings).report.dropped.items()
    }


def refusal(corpus: object, **settings: Any) -> str:
    """Return the one short line that refuses a corpus."""
    with pytest.raises(UserError) as raised:
        load(corpus, **settings)
    message = str(raised.value)
    assert message.isprintable()
    assert len(message) < 600
    return message


def write(files: Mapping[str, str | bytes]) -> None:
    """Write files into the working folder."""
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()
