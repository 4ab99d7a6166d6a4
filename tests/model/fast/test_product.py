"""Products in blocks of rows against float64, and the number of their kernels."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from gru_mt.model.fast.product import BLOCK
from gru_mt.model.layers import Linear, linear
from tests.model.tensors import random

ROWS = [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5]


def rounded(*shape: int, seed: int) -> Tensor:
    """Return random numbers that bf16 can hold, in float64."""
    return random(*shape, seed=seed).bfloat16().double()


def error(found: Tensor | None, expected: Tensor) -> float:
    assert found is not None
    return float((found.detach().double() - expected).norm() / expected.norm())


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("biased", [True, False])
def test_under_autocast_a_layer_and_its_gradients_are_those_of_float64(
    rows: int, biased: bool
) -> None:
    x_NI, weight_OI, grad_NO = (
        rounded(*shape, seed=seed) for seed, shape in enumerate([(rows, 33), (20, 33), (rows, 20)])
    )
    bias_O = rounded(20, seed=3) if biased else None
    inputs = [x_NI, weight_OI, *([] if bias_O is None else [bias_O])]
    given = [value.float().requires_grad_() for value in inputs]
    with torch.autocast("cpu", torch.bfloat16):
        y_NO = linear(given[0][None], given[1], given[2] if biased else None)[0]
    y_NO.backward(grad_NO.bfloat16())
    expected_NO = x_NI @ weight_OI.T + (0 if bias_O is None else bias_O)
    expected = [grad_NO @ weight_OI, grad_NO.T @ x_NI, grad_NO.sum(dim=0)]
    assert y_NO.dtype == torch.bfloat16
    assert error(y_NO, expected_NO) < 0.004
    for value, gradient in zip(given, expected, strict=False):
        assert error(value.grad, gradient) < 0.004


class Rows(TorchDispatchMode):
    """Notes how many rows of features the products have."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.numbers: set[int] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if func.overloadpacket in (torch.ops.aten.mm, torch.ops.aten.addmm, torch.ops.aten.addmm_):
            self.numbers |= {size for matrix in args[-2:] for size in matrix.shape}
        return func(*args, **(kwargs or {}))


def test_products_have_few_numbers_of_rows() -> None:
    layer = Linear(3, 2)
    with Rows() as seen:
        for rows in range(BLOCK, 8 * BLOCK, 37):
            with torch.autocast("cpu", torch.bfloat16):
                y_NO = layer(torch.ones(rows, 3, requires_grad=True))
            y_NO.sum().backward()
    assert seen.numbers == {2, 3} | {BLOCK * count for count in range(1, 8)}
