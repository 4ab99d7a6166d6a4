"""The training loss.

Shapes: B batch, T target tokens, N target tokens of a batch, padding too, R some of them, V
vocabulary.
"""

from typing import Any

import torch
from torch import Tensor, nn

from gru_mt.data.batching import Batch
from gru_mt.data.special import PAD
from gru_mt.model.seq2seq import Seq2Seq

CPU_ROWS = 256  # at a time: so few stay in the cache, where all would be copied through memory


class _TokenLoss(torch.autograd.Function):
    """The loss, and its gradient softmax(logits) - target distribution in the same pass.

    Made while the rows are in the cache, and kept in the logits' own type and place, the gradient
    costs less than what autograd would keep to make it of.
    """

    @staticmethod
    def forward(ctx: Any, logits_NV: Tensor, target_N: Tensor, label_smoothing: float) -> Tensor:
        wide = torch.promote_types(logits_NV.dtype, torch.float32)
        loss = torch.zeros((), dtype=wide, device=logits_NV.device)
        gradient_NV = logits_NV.detach()  # the same memory
        rows = CPU_ROWS if logits_NV.is_cpu else len(target_N)
        for logits_RV, target_R, gradient_RV in zip(
            logits_NV.split(rows), target_N.split(rows), gradient_NV.split(rows), strict=True
        ):
            target_R1, real_R1 = target_R[:, None], target_R[:, None] != PAD
            logits_RV = logits_RV.to(wide)
            chance_RV = logits_RV.softmax(dim=1)
            # log p = logit - norm, and of the largest p neither it nor its log has lost digits.
            best_R1 = logits_RV.amax(dim=1, keepdim=True)
            norm_R1 = best_R1 - chance_RV.amax(dim=1, keepdim=True).log()
            hit_R1 = logits_RV.gather(1, target_R1) - norm_R1
            mean_R1 = logits_RV.mean(dim=1, keepdim=True) - norm_R1
            nats_R1 = (label_smoothing - 1) * hit_R1 - label_smoothing * mean_R1
            loss += (nats_R1 * real_R1).sum()
            error_RV = chance_RV.sub_(label_smoothing / chance_RV.shape[1])
            error_RV.scatter_add_(1, target_R1, torch.full_like(hit_R1, label_smoothing - 1))
            gradient_RV.copy_(error_RV.mul_(real_R1))
        ctx.save_for_backward(gradient_NV)
        return loss

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, None, None]:
        (gradient_NV,) = ctx.saved_tensors
        return gradient_NV.mul_(outer[0]), None, None  # a second pass raises an error


def token_loss(logits_NV: Tensor, target_N: Tensor, *, label_smoothing: float = 0.0) -> Tensor:
    """Return the summed cross-entropy in nats; padding adds exactly 0.

    With label smoothing e the target distribution is 1 - e on the target and e spread evenly over
    the vocabulary (Szegedy et al. 2016, arXiv 1512.00567). It is a sum, so that microbatches add up
    to the loss of one batch; divide it once by the token count of the whole update. Where gradients
    are wanted the logits are overwritten: a batch's are the largest tensor of training.
    """
    if not (torch.is_grad_enabled() and logits_NV.requires_grad):
        wide = torch.promote_types(logits_NV.dtype, torch.float32)
        return nn.functional.cross_entropy(
            logits_NV.to(wide),
            target_N,
            ignore_index=PAD,
            reduction="sum",
            label_smoothing=label_smoothing,
        )
    loss: Tensor = _TokenLoss.apply(logits_NV, target_N, label_smoothing)  # type: ignore[no-untyped-call]
    return loss


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
