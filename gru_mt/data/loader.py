"""The pairs that an epoch trains on, as ids, buffer by buffer.

A buffer has up to BUFFER_PAIRS pairs in memory, and each epoch puts other pairs together in one. It
is a pure function of the dataset, the seed, the epoch and its index. No torch here: a process
beside the one that trains may make the next buffer.

Shapes: N pairs of a buffer, P samples of an epoch, M pairs of a corpus.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gru_mt.config.schema import Config
from gru_mt.data.augment.augmenter import Augmenter
from gru_mt.data.dataset.dataset import Dataset
from gru_mt.data.dataset.ids import EncodedPairs, EpochPairs, encode_pairs
from gru_mt.data.dataset.store import Ints, Subset
from gru_mt.data.pool import cores, pool
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.data.types import Texts
from gru_mt.training.state import derived_seed

if TYPE_CHECKING:
    from concurrent.futures import Future

BUFFER_PAIRS = 1 << 18
SHUFFLE_CHUNKS = 1 << 8  # of neighbours, of which a buffer is made, so that it is read quickly
LEAST_ELSEWHERE = 30_000  # pairs; making them takes longer than starting a process does
CORES_A_BUFFER, MOST_BUFFERS = 4, 4  # a process for each so many cores makes buffers, at most
_NICE = 10  # of the processes that make the next buffers: training goes before

Position = tuple[int, int]  # an epoch, and the index of a buffer in it


class TrainingPairs:
    """The training pairs, as each epoch reads them."""

    def __init__(
        self, config: Config, tokenizer: Tokenizer, dataset: Dataset, max_pairs: int
    ) -> None:
        """Take the pairs, and what encodes them anew. A buffer has about `max_pairs`, or fewer."""
        self._config, self._tokenizer, self._dataset = config, tokenizer, dataset
        self._max_pairs = max_pairs
        self._weights = config.data.weights
        sizes = zip(dataset.sizes, self._weights, strict=True)
        pairs = round(sum(size * weight for size, weight in sizes))
        self.buffers = max(1, math.ceil(pairs / max_pairs))  # of each epoch
        self.size = pairs // self.buffers  # of a buffer, about
        self._epoch_rows: tuple[int, npt.NDArray[np.int32]] | None = None  # of the last epoch
        self._words = dataset.word_lists() if config.data.augment else None

    def __reduce__(self) -> tuple[object, ...]:  # another process opens the files
        return TrainingPairs, (self._config, self._tokenizer, self._dataset, self._max_pairs)

    def load(self, position: Position) -> EpochPairs:
        """Return the pairs of a buffer, augmented and, with sampling, in subwords of its own."""
        epoch, _ = position
        rows = self._rows(epoch)
        sample_N = self._samples(position, len(rows))
        row_N = rows[sample_N].astype(np.int64)
        if self._config.tokenizer.sampling:
            pairs = self._encoded(self._dataset.texts().read(row_N), row_N, position)
        else:
            pairs = self._dataset.select(row_N, self._config.training.cut_tokens)
        source, target = pairs.source, pairs.target
        if self._config.data.augment and self._words:
            texts = self._dataset.texts()
            augmenter = Augmenter(
                self._config.data.augment,
                Subset(texts, self._written(rows)),
                self._words,
                seed=self._config.training.seed,
            )
            changed = augmenter.of_epoch(epoch, sample_N.tolist(), texts.read(row_N))
            order_M = np.fromiter(changed, np.int64, len(changed))
            augmented = self._encoded([*changed.values()], row_N[order_M], position)
            source = source.replace_rows(order_M, augmented.source)
            target = target.replace_rows(order_M, augmented.target)
        return EpochPairs(source, target, row_N)

    def _samples(self, position: Position, size: int) -> Ints:
        """Return which of the `size` samples of an epoch a buffer has, in ascending order."""
        epoch, index = position
        if self.buffers == 1:
            return np.arange(size)
        chunk = max(1, self._max_pairs // SHUFFLE_CHUNKS)
        rng = np.random.default_rng(derived_seed("blocks", self._config.training.seed, epoch))
        own = np.sort(rng.permutation(math.ceil(size / chunk))[index :: self.buffers])
        sample_N = (own[:, None] * chunk + np.arange(chunk)).ravel()
        return sample_N[sample_N < size]

    def _rows(self, epoch: int) -> npt.NDArray[np.int32]:
        """Return the rows of all samples of an epoch, in ascending order.

        A corpus of weight 2.5 gives each pair twice, and half of its pairs once more. The next
        epoch takes the other half.
        """
        if self._epoch_rows is None or self._epoch_rows[0] != epoch:
            corpus_N, rows = np.array(self._dataset.line_N["corpus"]), []
            for corpus, weight in enumerate(self._weights):
                row_M = np.flatnonzero(corpus_N == corpus).astype(np.int32)
                first, last = (round(len(row_M) * weight * number) for number in (epoch, epoch + 1))
                rng = np.random.default_rng((self._config.training.seed, corpus))
                sample_P = np.arange(first, last) % max(1, len(row_M))
                rows.append(rng.permutation(row_M)[sample_P])
            self._epoch_rows = epoch, np.sort(np.concatenate(rows))
        return self._epoch_rows[1]

    def _written(self, rows: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return those of the rows whose sources people wrote; all, if a model made each."""
        is_back = np.array([*map(self._config.data.is_back_translated, range(len(self._weights)))])
        written = rows[~is_back[self._dataset.line_N["corpus"][rows]]] if is_back.any() else rows
        return written if len(written) else rows

    def _encoded(self, texts: Sequence[Texts], row_N: Ints, position: Position) -> EncodedPairs:
        training, data = self._config.training, self._config.data
        of_buffer = position if self.buffers > 1 else position[:1]
        corpus_N = self._dataset.line_N["corpus"][row_N]
        return encode_pairs(
            self._tokenizer,
            texts,
            synthetic_N=[data.is_back_translated(corpus) for corpus in corpus_N.tolist()],
            sampling=self._config.tokenizer.sampling,
            seed=derived_seed("subwords", training.seed, *of_buffer) >> 32,  # it takes 31 bits
            max_tokens=training.cut_tokens,
        )


