"""Sentence pairs as batches: buckets by both lengths, one plan an epoch.

Shapes: N pairs, B batch, S source tokens, T target tokens.
"""

import sys
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gru_mt.data.sentences import Ints, Sentences, closed_batch
from gru_mt.data.tokenizer import BOS, PAD


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded ids, ready for teacher forcing: target_out_BT is target_in_BT one step later."""

    source_BS: Tensor
    source_length_B: Tensor
    target_in_BT: Tensor
    target_out_BT: Tensor

    @property
    def target_tokens(self) -> int:
        """How many real target tokens there are to train on."""
        return int((self.target_out_BT != PAD).sum())

    def to(self, device: torch.device) -> "Batch":
        """Return the batch on `device`; the copy to a GPU runs beside what the GPU does."""

        def move(tensor: Tensor) -> Tensor:
            pinned = tensor.pin_memory() if device.type == "cuda" else tensor
            return pinned.to(device, non_blocking=True)

        return Batch(
            move(self.source_BS),
            move(self.source_length_B),
            move(self.target_in_BT),
            move(self.target_out_BT),
        )


@dataclass(frozen=True, slots=True)
class EncodedPairs:
    """The ids of N pairs; a side counts one token more than its ids, for <eos>.

    Of a side with more tokens than `cut_tokens` only so many are read, and its <eos> is lost.
    """

    source: Sentences
    target: Sentences
    cut_tokens: int = sys.maxsize

    def target_tokens(self, row_B: Ints) -> int:
        """Return how many real target tokens the pairs in row_B train on."""
        return int(np.minimum(self.target.length_N[row_B] + 1, self.cut_tokens).sum())

    def lost_ends(self) -> tuple[int, int]:
        """Return how many sources and how many targets are cut."""
        sources, targets = (
            int((side.length_N + 1 > self.cut_tokens).sum()) for side in (self.source, self.target)
        )
        return sources, targets

    def batch(self, row_B: Ints) -> Batch:
        """Return the pairs in row_B as padded tensors on the CPU."""
        cut = self.cut_tokens
        source_BS, source_length_B = map(torch.from_numpy, closed_batch(self.source, row_B))
        source_BS, source_length_B = source_BS[:, :cut], source_length_B.clamp(max=cut)
        target_out_BT = torch.from_numpy(closed_batch(self.target, row_B)[0])[:, :cut]
        target_in_BT = torch.nn.functional.pad(target_out_BT[:, :-1], (1, 0), value=BOS)
        return Batch(source_BS, source_length_B, target_in_BT, target_out_BT)

    def plan(
        self, *, batch_tokens: int, seed: int, epoch: int, batch_sentences: int | None = None
    ) -> list[Ints]:
        """Return the rows of each batch of an epoch, a pure function of the arguments.

        Every pair is in exactly one batch. A batch holds at most `batch_tokens` padded target
        tokens, or a single longer pair, and at most `batch_sentences` pairs where that is given.
        Pairs of equal lengths meet in a new order each epoch.
        """
        most_pairs = batch_sentences or sys.maxsize
        rng = np.random.default_rng((seed, epoch))
        shuffled_N = rng.permutation(len(self.source.length_N))
        target_N, source_N = (
            np.minimum(side.length_N, self.cut_tokens - 1)[shuffled_N]
            for side in (self.target, self.source)
        )
        # Source lengths go up and down in turn, so that neighbours differ little at a seam too.
        snake_N = np.where(target_N % 2 == 0, source_N, -source_N)
        order_N = np.lexsort((snake_N, target_N))
        cuts, first = [], 0
        for place, tokens in enumerate((target_N[order_N] + 1).tolist()):
            pairs = place - first + 1
            if pairs > 1 and (pairs * tokens > batch_tokens or pairs > most_pairs):
                cuts.append(place)
                first = place
        batches = np.split(shuffled_N[order_N], cuts)
        return [batches[index] for index in rng.permutation(len(batches))]
