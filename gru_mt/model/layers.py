"""Linear layers, and the matrix product that they share with the recurrent ones.

Shapes: I input features, O output features.
"""

import torch
from torch import Tensor, nn

from gru_mt.model.fast.product import infers_on_cpu, product


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
    if torch.compiler.is_exporting():  # `export.int8` looks for a product without a bias
        y = x @ weight_OI.T
        return y if bias_O is None else y + bias_O
    if infers_on_cpu(x):
        return product(x, weight_OI, bias_O)
    return nn.functional.linear(x, weight_OI, bias_O)
