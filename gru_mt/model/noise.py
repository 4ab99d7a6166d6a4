"""Dropout whose randomness is an argument.

Shapes: B batch, T time, U words, H features, N all places of a mask.
"""

import math

import torch
from torch import Tensor

LEVELS = 1 << 16  # a mask's place costs 16 random bits, a quarter of what torch would draw for it


def dropout(x: Tensor, rate: float, rng: torch.Generator | None, *, locked: bool = True) -> Tensor:
    """Return x_BTH, or x_UH, with features zeroed at `rate`, the rest scaled by 1/(1 - rate).

    Locked, the same features stay dropped at every step of a sequence, which regularises a
    recurrent layer better than a new mask a step and costs T times fewer random numbers (Gal and
    Ghahramani 2016, arXiv 1512.05287). Without `rng` there is no dropout: that is evaluation. A
    rate is met to 1 / 65,536.
    """
    if rng is None or rate == 0:
        return x
    mask_shape = (len(x), 1, x.shape[2]) if locked and x.ndim == 3 else x.shape
    size_N = math.prod(mask_shape)
    drawn = torch.empty(-(-size_N // 4), dtype=torch.int64, device=x.device)
    level_N = drawn.random_(-(2**63), None, generator=rng).view(torch.int16)[:size_N]
    keep = (level_N >= round(rate * LEVELS) - LEVELS // 2).view(mask_shape)
    return x * keep.to(x.dtype).div_(1 - rate)
