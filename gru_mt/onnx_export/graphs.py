"""A model's encoder and decoder as ONNX graphs, by torch's exporter.

Every array has a name that ends in its shape. Shapes: as in `inference.engine`.
"""

import logging
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn

from gru_mt.data.tokenizer.special import EOS
from gru_mt.inference.engines.onnx_engine import DECODER, ENCODER
from gru_mt.model.decoder_step import Incremental
from gru_mt.model.seq2seq import Seq2Seq

if TYPE_CHECKING:
    from onnx import ModelProto

    from gru_mt.model.recurrent import Layer
    from gru_mt.onnx_export.int8 import Limits

Arrays = dict[str, Tensor]
DYNAMIC = "ABKNRS"  # axes of any size


class _Graph(nn.Module):
    """A function of a decoder and of arrays, as the module that torch's exporter asks for."""

    def __init__(
        self, decoder: Incremental, compute: Callable[[Incremental, Arrays], Arrays]
    ) -> None:
        super().__init__()
        self.decoder, self.compute = decoder, compute

    def forward(self, arrays: Arrays) -> Arrays:
        return self.compute(self.decoder, arrays)


def _encode(decoder: Incremental, arrays: Arrays) -> Arrays:
    """Return the decoder's first state for the sources, and what the decoder reads of them."""
    start = decoder.model.encode(arrays["source_BS"], arrays["length_B"])
    return {"state_LRZ": start.state_LBZ, **decoder.remember(start)}


def _decode(decoder: Incremental, arrays: Arrays) -> Arrays:
    """Return what `likeliest` does after one step of the decoder; rank_N has the length `count`."""
    readout_RE, state_LRZ, weight_RS = decoder(
        arrays["last_id_R"], arrays["state_LRZ"], arrays, arrays["row_AK"], arrays["place_R"]
    )
    log_prob_RN, id_RN = decoder.likeliest(readout_RE, arrays["rank_N"].shape[0])
    found = {"log_prob_RN": log_prob_RN, "id_RN": id_RN, "next_LRZ": state_LRZ}
    return found | ({"weight_RS": weight_RS} if "mask_AS" in arrays else {})


@torch.no_grad()
def graphs(model: Seq2Seq) -> "dict[str, ModelProto]":
    """Return the graphs of a model by the names of their files.

    The model must be on the CPU. Its parameters take no gradients from then on.
    """
    decoder = Incremental(model.requires_grad_(False))
    # The exporter takes a size of 0 or 1 for a constant, and equal sizes for the same axis. So the
    # sizes here are larger than 1 and differ; only B and A, which are in different graphs, are
    # equal. It takes len(tensor) for a constant too, so modules read tensor.shape[0] instead.
    source_BS = torch.full((2, 5), EOS)
    encoder_reads = {"source_BS": source_BS, "length_B": torch.tensor([5, 4])}
    sources = _encode(decoder, encoder_reads)
    state_LBZ = sources.pop("state_LRZ")
    decoder_reads = {
        "last_id_R": torch.full((3,), EOS),
        "state_LRZ": state_LBZ[:, [0, 0, 1]],
        "row_AK": torch.tensor([[0, 1, 0, 0], [2, 0, 0, 0]]),
        "place_R": torch.tensor([0, 1, 4]),
        "rank_N": torch.arange(6),
        **sources,
    }
    return {
        ENCODER: _export(_Graph(decoder, _encode), encoder_reads),
        DECODER: _export(_Graph(decoder, _decode), decoder_reads),
    }


def input_limits(model: Seq2Seq) -> "Limits":
    """Return weights_OI whose products have inputs with a largest absolute value, and that value.

    The inputs are hidden states, sums of those of layers, and the outputs of a tanh.
    """
    decoder, encoder = Incremental(model), cast("list[Layer]", [*model.encoder.layers])
    limit = decoder.cells[0].limit
    if limit is None:
        return []
    cells = [*(layer.cell for layer in encoder), *decoder.cells]
    linears = [*model.attention.children(), *([model.bridge] if model.bridge else [])]
    of_one_state = [decoder.value_XC, *(cell.weight_hh for cell in cells)]
    of_one_state += [cast("nn.Linear", linear).weight for linear in linears]
    of_sums = [*enumerate(decoder.state_GH, 1)]
    if model.readout is not None:
        of_one_state.append(model.output_weight)
        of_sums.append((len(model.decoder), decoder.readout_EH))
    found = [(weight_OI, limit) for weight_OI in of_one_state]
    found += [(weight_OI, limit * layers) for layers, weight_OI in of_sums]
    return [(weight_OI.detach().numpy(), most) for weight_OI, most in found]


def _export(module: _Graph, arrays: Arrays) -> "ModelProto":
    """Return the graph of a module that takes such arrays. Inputs and outputs keep their names."""
    dynamic = {  # state_LRZ -> {1: "R"}
        name: {axis: size for axis, size in enumerate(name.split("_")[-1]) if size in DYNAMIC}
        for name in arrays
    }
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)  # the exporter's messages are for its developers
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "# The axis name: . will not be used", UserWarning)
            warnings.filterwarnings("ignore", ".*treespec, LeafSpec", FutureWarning)
            program = torch.onnx.export(
                module.eval(),
                kwargs={"arrays": arrays},
                dynamo=True,
                input_names=[*arrays],
                output_names=[*module(arrays)],
                dynamic_shapes={"arrays": dynamic},
                verbose=False,
            )
    finally:
        logger.setLevel(level)
    assert program
    return program.model_proto
