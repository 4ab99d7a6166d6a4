"""The batches of an epoch: pairs of near-equal lengths together, padded into tensors.

Shapes: N pairs, B batch, S source tokens, T target tokens.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gru_mt.data.dataset.ids import EncodedPairs
from gru_mt.data.dataset.store import Ints
from gru_mt.data.tokenizer.special import BOS, PAD


class Batch(NamedTuple):
    """Padded ids for teacher forcing: target_in_BT is <s> and target_out_BT one step later."""

    source_BS: Tensor
    source_length_B: Tensor
    target_in_BT: Tensor
    target_out_BT: Tensor

    @property
    def target_tokens(self) -> int:
        """The number of target tokens without padding."""
        return int((self.target_out_BT != PAD).sum())

    def to(self, device: torch.device) -> "Batch":
        """Return the batch on `device`. A GPU goes on computing while the batch is copied to it."""
        tensors = [tensor.pin_memory() for tensor in self] if device.type == "cuda" else self
        return Batch(*(tensor.to(device, non_blocking=True) for tensor in tensors))


def make_batch(pairs: EncodedPairs, row_B: Ints) -> Batch:
    """Return the pairs in row_B as padded tensors on the CPU."""
    source_BS, source_length_B = map(torch.from_numpy, pairs.source.padded(row_B))
    target_out_BT = torch.from_numpy(pairs.target.padded(row_B)[0])
    target_in_BT = torch.nn.functional.pad(target_out_BT[:, :-1], (1, 0), value=BOS)
    return Batch(source_BS, source_length_B, target_in_BT, target_out_BT)


def plan_batches(
    pairs: EncodedPairs,
    *,
    batch_tokens: int,
    seed: int,
    epoch: int,
    buffer: int | None = None,
    batch_sentences: int | None = None,
) -> list[Ints]:
    """Return the rows of each batch of an epoch, or of a buffer where an epoch has several.

    Every pair is in exactly one batch. A batch holds at most `batch_tokens` padded target tokens,
    or a single longer pair, and at most `batch_sentences` pairs if that is given. Of those that fit
    it takes a multiple of 8, from 64 on one of 16, from 128 on one of 32. Each epoch
    shuffles pairs of equal lengths anew, and the batches too. The same arguments give the same.
    """
    most_pairs = batch_sentences or len(pairs.target.length_N)
    rng = np.random.default_rng((seed, epoch) if buffer is None else (seed, epoch, buffer))
    shuffled_N = rng.permutation(len(pairs.target.length_N))
    target_N, source_N = (side.length_N[shuffled_N] for side in (pairs.target, pairs.source))
    # Sort by target length, then by source length: upwards for one target length, downwards for the
    # next. So neighbours differ little even where the target length changes.
    snake_N = np.where(target_N % 2 == 1, source_N, -source_N)
    order_N = np.lexsort((snake_N, target_N))
    ends, first = [], 0
    for index, tokens in enumerate(target_N[order_N].tolist()):
        while (count := index - first) and (
            (count + 1) * tokens > batch_tokens or count >= most_pairs
        ):
            first += even_size(count)
            ends.append(first)
    batches = np.split(shuffled_N[order_N], ends)
    return [batches[number] for number in rng.permutation(len(batches))]


def even_size(count: int) -> int:
    """Return the largest of few sizes up to a count: 7 -> 7, 15 -> 8, 75 -> 64, 155 -> 128.

    In bf16 oneDNN compiles kernels of about 3 MB for each size of a batch.
    """
    step = 32 if count >= 128 else 16 if count >= 64 else 8
    return count - count % step or count
