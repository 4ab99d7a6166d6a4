"""The training loss.

Shapes: N target tokens, V vocabulary.
"""

import torch
from torch import Tensor, nn

from gru_mt.data.tokenizer import PAD

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
