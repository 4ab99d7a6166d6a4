"""Textbook cells written out from their formulas, against ours with the same weights converted."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from gru_mt.model.cells import CELLS
from gru_mt.model.notebook import (
    Parameters,
    from_concatenated,
    from_linears,
    from_matrices,
    from_stacked,
    from_torch,
    negate_gate,
    reorder,
)

SIZE_I, SIZE_H, SIZE_C = 5, 4, 3
sigma = torch.sigmoid


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def linears(count: int, size_in: int, seed: int, *, bias: bool = True) -> list[nn.Linear]:
    """Return linear layers to SIZE_H units in float64 with random weights and biases."""
    torch.manual_seed(seed)
    return [nn.Linear(size_in, SIZE_H, bias=bias).double() for _ in range(count)]


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
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_separate_matrices_in_input_hidden_layout() -> None:
    W_r, W_z, W = (random(SIZE_I, SIZE_H, seed=n) for n in range(3))
    U_r, U_z, U = (random(SIZE_H, SIZE_H, seed=n) for n in range(3, 6))
    b_r, b_z, b = (random(SIZE_H, seed=n) for n in range(6, 9))

    def textbook(x: Tensor, h: Tensor) -> Tensor:
        r, z = sigma(x @ W_r + h @ U_r + b_r), sigma(x @ W_z + h @ U_z + b_z)
        return z * h + (1 - z) * torch.tanh(x @ W + (r * h) @ U + b)

    gates = [(W_r, U_r, b_r), (W_z, U_z, b_z), (W, U, b)]
    assert_same_sequence("gru_reset_before", from_matrices(gates), textbook)


def test_separate_matrices_of_the_other_convention_and_order() -> None:
    W_z, W_r, W = (random(SIZE_I, SIZE_H, seed=n) for n in range(3))
    U_z, U_r, U = (random(SIZE_H, SIZE_H, seed=n) for n in range(3, 6))
    b_z, b_r, b = (random(SIZE_H, seed=n) for n in range(6, 9))

    def textbook(x: Tensor, h: Tensor) -> Tensor:
        z, r = sigma(x @ W_z + h @ U_z + b_z), sigma(x @ W_r + h @ U_r + b_r)
        return (1 - z) * h + z * torch.tanh(x @ W + (r * h) @ U + b)

    stacked = from_matrices([(W_z, U_z, b_z), (W_r, U_r, b_r), (W, U, b)])
    ours = negate_gate(reorder(stacked, [1, 0, 2]), 1, gates=3)
    assert_same_sequence("gru_reset_before", ours, textbook)


def test_matrices_without_biases() -> None:
    W, U = random(SIZE_I, SIZE_H), random(SIZE_H, SIZE_H, seed=1)
    ours = from_matrices([(W, U, None)])
    assert_same_sequence("rnn", ours, lambda x, h: torch.tanh(x @ W + h @ U))


def test_matrices_of_which_some_have_no_bias() -> None:
    W_u, W_c = (random(SIZE_I, SIZE_H, seed=n) for n in range(2))
    U_u, U_c = (random(SIZE_H, SIZE_H, seed=n) for n in range(2, 4))
    b_c = random(SIZE_H, seed=4)

    def textbook(x: Tensor, h: Tensor) -> Tensor:
        u = sigma(x @ W_u + h @ U_u)
        return u * torch.tanh(x @ W_c + h @ U_c + b_c) + (1 - u) * h

    ours = from_matrices([(W_u, U_u, None), (W_c, U_c, b_c)])
    assert_same_sequence("gru_update", ours, textbook)


@pytest.mark.parametrize("shape", [(1, SIZE_H), (SIZE_H, 1)])
def test_a_bias_may_be_a_row_or_a_column(shape: tuple[int, int]) -> None:
    W, U, b = random(SIZE_I, SIZE_H), random(SIZE_H, SIZE_H, seed=1), random(SIZE_H, seed=2)
    ours, same = from_matrices([(W, U, b.view(shape))]), from_matrices([(W, U, b)])
    assert torch.equal(ours["bias_ih"], same["bias_ih"])


def test_the_output_layers_bias_in_place_of_the_candidates_is_refused() -> None:
    """If a class stores both biases as `b`, it passes on the output's, which has another size."""
    W, U, b_output = random(SIZE_I, SIZE_H), random(SIZE_H, SIZE_H, seed=1), random(7, seed=2)
    with pytest.raises(ValueError, match=r"a bias has shape \(7,\), its gate 4 units"):
        from_matrices([(W, U, b_output)])
    with pytest.raises(ValueError, match="a gate has 5 units for x and 4 for h"):
        from_matrices([(random(SIZE_H, SIZE_I), U, None)])


