"""GRU layers against the equations of their papers, written out, and against torch's packing."""

import pytest
import torch
from torch import Tensor, nn

from gru_mt.model.recurrent import GRU, BidirectionalGRU, pick_times, reversal


def randomise(module: nn.Module) -> None:
    """Draw every parameter anew in float64, biases too, which begin at zero."""
    module.double()
    rng = torch.Generator().manual_seed(1)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5, generator=rng)


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def written_out(cell: nn.GRU, x_BTI: Tensor, state_BH: Tensor) -> Tensor:
    """Return state_BTH by the equations, gate by gate; torch stacks them reset, update, new."""
    W_ir, W_iz, W_in = cell.get_parameter("weight_ih_l0").chunk(3)
    W_hr, W_hz, W_hn = cell.get_parameter("weight_hh_l0").chunk(3)
    b_ir, b_iz, b_in = cell.get_parameter("bias_ih_l0").chunk(3)
    b_hr, b_hz, b_hn = cell.get_parameter("bias_hh_l0").chunk(3)
    states = []
    for x_BI in x_BTI.unbind(1):
        r_BH = 1 / (1 + torch.exp(-(x_BI @ W_ir.T + b_ir + state_BH @ W_hr.T + b_hr)))
        z_BH = 1 / (1 + torch.exp(-(x_BI @ W_iz.T + b_iz + state_BH @ W_hz.T + b_hz)))
        n_BH = torch.tanh(x_BI @ W_in.T + b_in + r_BH * (state_BH @ W_hn.T + b_hn))
        state_BH = (1 - z_BH) * n_BH + z_BH * state_BH
        states.append(state_BH)
    return torch.stack(states, dim=1)


# One direction


