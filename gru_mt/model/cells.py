"""Recurrent cells: one step of each, beside its equations.

Shapes: B batch, I input features, H hidden units, G rows of stacked gates (H for each gate), Z
features of the state (H; for the LSTM 2H: hidden state, then cell state). In the equations x is the
input, h the state before the step, h' the state after it, sigma the logistic function, and b the
sum of two biases, as in torch: one is added to the input's product, one to the state's.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import torch
from torch import Tensor, nn

from gru_mt.model.layers import linear

Weights = tuple[tuple[Tensor, Tensor | None], ...]  # matrix and bias of each product with a state

INITIALISERS: dict[str, Callable[[Tensor], Tensor]] = {
    "zeros": nn.init.zeros_,
    "xavier": nn.init.xavier_uniform_,  # Glorot and Bengio 2010
    "orthogonal": nn.init.orthogonal_,  # Saxe et al. 2014, arXiv 1312.6120
}


class Cell(nn.Module, ABC):
    """One step of a recurrent unit: `cell(x_BI, state_BZ)` is the next state_BZ.

    The gates' weights are stacked as in torch: weight_ih (G, I), weight_hh (G, H) and, with `bias`,
    bias_ih (G) and bias_hh (G). `project` and `recurrent` need no state, so one call of them serves
    a whole sequence; `advance` is called at each step.
    """

    gates: ClassVar[int]  # blocks of H rows in G
    states: ClassVar[int] = 1  # blocks of H features in Z; the first is what other layers read
    limit: ClassVar[float | None] = 1.0  # no |h| is larger, if none is at the start; None: no limit

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        *,
        bias: bool = True,
        recurrent_init: str = "orthogonal",
    ) -> None:
        """Draw each gate by itself, for its own fan-out; ValueError for a size below 1.

        Weights of the input are Xavier, those of the state `recurrent_init`, biases zero.
        """
        super().__init__()
        if input_size < 1 or hidden_size < 1:
            raise ValueError(f"sizes must be positive: input {input_size}, hidden {hidden_size}")
        size_G = self.gates * hidden_size
        self.hidden_size, self.state_size = hidden_size, self.states * hidden_size
        self.weight_ih = nn.Parameter(torch.empty(size_G, input_size))
        self.weight_hh = nn.Parameter(torch.empty(size_G, hidden_size))
        self.bias_ih = nn.Parameter(torch.zeros(size_G)) if bias else None
        self.bias_hh = nn.Parameter(torch.zeros(size_G)) if bias else None
        for gate_HI in self.weight_ih.detach().chunk(self.gates):
            nn.init.xavier_uniform_(gate_HI)
        for gate_HH in self.weight_hh.detach().chunk(self.gates):
            INITIALISERS[recurrent_init](gate_HH)

    def forward(self, x_BI: Tensor, state_BZ: Tensor) -> Tensor:
        """Return the next state_BZ; without a batch, x_I and state_Z give state_Z."""
        return self.advance(self.project(x_BI), state_BZ, self.recurrent())

    def project(self, x: Tensor) -> Tensor:
        """Return weight_ih x + bias_ih over the last axis of x."""
        return linear(x, self.weight_ih, self.bias_ih)

    def recurrent(self) -> Weights:
        """Return weight_hh and bias_hh as `advance` takes them, in autocast's type.

        Autocast would convert parts of them at each step: it remembers whole parameters alone.
        """
        kind, device = self.weight_hh.dtype, self.weight_hh.device.type
        if kind == torch.float32 and torch.is_autocast_enabled(device):
            kind = torch.get_autocast_dtype(device)
        bias_G = None if self.bias_hh is None else self.bias_hh.to(kind)
        return ((self.weight_hh.to(kind), bias_G),)

    @abstractmethod
    def advance(self, input_BG: Tensor, state_BZ: Tensor, recurrent: Weights) -> Tensor:
        """Return the next state_BZ from the projected input; `recurrent` gives the weights."""


class RNN(Cell):
    """h' = tanh(W x + U h + b) (Elman 1990)."""

    gates = 1

    def advance(self, input_BG: Tensor, state_BZ: Tensor, recurrent: Weights) -> Tensor:
        return (input_BG + linear(state_BZ, *recurrent[0])).tanh()


class ReluRNN(Cell):
    """h' = max(0, W x + U h + b)."""

    gates, limit = 1, None

    def advance(self, input_BG: Tensor, state_BZ: Tensor, recurrent: Weights) -> Tensor:
        return (input_BG + linear(state_BZ, *recurrent[0])).relu()


