"""Dropout whose randomness is an argument.

Shapes: B batch, T time, U words, H features.
"""

import torch
from torch import Tensor


def dropout(x: Tensor, rate: float, rng: torch.Generator | None) -> Tensor:
    """Return x_BTH, or x_UH, with features zeroed at `rate`, the rest scaled by 1/(1 - rate).

    All steps of a sequence drop the same features. This regularises a recurrent layer better than a
    new mask at each step (Gal and Ghahramani 2016, arXiv 1512.05287). Without `rng`, as in
    evaluation, there is no dropout. The rate is exact to 1 / 32,768.
    """
    if rng is None or rate == 0:
        return x
    mask_shape = (x.shape[0], 1, x.shape[2]) if x.ndim == 3 else x.shape
    drawn = torch.empty(mask_shape, dtype=torch.int16, device=x.device).random_(generator=rng)
    keep = drawn >= rate * 2**15
    return x * keep.to(x.dtype).div_(1 - rate)
