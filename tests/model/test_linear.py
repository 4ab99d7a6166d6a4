"""Linear layers against the same product in float64, and when inference takes its own way."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from gru_mt.model.linear import ROWS, Linear, infers_on_cpu, linear, trains_in_bf16_on_cpu


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("shape", [(1,), (ROWS - 1,), (ROWS,), (ROWS + 1,), (3, 7), (2, ROWS, 2)])
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


def test_only_fp32_inference_outside_autocast_takes_its_own_way() -> None:
    x = random(2, 3)
    assert not infers_on_cpu(x)
    with torch.inference_mode():
        assert infers_on_cpu(x) == torch.backends.mkldnn.is_available()
        assert not infers_on_cpu(x.double())
        with torch.autocast("cpu", torch.bfloat16):
            assert not infers_on_cpu(x)


@pytest.mark.parametrize("biased", [True, False])
def test_in_bf16_the_product_and_its_gradients_round_no_worse_than_torchs(biased: bool) -> None:
    inputs = [random(4, 9, 33), random(20, 33, seed=1), *([random(20, seed=2)] if biased else [])]
    inputs = [part.bfloat16() for part in inputs]
    outer = random(4, 9, 20, seed=3).bfloat16()

    def outcome(product: Callable[..., Tensor], kind: torch.dtype) -> list[Tensor]:
        parts = [part.to(kind).requires_grad_() for part in inputs]
        with torch.autocast("cpu", torch.bfloat16, enabled=kind == torch.bfloat16):
            y = product(*parts, *([] if biased else [None]))
        return [y.detach(), *torch.autograd.grad((y * outer.to(kind)).sum(), parts)]

    ours, torchs = (outcome(each, torch.bfloat16) for each in (linear, nn.functional.linear))
    exact = outcome(nn.functional.linear, torch.float64)
    for our, torchs_own, expected in zip(ours, torchs, exact, strict=True):
        assert our.shape == expected.shape
        error = (our.double() - expected).norm() / expected.norm()
        assert error <= 1.1 * (torchs_own.double() - expected).norm() / expected.norm()
        assert error < 0.01


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


def test_only_bf16_on_a_cpu_adds_its_bias_within_the_product() -> None:
    x = random(2, 3)
    assert not trains_in_bf16_on_cpu(x)
    with torch.autocast("cpu", torch.float16):
        assert not trains_in_bf16_on_cpu(x)
    with torch.autocast("cpu", torch.bfloat16):
        assert trains_in_bf16_on_cpu(x) == torch.ops.mkldnn._is_mkldnn_bf16_supported()
        assert not trains_in_bf16_on_cpu(x.to("meta"))


@pytest.mark.parametrize("biased", [True, False])
def test_weights_begin_as_glorot_and_bengio_and_the_bias_at_zero(biased: bool) -> None:
    layer = Linear(100, 200, bias=biased)
    bound = math.sqrt(6 / (100 + 200))
    assert 0.98 * bound < layer.weight.abs().max() <= bound
    assert layer.weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.02)
    assert layer.bias is None or not layer.bias.any()
