"""The loss of a batch and its gradient, computed in one pass over the logits.

Shapes: N target tokens of a batch, padding included, R rows of a block of them, V vocabulary.
"""

from typing import Any

import torch
from torch import Tensor

from gru_mt.data.tokenizer.special import PAD

ROWS = 64  # of logits at a time: so few stay in a core's own cache


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits_NV: Tensor, target_N: Tensor, label_smoothing: float) -> Tensor:
        wide = torch.promote_types(logits_NV.dtype, torch.float32)
        loss = torch.zeros((), dtype=wide)
        gradient_NV = logits_NV.detach()  # the same memory
        for logits_RV, target_R, gradient_RV in zip(
            logits_NV.split(ROWS), target_N.split(ROWS), gradient_NV.split(ROWS), strict=True
        ):
            logits_RV, target_R1 = logits_RV.to(wide), target_R[:, None]
            chance_RV = logits_RV.softmax(dim=1)
            # log p = logit - norm. The largest p gives the norm: this p and its log lose no digits.
            largest_R1 = logits_RV.amax(dim=1, keepdim=True)
            norm_R1 = largest_R1 - chance_RV.amax(dim=1, keepdim=True).log()
            hit_R1 = logits_RV.gather(1, target_R1) - norm_R1
            mean_R1 = logits_RV.mean(dim=1, keepdim=True) - norm_R1
            nats_R1 = (label_smoothing - 1) * hit_R1 - label_smoothing * mean_R1
            loss += nats_R1[target_R != PAD].sum()
            grad_RV = chance_RV.sub_(label_smoothing / chance_RV.shape[1])
            grad_RV.scatter_add_(1, target_R1, torch.full_like(hit_R1, label_smoothing - 1))
            gradient_RV.copy_(grad_RV)
        gradient_NV.index_fill_(0, (target_N == PAD).nonzero()[:, 0], 0)
        ctx.save_for_backward(gradient_NV)
        return loss

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, None, None]:
        (gradient_NV,) = ctx.saved_tensors
        return gradient_NV.mul_(outer[0]), None, None  # a second backward pass raises an error


def overwriting_loss(logits_NV: Tensor, target_N: Tensor, label_smoothing: float) -> Tensor:
    """Return the summed cross-entropy of `model.loss.token_loss`; its gradient replaces the logits.

    They are the largest tensor of training, and a row of them is still in the cache.
    """
    loss: Tensor = _Loss.apply(logits_NV, target_N, label_smoothing)  # type: ignore[no-untyped-call]
    return loss
