"""The training loss.

Shapes: B batch, T target tokens, N target tokens of a batch, padding too, V vocabulary.
"""

import torch
from torch import Tensor, nn

from gru_mt.data.batching import Batch
from gru_mt.data.tokenizer import PAD
from gru_mt.model.seq2seq import Seq2Seq

CPU_ROWS = 256  # at a time: so few stay in the cache, where all would be copied through memory


def token_loss(logits_NV: Tensor, target_N: Tensor, *, label_smoothing: float = 0.0) -> Tensor:
    """Return the summed cross-entropy in nats; padding adds exactly 0.

    With label smoothing e the target distribution is 1 - e on the target and e spread evenly over
    the vocabulary (Szegedy et al. 2016, arXiv 1512.00567). It is a sum, so that microbatches add up
    to the loss of one batch; divide it once by the token count of the whole update.
    """
    rows = CPU_ROWS if logits_NV.is_cpu else len(target_N)
    parts = [
        nn.functional.cross_entropy(
            part_NV, part_N, ignore_index=PAD, label_smoothing=label_smoothing, reduction="sum"
        )
        for part_NV, part_N in zip(logits_NV.split(rows), target_N.split(rows), strict=True)
    ]
    return torch.stack(parts).sum()


def forced_loss(
    model: Seq2Seq,
    batch: Batch,
    rng: torch.Generator | None = None,
    *,
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the batch's summed loss under teacher forcing; `rng` turns dropout on."""
    start = model.encode(batch.source_BS, batch.source_length_B, rng)
    logits_BTV = model.decode(batch.target_in_BT, start, rng)
    target_N = batch.target_out_BT.flatten()
    return token_loss(logits_BTV.flatten(0, 1), target_N, label_smoothing=label_smoothing)
