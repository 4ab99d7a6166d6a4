"""Weights of a notebook's or a textbook's recurrent cell, converted for one of `model.cells`.

Each function returns what `cell.load_state_dict` takes: weight_ih (G, I), weight_hh (G, H) and, if
any gate has a bias, bias_ih and bias_hh (G). `cells` says in which order each cell stacks its
gates; `reorder` puts them into that order. scripts/examples/README.md shows every function.

Shapes: I input features, H hidden units, G rows of stacked gates, X features of [h, x] or [x, h].
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

Parameters = dict[str, Tensor]


def from_matrices(gates: Sequence[tuple[Tensor, Tensor, Tensor | None]]) -> Parameters:
    """Return the parameters of gates (W_IH, U_HH, b_H) that compute x W + h U + b.

    A gate whose bias is None gets zeros if another gate has one. Raises ValueError for a gate whose
    sizes differ, as when `b` is the output layer's bias: some textbook classes name both `b`.
    """
    weights_GI = torch.cat([W_IH.T for W_IH, _, _ in gates])
    weights_GH = torch.cat([U_HH.T for _, U_HH, _ in gates])
    for W_IH, U_HH, b_H in gates:
        if b_H is not None and b_H.shape != U_HH.shape[1:]:
            raise ValueError(f"a bias has shape {tuple(b_H.shape)}, its gate {U_HH.shape[1]} units")
        if W_IH.shape[1] != U_HH.shape[1]:
            raise ValueError(f"a gate has {W_IH.shape[1]} units for x and {U_HH.shape[1]} for h")
    if all(b_H is None for _, _, b_H in gates):
        return from_stacked(weights_GI, weights_GH)
    biases = [U_HH.new_zeros(U_HH.shape[1]) if b_H is None else b_H for _, U_HH, b_H in gates]
    return from_stacked(weights_GI, weights_GH, torch.cat(biases))


def from_linears(gates: Sequence[Sequence[nn.Linear]]) -> Parameters:
    """Return the parameters of gates, each a sum of linear layers: the input's, then the state's.

    If the input has several parts, as x and the context in Cho et al. 2014, each part has a layer,
    and the state's comes last: (W, C, U). The cell's input is the parts in order: [x, context].
    """
    parameters = {
        "weight_ih": torch.cat(
            [torch.cat([part.weight for part in parts], dim=1) for *parts, _ in gates]
        ),
        "weight_hh": torch.cat([state.weight for *_, state in gates]),
    }
    if any(layer.bias is not None for gate in gates for layer in gate):
        parameters["bias_ih"] = torch.cat([_summed_bias(parts) for *parts, _ in gates])
        parameters["bias_hh"] = torch.cat([_summed_bias([state]) for *_, state in gates])
    return _detached(parameters)


def from_concatenated(
    gates: Sequence[nn.Linear], hidden_size: int, *, state_first: bool = True
) -> Parameters:
    """Return the parameters of gates that are one linear layer each over [h, x], or over [x, h]."""
    weight_GX = torch.cat([gate.weight for gate in gates])
    size_I = weight_GX.shape[1] - hidden_size
    if state_first:
        weight_GH, weight_GI = weight_GX.split([hidden_size, size_I], dim=1)
    else:
        weight_GI, weight_GH = weight_GX.split([size_I, hidden_size], dim=1)
    biased = any(gate.bias is not None for gate in gates)
    bias_G = torch.cat([_summed_bias([gate]) for gate in gates]) if biased else None
    return from_stacked(weight_GI, weight_GH, bias_G)


def from_stacked(weight_GI: Tensor, weight_GH: Tensor, bias_G: Tensor | None = None) -> Parameters:
    """Return the parameters of gates that are already stacked, with one bias or none."""
    parameters = {"weight_ih": weight_GI, "weight_hh": weight_GH}
    if bias_G is not None:
        parameters |= {"bias_ih": bias_G, "bias_hh": torch.zeros_like(bias_G)}
    return _detached(parameters)


def from_torch(named: Mapping[str, Tensor], *, layer: int = 0, back: bool = False) -> Parameters:
    """Return one layer and direction from the `state_dict()` of a torch.nn.RNN, GRU or LSTM.

    Raises ValueError where no name ends as torch ends that layer's, such as _l0 or _l0_reverse.
    """
    ending = f"_l{layer}{'_reverse' if back else ''}"
    ours = {
        name.removesuffix(ending): value for name, value in named.items() if name.endswith(ending)
    }
    if not ours:
        raise ValueError(f"no weights whose names end in {ending}")
    return _detached(ours)


def reorder(parameters: Parameters, order: Sequence[int]) -> Parameters:
    """Return gates in another order: [1, 0, 2] swaps the first two of three."""
    return {
        name: torch.cat([value.chunk(len(order))[gate] for gate in order])
        for name, value in parameters.items()
    }


def negate_gate(parameters: Parameters, gate: int, *, gates: int) -> Parameters:
    """Return the weights of `gates` gates with those of gate number `gate`, from 0, negated.

    This changes the convention of an update gate, because 1 - sigma(a) = sigma(-a): with z negated,
    h' = (1 - z) h + z n becomes h' = z h + (1 - z) n.
    """
    return {
        name: torch.cat(
            [-part if place == gate else part for place, part in enumerate(value.chunk(gates))]
        )
        for name, value in parameters.items()
    }


def _summed_bias(layers: Sequence[nn.Linear]) -> Tensor:
    zero_H = layers[0].weight.new_zeros(layers[0].out_features)
    return sum((layer.bias for layer in layers if layer.bias is not None), zero_H)


def _detached(parameters: Parameters) -> Parameters:
    return {name: value.detach().clone() for name, value in parameters.items()}
