"""Random tensors in float64, and what is the same in them."""

from typing import Any

import torch
from torch import Tensor, nn


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def randomise(module: nn.Module) -> Any:
    """Draw every parameter anew in float64, biases too, which begin at zero; return the module."""
    rng = torch.Generator().manual_seed(1)
    for parameter in module.double().parameters():
        nn.init.normal_(parameter, std=0.5, generator=rng)
    return module


def assert_same(ours: Any, theirs: Any) -> None:
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
