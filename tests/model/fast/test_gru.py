"""The GRU as one operation: its rounding against torch's."""

from collections.abc import Callable

import torch
from torch import Tensor

from gru_mt.model.recurrent import Layer
from tests.model.tensors import random


def test_in_bf16_it_rounds_no_worse_than_torchs() -> None:
    layer, rng = Layer("gru", 64, 64), torch.Generator().manual_seed(1)
    for parameter in layer.parameters():  # bf16 can hold each of these numbers
        torch.nn.init.normal_(parameter, std=0.15, generator=rng)
        parameter.data = parameter.data.bfloat16().float()
    x_BTI, start_BH = random(32, 20, 64).bfloat16(), random(32, 64, seed=1).bfloat16()
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


def test_a_gradient_can_be_taken_twice_of_one_pass() -> None:
    layer = Layer("gru", 5, 4)
    output_BTH, _ = layer(random(3, 6, 5).float())
    first = torch.autograd.grad(output_BTH.sum(), [*layer.parameters()], retain_graph=True)
    again = torch.autograd.grad(output_BTH.sum(), [*layer.parameters()])
    assert all(torch.equal(one, other) for one, other in zip(first, again, strict=True))
