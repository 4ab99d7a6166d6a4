"""Compute with each distinct word of a batch once, and copy the result to where the word occurs.

Shapes: B batch, T time, U distinct words, N occurrences, X features of a row.
"""

from typing import Any

import torch
from torch import Tensor, nn


class _Pick(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, row_UX: Tensor, index_N: Tensor) -> Tensor:
        ctx.save_for_backward(index_N)
        ctx.size_U = len(row_UX)
        return row_UX.index_select(0, index_N)

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, None]:
        (index_N,), (grad_NX,) = ctx.saved_tensors, outer
        sorted_N, order_N = index_N.sort(stable=True)  # first row 0's occurrences, then row 1's ...
        first_U = torch.searchsorted(sorted_N, torch.arange(ctx.size_U))
        return nn.functional.embedding_bag(order_N, grad_NX, first_U, mode="sum"), None


def pick(row_UX: Tensor, index: Tensor) -> Tensor:
    """Return row_UX[index]; the gradient of a row is the sum over its occurrences, made in fp32.

    torch would add up in the gradient's own type, and in bf16 256 + 1 is 256.
    """
    picked_NX: Tensor = _Pick.apply(row_UX, index.flatten())  # type: ignore[no-untyped-call]
    return picked_NX.view(*index.shape, -1)