class UpdateGRU(Cell):
    """A GRU with an update gate and no reset gate; courses teach it before the full GRU.

    u = sigma(W_u x + U_u h + b_u), n = tanh(W_c x + U_c h + b_c), h' = u * n + (1 - u) * h.
    Stacked: update, candidate.
    """

    gates = 2

    def advance(self, input_BG: Tensor, state_BZ: Tensor, recurrent: Weights) -> Tensor:
        update_BH, new_BH = (input_BG + linear(state_BZ, *recurrent[0])).chunk(2, dim=-1)
        return state_BZ + update_BH.sigmoid() * (new_BH.tanh() - state_BZ)


class ResetBeforeGRU(Cell):
    """The GRU of Cho et al. 2014, arXiv 1406.1078: the reset gate acts before the product.

    r = sigma(W_r x + U_r h + b_r), z = sigma(W_z x + U_z h + b_z), n = tanh(W x + U (r * h) + b),
    h' = (1 - z) * n + z * h. Stacked: reset, update, candidate. Others write h' = (1 - z) * h +
    z * n: the same cell with W_z, U_z and b_z negated, because 1 - sigma(a) = sigma(-a). `GRU` is
    another cell, though the two are often called equal: U (r * h) equals r * (U h) only where all
    units share one reset, or U is diagonal. States can differ by up to 2, the whole range of tanh.
    """

    gates = 3

    def recurrent(self) -> Weights:  # those of both gates, and those of the candidate
        [(weight_GH, bias_G)] = super().recurrent()
        gates = 2 * self.hidden_size
        biases = (None, None) if bias_G is None else bias_G.tensor_split([gates])
        return tuple(zip(weight_GH.tensor_split([gates]), biases, strict=True))

    def advance(self, input_BG: Tensor, state_BZ: Tensor, recurrent: Weights) -> Tensor:
        gates = 2 * self.hidden_size
        of_gates, of_candidate = recurrent
        gate_BX = input_BG[..., :gates] + linear(state_BZ, *of_gates)
        reset_BH, update_BH = gate_BX.sigmoid().chunk(2, dim=-1)
        candidate_BH = linear(reset_BH * state_BZ, *of_candidate)
        new_BH = (input_BG[..., gates:] + candidate_BH).tanh()
        return new_BH + update_BH * (state_BZ - new_BH)


class GRU(Cell):
    """The GRU in the form of cuDNN and torch.nn.GRU: the reset gate acts after the product.

    r = sigma(W_r x + U_r h + b_r), z = sigma(W_z x + U_z h + b_z),
    n = tanh(W x + b_input + r * (U h + b_state)), h' = (1 - z) * n + z * h. Stacked: reset,
    update, candidate. See `ResetBeforeGRU` for the other convention of z.
    """

    gates = 3

    def advance(self, input_BG: Tensor, state_BZ: Tensor, recurrent: Weights) -> Tensor:
        gates = 2 * self.hidden_size
        recurrent_BG = linear(state_BZ, *recurrent[0])
        gate_BX = (input_BG[..., :gates] + recurrent_BG[..., :gates]).sigmoid()
        reset_BH, update_BH = gate_BX.chunk(2, dim=-1)
        new_BH = torch.addcmul(input_BG[..., gates:], reset_BH, recurrent_BG[..., gates:]).tanh()
        return new_BH + update_BH * (state_BZ - new_BH)


class LSTM(Cell):
    """Long short-term memory (Hochreiter and Schmidhuber 1997) with a forget gate (Gers 2000).

    i, f, o = sigma(W x + U h + b), each with weights of its own, g = tanh(W_g x + U_g h + b_g),
    c' = f * c + i * g, h' = o * tanh(c'). Stacked: i, f, g, o.
    """

    gates, states = 4, 2

    def advance(self, input_BG: Tensor, state_BZ: Tensor, recurrent: Weights) -> Tensor:
        hidden_BH, memory_BH = state_BZ.chunk(2, dim=-1)
        stacked_BG = input_BG + linear(hidden_BH, *recurrent[0])
        input_BH, forget_BH, new_BH, output_BH = stacked_BG.chunk(4, dim=-1)
        memory_BH = forget_BH.sigmoid() * memory_BH + input_BH.sigmoid() * new_BH.tanh()
        return torch.cat([output_BH.sigmoid() * memory_BH.tanh(), memory_BH], dim=-1)


CELLS: dict[str, type[Cell]] = {
    "rnn": RNN,
    "rnn_relu": ReluRNN,
    "gru_update": UpdateGRU,
    "gru_reset_before": ResetBeforeGRU,
    "gru": GRU,
    "lstm": LSTM,
}