class PairLoader:
    """Loads the buffers of a run, one after the other.

    Where making one takes longer than a process takes to start, others make them, and each next one
    meanwhile: one process, and on machines of many cores several, as a GPU needs an epoch's pairs
    sooner than one process augments them. So this process never holds the texts.
    """

    def __init__(self, config: Config, tokenizer: Tokenizer, dataset: Dataset) -> None:
        """Take what `TrainingPairs` takes; a buffer has BUFFER_PAIRS pairs at most."""
        self._pairs = TrainingPairs(config, tokenizer, dataset, max_pairs=BUFFER_PAIRS)
        self.buffers = self._pairs.buffers  # of each epoch
        encodes = config.data.augment or config.tokenizer.sampling  # reading is quick
        self._is_elsewhere = bool(encodes) and self._pairs.size >= LEAST_ELSEWHERE
        self._processes = min(max(1, cores() // CORES_A_BUFFER), MOST_BUFFERS)
        self._loaded: tuple[Position, EpochPairs] | None = None
        self._made: dict[Position, Future[EpochPairs]] = {}  # or being made
        self.making_s = 0.0  # that the first buffer took
        self._stack = ExitStack()
        self._submit: Callable[[Position], Future[EpochPairs]] | None = None

    def close(self) -> None:
        """End the other processes."""
        self._stack.close()
        self._submit = None

    def load(self, position: Position) -> EpochPairs:
        """Return the pairs of a buffer."""
        if self._loaded is None or self._loaded[0] != position:
            started_s = time.monotonic()
            if self._is_elsewhere:
                self._begin(position)
                self._loaded = position, self._made.pop(position).result()
            else:
                self._loaded = position, self._pairs.load(position)
            self.making_s = self.making_s or time.monotonic() - started_s
        return self._loaded[1]

    def prefetch(self, epochs: int) -> None:
        """Begin to make the next buffers of `epochs`, where other processes do so; or end these."""
        assert self._loaded, "no buffer was loaded"
        if not self._is_elsewhere:
            return
        epoch, index = self._loaded[0]
        first, end = epoch * self.buffers + index + 1, epochs * self.buffers
        if first >= end:
            self.close()
        for number in range(first, end)[: self._processes]:
            self._begin(divmod(number, self.buffers))

    def _begin(self, position: Position) -> None:
        if self._submit is None:
            making = pool(self._pairs.load, self._processes, nice=_NICE)
            self._submit = self._stack.enter_context(making)
        if position not in self._made:
            self._made[position] = self._submit(position)
