"""A model's encoder and decoder as ONNX graphs, by torch's exporter.

Every array has a name that ends in its shape. Shapes: as in `inference.engine`.
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from gru_mt.data.tokenizer.special import EOS
from gru_mt.inference.engines.onnx_engine import DECODER, ENCODER
from gru_mt.model.decoder_step import Incremental
from gru_mt.model.seq2seq import Seq2Seq

if TYPE_CHECKING:
    from onnx import ModelProto

Arrays = dict[str, Tensor]
DYNAMIC = "ABKNRS"  # axes of any size


class _Encoder(nn.Module):
    """Return the decoder's first state for the sources, and what the decoder reads of them."""

    def __init__(self, decoder: Incremental) -> None:
        super().__init__()
        self.decoder = decoder

    def forward(self, arrays: Arrays) -> Arrays:
        start = self.decoder.model.encode(arrays["source_BS"], arrays["length_B"])
        return {"state_LRZ": start.state_LBZ, **self.decoder.remember(start)}


class _Decoder(nn.Module):
    """Return what `likeliest` does after one step of the decoder; rank_N has the length `count`."""

    def __init__(self, decoder: Incremental) -> None:
        super().__init__()
        self.decoder = decoder

    def forward(self, arrays: Arrays) -> Arrays:
        readout_RE, state_LRZ, weight_RS = self.decoder(
            arrays["last_id_R"], arrays["state_LRZ"], arrays, arrays["row_AK"], arrays["place_R"]
        )
        log_prob_RN, id_RN = self.decoder.likeliest(readout_RE, arrays["rank_N"].shape[0])
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
    sources = _Encoder(decoder)(encoder_reads)
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
        ENCODER: _graph(_Encoder(decoder), encoder_reads),
        DECODER: _graph(_Decoder(decoder), decoder_reads),
    }


def _graph(module: nn.Module, arrays: Arrays) -> "ModelProto":
    """Return the graph of a module that takes such arrays. Inputs and outputs keep their names."""
    with _quiet():
        program = torch.onnx.export(
            module.eval(),
            kwargs={"arrays": arrays},
            dynamo=True,
            input_names=[*arrays],
            output_names=[*module(arrays)],
            dynamic_shapes={"arrays": {name: _dynamic_axes(name) for name in arrays}},
            verbose=False,
        )
    assert program
    return program.model_proto


def _dynamic_axes(name: str) -> dict[int, str]:
    """Return the axes of an array that may have any size: state_LRZ -> {1: "R"}."""
    return {axis: letter for axis, letter in enumerate(name.split("_")[-1]) if letter in DYNAMIC}


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide the messages of torch's exporter that are for its developers."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "# The axis name: . will not be used", UserWarning)
            warnings.filterwarnings("ignore", ".*treespec, LeafSpec", FutureWarning)
            yield
    finally:
        logger.setLevel(level)
