"""Dropout by an explicit generator, with one mask for all of a sequence."""

import pytest
import torch

from gru_mt.model.layers import dropout


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_one_mask_holds_for_every_time_step_of_a_sequence() -> None:
    dropped_BTH = dropout(torch.ones(3, 7, 50), 0.5, generator(1))
    assert torch.equal(dropped_BTH, dropped_BTH[:, :1].expand(3, 7, 50))


def test_each_sequence_has_a_mask_of_its_own() -> None:
    first_H, second_H = dropout(torch.ones(2, 1, 50), 0.5, generator(1))[:, 0]
    assert not torch.equal(first_H, second_H)


def test_what_stays_is_scaled_by_the_inverse_of_its_share() -> None:
    values = dropout(torch.full((4, 3, 50), 2.0), 0.2, generator(1))
    assert set(values.flatten().tolist()) == {0.0, 2.5}  # 2 / (1 - 0.2)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.8])
def test_the_expectation_is_the_input(rate: float) -> None:
    masks = 20_000
    mean = dropout(torch.ones(masks, 1, 1), rate, generator(1)).mean().item()
    deviation = (rate / (1 - rate) / masks) ** 0.5  # of a mean of so many masks
    assert mean == pytest.approx(1.0, abs=4 * deviation)


def test_the_gradient_is_the_mask() -> None:
    x_BTH = torch.randn(2, 3, 8, generator=generator(0)).requires_grad_()
    dropped_BTH = dropout(x_BTH, 0.5, generator(1))
    (gradient_BTH,) = torch.autograd.grad(dropped_BTH.sum(), x_BTH)
    assert torch.equal(gradient_BTH, dropout(torch.ones(2, 3, 8), 0.5, generator(1)))


def test_without_a_generator_nothing_is_dropped() -> None:
    x_BTH = torch.randn(2, 3, 4)
    assert torch.equal(dropout(x_BTH, 0.9, None), x_BTH)


def test_rate_0_drops_nothing_and_draws_nothing() -> None:
    rng, x_BTH = generator(1), torch.randn(2, 3, 4)
    assert torch.equal(dropout(x_BTH, 0.0, rng), x_BTH)
    assert torch.equal(rng.get_state(), generator(1).get_state())


def test_the_same_seed_gives_the_same_mask_and_another_seed_another() -> None:
    first, same, other = (dropout(torch.ones(2, 3, 50), 0.5, generator(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)


def test_a_generator_goes_on_to_a_new_mask() -> None:
    rng, x_BTH = generator(1), torch.ones(2, 3, 50)
    assert not torch.equal(dropout(x_BTH, 0.5, rng), dropout(x_BTH, 0.5, rng))


def test_torchs_own_generator_is_left_alone() -> None:
    before = torch.get_rng_state()
    dropout(torch.ones(2, 3, 4), 0.5, generator(1))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_the_type_of_number_stays(dtype: torch.dtype) -> None:
    assert dropout(torch.ones(2, 3, 4, dtype=dtype), 0.5, generator(1)).dtype == dtype


def test_rows_of_a_table_have_a_mask_each() -> None:
    dropped_UH = dropout(torch.ones(2, 50), 0.5, generator(1))
    assert not torch.equal(dropped_UH[0], dropped_UH[1])
    assert set(dropped_UH.unique().tolist()) == {0.0, 2.0}
