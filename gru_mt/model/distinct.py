"""Inputs of which many are the same, as the words of a batch are: each is computed with once.

Of the 2,048 target tokens of a batch of fra-eng a quarter are distinct, so that a recurrent layer's
products with its input, and with that input's error, cost a quarter too.

Shapes: B batch, T time, U distinct inputs, I input features, N places, X features of a row.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class Distinct:
    """The inputs x_BTI = row_UI[index_BT]."""

    row_UI: Tensor
    index_BT: Tensor

    def at(self, time_BN: Tensor) -> "Distinct":
        """Return the inputs x_BNI, x_BNI[b, n] = x_BTI[b, time_BN[b, n]]."""
        return Distinct(self.row_UI, self.index_BT.gather(1, time_BN))

    def whole(self) -> Tensor:
        """Return x_BTI."""
        return nn.functional.embedding(self.index_BT, self.row_UI)


class _Pick(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, row_UX: Tensor, index_N: Tensor) -> Tensor:
        ctx.save_for_backward(index_N)
        ctx.size_U = len(row_UX)
        return row_UX.index_select(0, index_N)

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, None]:
        (index_N,), (error_NX,) = ctx.saved_tensors, outer
        sorted_N, place_N = index_N.sort(stable=True)  # those of the first row, of the second ...
        first_U = torch.searchsorted(sorted_N, torch.arange(ctx.size_U, device=index_N.device))
        return nn.functional.embedding_bag(place_N, error_NX, first_U, mode="sum"), None


def pick(row_UX: Tensor, index: Tensor) -> Tensor:
    """Return row_UX[index].

    The error of a row is the sum of those of its places, added up in fp32 and in parallel. torch's
    own would add them in their type, and bf16 counts no further than 256.
    """
    picked_NX: Tensor = _Pick.apply(row_UX, index.flatten())  # type: ignore[no-untyped-call]
    return picked_NX.view(*index.shape, -1)
