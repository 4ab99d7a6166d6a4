"""Linear layers against the same product in float64; dropout by an explicit generator."""

import math

import pytest
import torch

from gru_mt.model.layers import Linear, dropout, linear
from tests.model.tensors import random


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("shape", [(1,), (8,), (9,), (3, 7), (2, 8, 2), (65,), (513,)])
@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("training", [True, False])
def test_the_product_is_that_of_float64(
    shape: tuple[int, ...], biased: bool, training: bool
) -> None:
    x, weight_OI = random(*shape, 33).float(), random(20, 33, seed=1).float()
    bias_O = random(20, seed=2).float() if biased else None
    with torch.set_grad_enabled(training):
        y = linear(x, weight_OI, bias_O)
    expected = x.double() @ weight_OI.double().T + (0 if bias_O is None else bias_O.double())
    torch.testing.assert_close(y.double(), expected, rtol=0, atol=2e-5)
    assert x.equal(random(*shape, 33).float()), "the input stays"


@pytest.mark.parametrize("biased", [True, False])
def test_weights_begin_as_glorot_and_bengio_and_the_bias_at_zero(biased: bool) -> None:
    layer = Linear(100, 200, bias=biased)
    bound = math.sqrt(6 / (100 + 200))
    assert 0.98 * bound < layer.weight.abs().max() <= bound
    assert layer.weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.02)
    assert layer.bias is None or not layer.bias.any()


# Dropout


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_a_sequence_has_one_mask_for_all_its_steps_and_a_row_of_a_table_its_own() -> None:
    dropped_BTH = dropout(torch.full((2, 7, 50), 2.0), 0.2, generator(1))
    assert torch.equal(dropped_BTH, dropped_BTH[:, :1].expand(2, 7, 50))
    assert not torch.equal(dropped_BTH[0], dropped_BTH[1])
    assert set(dropped_BTH.flatten().tolist()) == {0.0, 2.5}  # 2 / (1 - 0.2)
    dropped_UH = dropout(torch.ones(2, 50), 0.5, generator(1))
    assert not torch.equal(dropped_UH[0], dropped_UH[1])


@pytest.mark.parametrize("rate", [0.1, 0.8])
def test_the_expectation_is_the_input(rate: float) -> None:
    masks = 20_000
    mean = dropout(torch.ones(masks, 1, 1), rate, generator(1)).mean().item()
    deviation = (rate / (1 - rate) / masks) ** 0.5  # of a mean of so many masks
    assert mean == pytest.approx(1.0, abs=4 * deviation)


def test_without_a_generator_or_at_rate_0_nothing_is_dropped_or_drawn() -> None:
    rng, x_BTH = generator(1), random(2, 3, 4)
    assert torch.equal(dropout(x_BTH, 0.9, None), x_BTH)
    assert torch.equal(dropout(x_BTH, 0.0, rng), x_BTH)
    assert torch.equal(rng.get_state(), generator(1).get_state())


def test_the_mask_is_that_of_the_generator_alone_and_is_the_gradient() -> None:
    before, rng = torch.get_rng_state(), generator(1)
    x_BTH = torch.ones(2, 3, 50).bfloat16().requires_grad_()
    first, other = dropout(x_BTH, 0.5, rng), dropout(x_BTH, 0.5, rng)
    assert torch.equal(dropout(x_BTH, 0.5, generator(1)), first)
    assert not torch.equal(first, other)
    assert first.dtype == torch.bfloat16
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(torch.autograd.grad(first.sum(), x_BTH)[0], first)
