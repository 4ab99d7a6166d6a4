"""Dropout whose randomness is an argument.

Shapes: B batch, T time, H features.
"""

import torch
from torch import Tensor


def dropout(
    x_BTH: Tensor, rate: float, rng: torch.Generator | None, *, locked: bool = True
) -> Tensor:
    """Return x_BTH with features zeroed at `rate`, the rest scaled by 1/(1 - rate).

    Locked, the same features stay dropped at every step of a sequence, which regularises a
    recurrent layer better than a new mask a step and costs T times fewer random numbers (Gal and
    Ghahramani 2016, arXiv 1512.05287). Without `rng` there is no dropout: that is evaluation.
    """
    if rng is None or rate == 0:
        return x_BTH
    size_B, size_T, size_H = x_BTH.shape
    keep = torch.empty(size_B, 1 if locked else size_T, size_H, device=x_BTH.device)
    keep.bernoulli_(1 - rate, generator=rng).div_(1 - rate)
    return x_BTH * keep.to(x_BTH.dtype)