def test_nine_linear_layers_with_a_context() -> None:
    W_r, W_z, W = linears(3, SIZE_I, 1)
    C_r, C_z, C_n = linears(3, SIZE_C, 2)
    U_r, U_z, U = linears(3, SIZE_H, 3)

    def textbook(xc: Tensor, h: Tensor) -> Tensor:
        x, c = xc[:, :SIZE_I], xc[:, SIZE_I:]
        r, z = sigma(W_r(x) + C_r(c) + U_r(h)), sigma(W_z(x) + C_z(c) + U_z(h))
        return z * h + (1 - z) * torch.tanh(W(x) + C_n(c) + U(r * h))

    ours = from_linears([(W_r, C_r, U_r), (W_z, C_z, U_z), (W, C_n, U)])
    assert_same_sequence("gru_reset_before", ours, textbook, size_in=SIZE_I + SIZE_C)


def test_six_linear_layers_whose_reset_acts_after_the_product() -> None:
    (W_r, W_z, W), (U_r, U_z, U) = linears(3, SIZE_I, 1), linears(3, SIZE_H, 2)

    def textbook(x: Tensor, h: Tensor) -> Tensor:
        r, z = sigma(W_r(x) + U_r(h)), sigma(W_z(x) + U_z(h))
        return (1 - z) * torch.tanh(W(x) + r * U(h)) + z * h

    assert_same_sequence("gru", from_linears([(W_r, U_r), (W_z, U_z), (W, U)]), textbook)


def test_linear_layers_of_which_some_have_no_bias() -> None:
    (W,), (U,) = linears(1, SIZE_I, 1), linears(1, SIZE_H, 2, bias=False)
    assert_same_sequence("rnn", from_linears([(W, U)]), lambda x, h: torch.tanh(W(x) + U(h)))
    (V,) = linears(1, SIZE_I, 3, bias=False)
    assert_same_sequence("rnn", from_linears([(V, U)]), lambda x, h: torch.tanh(V(x) + U(h)))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("state_first", [True, False])
def test_one_linear_layer_a_gate_over_both(state_first: bool, bias: bool) -> None:
    W_u, W_c = linears(2, SIZE_H + SIZE_I, 1, bias=bias)

    def textbook(x: Tensor, c: Tensor) -> Tensor:
        both = torch.cat([c, x] if state_first else [x, c], dim=1)
        u = sigma(W_u(both))
        return u * torch.tanh(W_c(both)) + (1 - u) * c

    ours = from_concatenated([W_u, W_c], SIZE_H, state_first=state_first)
    assert_same_sequence("gru_update", ours, textbook)


def as_notebooks_have_it(layer: nn.Linear, *, bias: bool) -> Tensor | tuple[Tensor, Tensor]:
    """Return a layer as the matrix A of x A, alone or with its bias."""
    return (layer.weight.T, layer.bias) if bias else layer.weight.T


@pytest.mark.parametrize("bias", [True, False])
def test_matrices_in_place_of_linear_layers(bias: bool) -> None:
    W_r, W_z, W = linears(3, SIZE_I, 1, bias=bias)
    C_r, C_z, C_n = linears(3, SIZE_C, 2, bias=bias)
    U_r, U_z, U = linears(3, SIZE_H, 3, bias=bias)
    gates = [(W_r, C_r, U_r), (W_z, C_z, U_z), (W, C_n, U)]
    raw = [[as_notebooks_have_it(layer, bias=bias) for layer in gate] for gate in gates]
    assert_equal(from_linears(raw), from_linears(gates))
    assert_equal(from_linears([[W_r, raw[0][1], U_r]]), from_linears([gates[0]]))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("state_first", [True, False])
