"""What the page knows of a model: the bytes of its linear layers, vocabularies, rules and settings.

Shapes: I input features, O output features.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from gru_mt.bundle import Bundle
from gru_mt.data.text.sentences import sentence_rules
from gru_mt.data.text.terms.dates import date_rules
from gru_mt.data.tokenizer.sentencepiece import Subwords
from gru_mt.data.tokenizer.words import Words
from gru_mt.inference.confidence import Calibration
from gru_mt.model.decoder_step import Incremental
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.onnx_export.int8 import quantised

if TYPE_CHECKING:
    from gru_mt.model.recurrent import Layer

FOLDER = Path(__file__).parent
_ALIGNMENT = 4  # bytes of the numbers in fp32


def linear_layers(model: Seq2Seq) -> Iterator[tuple[str, Tensor, Tensor | None]]:
    """Yield the name that the page has for each linear layer of a model, weight_OI and bias_O.

    The decoder's are those of `Incremental`. An embedding is one too: its rows are looked up, and
    those of the target side are the output layer, unless that is untied.
    """
    decoder = Incremental(model)
    below, *above = decoder.cells
    yield "target_embedding", model.target_embedding.weight, decoder.bias_V
    if model.source_embedding is not model.target_embedding:
        yield "source_embedding", model.source_embedding.weight, None
    for k, layer in enumerate(cast("list[Layer]", [*model.encoder.layers])):
        yield f"encoder.{k}.input", layer.cell.weight_ih, layer.cell.bias_ih
        yield f"encoder.{k}.state", layer.cell.weight_hh, layer.cell.bias_hh
    for name, part in model.attention.named_children():
        yield f"attention.{name}", cast("nn.Linear", part).weight, None
    if model.bridge is not None:
        yield "bridge", model.bridge.weight, model.bridge.bias
    yield "decoder.0.token", decoder.token_GE, below.bias_ih
    if model.bridge is None:
        yield "decoder.0.source", decoder.source_GC, None
    yield "decoder.0.state", below.weight_hh, below.bias_hh
    for level, (cell, below_GH) in enumerate(zip(above, decoder.state_GH, strict=True), start=1):
        yield f"decoder.{level}.below", below_GH, cell.bias_ih
        yield f"decoder.{level}.state", cell.weight_hh, cell.bias_hh
    if model.attention.context_size:
        yield "value", decoder.value_XC, None
    if model.readout is not None:
        yield "readout", decoder.readout_EH, model.readout.bias
    if model.output is not None:
        yield "output", model.output.weight, decoder.bias_V


def pack(model: Seq2Seq, precision: str) -> tuple[bytes, dict[str, dict[str, Any]]]:
    """Return the bytes of all layers, and by name their sizes and offsets in bytes.

    In int8 a layer is what `onnx_export.int8` makes of it: each output has a scale of its own.
    """
    content = bytearray()

    def add(values: NDArray[Any]) -> int:
        content.extend(bytes(-len(content) % _ALIGNMENT))
        start = len(content)
        content.extend(np.ascontiguousarray(values).tobytes())
        return start

    layers: dict[str, dict[str, Any]] = {}
    for name, weight, bias in linear_layers(model):
        weight_OI = weight.detach().numpy().astype("<f4")
        outputs, inputs = weight_OI.shape
        layer: dict[str, Any] = {"precision": precision, "outputs": outputs, "inputs": inputs}
        if precision == "int8":
            s8_IO, scale_O = quantised(weight_OI.T)
            layer |= {"weight": add(s8_IO.T), "scale": add(scale_O.astype("<f4"))}
        else:
            layer["weight"] = add(weight_OI)
        layer["bias"] = None if bias is None else add(bias.detach().numpy().astype("<f4"))
        layers[name] = layer
    return bytes(content), layers


def vocabulary_data(side: Subwords | Words, kind: str) -> dict[str, Any]:
    """Return a vocabulary as JSON values; `kind` is the one of the configuration.

    Those of a SentencePiece model are its pieces in the order of ids, and their scores. Those of a
    vocabulary of words are what its file holds.
    """
    if isinstance(side, Words):
        return {"kind": kind, "words": side.to_bytes().decode()}
    return {"kind": kind, "pieces": side.pieces(range(side.size)), "scores": side.scores()}


def model_data(bundle: Bundle, precision: str = "int8") -> tuple[dict[str, Any], bytes]:
    """Return what the worker must know to translate, as JSON values, and the weights."""
    model, tokenizer, config = bundle.model, bundle.tokenizer, bundle.config
    weights, layers = pack(model, precision)
    sides = [tokenizer.source] if tokenizer.joint else [tokenizer.source, tokenizer.target]
    calibration = Calibration.of_bundle(bundle.provenance)
    dates = date_rules(config.data.source, config.data.target)
    data = {
        "model": {
            "cell": config.model.cell,
            "encoderLayers": len(model.encoder.layers) // model.encoder.directions,
            "directions": model.encoder.directions,
            "decoderLayers": len(model.decoder),
            "attention": model.attention.kind,
        },
        "linears": layers,
        "kernel": (FOLDER / "model" / "kernel.base64").read_text("ascii").strip(),
        "weightsSha256": hashlib.sha256(weights).hexdigest(),
        "vocabularies": [vocabulary_data(side, config.tokenizer.kind) for side in sides],
        "truecaser": tokenizer.truecaser.to_bytes().decode(),
        "shorthand": tokenizer.truecaser.shorthand,
        "memory": tokenizer.memory.to_bytes().decode(),
        "sentences": sentence_rules(config.data.source)._asdict(),
        "dates": dates and dates.to_json(),
        "decoding": asdict(config.decoding),
        "calibration": calibration and calibration.weights,
    }
    return data, weights
