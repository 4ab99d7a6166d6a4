"""The pairs that an epoch trains on, block by block, as ids.

A block has up to BLOCK pairs: so many are encoded, planned into batches and held in memory at a
time. A corpus of more has several, and each epoch puts other pairs together in a block. What a
block has is a pure function of the prepared pairs, the seed, the epoch and the block. No torch
here: another process than the one that trains may make the next block.

Shapes: N pairs of a block, P places of an epoch, M pairs of a corpus.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gru_mt.config.schema import Config
from gru_mt.data.augment.augmenter import Augmenter
from gru_mt.data.dataset.dataset import Prepared
from gru_mt.data.dataset.ids import EncodedPairs, EpochPairs, encode_pairs
from gru_mt.data.dataset.store import Ints
from gru_mt.data.pool import pool
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.data.types import Texts
from gru_mt.training.state import derived_seed

if TYPE_CHECKING:
    from concurrent.futures import Future

BLOCK = 1 << 18  # pairs
STRIPS = 1 << 8  # of neighbours, of which a block is made, so that reading it is quick
_NICE = 10  # of the process that makes the next block: training goes before
STARTING_S = 1.0  # that such a process takes to start, about

Place = tuple[int, int]  # an epoch, and a block of it


class TrainingPairs:
    """The training pairs, as each epoch reads them."""

    def __init__(
        self, config: Config, tokenizer: Tokenizer, prepared: Prepared, *, most: int
    ) -> None:
        """Take the pairs, and what encodes them anew. A block has `most` pairs, or nearly so."""
        self._config, self._tokenizer, self._prepared = config, tokenizer, prepared
        self._most = most
        corpora = config.data.corpus
        self._made = np.array([corpus.side is not None for corpus in corpora])
        self._weights = [corpus.weight for corpus in corpora]
        sizes = zip(prepared.sizes, self._weights, strict=True)
        pairs = round(sum(size * weight for size, weight in sizes))
        self.blocks = max(1, math.ceil(pairs / most))  # of each epoch
        self._strip = max(1, most // STRIPS)
        augment, seed = config.data.augment, config.training.seed
        self._rows_of: tuple[int, npt.NDArray[np.int32]] | None = (
            None  # of the epoch asked for last
        )
        self._augmenter = augment and Augmenter(
            augment, prepared.texts(), prepared.words(), seed=seed
        )

    def __reduce__(self) -> tuple[object, ...]:
        make = partial(TrainingPairs, most=self._most)  # another process opens the files anew
        return make, (self._config, self._tokenizer, self._prepared)

    @property
    def are_read(self) -> bool:
        """Whether a block is only read, because nothing in it is encoded anew."""
        return not (self._augmenter or self._config.tokenizer.sampling)

    def of_block(self, epoch: int, block: int) -> EpochPairs:
        """Return the pairs of a block, augmented and, with sampling, subwords of its own."""
        place_N = self._places(epoch, block)
        row_N = place_N if {*self._weights} == {1} else self._rows(epoch)[place_N].astype(np.int64)
        if self._config.tokenizer.sampling:
            row_M, order_N = np.unique(row_N, return_inverse=True)
            texts = self._prepared.texts().read(row_M)
            pairs = self._encoded(texts, row_M, epoch, block).taken(order_N)
        else:
            pairs = self._prepared.taken(row_N, self._config.training.cut_tokens)
        if self._augmenter:
            texts = self._prepared.texts().read(row_N)
            changed = self._augmenter.of_epoch(epoch, place_N.tolist(), texts)
            order_M = np.fromiter(changed, np.int64, len(changed))
            noisy = self._encoded([*changed.values()], row_N[order_M], epoch, block)
            pairs = pairs.overlaid(order_M, noisy)
        return EpochPairs(pairs.source, pairs.target, row_N)

    def at(self, place: Place) -> EpochPairs:
        """Return the pairs of a block; see `of_block`."""
        return self.of_block(*place)

    def _places(self, epoch: int, block: int) -> Ints:
        """Return which places of an epoch a block has, in ascending order."""
        size = self._size(epoch)
        if self.blocks == 1:
            return np.arange(size)
        strips = math.ceil(size / self._strip)
        rng = np.random.default_rng(derived_seed("blocks", self._config.training.seed, epoch))
        own = np.sort(rng.permutation(strips)[block :: self.blocks])
        place_N = (own[:, None] * self._strip + np.arange(self._strip)).ravel()
        return place_N[place_N < size]

    def _size(self, epoch: int) -> int:
        return sum(last - first for first, last in self._turns(epoch))

    def _turns(self, epoch: int) -> list[tuple[int, int]]:
        """Return the first and the last turn of each corpus's pairs in an epoch, over all epochs.

        A corpus of weight 2.5 gives each pair twice, and half of its pairs once more. The next
        epoch takes the other half.
        """
        return [
            (round(size * weight * epoch), round(size * weight * (epoch + 1)))
            for size, weight in zip(self._prepared.sizes, self._weights, strict=True)
        ]

    def _rows(self, epoch: int) -> npt.NDArray[np.int32]:
        """Return the rows of all pairs that an epoch takes, in ascending order."""
        if self._rows_of is None or self._rows_of[0] != epoch:
            corpus_N, rows = np.array(self._prepared.places["corpus"]), []
            for corpus, (first, last) in enumerate(self._turns(epoch)):
                own_M = np.flatnonzero(corpus_N == corpus).astype(np.int32)
                rng = np.random.default_rng((self._config.training.seed, corpus))
                turn_P = np.arange(first, last) % max(1, len(own_M))
                rows.append(rng.permutation(own_M)[turn_P])
            self._rows_of = epoch, np.sort(np.concatenate(rows))
        return self._rows_of[1]

    def _encoded(self, texts: Sequence[Texts], row_N: Ints, epoch: int, block: int) -> EncodedPairs:
        training = self._config.training
        only = (block,) if self.blocks > 1 else ()
        return encode_pairs(
            self._tokenizer,
            texts,
            made_N=self._made[self._prepared.places["corpus"][row_N]].tolist(),
            sampling=self._config.tokenizer.sampling,
            seed=derived_seed("subwords", training.seed, epoch, *only) >> 32,  # it takes 31 bits
            cut_tokens=training.cut_tokens,
        )


class BlocksAhead:
    """The blocks of a run, one after the other.

    Once making them has taken longer than a process takes to start, one makes the next meanwhile.
    """

    def __init__(self, config: Config, tokenizer: Tokenizer, prepared: Prepared) -> None:
        """Take what `TrainingPairs` takes; a block has BLOCK pairs at most."""
        self._pairs = TrainingPairs(config, tokenizer, prepared, most=BLOCK)
        self._epochs = config.training.max_epochs
        self.count = self._pairs.blocks  # of each epoch
        self._here: tuple[Place, EpochPairs] | None = None
        self._next: tuple[Place, Future[EpochPairs]] | None = None
        self._making_s = 0.0  # what blocks took that this process made
        self._stack = ExitStack()
        self._submit: Callable[[Place], Future[EpochPairs]] | None = None

    def close(self) -> None:
        """End the other process."""
        self._stack.close()

    def of_block(self, epoch: int, block: int) -> EpochPairs:
        """Return the pairs of a block."""
        place = epoch, block
        if self._here is None or self._here[0] != place:
            if self._next is not None and self._next[0] == place:
                self._here = place, self._next[1].result()
            else:
                started_s = time.monotonic()
                self._here = place, self._pairs.of_block(epoch, block)
                self._making_s += time.monotonic() - started_s
        return self._here[1]

    def begin_next(self) -> None:
        """Begin to make the block after the one asked for last, where another process does so."""
        assert self._here, "no block was asked for"
        epoch, block = self._here[0]
        after = (epoch, block + 1) if block + 1 < self.count else (epoch + 1, 0)
        if self._pairs.are_read or after[0] == self._epochs or self._making_s < STARTING_S:
            return
        if self._next is not None and self._next[0] == after:
            return
        if self._submit is None:
            self._submit = self._stack.enter_context(pool(self._pairs.at, 1, nice=_NICE))
        self._next = after, self._submit(after)
