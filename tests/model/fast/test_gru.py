"""The GRU as one operation: its gradient against differences, its rounding against torch's."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from gru_mt.model.fast.gru import gru
from gru_mt.model.recurrent import Layer


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("bias", [True, False])
def test_the_gradient_is_that_of_small_differences(bias: bool) -> None:
    inputs = [random(5, 3, 12), random(3, 4, seed=1), random(12, 4, seed=2)]
    inputs += [random(12, seed=3)] if bias else []
    for value in inputs:
        value.requires_grad_()

    def states(
        input_TBG: Tensor, start_BH: Tensor, weight_GH: Tensor, bias_G: Tensor | None = None
    ) -> Tensor:
        return gru(input_TBG, start_BH, weight_GH, bias_G)

    assert torch.autograd.gradcheck(states, inputs)


def layer_and_inputs() -> tuple[Layer, Tensor, Tensor]:
    """Return a layer, x_BTI and start_BH; bf16 can hold each of their numbers."""
    layer, rng = Layer("gru", 64, 64), torch.Generator().manual_seed(1)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=0.15, generator=rng)
        parameter.data = parameter.data.bfloat16().float()
    return layer, random(32, 20, 64).bfloat16(), random(32, 64, seed=1).bfloat16()


def test_in_bf16_it_rounds_no_worse_than_torchs() -> None:
    layer, x_BTI, start_BH = layer_and_inputs()
    weight_BTH = random(32, 20, 64, seed=2).bfloat16()

    def torchs(x_BTI: Tensor, start_BH: Tensor) -> tuple[Tensor, Tensor]:
        return layer._fused(x_BTI, start_BH, [*layer.parameters()])

    def outcome(
        forward: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]], kind: torch.dtype
    ) -> list[Tensor]:
        x, start = x_BTI.to(kind).requires_grad_(), start_BH.to(kind).requires_grad_()
        with torch.autocast("cpu", torch.bfloat16, enabled=kind == torch.bfloat16):
            output_BTH, _ = forward(x, start)
        inputs = [x, start, *layer.parameters()]
        loss = (output_BTH * weight_BTH.to(kind)).sum()
        return [output_BTH.detach(), *torch.autograd.grad(loss, inputs)]

    ours, fused = outcome(layer, torch.bfloat16), outcome(torchs, torch.bfloat16)
    layer.double()
    exact = outcome(torchs, torch.float64)

    def error(rounded: Tensor, expected: Tensor) -> float:
        return float((rounded.double() - expected).norm() / expected.norm())

    for our, torchs_own, expected in zip(ours, fused, exact, strict=True):
        assert error(our, expected) < 1.1 * error(torchs_own, expected)
        assert 0 < error(our, expected) < 0.01


@pytest.mark.parametrize(("kind", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 2e-5)])
def test_it_is_the_reference_implementation(
    kind: torch.dtype, tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer, x_BTI, start_BH = layer_and_inputs()
    layer, results = layer.to(kind), []
    x, start = x_BTI.to(kind).requires_grad_(), start_BH.to(kind).requires_grad_()
    for plain in ("0", "1"):
        monkeypatch.setenv("GRU_MT_PLAIN", plain)
        output_BTH, last_BH = layer(x, start)
        loss = output_BTH.square().mean() + last_BH.mean()
        gradients = torch.autograd.grad(loss, [x, start, *layer.parameters()])
        results.append([output_BTH, last_BH, *gradients])
    torch.testing.assert_close(*results, rtol=0, atol=tolerance)


def test_a_gradient_can_be_taken_twice_of_one_pass() -> None:
    layer, x_BTI, _ = layer_and_inputs()
    output_BTH, _ = layer(x_BTI.float())
    first = torch.autograd.grad(output_BTH.sum(), [*layer.parameters()], retain_graph=True)
    again = torch.autograd.grad(output_BTH.sum(), [*layer.parameters()])
    assert all(torch.equal(one, other) for one, other in zip(first, again, strict=True))
