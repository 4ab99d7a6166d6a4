"""Linear layers, and the matrix product that they share with the recurrent ones.

Shapes: R rows, I input features, O output features.
"""

from typing import Any

import torch
from torch import Tensor, nn

ROWS = 8  # oneDNN meets row counts that are multiples of it alone


class _Biased(torch.autograd.Function):
    """x W^T + b by oneDNN, which adds the bias as it writes the product.

    torch itself copies the bias into every row of the result and has the product added to it: of
    all logits of a batch that is a seventh of their time.
    """

    @staticmethod
    def forward(ctx: Any, x_RI: Tensor, weight_OI: Tensor, bias_O: Tensor) -> Tensor:
        ctx.save_for_backward(x_RI, weight_OI)
        return _product(x_RI, weight_OI, bias_O)

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        (x_RI, weight_OI), (error_RO,) = ctx.saved_tensors, outer
        return error_RO @ weight_OI, error_RO.t() @ x_RI, error_RO.sum(dim=0)


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
    step is filled up to few of them. Under autocast to bf16 on a CPU it is `_Biased`.
    """
    if torch.compiler.is_exporting():  # a product and a sum of their own, for `export.int8` to find
        y = x @ weight_OI.T
        return y if bias_O is None else y + bias_O
    x_RI = x.reshape(-1, x.shape[-1])
    if bias_O is not None and trains_in_bf16_on_cpu(x):
        rounded = (part.bfloat16() for part in (x_RI, weight_OI, bias_O))
        y_RO: Tensor = _Biased.apply(*rounded)  # type: ignore[no-untyped-call]
    elif infers_on_cpu(x):
        filled_RI = nn.functional.pad(x_RI, (0, 0, 0, -len(x_RI) % ROWS))
        y_RO = _product(filled_RI, weight_OI, bias_O)[: len(x_RI)]
    else:
        y_RO = nn.functional.linear(x_RI, weight_OI, bias_O)
    return y_RO.view(*x.shape[:-1], -1)


def _product(x_RI: Tensor, weight_OI: Tensor, bias_O: Tensor | None) -> Tensor:
    """Return x W^T + b by oneDNN."""
    y_RO: Tensor = torch.ops.mkldnn._linear_pointwise(x_RI, weight_OI, bias_O, "none", [], "")
    return y_RO


def infers_on_cpu(x: Tensor) -> bool:
    """Return whether x is computed with in fp32 on a CPU that has oneDNN, and without gradients."""
    return (
        x.device.type == "cpu"
        and x.dtype == torch.float32
        and not torch.is_grad_enabled()
        and not torch.is_autocast_enabled("cpu")
        and torch.backends.mkldnn.is_available()
    )


def trains_in_bf16_on_cpu(x: Tensor) -> bool:
    """Return whether x is computed with under autocast on a CPU whose oneDNN has bf16."""
    return (
        x.device.type == "cpu"
        and torch.is_autocast_enabled("cpu")
        and torch.get_autocast_dtype("cpu") == torch.bfloat16
        and torch.backends.mkldnn.is_available()
        and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    )
