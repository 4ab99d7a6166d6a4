"""Matrix products by oneDNN, with few kernels.

oneDNN compiles a kernel for each number of rows: in bf16 one of about 1 MB, in 4 to 32 ms, in fp32
one of 0.4 MB. Batches have hundreds of such numbers. So training computes rows in blocks, and
inference fills them up with zeros.

Shapes: N rows, R rows of the last block, I input features, O output features; B batch, T target
tokens, S source tokens, H decoder units.
"""

from typing import Any

import torch
from torch import Tensor, nn

from gru_mt.model.fast import tuned

BLOCK = 128  # rows: other products have a multiple of it


def trains_in_bf16_on_cpu(x: Tensor) -> bool:
    """Return whether `linear_in_blocks` is to compute with x: with gradients, under autocast."""
    return tuned() and x.is_cpu and torch.is_autocast_enabled("cpu") and torch.is_grad_enabled()


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x_NI: Tensor, weight_OI: Tensor, bias_O: Tensor) -> Tensor:
        ctx.save_for_backward(x_NI, weight_OI)
        y_NO = x_NI.new_empty(len(x_NI), len(weight_OI))
        for rows in _blocks(len(x_NI)):
            torch.addmm(bias_O, x_NI[rows], weight_OI.t(), out=y_NO[rows])
        return y_NO

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        (x_NI, weight_OI), (grad_NO,) = ctx.saved_tensors, outer
        grad_NI = torch.empty_like(x_NI)
        for rows in _blocks(len(x_NI)):
            torch.mm(grad_NO[rows], weight_OI, out=grad_NI[rows])
        return grad_NI, sum_of_outer_products(grad_NO, x_NI), grad_NO.sum(dim=0)


def linear_in_blocks(x: Tensor, weight_OI: Tensor, bias_O: Tensor | None) -> Tensor:
    """Return x weight_OI^T + bias_O over the last axis of x, in autocast's type."""
    kind = torch.get_autocast_dtype("cpu")
    bias_O = weight_OI.new_zeros(len(weight_OI)) if bias_O is None else bias_O
    x_NI = x.to(kind).reshape(-1, x.shape[-1])
    y_NO: Tensor = _Linear.apply(x_NI, weight_OI.to(kind), bias_O.to(kind))  # type: ignore[no-untyped-call]
    return y_NO.view(*x.shape[:-1], -1)


def sum_of_outer_products(x_NO: Tensor, y_NI: Tensor) -> Tensor:
    """Return x_NO^T y_NI, the gradient of weights; zeros fill up the last block of rows."""
    size = len(x_NO) - len(x_NO) % BLOCK
    sum_OI = x_NO[:size].t() @ y_NI[:size]
    if size < len(x_NO):
        filling = (0, 0, 0, -len(x_NO) % BLOCK)
        x_RO, y_RI = (nn.functional.pad(rows[size:], filling) for rows in (x_NO, y_NI))
        sum_OI.addmm_(x_RO.t(), y_RI)
    return sum_OI


def _blocks(size: int) -> list[slice]:
    """Return the first rows, as many blocks as there are, and the last block; they may overlap."""
    even = size - size % BLOCK
    return [slice(even), slice(size - BLOCK, size)] if 0 < even < size else [slice(size)]


def infers_on_cpu(x: Tensor) -> bool:
    """Return whether `product` can compute with x: in fp32, without gradients, on a CPU."""
    return (
        tuned()
        and x.device.type == "cpu"
        and x.dtype == torch.float32
        and not torch.is_grad_enabled()
        and not torch.is_autocast_enabled("cpu")
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")  # a private name
    )


def batch_product(x_BTH: Tensor, y_BHS: Tensor) -> Tensor:
    """Return x @ y of each sentence; on a CPU under autocast in fp32, whose products MKL computes.

    In bf16 oneDNN would compile a kernel for each new B, T and S. That takes longer than these
    small products, and would push those of the large ones out of memory.
    """
    if not (x_BTH.is_cpu and torch.is_autocast_enabled("cpu") and tuned()):
        return x_BTH @ y_BHS
    with torch.autocast("cpu", enabled=False):
        return x_BTH.float() @ y_BHS.float()


def product(x: Tensor, weight_OI: Tensor, bias_O: Tensor | None) -> Tensor:
    """Return x weight_OI^T + bias_O over the last axis of x.

    torch itself uses MKL for fp32, which is slow on AMD's CPUs; torch.compile uses this operator.
    A batch shrinks from step to step, so rows of zeros fill it up to one of few sizes.
    """
    x_RI = x.reshape(-1, x.shape[-1])
    size = len(x_RI)
    step = 8 if size < 64 else 32 if size < 512 else 128
    filled_RI = nn.functional.pad(x_RI, (0, 0, 0, -size % step))
    y_RO = torch.ops.mkldnn._linear_pointwise(filled_RI, weight_OI, bias_O, "none", [], "")
    y: Tensor = y_RO[:size].view(*x.shape[:-1], -1)
    return y
