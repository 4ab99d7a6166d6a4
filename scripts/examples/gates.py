"""What gates do: those of a trained encoder at each word, and how they carry a gradient back.

Needs matplotlib. Shapes: B batch, T time, G gates, H units, Z state.
"""

import argparse
from pathlib import Path

import torch
from matplotlib import pyplot
from torch import Tensor, nn

from gru_mt.bundle import load_bundle
from gru_mt.data.tokenizer.special import EOS
from gru_mt.errors import UserError
from gru_mt.model.cells import CELLS, Cell
from gru_mt.model.layers import linear

DISTANCE, SIZE_H = 60, 128
CURVES = [("rnn", 0), ("gru", 0), ("lstm", 0), ("gru", 4), ("lstm", 4)]  # bias of the second gate


@torch.inference_mode()
def gates(run: Path, sentence: str) -> tuple[list[str], Tensor]:
    """Return the tokens of a sentence; gate_2TH, reset and update, of the encoder's first layer."""
    bundle = load_bundle(run, torch.device("cpu"))
    if bundle.config.model.cell not in ("gru", "gru_reset_before"):
        raise UserError(f"{run}: its cell is {bundle.config.model.cell}, not one with both gates")
    model, source = bundle.model, bundle.tokenizer.source
    ids = [*source.encode(bundle.tokenizer.truecaser.truecased(sentence)), EOS]
    cell: Cell = model.encoder.get_submodule("layers.0.cell")  # type: ignore[assignment]
    size_X, state_H, gates_T = 2 * cell.hidden_size, torch.zeros(cell.hidden_size), []
    for input_G in cell.project(model.embed(model.source_embedding, torch.tensor(ids))):
        gate_X = input_G[:size_X] + linear(state_H, *cell.recurrent()[0])[:size_X]
        gates_T.append(gate_X.sigmoid().view(2, -1))
        state_H = cell.advance(input_G, state_H, cell.recurrent())
    return source.pieces(ids), torch.stack(gates_T, dim=1)


def gradients(kind: str, bias: float) -> list[float]:
    """Return the share of a gradient of the last state that is left at each state before it."""
    cell = CELLS[kind](SIZE_H, SIZE_H)
    nn.init.constant_(cell.get_parameter("bias_hh")[SIZE_H : 2 * SIZE_H], bias)
    states_BZ = [torch.zeros(64, cell.state_size, requires_grad=True)]
    for x_BH in torch.randn(DISTANCE, 64, SIZE_H):
        states_BZ.append(cell(x_BH, states_BZ[-1]))
    found = torch.autograd.grad(states_BZ[-1][:, :SIZE_H], states_BZ, torch.randn(64, SIZE_H))
    return [(state.norm() / found[-1].norm()).item() for state in reversed(found)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="a run, as runs/quickstart")
    parser.add_argument("sentence", nargs="?", default="The small dog sleeps in the kitchen.")
    parser.add_argument("--out", type=Path, default=Path("gates.svg"))
    arguments = parser.parse_args()
    try:
        tokens, gate_2TH = gates(arguments.run, arguments.sentence)
    except UserError as error:
        parser.error(str(error))
    torch.manual_seed(1)
    figure, axes = pyplot.subplots(3, figsize=(8, 11), layout="constrained")
    order = gate_2TH[1].mean(dim=0).argsort()
    for axis, gate_HT, name in zip(axes, gate_2TH.mT[:, order], ("reset", "update"), strict=False):
        figure.colorbar(axis.pcolormesh(gate_HT, vmin=0, vmax=1, rasterized=True), ax=axis)
        axis.set(title=f"{name} gate", ylabel="unit, by its mean update gate")
        axis.set_xticks(torch.arange(len(tokens)) + 0.5, tokens, rotation=60)
    for kind, bias in CURVES:
        left = gradients(kind, bias)
        label = f"{kind}, {'update' if kind == 'gru' else 'forget'} gate near 1" if bias else kind
        axes[2].semilogy(left, label=label)
        print(f"{label}: over {DISTANCE} steps {left[-1]:.0e} of the gradient is left")
    axes[2].set(title="what is left of the last state's gradient", xlabel="steps back")
    axes[2].legend()
    figure.savefig(arguments.out)
    print(arguments.out)


if __name__ == "__main__":
    main()
