"""Linear layers and dropout.

Shapes: B batch, T time, U words, H features, I input features, O output features.
"""

import torch
from torch import Tensor, nn

from gru_mt.model.fast.product import (
    infers_on_cpu,
    linear_in_blocks,
    product,
    trains_in_bf16_on_cpu,
)


class Linear(nn.Linear):
    """x W^T + b, with Xavier weights and zero bias (Glorot and Bengio 2010)."""

    def reset_parameters(self) -> None:
        """Initialise the weights and the bias, if there is one."""
        nn.init.xavier_uniform_(self.weight)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 the name that torch gave it
        """Return the product for every row of `input`."""
        return linear(input, self.weight, self.bias)


def linear(x: Tensor, weight_OI: Tensor, bias_O: Tensor | None) -> Tensor:
    """Return x weight_OI^T + bias_O over the last axis of x."""
    if torch.compiler.is_exporting():  # `onnx_export.int8` looks for a product without a bias
        y = x @ weight_OI.T
        return y if bias_O is None else y + bias_O
    if infers_on_cpu(x):
        return product(x, weight_OI, bias_O)
    if trains_in_bf16_on_cpu(x):
        return linear_in_blocks(x, weight_OI, bias_O)
    return nn.functional.linear(x, weight_OI, bias_O)


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
