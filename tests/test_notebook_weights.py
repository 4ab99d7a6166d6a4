"""What the guide's snippets leave out of notebook_weights: other forms of layers, and refusals.

tests/test_examples.py runs the snippets, one for each function.
"""

import pytest
import torch
from notebook_weights import (
    Parameters,
    from_concatenated,
    from_linears,
    from_matrices,
    from_stacked,
    from_torch,
    reorder,
)
from torch import Tensor, nn

from gru_mt.model.cells import CELLS
from tests.model.tensors import assert_same, random

SIZE_I, SIZE_H = 5, 4
W_u, W_c, U_u, U_c = random(SIZE_I + SIZE_I + SIZE_H + SIZE_H, SIZE_H).split([5, 5, 4, 4])
b_c = random(SIZE_H, seed=3)
x, h = random(3, SIZE_I, seed=8), random(3, SIZE_H, seed=9)


def step(kind: str, parameters: Parameters) -> Tensor:
    """Return the state after x and h of our cell with these parameters."""
    cell = CELLS[kind](SIZE_I, SIZE_H, bias="bias_ih" in parameters).double()
    cell.load_state_dict(parameters)
    state: Tensor = cell(x, h)
    return state


def test_matrices_of_which_some_or_all_have_no_bias() -> None:
    u = torch.sigmoid(x @ W_u + h @ U_u)
    expected = u * torch.tanh(x @ W_c + h @ U_c + b_c) + (1 - u) * h
    for shape in ((SIZE_H,), (1, SIZE_H), (SIZE_H, 1)):  # a vector, a row and a column
        ours = from_matrices([(W_u, U_u, None), (W_c, U_c, b_c.view(shape))])
        assert_same(step("gru_update", ours), expected)
    ours = from_matrices([(W_u, U_u, None)])
    assert_same(step("rnn", ours), torch.tanh(x @ W_u + h @ U_u))


def test_sizes_that_differ_are_refused() -> None:
    """If a class stores both biases as `b`, it passes on the output's, which has another size."""
    with pytest.raises(ValueError, match=r"a bias has shape \(7,\), its gate 4 units"):
        from_matrices([(W_u, U_u, random(7))])
    with pytest.raises(ValueError, match="a gate has 5 units for x and 4 for h"):
        from_linears([(W_u.T, U_u)])
    for gate in (nn.Linear(SIZE_H + SIZE_I, SIZE_H), random(SIZE_H + SIZE_I, SIZE_H)):
        with pytest.raises(ValueError, match="a gate has 4 units, not hidden_size 3"):
            from_concatenated([gate], 3)
    with pytest.raises(ValueError, match="no weights whose names end in _l2"):
        from_torch(nn.GRU(5, 4).state_dict(), layer=2)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("state_first", [True, False])
def test_one_linear_layer_a_gate_over_both(state_first: bool, bias: bool) -> None:
    torch.manual_seed(1)
    gates = [nn.Linear(SIZE_H + SIZE_I, SIZE_H, bias=bias).double() for _ in range(2)]
    joined = torch.cat([h, x] if state_first else [x, h], dim=1)
    u, candidate = torch.sigmoid(gates[0](joined)), torch.tanh(gates[1](joined))
    lying = [(gate.weight.T, gate.bias) for gate in gates]
    standing = [(gate.weight, gate.bias) for gate in gates]
    alone = standing if bias else [gate.weight for gate in gates]
    for form in (gates, lying, standing, alone):
        ours = from_concatenated(form, SIZE_H, state_first=state_first)
        assert_same(step("gru_update", ours), u * candidate + (1 - u) * h)


def test_stacked_linear_layers_keep_both_biases_and_matrices_may_have_none() -> None:
    gru = nn.GRUCell(SIZE_I, SIZE_H).double()
    ih, hh = nn.Linear(SIZE_I, 3 * SIZE_H), nn.Linear(SIZE_H, 3 * SIZE_H)
    ih.weight, ih.bias, hh.weight, hh.bias = gru.weight_ih, gru.bias_ih, gru.weight_hh, gru.bias_hh
    assert_same(step("gru", from_stacked(ih, hh)), gru(x, h))
    without = nn.GRUCell(SIZE_I, SIZE_H, bias=False).double()
    ours, expected = from_stacked(without.weight_ih, without.weight_hh), without(x, h)
    with torch.no_grad():
        without.weight_ih.zero_()
    assert_same(step("gru", ours), expected)  # what is returned is no view of what was given


def test_the_gru_of_keras_as_the_guide_says() -> None:
    """Its matrices are stacked, z before r, and its reset acts after the product."""
    kernel, recurrent = random(SIZE_I, 3 * SIZE_H), random(SIZE_H, 3 * SIZE_H, seed=1)
    bias = random(2, 3 * SIZE_H, seed=2)
    x_z, x_r, x_n = (x @ kernel + bias[0]).chunk(3, dim=1)
    h_z, h_r, h_n = (h @ recurrent + bias[1]).chunk(3, dim=1)
    z, r = torch.sigmoid(x_z + h_z), torch.sigmoid(x_r + h_r)
    ours = reorder(from_linears([((kernel, bias[0]), (recurrent, bias[1]))]), [1, 0, 2])
    assert_same(step("gru", ours), z * h + (1 - z) * torch.tanh(x_n + r * h_n))
