"""Cells against torch's where torch has the same, else against their equations, gate by gate."""

from collections.abc import Callable
from typing import get_args

import pytest
import torch
from torch import Tensor, nn

from gru_mt.config import schema
from gru_mt.model.cells import CELLS, Cell
from tests.model.tensors import assert_same, random, randomise

sigma = torch.sigmoid


def gate(cell: Cell, number: int, x: Tensor, h: Tensor) -> Tensor:
    """Return W x + b_input + U h + b_state of one gate."""
    W, U = cell.weight_ih.chunk(cell.gates)[number], cell.weight_hh.chunk(cell.gates)[number]
    biases = [b.chunk(cell.gates)[number] for b in (cell.bias_ih, cell.bias_hh) if b is not None]
    return x @ W.T + h @ U.T + sum(biases, torch.zeros(()))


def relu_rnn(cell: Cell, x: Tensor, h: Tensor) -> Tensor:
    return gate(cell, 0, x, h).clamp(min=0)


def update_gru(cell: Cell, x: Tensor, h: Tensor) -> Tensor:
    u = sigma(gate(cell, 0, x, h))
    return u * torch.tanh(gate(cell, 1, x, h)) + (1 - u) * h


def reset_before_gru(cell: Cell, x: Tensor, h: Tensor) -> Tensor:
    r, z = sigma(gate(cell, 0, x, h)), sigma(gate(cell, 1, x, h))
    return (1 - z) * torch.tanh(gate(cell, 2, x, r * h)) + z * h


def torchs(torch_cell: type[nn.RNNCellBase]) -> Callable[[Cell, Tensor, Tensor], Tensor]:
    """Return the step of one of torch's cells with our weights."""

    def step(cell: Cell, x: Tensor, state: Tensor) -> Tensor:
        theirs = torch_cell(5, 4, bias=cell.bias_ih is not None).double()  # type: ignore[call-arg]
        theirs.load_state_dict(cell.state_dict())
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
    cell = randomise(CELLS[kind](5, 4, bias=bias))
    x_BI, state_BZ = random(3, 5), random(3, cell.state_size, seed=1)
    assert_same(cell(x_BI, state_BZ), REFERENCES[kind](cell, x_BI, state_BZ))


@pytest.mark.parametrize(("input_size", "hidden_size"), [(0, 4), (5, 0), (-1, 4)])
def test_a_size_below_one_is_refused(input_size: int, hidden_size: int) -> None:
    with pytest.raises(ValueError, match="sizes must be positive"):
        CELLS["gru"](input_size, hidden_size)


@pytest.mark.parametrize("kind", CELLS)
def test_each_gate_starts_by_itself(kind: str) -> None:
    cell = CELLS[kind](12, 16)
    bound = (6 / (12 + 16)) ** 0.5  # of a gate's own fan-out, not of all gates together
    for gate_HI in cell.weight_ih.detach().chunk(cell.gates):
        assert 0.95 * bound < gate_HI.abs().max() <= bound
    gates_HH = cell.weight_hh.detach().chunk(cell.gates)
    for gate_HH in gates_HH:
        torch.testing.assert_close(gate_HH @ gate_HH.T, torch.eye(16), rtol=0, atol=1e-5)
    assert not any(torch.equal(one, gates_HH[0]) for one in gates_HH[1:])
    for bias_G in (cell.bias_ih, cell.bias_hh):
        assert bias_G is not None
        assert not bias_G.any()


def test_cells_and_how_recurrent_matrices_start_have_names() -> None:
    assert get_args(schema.Cell) == tuple(CELLS)
    bound = (6 / (16 + 16)) ** 0.5
    for gate_HH in CELLS["gru"](12, 16, recurrent_init="xavier").weight_hh.detach().chunk(3):
        assert 0.95 * bound < gate_HH.abs().max() <= bound
    assert not CELLS["gru"](12, 16, recurrent_init="zeros").weight_hh.any()


@pytest.mark.parametrize("kind", CELLS)
def test_no_hidden_state_is_beyond_the_limit_of_its_cell(kind: str) -> None:
    cell = randomise(CELLS[kind](5, 4))
    state_BZ = random(64, cell.state_size).clamp(-1, 1)
    for step in range(20):
        state_BZ = cell(20 * random(64, 5, seed=step), state_BZ)
    largest = state_BZ[:, :4].detach().abs().max().item()
    assert largest > 0.9, "inputs are large enough to tell"
    assert (largest <= 1) == (cell.limit == 1), "a cell without a limit has larger ones"
