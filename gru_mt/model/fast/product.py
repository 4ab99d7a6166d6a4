"""The matrix product of inference, by oneDNN."""

import torch
from torch import Tensor, nn

from gru_mt.model.fast import tuned

ROW_STEP = 8  # oneDNN compiles a kernel for each number of rows; it gets multiples of this only


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
    A batch shrinks from step to step, so rows of zeros fill it up to a multiple of ROW_STEP.
    """
    x_RI = x.reshape(-1, x.shape[-1])
    filled_RI = nn.functional.pad(x_RI, (0, 0, 0, -len(x_RI) % ROW_STEP))
    y_RO = torch.ops.mkldnn._linear_pointwise(filled_RI, weight_OI, bias_O, "none", [], "")
    y: Tensor = y_RO[: len(x_RI)].view(*x.shape[:-1], -1)
    return y
