"""Recurrent cells over time: one direction, both, and several layers.

Shapes: as in `cells`, and T time, U rows of a table, C output features (H for each direction), K
layers times directions.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from gru_mt.model.cells import CELLS
from gru_mt.model.fast import tuned
from gru_mt.model.fast.distinct import pick
from gru_mt.model.fast.gru import gru
from gru_mt.model.fast.product import infers_on_cpu

FUSED: dict[str, Callable[..., Any]] = {
    "rnn": torch.rnn_tanh,
    "rnn_relu": torch.rnn_relu,
    "gru": torch.gru,
    "lstm": torch.lstm,
}
ONE_LAYER: dict[str, Any] = {"num_layers": 1, "batch_first": True, "bidirectional": False}


class Layer(nn.Module):
    """One cell over a whole sequence, in one direction.

    torch's fused implementation of the cell is used where there is one, on an NVIDIA GPU cuDNN's,
    else a loop. On a CPU `fast.gru` trains a GRU, and the loop does the inference of every cell.
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
        """Take names of `cells.CELLS` and `cells.INITIALISERS`; ValueError for any other cell."""
        super().__init__()
        if kind not in CELLS:
            raise ValueError(f"{kind!r} is no cell; there are {', '.join(CELLS)}")
        self.kind = kind
        self.cell = CELLS[kind](input_size, hidden_size, bias=bias, recurrent_init=recurrent_init)

    def forward(
        self, x: Tensor, start_BZ: Tensor | None = None, index_BT: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return output_BTH, the hidden state after each step from `start_BZ`, and last_BZ.

        Without a start the state begins at zero. The inputs are x_BTI; with `index_BT`, x is a
        table x_UI, and they are x_UI[index_BT]. Without a batch, x_TI and start_Z give output_TH
        and last_Z.
        """
        if x.ndim == 2 and index_BT is None:
            output_BTH, last_BZ = self(x[None], None if start_BZ is None else start_BZ[None])
            return output_BTH[0], last_BZ[0]
        if start_BZ is None:
            rows = x if index_BT is None else index_BT
            start_BZ = x.new_zeros(rows.shape[0], self.cell.state_size)
        infers, exporting = infers_on_cpu(x), torch.compiler.is_exporting()
        if self.kind == "gru" and x.is_cpu and tuned() and not (infers or exporting):
            return self._by_own_gradient(x, start_BZ, index_BT)
        x_BTI = x if index_BT is None else nn.functional.embedding(index_BT, x)
        if exporting:
            return self._scanned(x_BTI, start_BZ)
        lacks_kernel = self.kind == "lstm" and x.is_cpu and _lacks_lstm()
        if infers or self.kind not in FUSED or lacks_kernel:
            return self._written_out(x_BTI, start_BZ)
        if x.is_cuda and _has_cudnn():
            return self._by_cudnn(x_BTI, start_BZ)
        return self._fused(x_BTI, start_BZ, [*self.cell.parameters()])

    def _by_own_gradient(
        self, x: Tensor, start_BH: Tensor, index_BT: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        if index_BT is None:
            input_TBG = self.cell.project(x.transpose(0, 1).contiguous())
        else:
            input_TBG = pick(self.cell.project(x), index_BT.t())
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
            dropout=0.0,
            train=torch.is_grad_enabled(),
            **ONE_LAYER,
        )
        return output_BTH, torch.cat(last_1BH, dim=2)[0]

    def _by_cudnn(self, x_BTI: Tensor, start_BZ: Tensor) -> tuple[Tensor, Tensor]:
        # Autocast is off here: under it cuDNN computes in fp16, whatever type autocast is set to.
        # cuDNN reads its weights from one piece of memory, in an order of its own. Each call copies
        # them there, so that they stay plain parameters; torch would copy them too, with a warning.
        kind = x_BTI.dtype
        if torch.is_autocast_enabled("cuda"):
            kind = torch.get_autocast_dtype("cuda")
            if kind == torch.bfloat16 and (torch.backends.cudnn.version() or 0) < 91300:
                kind = torch.float32
        weights = [weight.to(kind, copy=True) for weight in self.cell.parameters()]
        with torch.autocast("cuda", enabled=False), torch.cuda.device_of(x_BTI):
            with torch.no_grad():
                torch._cudnn_rnn_flatten_weight(
                    weights,
                    len(weights),
                    x_BTI.shape[2],
                    torch.backends.cudnn.rnn.get_cudnn_mode(FUSED[self.kind].__name__.upper()),
                    self.cell.hidden_size,
                    0,  # size of an LSTM's projected state: there is no projection
                    **ONE_LAYER,
                )
            return self._fused(x_BTI.to(kind), start_BZ.to(kind), weights)

    def _written_out(self, x_BTI: Tensor, start_BZ: Tensor) -> tuple[Tensor, Tensor]:
        outputs, state_BZ, recurrent = [], start_BZ, self.cell.recurrent()
        for input_BG in self.cell.project(x_BTI).unbind(dim=1):
            state_BZ = self.cell.advance(input_BG, state_BZ, recurrent)
            outputs.append(state_BZ[:, : self.cell.hidden_size])
        return torch.stack(outputs, dim=1), state_BZ

    def _scanned(self, x_BTI: Tensor, start_BZ: Tensor) -> tuple[Tensor, Tensor]:
        # An export needs an operator as the loop, and torch has no public name for it.
        from torch._higher_order_ops.scan import scan

        def step(state_BZ: Tensor, input_BG: Tensor) -> tuple[Tensor, Tensor]:
            state_BZ = self.cell.advance(input_BG, state_BZ, self.cell.recurrent())
            return state_BZ, state_BZ[:, : self.cell.hidden_size].clone()  # must not share memory

        last_BZ, output_TBH = scan(step, start_BZ, self.cell.project(x_BTI).transpose(0, 1))
        return output_TBH.transpose(0, 1), last_BZ


def _lacks_lstm() -> bool:
    """Return whether oneDNN has no LSTM of autocast's type: of fp16 never, of bf16 by the CPU."""
    if not torch.is_autocast_enabled("cpu") or torch.get_autocast_dtype("cpu") == torch.float32:
        return False
    has_bf16 = torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return torch.get_autocast_dtype("cpu") == torch.half or not has_bf16


def _has_cudnn() -> bool:
    names = ("_use_cudnn_rnn_flatten_weight", "_cudnn_rnn_flatten_weight")
    return all(hasattr(torch, name) for name in names) and torch._use_cudnn_rnn_flatten_weight()


def reversal(length_B: Tensor, size: int) -> Tensor:
    """Return index_BT that reverses each row within its length: length 2, size 3 -> [1, 0, 2].

    It is its own inverse. Padding stays last in both directions, so no real token comes after it.
    """
    position_T = torch.arange(size, device=length_B.device)
    mirrored_BT = length_B[:, None] - 1 - position_T
    return torch.where(mirrored_BT >= 0, mirrored_BT, position_T)


def pick_times(x: Tensor, time_BT: Tensor) -> Tensor:
    """Return picked, shaped like x (BTH or BT), with picked[b, t] = x[b, time_BT[b, t]].

    It picks rows of a flat view: the gradient of an index over two axes is slow on several threads.
    """
    size_B, size_T = time_BT.shape
    start_B1 = torch.arange(0, size_B * size_T, size_T, device=x.device)[:, None]
    return x.flatten(0, 1).index_select(0, (start_B1 + time_BT).flatten()).view(x.shape)


class Recurrent(nn.Module):
    """Layers of one cell, each reading the one below, in one direction or in both.

    With both directions a layer reads both directions of the one below, and its output is [ahead;
    back] (Schuster and Paliwal 1997).
    """

    def __init__(
        self,
        kind: str,
        input_size: int,
        hidden_size: int,
        *,
        layers: int = 1,
        bidirectional: bool = False,
        recurrent_init: str = "orthogonal",
    ) -> None:
        """Take what `Layer` takes, for every layer; ValueError for fewer than one layer."""
        super().__init__()
        if layers < 1:
            raise ValueError(f"layers must be at least 1, got {layers}")
        self.directions = 2 if bidirectional else 1
        self.output_size = self.directions * hidden_size
        sizes = [input_size, *[self.output_size] * (layers - 1)]
        self.layers = nn.ModuleList(
            Layer(kind, size, hidden_size, recurrent_init=recurrent_init)
            for size in sizes
            for _ in range(self.directions)
        )

    def forward(
        self,
        x: Tensor,
        length_B: Tensor | None = None,
        start_KBZ: Tensor | None = None,
        index_BT: Tensor | None = None,
        *,
        drop: Callable[[Tensor], Tensor] = lambda output: output,
    ) -> tuple[Tensor, Tensor]:
        """Return output_BTC of the last layer, and last_KBZ, the states in which all layers ended.

        K counts as torch does: first layer ahead, first layer back, second layer ahead ... Inputs
        and `start_KBZ` are those of `Layer`, also without a batch. Between layers `drop` is
        applied, such as dropout. With lengths, padding has no effect, and outputs on padding mean
        nothing. The last states are then those at each row's own end, without an LSTM's cell state:
        last_KBH.
        """
        if x.ndim == 2 and index_BT is None:
            if length_B is not None:
                raise ValueError("lengths are those of a batch: give x_BTI, not x_TI")
            start_KBZ = None if start_KBZ is None else start_KBZ[:, None]
            output_BTC, last_KBZ = self(x[None], None, start_KBZ, drop=drop)
            return output_BTC[0], last_KBZ[:, 0]
        size_B, size_T = x.shape[:2] if index_BT is None else index_BT.shape
        whole_B = torch.full((size_B,), size_T, device=x.device)
        reversal_BT = reversal(whole_B if length_B is None else length_B, size_T)
        outputs: list[Tensor] = []  # of a layer's directions
        last_K: list[Tensor] = []
        for k, layer in enumerate(self.layers):
            back = k % self.directions == 1
            if k and not back:
                x, index_BT = drop(torch.cat(outputs, dim=2)), None
                outputs = []
            read_BT, read = index_BT, x
            if back and read_BT is not None:
                read_BT = pick_times(read_BT, reversal_BT)
            elif back:
                read = pick_times(x, reversal_BT)
            output_BTH, last_BZ = layer(read, None if start_KBZ is None else start_KBZ[k], read_BT)
            if length_B is not None:
                last_BZ = output_BTH[torch.arange(size_B, device=x.device), length_B - 1]
            last_K.append(last_BZ)
            outputs.append(pick_times(output_BTH, reversal_BT) if back else output_BTH)
        return torch.cat(outputs, dim=2), torch.stack(last_K)