@pytest.mark.parametrize("started", [False, True])
def test_states_and_gradients_are_those_of_the_equations(started: bool) -> None:
    layer = GRU(5, 4)
    randomise(layer)
    x_BTI, start_BH, weight_BTH = random(3, 6, 5), random(3, 4, seed=1), random(3, 6, 4, seed=2)
    inputs = [x_BTI.requires_grad_(), *layer.parameters()]

    state_BTH = layer(x_BTI, start_BH if started else None)
    expected_BTH = written_out(
        layer.cell, x_BTI, start_BH if started else torch.zeros_like(start_BH)
    )

    torch.testing.assert_close(state_BTH, expected_BTH, rtol=0, atol=1e-12)
    torch.testing.assert_close(
        torch.autograd.grad((state_BTH * weight_BTH).sum(), inputs),
        torch.autograd.grad((expected_BTH * weight_BTH).sum(), inputs),
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize("started", [False, True])
def test_inference_computes_the_same_states(started: bool) -> None:
    layer = GRU(5, 4)
    randomise(layer)
    x_BTI, start_BH = random(3, 6, 5), random(3, 4, seed=1)
    expected_BTH = written_out(
        layer.cell, x_BTI, start_BH if started else torch.zeros_like(start_BH)
    )
    layer.float()
    with torch.inference_mode():
        state_BTH = layer(x_BTI.float(), start_BH.float() if started else None)
    torch.testing.assert_close(state_BTH.double(), expected_BTH, rtol=0, atol=1e-6)


def test_the_gradient_reaches_the_start() -> None:
    layer = GRU(5, 4)
    randomise(layer)
    x_BTI, start_BH = random(3, 6, 5), random(3, 4, seed=1).requires_grad_()
    (gradient,) = torch.autograd.grad(layer(x_BTI, start_BH).sum(), start_BH)
    (expected,) = torch.autograd.grad(written_out(layer.cell, x_BTI, start_BH).sum(), start_BH)
    torch.testing.assert_close(gradient, expected, rtol=0, atol=1e-12)


def test_a_sequence_can_be_read_in_two_parts() -> None:
    layer = GRU(5, 4)
    randomise(layer)
    x_BTI = random(3, 6, 5)
    whole_BTH = layer(x_BTI)
    rest_BTH = layer(x_BTI[:, 2:], whole_BTH[:, 1])
    torch.testing.assert_close(rest_BTH, whole_BTH[:, 2:], rtol=0, atol=1e-12)


# How training starts


def gates(layer: GRU, name: str) -> list[Tensor]:
    """Return the reset, update and new gate's part of weight_ih or weight_hh."""
    return [*layer.cell.get_parameter(f"{name}_l0").detach().chunk(3)]


def test_each_recurrent_gate_starts_orthogonal() -> None:
    for gate_HH in gates(GRU(16, 16), "weight_hh"):
        torch.testing.assert_close(gate_HH @ gate_HH.T, torch.eye(16), rtol=0, atol=1e-5)


def test_each_input_gate_starts_within_its_own_xavier_bound_and_fills_it() -> None:
    bound = (6 / (12 + 16)) ** 0.5  # fan-in 12, fan-out 16: not the 48 of three gates together
    for gate_HI in gates(GRU(12, 16), "weight_ih"):
        assert 0.95 * bound < gate_HI.abs().max() <= bound


def test_gates_are_drawn_apart() -> None:
    for name in ("weight_ih", "weight_hh"):
        reset, update, new = gates(GRU(16, 16), name)
        assert not torch.equal(reset, update)
        assert not torch.equal(update, new)


def test_biases_start_at_zero() -> None:
    layer = GRU(4, 4)
    for name in ("bias_ih_l0", "bias_hh_l0"):
        assert not layer.cell.get_parameter(name).any()


# Reading backwards


def test_reversal_turns_each_row_within_its_own_length() -> None:
    index_BT = reversal(torch.tensor([4, 2, 1, 3]), 4)
    assert index_BT.tolist() == [[3, 2, 1, 0], [1, 0, 2, 3], [0, 1, 2, 3], [2, 1, 0, 3]]


def test_reversal_is_its_own_inverse() -> None:
    index_BT = reversal(torch.tensor([5, 4, 3, 2, 1]), 6)
    twice_BT = index_BT.gather(1, index_BT)
    assert twice_BT.tolist() == [[0, 1, 2, 3, 4, 5]] * 5


def test_pick_times_takes_the_named_steps_of_each_row() -> None:
    x_BTH = torch.tensor([[[1, 10], [2, 20], [3, 30]], [[4, 40], [5, 50], [6, 60]]])
    picked_BNH = pick_times(x_BTH, torch.tensor([[2, 0], [1, 1]]))
    assert picked_BNH.tolist() == [[[3, 30], [1, 10]], [[5, 50], [5, 50]]]


def test_pick_times_adds_up_the_gradients_of_a_step_taken_twice() -> None:
    x_BTH = torch.zeros(1, 3, 1, requires_grad=True)
    picked_BNH = pick_times(x_BTH, torch.tensor([[2, 0, 2]]))
    weight_BNH = torch.tensor([[[1.0], [10.0], [100.0]]])
    (gradient_BTH,) = torch.autograd.grad((picked_BNH * weight_BNH).sum(), x_BTH)
    assert gradient_BTH.flatten().tolist() == [10.0, 0.0, 101.0]


# Both directions

LENGTHS = torch.tensor([3, 6, 1, 4])


def packed_reference(layer: BidirectionalGRU) -> nn.GRU:
    """Return torch's bidirectional GRU with the weights of `layer`: ahead, then back."""
    reference = nn.GRU(5, 4, batch_first=True, bidirectional=True).double()
    for theirs, ours in zip(reference.parameters(), layer.parameters(), strict=True):
        theirs.data.copy_(ours.data)
    return reference


def test_both_directions_are_those_of_torch_on_a_packed_batch() -> None:
    layer = BidirectionalGRU(5, 4)
    randomise(layer)
    reference = packed_reference(layer)
    x_BTI, weight_BTC, weight_BC = random(4, 6, 5), random(4, 6, 8, seed=1), random(4, 8, seed=2)
    real_BT1 = (torch.arange(6) < LENGTHS[:, None])[:, :, None]

    state_BTC, last_BC = layer(x_BTI, LENGTHS)
    packed = nn.utils.rnn.pack_padded_sequence(x_BTI, LENGTHS, True, enforce_sorted=False)
    packed_states, last_2BH = reference(packed)
    expected_BTC, _ = nn.utils.rnn.pad_packed_sequence(packed_states, batch_first=True)
    expected_BC = torch.cat([*last_2BH], dim=1)

    torch.testing.assert_close(state_BTC * real_BT1, expected_BTC, rtol=0, atol=1e-12)
    torch.testing.assert_close(last_BC, expected_BC, rtol=0, atol=1e-12)

    loss = (state_BTC * real_BT1 * weight_BTC).sum() + (last_BC * weight_BC).sum()
    expected_loss = (expected_BTC * weight_BTC).sum() + (expected_BC * weight_BC).sum()
    torch.testing.assert_close(
        torch.autograd.grad(loss, [*layer.parameters()]),
        torch.autograd.grad(expected_loss, [*reference.parameters()]),
        rtol=0,
        atol=1e-12,
    )


def test_padding_changes_nothing_however_long_and_whatever_is_in_it() -> None:
    layer = BidirectionalGRU(5, 4)
    randomise(layer)
    x_BTI = random(4, 6, 5)
    longer_BTI = torch.cat([x_BTI, random(4, 3, 5, seed=1)], dim=1)
    real_BT = torch.arange(9) < LENGTHS[:, None]
    longer_BTI[~real_BT] = 100.0
    longer_BTI.requires_grad_()

    state_BTC, last_BC = layer(x_BTI, LENGTHS)
    longer_BTC, longer_BC = layer(longer_BTI, LENGTHS)

    torch.testing.assert_close(longer_BTC[real_BT], state_BTC[real_BT[:, :6]], rtol=0, atol=1e-12)
    torch.testing.assert_close(longer_BC, last_BC, rtol=0, atol=1e-12)
    (gradient_BTI,) = torch.autograd.grad(longer_BTC[real_BT].sum() + longer_BC.sum(), longer_BTI)
    assert not gradient_BTI[~real_BT].any()
