"""Textbook cells written out from their formulas, against ours with the same weights converted.

tests/test_examples.py runs the guide's snippets, which do the same with each function.
"""

from collections.abc import Callable

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

SIZE_I, SIZE_H, SIZE_C = 5, 4, 3
sigma = torch.sigmoid


def linears(count: int, size_in: int, seed: int, *, bias: bool = True) -> list[nn.Linear]:
    """Return linear layers to SIZE_H units in float64 with random weights and biases."""
    torch.manual_seed(seed)
    return [nn.Linear(size_in, SIZE_H, bias=bias).double() for _ in range(count)]


def matrices(count: int, size_in: int, seed: int) -> list[Tensor]:
    return [random(size_in, SIZE_H, seed=seed + n) for n in range(count)]


def assert_same_sequence(
    kind: str,
    parameters: Parameters,
    textbook: Callable[[Tensor, Tensor], Tensor],
    size_in: int = SIZE_I,
) -> None:
    """Hold our cell with `parameters` to h = textbook(x, h) over ten steps."""
    cell = CELLS[kind](size_in, SIZE_H, bias="bias_ih" in parameters).double()
    cell.load_state_dict(parameters)
    ours = theirs = random(3, SIZE_H, seed=8)
    for x in random(10, 3, size_in, seed=9):
        ours, theirs = cell(x, ours), textbook(x, theirs)
        assert_same(ours, theirs)


def test_matrices_of_which_some_or_all_have_no_bias() -> None:
    (W_u, W_c), (U_u, U_c), b_c = matrices(2, SIZE_I, 0), matrices(2, SIZE_H, 2), random(SIZE_H)

    def textbook(x: Tensor, h: Tensor) -> Tensor:
        u = sigma(x @ W_u + h @ U_u)
        return u * torch.tanh(x @ W_c + h @ U_c + b_c) + (1 - u) * h

    ours = from_matrices([(W_u, U_u, None), (W_c, U_c, b_c)])
    assert_same_sequence("gru_update", ours, textbook)
    for shape in ((1, SIZE_H), (SIZE_H, 1)):  # a row and a column
        assert_equal(from_matrices([(W_u, U_u, None), (W_c, U_c, b_c.view(shape))]), ours)
    ours = from_matrices([(W_u, U_u, None)])
    assert_same_sequence("rnn", ours, lambda x, h: torch.tanh(x @ W_u + h @ U_u))


def test_sizes_that_differ_are_refused() -> None:
    """If a class stores both biases as `b`, it passes on the output's, which has another size."""
    (W,), (U,) = matrices(1, SIZE_I, 0), matrices(1, SIZE_H, 1)
    with pytest.raises(ValueError, match=r"a bias has shape \(7,\), its gate 4 units"):
        from_matrices([(W, U, random(7))])
    with pytest.raises(ValueError, match="a gate has 5 units for x and 4 for h"):
        from_linears([(W.T, U)])
    for gate in (nn.Linear(SIZE_H + SIZE_I, SIZE_H), random(SIZE_H + SIZE_I, SIZE_H)):
        with pytest.raises(ValueError, match="a gate has 4 units, not hidden_size 3"):
            from_concatenated([gate], 3)
    with pytest.raises(ValueError, match="no weights whose names end in _l2"):
        from_torch(nn.GRU(5, 4).state_dict(), layer=2)


def as_notebooks_have_it(layer: nn.Linear) -> Tensor | tuple[Tensor, Tensor]:
    """Return a layer as the matrix A of x A, alone or with its bias."""
    return layer.weight.T if layer.bias is None else (layer.weight.T, layer.bias)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("state_first", [True, False])
def test_one_linear_layer_a_gate_over_both(state_first: bool, bias: bool) -> None:
    W_u, W_c = gates = linears(2, SIZE_H + SIZE_I, 1, bias=bias)

    def textbook(x: Tensor, c: Tensor) -> Tensor:
        both = torch.cat([c, x] if state_first else [x, c], dim=1)
        u = sigma(W_u(both))
        return u * torch.tanh(W_c(both)) + (1 - u) * c

    ours = from_concatenated(gates, SIZE_H, state_first=state_first)
    assert_same_sequence("gru_update", ours, textbook)
    lying = [as_notebooks_have_it(layer) for layer in gates]
    standing = [(layer.weight, layer.bias) for layer in gates]
    for same in (lying, standing):
        assert_equal(from_concatenated(same, SIZE_H, state_first=state_first), ours)


def test_stacked_linear_layers_keep_both_biases_and_matrices_may_have_none() -> None:
    gru = nn.GRUCell(SIZE_I, SIZE_H).double()
    ih, hh = nn.Linear(SIZE_I, 3 * SIZE_H), nn.Linear(SIZE_H, 3 * SIZE_H)
    ih.weight, ih.bias, hh.weight, hh.bias = gru.weight_ih, gru.bias_ih, gru.weight_hh, gru.bias_hh
    assert_same_sequence("gru", from_stacked(ih, hh), gru)
    without = nn.GRUCell(SIZE_I, SIZE_H, bias=False).double()
    ours = from_stacked(without.weight_ih, without.weight_hh)
    assert_same_sequence("gru", ours, without)
    with torch.no_grad():
        without.weight_ih.zero_()
    assert ours["weight_ih"].any(), "what is returned is no view of what was given"


def assert_equal(one: Parameters, other: Parameters) -> None:
    torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_the_gru_of_keras_as_the_guide_says() -> None:
    """Its matrices are stacked, z before r, and its reset acts after the product."""
    kernel, recurrent = random(SIZE_I, 3 * SIZE_H), random(SIZE_H, 3 * SIZE_H, seed=1)
    bias = random(2, 3 * SIZE_H, seed=2)
    parameters = from_linears([((kernel, bias[0]), (recurrent, bias[1]))])

    def step(x: Tensor, h: Tensor) -> Tensor:
        x_z, x_r, x_n = (x @ kernel + bias[0]).chunk(3, dim=1)
        h_z, h_r, h_n = (h @ recurrent + bias[1]).chunk(3, dim=1)
        z, r = sigma(x_z + h_z), sigma(x_r + h_r)
        return z * h + (1 - z) * torch.tanh(x_n + r * h_n)

    assert_same_sequence("gru", reorder(parameters, [1, 0, 2]), step)
