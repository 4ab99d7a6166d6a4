"""Cells against torch's where torch has the same, else against their equations, gate by gate."""

from collections.abc import Callable
from typing import get_args

import pytest
import torch
from torch import Tensor, nn

from gru_mt.config import schema
from gru_mt.model.cells import CELLS, Cell

SIZES = {"input_size": 5, "hidden_size": 4}


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def build(kind: str, *, bias: bool = True) -> Cell:
    """Return a cell in float64 with random parameters, biases too, which begin at zero."""
    cell = CELLS[kind](5, 4, bias=bias).double()
    rng = torch.Generator().manual_seed(1)
    for parameter in cell.parameters():
        nn.init.normal_(parameter, std=0.5, generator=rng)
    return cell


def sigma(x: Tensor) -> Tensor:
    return 1 / (1 + torch.exp(-x))


def products(cell: Cell, gate: int, x: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
    """Return W x + b_input and U h + b_state of one gate, each by itself."""
    W, U = cell.weight_ih.chunk(cell.gates)[gate], cell.weight_hh.chunk(cell.gates)[gate]
    if cell.bias_ih is None or cell.bias_hh is None:
        return x @ W.T, h @ U.T
    b_input, b_state = (b.chunk(cell.gates)[gate] for b in (cell.bias_ih, cell.bias_hh))
    return x @ W.T + b_input, h @ U.T + b_state


def relu_rnn(cell: Cell, x: Tensor, h: Tensor) -> Tensor:
    a, b = products(cell, 0, x, h)
    return (a + b).clamp(min=0)


def update_gru(cell: Cell, x: Tensor, h: Tensor) -> Tensor:
    u = sigma(sum(products(cell, 0, x, h), torch.zeros(())))
    n = torch.tanh(sum(products(cell, 1, x, h), torch.zeros(())))
    return u * n + (1 - u) * h


def reset_before_gru(cell: Cell, x: Tensor, h: Tensor) -> Tensor:
    r = sigma(sum(products(cell, 0, x, h), torch.zeros(())))
    z = sigma(sum(products(cell, 1, x, h), torch.zeros(())))
    n = torch.tanh(sum(products(cell, 2, x, r * h), torch.zeros(())))
    return (1 - z) * n + z * h


def torchs(torch_cell: type[nn.RNNCellBase]) -> Callable[[Cell, Tensor, Tensor], Tensor]:
    """Return the step of one of torch's cells with our weights."""

    def step(cell: Cell, x: Tensor, state: Tensor) -> Tensor:
        theirs = torch_cell(**SIZES, bias=cell.bias_ih is not None).double()
        for their, our in zip(theirs.parameters(), cell.parameters(), strict=True):
            their.data.copy_(our.data)
        if cell.states == 2:
            return torch.cat(theirs(x, (state[:, :4], state[:, 4:])), dim=1)
        next_state: Tensor = theirs(x, state)
        return next_state

    return step


REFERENCES = {
    "rnn": torchs(nn.RNNCell),
    "rnn_relu": relu_rnn,
    "gru_update": update_gru,
    "gru_reset_before": reset_before_gru,
    "gru": torchs(nn.GRUCell),
    "lstm": torchs(nn.LSTMCell),
}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", CELLS)
def test_a_step_is_that_of_the_reference(kind: str, bias: bool) -> None:
    cell = build(kind, bias=bias)
    x_BI, state_BZ = random(3, 5), random(3, cell.state_size, seed=1)
    expected_BZ = REFERENCES[kind](cell, x_BI, state_BZ)
    torch.testing.assert_close(cell(x_BI, state_BZ), expected_BZ, rtol=0, atol=1e-12)


def test_the_other_convention_of_the_update_gate_is_the_same_cell_negated() -> None:
    """h' = (1 - z) h + z n, with the update gate's weights and bias negated, is (1 - z) n + z h."""
    x, h = random(3, 5), random(3, 4, seed=1)
    for kind, update, candidate in (("gru", 1, 2), ("gru_reset_before", 1, 2)):
        cell, other = build(kind), build(kind)
        with torch.no_grad():
            for parameter in other.parameters():
                parameter.chunk(3)[update].neg_()
        r = sigma(sum(products(other, 0, x, h), torch.zeros(())))
        z = sigma(sum(products(other, update, x, h), torch.zeros(())))
        if kind == "gru":
            a, b = products(other, candidate, x, h)
            n = torch.tanh(a + r * b)
        else:
            n = torch.tanh(sum(products(other, candidate, x, r * h), torch.zeros(())))
        torch.testing.assert_close((1 - z) * h + z * n, cell(x, h), rtol=0, atol=1e-12)


def test_where_the_reset_gate_acts_makes_a_difference_of_up_to_two() -> None:
    """r = (1/2, 1), z = 0, U h = 40 (h1 - h2): 40 (1/2 - 3/4) = -10 before, 40 (1 - 3/4) / 2 = 5
    after. Their tanh are -1 and 1."""
    inf = torch.inf
    parameters = {
        "weight_ih": torch.zeros(6, 1),
        "weight_hh": torch.tensor([[0, 0], [0, 0], [0, 0], [0, 0], [40.0, -40], [0, 0]]),
        "bias_ih": torch.tensor([0, inf, -inf, -inf, 0, 0]),
        "bias_hh": torch.zeros(6),
    }
    before, after = (CELLS[kind](1, 2) for kind in ("gru_reset_before", "gru"))
    before.load_state_dict(parameters)
    after.load_state_dict(parameters)
    x, h = torch.zeros(1, 1), torch.tensor([[1, 0.75]])
    torch.testing.assert_close(before(x, h), torch.tensor([[-1.0, 0]]), rtol=0, atol=1e-3)
    torch.testing.assert_close(after(x, h), torch.tensor([[1.0, 0]]), rtol=0, atol=1e-3)


@pytest.mark.parametrize(("input_size", "hidden_size"), [(0, 4), (5, 0), (-1, 4)])
def test_a_size_below_one_is_refused(input_size: int, hidden_size: int) -> None:
    with pytest.raises(ValueError, match="sizes must be positive"):
        CELLS["gru"](input_size, hidden_size)


# How training starts


def test_recurrent_matrices_start_by_name() -> None:
    bound = (6 / (16 + 16)) ** 0.5
    for gate_HH in CELLS["gru"](12, 16, recurrent_init="xavier").weight_hh.detach().chunk(3):
        assert 0.95 * bound < gate_HH.abs().max() <= bound
    assert not CELLS["gru"](12, 16, recurrent_init="zeros").weight_hh.any()


@pytest.mark.parametrize("kind", CELLS)
def test_each_gate_starts_by_itself(kind: str) -> None:
    cell = CELLS[kind](12, 16)
    bound = (6 / (12 + 16)) ** 0.5  # of a gate's own fan-out, not of all gates together
    gates_HI, gates_HH = (
        weight.detach().chunk(cell.gates) for weight in (cell.weight_ih, cell.weight_hh)
    )
    for gate_HI in gates_HI:
        assert 0.95 * bound < gate_HI.abs().max() <= bound
    for gate_HH in gates_HH:
        torch.testing.assert_close(gate_HH @ gate_HH.T, torch.eye(16), rtol=0, atol=1e-5)
    for one, other in zip(gates_HH[1:], gates_HH, strict=False):
        assert not torch.equal(one, other)
    assert cell.bias_ih is not None
    assert cell.bias_hh is not None
    assert not cell.bias_ih.any()
    assert not cell.bias_hh.any()


def test_a_configuration_can_name_each_of_them() -> None:
    assert get_args(schema.Cell) == tuple(CELLS)