def test_concatenated_matrices_lie_either_way(state_first: bool, bias: bool) -> None:
    gates = linears(2, SIZE_H + SIZE_I, 1, bias=bias)
    expected = from_concatenated(gates, SIZE_H, state_first=state_first)
    raw = [as_notebooks_have_it(layer, bias=bias) for layer in gates]
    assert_equal(from_concatenated(raw, SIZE_H, state_first=state_first), expected)
    rows = [(layer.weight, layer.bias) for layer in gates]
    assert_equal(from_concatenated(rows, SIZE_H, state_first=state_first), expected)
    for same in (gates, raw):
        with pytest.raises(ValueError, match="a gate has 4 units, not hidden_size 3"):
            from_concatenated(same, 3)


def test_stacked_linear_layers_keep_both_biases() -> None:
    gru = nn.GRUCell(SIZE_I, SIZE_H).double()
    ih, hh = nn.Linear(SIZE_I, 3 * SIZE_H), nn.Linear(SIZE_H, 3 * SIZE_H)
    ih.weight, ih.bias, hh.weight, hh.bias = gru.weight_ih, gru.bias_ih, gru.weight_hh, gru.bias_hh
    assert_same_sequence("gru", from_stacked(ih, hh), gru)


def test_a_layer_of_other_units_than_its_gate_is_refused() -> None:
    (W,), (U,) = linears(1, SIZE_I, 1), linears(1, SIZE_H, 2)
    with pytest.raises(ValueError, match="a gate has 5 units for x and 4 for h"):
        from_linears([(W.weight, U)])
    with pytest.raises(ValueError, match=r"a bias has shape \(5,\), its gate 4 units"):
        from_linears([((W.weight.T, random(5)), U)])


def assert_equal(one: Parameters, other: Parameters) -> None:
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert torch.equal(value, other[name]), name


def test_stacked_without_bias() -> None:
    W, U = random(3 * SIZE_H, SIZE_I), random(3 * SIZE_H, SIZE_H, seed=1)

    def textbook(x: Tensor, h: Tensor) -> Tensor:
        (a_r, a_z, a_n), (b_r, b_z, b_n) = (x @ W.T).chunk(3, 1), (h @ U.T).chunk(3, 1)
        z = sigma(a_z + b_z)
        return (1 - z) * torch.tanh(a_n + sigma(a_r + b_r) * b_n) + z * h

    assert_same_sequence("gru", from_stacked(W, U), textbook)


@pytest.mark.parametrize("back", [True, False])
@pytest.mark.parametrize("layer", [0, 1])
def test_torchs_layers_by_name(layer: int, back: bool) -> None:
    gru = nn.GRU(2 * SIZE_H, SIZE_H, num_layers=2, bidirectional=True).double()
    cell = nn.GRUCell(2 * SIZE_H, SIZE_H).double()
    for name, value in cell.named_parameters():
        ending = f"_l{layer}{'_reverse' if back else ''}"
        value.data.copy_(gru.get_parameter(name + ending).data)
    assert_same_sequence(
        "gru", from_torch(gru.state_dict(), layer=layer, back=back), cell, size_in=2 * SIZE_H
    )


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


@pytest.mark.parametrize(
    ("kind", "theirs"), [("rnn", nn.RNNCell), ("gru", nn.GRUCell), ("lstm", nn.LSTMCell)]
)
def test_the_weights_of_torchs_cells_load_as_they_are(kind: str, theirs: type[nn.Module]) -> None:
    cell = CELLS[kind](SIZE_I, SIZE_H)
    cell.load_state_dict(theirs(SIZE_I, SIZE_H).state_dict())


def test_a_layer_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="no weights whose names end in _l2"):
        from_torch(nn.GRU(5, 4).state_dict(), layer=2)


def test_what_is_returned_is_no_view_of_what_was_given() -> None:
    W, U = random(SIZE_H, SIZE_I), random(SIZE_H, SIZE_H, seed=1)
    ours = from_stacked(W, U)
    W.zero_()
    assert ours["weight_ih"].any()
