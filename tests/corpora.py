"""What tests of corpora share."""

from collections.abc import Sequence
from typing import Any, TypeVar

from gru_mt.config.data import DataConfig
from gru_mt.data.corpus.builder import Corpus
from gru_mt.data.corpus.load import load_corpora
from gru_mt.data.dataset.store import Ints, LazySequence

T = TypeVar("T")


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
