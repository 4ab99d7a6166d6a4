"""Linear layers, and the matrix product that they share with the recurrent ones.

Shapes: R rows, I input features, O output features.
"""

import torch
from torch import Tensor, nn

ROWS = 8  # oneDNN meets row counts that are multiples of it alone


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
    """Return x weight_OI^T + bias_O over the last axis of x.

    For inference on a CPU by oneDNN, through the operator that torch.compile would put here: what
    torch takes for fp32 by itself, MKL, ran at half the speed on an AMD EPYC (Zen 5). oneDNN
    compiles a kernel for each number of rows that it meets, so a batch that shrinks from step to
    step is filled up to few of them.
    """
    if torch.compiler.is_exporting():  # a product and a sum of their own, for `export.int8` to find
        y = x @ weight_OI.T
        return y if bias_O is None else y + bias_O
    if not infers_on_cpu(x):
        return nn.functional.linear(x, weight_OI, bias_O)
    x_RI = x.reshape(-1, x.shape[-1])
    filled_RI = nn.functional.pad(x_RI, (0, 0, 0, -len(x_RI) % ROWS))
    y_RO: Tensor = torch.ops.mkldnn._linear_pointwise(filled_RI, weight_OI, bias_O, "none", [], "")
    return y_RO[: len(x_RI)].view(*x.shape[:-1], -1)


def infers_on_cpu(x: Tensor) -> bool:
    """Return whether x is computed with in fp32 on a CPU that has oneDNN, and without gradients."""
    return (
        x.device.type == "cpu"
        and x.dtype == torch.float32
        and not torch.is_grad_enabled()
        and not torch.is_autocast_enabled("cpu")
        and torch.backends.mkldnn.is_available()
    )
