"""Linear layers against the same product in float64."""

import math

import pytest
import torch
from torch import Tensor

from gru_mt.model.fast.product import ROW_STEP
from gru_mt.model.layers import Linear, linear

pytestmark = pytest.mark.usefixtures("both_ways")


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(
    "shape", [(1,), (ROW_STEP - 1,), (ROW_STEP,), (ROW_STEP + 1,), (3, 7), (2, ROW_STEP, 2)]
)
@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("training", [True, False])
def test_the_product_is_that_of_float64(
    shape: tuple[int, ...], biased: bool, training: bool
) -> None:
    x, weight_OI = random(*shape, 33), random(20, 33, seed=1)
    bias_O = random(20, seed=2) if biased else None
    with torch.set_grad_enabled(training):
        y = linear(x, weight_OI, bias_O)
    expected = x.double() @ weight_OI.double().T + (0 if bias_O is None else bias_O.double())
    assert y.shape == (*shape, 20)
    torch.testing.assert_close(y.double(), expected, rtol=0, atol=2e-5)


def test_inference_changes_nothing_of_its_input() -> None:
    x, weight_OI = random(5, 33), random(20, 33, seed=1)
    with torch.inference_mode():
        linear(x, weight_OI, None)
    assert x.equal(random(5, 33))


def test_gradients_flow_in_training() -> None:
    layer = Linear(3, 2)
    layer(torch.ones(1, 3)).sum().backward()
    assert layer.weight.grad is not None
    assert layer.weight.grad.equal(torch.ones(2, 3))


def test_weights_of_fp32_learn_under_autocast() -> None:
    layer = Linear(3, 2)
    with torch.autocast("cpu", torch.bfloat16):
        y = layer(torch.ones(1, 3))
    y.sum().backward()
    assert y.dtype == torch.bfloat16
    for parameter, expected in ((layer.weight, torch.ones(2, 3)), (layer.bias, torch.ones(2))):
        assert parameter.grad is not None
        assert parameter.grad.dtype == torch.float32
        assert parameter.grad.equal(expected)


@pytest.mark.parametrize("biased", [True, False])
def test_weights_begin_as_glorot_and_bengio_and_the_bias_at_zero(biased: bool) -> None:
    layer = Linear(100, 200, bias=biased)
    bound = math.sqrt(6 / (100 + 200))
    assert 0.98 * bound < layer.weight.abs().max() <= bound
    assert layer.weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.02)
    assert layer.bias is None or not layer.bias.any()
