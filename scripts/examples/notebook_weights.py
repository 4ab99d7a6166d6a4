"""Weights of a notebook's or a textbook's recurrent cell, converted for one of `model.cells`.

Each function returns what `cell.load_state_dict` takes. `cells` says in which order each cell
stacks its gates; `reorder` puts them into that order. scripts/examples/README.md shows all of them.
A linear layer may be an nn.Linear; or a matrix A that computes x A, alone or with its bias: (A, b).
Where a notebook computes A x, give A.T; `from_stacked` alone takes its matrices as torch has them.
A bias may be a vector, a row or a column.

Shapes: as in `cells`, and X features of [h, x], O output features of a linear layer.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

Parameters = dict[str, Tensor]
LinearLayer = nn.Linear | Tensor | tuple[Tensor, Tensor | None]


def from_matrices(gates: Sequence[tuple[Tensor, Tensor, Tensor | None]]) -> Parameters:
    """Return the parameters of gates (W_IH, U_HH, b_H) that compute x W + h U + b.

    A gate whose bias is None gets zeros if another gate has one. Raises ValueError for a gate whose
    sizes differ, as when `b` is the output layer's bias: some textbook classes name both `b`.
    """
    return from_linears([((W_IH, b_H), U_HH) for W_IH, U_HH, b_H in gates])


def from_linears(gates: Sequence[Sequence[LinearLayer]]) -> Parameters:
    """Return the parameters of gates, each a sum of linear layers: the input's, then the state's.

    If the input has several parts, as x and the context in Cho et al. 2014, each part has a layer,
    and the state's comes last: (W, C, U). The cell's input is the parts in order: [x, context].
    Raises ValueError where the layers of a gate have not as many units.
    """
    layers = [[_weight_and_bias(layer) for layer in gate] for gate in gates]
    for *inputs, (state_OH, _) in layers:
        for weight_OI, _ in inputs:
            if (size_O := len(weight_OI)) != len(state_OH):
                raise ValueError(f"a gate has {size_O} units for x and {len(state_OH)} for h")
    parameters = {
        "weight_ih": torch.cat([torch.cat([W for W, _ in gate[:-1]], dim=1) for gate in layers]),
        "weight_hh": torch.cat([gate[-1][0] for gate in layers]),
    }
    if any(bias_O is not None for gate in layers for _, bias_O in gate):
        parameters["bias_ih"] = torch.cat([_summed_bias(gate[:-1]) for gate in layers])
        parameters["bias_hh"] = torch.cat([_summed_bias(gate[-1:]) for gate in layers])
    return {name: value.detach() for name, value in parameters.items()}


def from_concatenated(
    gates: Sequence[LinearLayer], hidden_size: int, *, state_first: bool = True
) -> Parameters:
    """Return the parameters of gates that are one linear layer each over [h, x], or over [x, h].

    A matrix may lie either way: [h, x] has more features than the gate has units. Raises ValueError
    for one that has `hidden_size` neither as its rows nor as its columns.
    """
    split_gates: list[list[LinearLayer]] = []
    for gate in gates:
        if not isinstance(gate, nn.Linear):
            matrix, bias_H = gate if isinstance(gate, tuple) else (gate, None)
            gate = (matrix.T if len(matrix) == hidden_size else matrix), bias_H
        weight_HX, bias_H = _weight_and_bias(gate)
        if len(weight_HX) != hidden_size:
            raise ValueError(f"a gate has {len(weight_HX)} units, not hidden_size {hidden_size}")
        if state_first:
            weight_HX = weight_HX.roll(-hidden_size, dims=1)  # to [x, h]
        weight_HI, weight_HH = weight_HX.tensor_split([-hidden_size], dim=1)
        split_gates.append([(weight_HI.T, bias_H), weight_HH.T])
    return from_linears(split_gates)


def from_stacked(
    weight_GI: nn.Linear | Tensor, weight_GH: nn.Linear | Tensor, bias_G: Tensor | None = None
) -> Parameters:
    """Return the parameters of gates that are already stacked, one above the other.

    Each is an nn.Linear with its own bias, or a matrix that computes A x; then `bias_G` is the bias
    of both, if there is one.
    """
    inputs = (weight_GI.T, bias_G) if isinstance(weight_GI, Tensor) else weight_GI
    states = weight_GH.T if isinstance(weight_GH, Tensor) else weight_GH
    return from_linears([(inputs, states)])


def from_torch(named: Mapping[str, Tensor], *, layer: int = 0, back: bool = False) -> Parameters:
    """Return one layer and direction from the `state_dict()` of a torch.nn.RNN, GRU or LSTM.

    Raises ValueError where no name ends as torch ends that layer's, such as _l0 or _l0_reverse.
    """
    ending = f"_l{layer}{'_reverse' if back else ''}"
    ours = {
        name.removesuffix(ending): value.detach().clone()
        for name, value in named.items()
        if name.endswith(ending)
    }
    if not ours:
        raise ValueError(f"no weights whose names end in {ending}")
    return ours


def reorder(parameters: Parameters, order: Sequence[int]) -> Parameters:
    """Return gates in another order: [1, 0, 2] swaps the first two of three."""
    return {
        name: torch.cat([value.chunk(len(order))[gate] for gate in order])
        for name, value in parameters.items()
    }


def negate_gate(parameters: Parameters, gate: int, *, gates: int) -> Parameters:
    """Return the weights of `gates` gates with those of gate number `gate`, from 0, negated.

    This changes the convention of an update gate: h' = (1 - z) h + z n becomes z h + (1 - z) n.
    """
    negated = {name: value.clone() for name, value in parameters.items()}
    for value in negated.values():
        value.chunk(gates)[gate].neg_()
    return negated


def _weight_and_bias(layer: LinearLayer) -> tuple[Tensor, Tensor | None]:
    """Return weight_OI and bias_O of a linear layer."""
    if isinstance(layer, nn.Linear):
        return layer.weight, layer.bias
    matrix_IO, bias_O = layer if isinstance(layer, tuple) else (layer, None)
    units = matrix_IO.shape[1]
    if bias_O is None:
        return matrix_IO.T, None
    if bias_O.shape not in ((units,), (1, units), (units, 1)):
        raise ValueError(f"a bias has shape {tuple(bias_O.shape)}, its gate {units} units")
    return matrix_IO.T, bias_O.flatten()


def _summed_bias(layers: Sequence[tuple[Tensor, Tensor | None]]) -> Tensor:
    zero_O = layers[0][0].new_zeros(len(layers[0][0]))
    return sum((bias_O for _, bias_O in layers if bias_O is not None), zero_O)
