"""Recurrent cells over time: one direction, both, and several layers.

Shapes: B batch, T time, I input features, H hidden units of one direction, Z state of one layer and
direction (see `cells`), C output features (H for each direction), K layers times directions.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch._higher_order_ops.scan import scan

from gru_mt.model.cells import CELLS
from gru_mt.model.distinct import Distinct, pick
from gru_mt.model.gru import gru
from gru_mt.model.linear import infers_on_cpu
from gru_mt.model.noise import dropout

FUSED: dict[str, Callable[..., Any]] = {
    "rnn": torch.rnn_tanh,
    "rnn_relu": torch.rnn_relu,
    "gru": torch.gru,
    "lstm": torch.lstm,
}


class Layer(nn.Module):
    """One cell over a whole sequence, in one direction.

    A GRU trains on a CPU by `gru.gru`; else it is torch's fused implementation of the cell where it
    has one, on an NVIDIA GPU cuDNN's. Other cells, and inference on a CPU, take the input products
    of all steps in one and loop over the recurrent ones.
    """

    def __init__(
        self,
        kind: str,
        input_size: int,
        hidden_size: int,
        *,
        bias: bool = True,
        recurrent_init: str = "orthogonal",
    ) -> None:
        """Take the names of a cell and of its start; ValueError where there is no such cell."""
        super().__init__()
        if kind not in CELLS:
            raise ValueError(f"{kind!r} is no cell; there are {', '.join(CELLS)}")
        self.kind = kind
        self.cell = CELLS[kind](input_size, hidden_size, bias=bias, recurrent_init=recurrent_init)

    def forward(
        self, x_BTI: Tensor | Distinct, start_BZ: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return output_BTH, the hidden state after each step from `start_BZ`, and last_BZ.

        Without a start the state begins at zero.
        """
        if isinstance(x_BTI, Distinct):
            if self.kind == "gru" and x_BTI.row_UI.is_cpu:
                input_TBG = pick(self.cell.project(x_BTI.row_UI), x_BTI.index_BT.t())
                return self._as_one(input_TBG, start_BZ)
            x_BTI = x_BTI.whole()
        if start_BZ is None:
            start_BZ = x_BTI.new_zeros(x_BTI.shape[0], self.cell.state_size)
        if torch.compiler.is_exporting():
            return self._scanned(x_BTI, start_BZ)
        if infers_on_cpu(x_BTI) or self.kind not in FUSED or self._lacks_fp16(x_BTI):
            return self.written_out(x_BTI, start_BZ)
        if self.kind == "gru" and x_BTI.is_cpu:
            return self._as_one(self.cell.project(x_BTI.transpose(0, 1)), start_BZ)
        if x_BTI.is_cuda and torch._use_cudnn_rnn_flatten_weight():
            return self._by_cudnn(x_BTI, start_BZ)
        return self._fused(x_BTI, start_BZ, [*self.cell.parameters()])

    def _lacks_fp16(self, x_BTI: Tensor) -> bool:
        """Return whether the fused cell is asked for in fp16 and there is none: oneDNN's LSTM."""
        halved = torch.is_autocast_enabled("cpu") and torch.get_autocast_dtype("cpu") == torch.half
        return self.kind == "lstm" and x_BTI.is_cpu and halved

    def _as_one(self, input_TBG: Tensor, start_BH: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return what `forward` does, of a GRU, after its inputs' products."""
        if start_BH is None:
            start_BH = input_TBG.new_zeros(input_TBG.shape[1], self.cell.hidden_size)
        state_TBH = gru(input_TBG, start_BH, self.cell.weight_hh, self.cell.bias_hh)
        return state_TBH.transpose(0, 1), state_TBH[-1]

    def _fused(
        self, x_BTI: Tensor, start_BZ: Tensor, weights: list[Tensor]
    ) -> tuple[Tensor, Tensor]:
        start_1BH = [part_BH[None].contiguous() for part_BH in start_BZ.chunk(self.cell.states, 1)]
        output_BTH, *last_1BH = FUSED[self.kind](
            x_BTI,
            start_1BH if len(start_1BH) > 1 else start_1BH[0],
            weights,
            self.cell.bias_ih is not None,
            num_layers=1,
            dropout=0.0,
            train=torch.is_grad_enabled(),
            bidirectional=False,
            batch_first=True,
        )
        return output_BTH, torch.cat(last_1BH, dim=2)[0]

    def _by_cudnn(self, x_BTI: Tensor, start_BZ: Tensor) -> tuple[Tensor, Tensor]:
        """Return what `_fused` does, with all that cuDNN is given in one type.

        Autocast is off here: whatever type it is set to, it has cuDNN compute in fp16. cuDNN reads
        its weights from one piece of memory, in an order of its own. Copies are put there at each
        call, which torch would do too, with a warning; so the weights stay plain parameters.
        """
        kind = _cudnn_type(x_BTI)
        weights = [weight.to(kind, copy=True) for weight in self.cell.parameters()]
        with torch.autocast("cuda", enabled=False), torch.cuda.device_of(x_BTI):
            with torch.no_grad():
                torch._cudnn_rnn_flatten_weight(
                    weights,
                    len(weights),
                    x_BTI.shape[2],
                    torch.backends.cudnn.rnn.get_cudnn_mode(FUSED[self.kind].__name__.upper()),
                    self.cell.hidden_size,
                    0,  # features that an LSTM's state is projected to: it is not
                    num_layers=1,
                    batch_first=True,
                    bidirectional=False,
                )
            return self._fused(x_BTI.to(kind), start_BZ.to(kind), weights)

    def written_out(self, x_BTI: Tensor, start_BZ: Tensor) -> tuple[Tensor, Tensor]:
        """Return what `forward` does, by the cell's own equations."""
        outputs, state_BZ = [], start_BZ
        for input_BG in self.cell.project(x_BTI).unbind(dim=1):
            state_BZ = self.cell.advance(input_BG, state_BZ)
            outputs.append(state_BZ[:, : self.cell.hidden_size])
        return torch.stack(outputs, dim=1), state_BZ

    def _scanned(self, x_BTI: Tensor, start_BZ: Tensor) -> tuple[Tensor, Tensor]:
        """Return what `written_out` does, its loop as one operator over any number of steps."""

        def step(state_BZ: Tensor, input_BG: Tensor) -> tuple[Tensor, Tensor]:
            state_BZ = self.cell.advance(input_BG, state_BZ)
            return state_BZ, state_BZ[:, : self.cell.hidden_size].clone()  # no view of the other

        last_BZ, output_TBH = scan(step, start_BZ, self.cell.project(x_BTI).transpose(0, 1))
        return output_TBH.transpose(0, 1), last_BZ


def _cudnn_type(x: Tensor) -> torch.dtype:
    """Return the type in which cuDNN computes with x: autocast's where it can, else fp32.

    Without autocast it is that of x. bf16 needs cuDNN 9.13.
    """
    if not torch.is_autocast_enabled("cuda"):
        return x.dtype
    kind = torch.get_autocast_dtype("cuda")
    if kind == torch.bfloat16 and (torch.backends.cudnn.version() or 0) < 91300:
        return torch.float32
    return kind


def reversal(length_B: Tensor, size: int) -> Tensor:
    """Return index_BT that reads each row backwards within its own length: 2 of 3 -> [1, 0, 2].

    It is its own inverse. Padding stays last in either direction, and so touches nothing.
    """
    position_T = torch.arange(size, device=length_B.device)
    mirrored_BT = length_B[:, None] - 1 - position_T
    return torch.where(mirrored_BT >= 0, mirrored_BT, position_T)


def pick_times(x_BTH: Tensor, time_BN: Tensor) -> Tensor:
    """Return picked_BNH, picked_BNH[b, n] = x_BTH[b, time_BN[b, n]].

    By rows of a flat view: many times faster on CPU, backward above all, than an index of two axes.
    """
    picked_RH = x_BTH.reshape(-1, x_BTH.shape[2]).index_select(0, _rows(x_BTH, time_BN))
    return picked_RH.view(*time_BN.shape, -1)


def put_times(x_BTH: Tensor, time_BT: Tensor) -> Tensor:
    """Return put_BTH, put_BTH[b, time_BT[b, t]] = x_BTH[b, t]; each row of time_BT has all of T.

    For a `reversal` that is what `pick_times` does, but its gradient picks rows and adds none up.
    """
    row_R, x_RH = _rows(x_BTH, time_BT), x_BTH.reshape(-1, x_BTH.shape[2])
    return torch.empty_like(x_RH).index_copy(0, row_R, x_RH).view(x_BTH.shape)


def _reversed(x_BTI: Tensor | Distinct, reversal_BT: Tensor) -> Tensor | Distinct:
    if isinstance(x_BTI, Distinct):
        return x_BTI.at(reversal_BT)
    return put_times(x_BTI, reversal_BT)


def _rows(x_BTH: Tensor, time_BN: Tensor) -> Tensor:
    """Return row_R of x_BTH's flat view: those of time_BN, R = B N."""
    size_B, size_T, _ = x_BTH.shape
    start_B1 = torch.arange(0, size_B * size_T, size_T, device=x_BTH.device)[:, None]
    return (start_B1 + time_BN).flatten()


class Recurrent(nn.Module):
    """Layers of one cell, each reading the one below, in one direction or in both.

    With both directions a layer reads both directions of the one below, and its output is [ahead;
    back] (Schuster and Paliwal 1997). `dropout` is the rate between layers; `locked` draws one mask
    for a whole sequence, else each step has its own.
    """

    def __init__(
        self,
        kind: str,
        input_size: int,
        hidden_size: int,
        *,
        layers: int = 1,
        bidirectional: bool = False,
        dropout: float = 0.0,
        locked: bool = True,
        bias: bool = True,
        recurrent_init: str = "orthogonal",
        batch_first: bool = True,
    ) -> None:
        """Take at least one layer, and for each what `Layer` takes."""
        super().__init__()
        if layers < 1:
            raise ValueError(f"layers must be at least 1, got {layers}")
        self.dropout, self.locked, self.batch_first = dropout, locked, batch_first
        self.directions = 2 if bidirectional else 1
        self.output_size = self.directions * hidden_size
        self.layers = nn.ModuleList(
            Layer(
                kind,
                self.output_size if level else input_size,
                hidden_size,
                bias=bias,
                recurrent_init=recurrent_init,
            )
            for level in range(layers)
            for _ in range(self.directions)
        )

    def forward(
        self,
        x_BTI: Tensor | Distinct,
        length_B: Tensor | None = None,
        start_KBZ: Tensor | None = None,
        rng: torch.Generator | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Return output_BTC of the last layer, and last_KBZ: in which state each one ended.

        K counts as torch does: first layer ahead, first layer back, second layer ahead ... States
        begin at `start_KBZ`, else at zero; `rng` turns dropout on. Time comes first in the output,
        and in x if it is a tensor, where the layers were built with `batch_first=False`.

        With lengths, padding behind them changes nothing and is changed into nothing of use; the
        last states are those at each row's own end, and of them the hidden part alone, last_KBH.
        """
        if not (self.batch_first or isinstance(x_BTI, Distinct)):
            x_BTI = x_BTI.transpose(0, 1)
        place_BT = x_BTI.index_BT if isinstance(x_BTI, Distinct) else x_BTI[..., 0]
        size_B, size_T = place_BT.shape
        whole_B = torch.full((size_B,), size_T, device=place_BT.device)
        reversal_BT = reversal(whole_B if length_B is None else length_B, size_T)
        outputs: list[Tensor] = []  # of a layer's directions
        last_K: list[Tensor] = []
        for k, layer in enumerate(self.layers):
            back = k % self.directions == 1
            read_BTI = _reversed(x_BTI, reversal_BT) if back else x_BTI
            output_BTH, last_BZ = layer(read_BTI, None if start_KBZ is None else start_KBZ[k])
            if length_B is not None:
                last_BZ = pick_times(output_BTH, length_B[:, None] - 1)[:, 0]
            last_K.append(last_BZ)
            outputs.append(put_times(output_BTH, reversal_BT) if back else output_BTH)
            if len(outputs) == self.directions:
                output_BTC, outputs = torch.cat(outputs, dim=2), []
                if k + 1 < len(self.layers):
                    x_BTI = dropout(output_BTC, self.dropout, rng, locked=self.locked)
        return output_BTC if self.batch_first else output_BTC.transpose(0, 1), torch.stack(last_K)
