"""The training loss.

Shapes: T target tokens, N target tokens of a batch, padding included, V vocabulary.
"""

import torch
from torch import Tensor, nn

from gru_mt.data.batching import Batch
from gru_mt.data.tokenizer.special import PAD
from gru_mt.model.fast import tuned
from gru_mt.model.fast.loss import overwriting_loss
from gru_mt.model.seq2seq import Seq2Seq


def token_loss(logits_NV: Tensor, target_N: Tensor, *, label_smoothing: float = 0.0) -> Tensor:
    """Return the summed cross-entropy in nats; padding adds exactly 0.

    With label smoothing e the target distribution is 1 - e on the target and e spread evenly over
    the vocabulary (Szegedy et al. 2016, arXiv 1512.00567). It is a sum, so that microbatches add up
    to the loss of one batch; divide it once by the token count of the whole update. Training on a
    CPU overwrites the logits.
    """
    if tuned() and logits_NV.is_cpu and torch.is_grad_enabled() and logits_NV.requires_grad:
        return overwriting_loss(logits_NV, target_N, label_smoothing)
    return nn.functional.cross_entropy(
        logits_NV.to(torch.promote_types(logits_NV.dtype, torch.float32)),
        target_N,
        ignore_index=PAD,
        reduction="sum",
        label_smoothing=label_smoothing,
    )


def forced_loss(
    model: Seq2Seq,
    batch: Batch,
    rng: torch.Generator | None = None,
    *,
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the batch's summed loss under teacher forcing; `rng` turns dropout on."""
    start = model.encode(batch.source_BS, batch.source_length_B, rng)
    logits_NV = model.decode(batch.target_in_BT, start, rng).flatten(0, 1)
    return token_loss(logits_NV, batch.target_out_BT.flatten(), label_smoothing=label_smoothing)
