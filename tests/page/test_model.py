"""The page's model against Python's, with random weights, in fp32 and in int8."""

import base64
from typing import Any

import numpy as np
import pytest
import torch

from gru_mt.config.schema import ModelConfig
from gru_mt.data.tokenizer.special import BOS, EOS
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.onnx_export.int8 import quantised
from gru_mt.page.model_data import model_shape, pack
from tests.page.node import FOLDER, needs_node, run_node

pytestmark = needs_node

SOURCE = [20, 7, 33, 14, 21, EOS]
TARGETS = [[BOS, 15, 16, 17, 30], [BOS, 30, 22, 15, 15]]
SMALL: dict[str, Any] = {"embedding_size": 20, "encoder_size": 12, "decoder_size": 24}

ARITHMETIC = """
import { Arithmetic } from "./product.js";
import { Model } from "./model.js";
const bytes = Buffer.from(data.weights, "base64");
const weights = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const wasm = data.kernel ? Buffer.from(data.kernel, "base64") : null;
const arithmetic = await Arithmetic.create(weights, data.linears, wasm);
"""

STEPS = """
const model = new Model(data.metadata, arithmetic);
const source = model.encode(data.source);
let states = source.states.map((state) => Float32Array.from([...state, ...state]));
result = { logits: [], weights: [] };
for (let t = 0; t < data.targets[0].length; t++) {
  const step = model.step(data.targets.map((ids) => ids[t]), states, source);
  states = step.states;
  result.logits.push([...model.logits(step.readout, 2)].map((each) => Math.max(each, -1e30)));
  result.weights.push([...step.weights]);
}
"""


def model_data(model: Seq2Seq, cell: str, precision: str) -> dict[str, Any]:
    content, linears = pack(model, precision)
    return {
        "weights": base64.b64encode(content).decode(),
        "linears": linears,
        "metadata": model_shape(model, cell),
        "source": SOURCE,
        "targets": TARGETS,
    }


def random_model(*, joint: bool = True, **settings: Any) -> Seq2Seq:
    torch.manual_seed(3)
    config = ModelConfig(**(SMALL | settings))
    model = Seq2Seq(config, source_size=37, target_size=37 if joint else 41, joint=joint)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape))
    return model.requires_grad_(requires_grad=False)


@pytest.mark.parametrize(
    "settings",
    [
        *({"cell": cell} for cell in ("rnn", "rnn_relu", "gru_update", "gru_reset_before")),
        *({"cell": cell, "decoder_layers": 2, "encoder_layers": 2} for cell in ("gru", "lstm")),
        {"attention": "general", "decoder_size": 18},
        {"attention": "additive", "decoder_size": 18, "bidirectional": False},
        {"attention": "none", "decoder_layers": 2},
        {"attention": "none", "output": "untied", "decoder_layers": 2, "joint": False},
        {"attention": "none", "context": "repeat", "cell": "lstm", "decoder_layers": 2},
        {"bidirectional": False, "encoder_size": 24, "encoder_layers": 2, "joint": False},
    ],
    ids=str,
)
def test_the_models_numbers_are_pythons(settings: dict[str, Any]) -> None:
    model = random_model(**settings)
    found = run_node(ARITHMETIC + STEPS, model_data(model, settings.get("cell", "gru"), "fp32"))
    source_BS, target_BT = torch.tensor([SOURCE] * 2), torch.tensor(TARGETS)
    start = model.encode(source_BS, torch.tensor([len(SOURCE)] * 2))
    expected_BTV = model.decode(target_BT, start)
    size = expected_BTV.shape[2]
    logits_TBV = torch.tensor(found["logits"]).view(-1, 2, size)
    torch.testing.assert_close(
        logits_TBV.transpose(0, 1)[:, :, EOS:], expected_BTV[:, :, EOS:], atol=1e-4, rtol=0
    )
    assert (logits_TBV[:, :, :EOS] < -1e29).all(), "no translation contains these"
    if settings.get("attention") != "none":
        weight_TBS = torch.tensor(found["weights"]).view(-1, 2, len(SOURCE))
        expected_BTS = model.align(target_BT, start)
        torch.testing.assert_close(weight_TBS.transpose(0, 1), expected_BTS, atol=1e-5, rtol=0)


PRODUCT = """
const linear = arithmetic.linear("x");
const x = Float32Array.from(data.x);
const parts = [linear, linear.slice(data.start, linear.outputs)];
result = {
  y: parts.map((part) => [...part.of(x, data.rows)]),
  row: [...linear.row(data.start)],
  fast: arithmetic.kernel !== null,
};
"""


def kernel() -> str:
    wasmtime = pytest.importorskip("wasmtime", reason="it assembles the kernel")
    return base64.b64encode(wasmtime.wat2wasm((FOLDER / "kernel.wat").read_text())).decode()


@pytest.mark.parametrize(("rows", "inputs", "outputs"), [(1, 16, 8), (3, 21, 7), (37, 40, 1)])
@pytest.mark.parametrize("fast", [True, False])
def test_products_of_int8_are_those_of_the_export(
    fast: bool, rows: int, inputs: int, outputs: int
) -> None:
    rng = np.random.default_rng(rows)
    weight_OI = rng.normal(size=(outputs, inputs)).astype(np.float32)
    bias_O = rng.normal(size=outputs).astype(np.float32)
    x_RI = rng.normal(size=(rows, inputs)).astype(np.float32)
    x_RI[0] = 0
    s8_IO, scale_O = quantised(weight_OI.T)
    content = s8_IO.T.tobytes()
    content += bytes(-len(content) % 4)
    place = {"precision": "int8", "outputs": outputs, "inputs": inputs, "weight": 0,
             "scale": len(content), "bias": len(content) + 4 * outputs}  # fmt: skip
    data = {
        "weights": base64.b64encode(content + scale_O.tobytes() + bias_O.tobytes()).decode(),
        "linears": {"x": place},
        "kernel": kernel() if fast else "",
        "x": x_RI.flatten().tolist(),
        "rows": rows,
        "start": outputs // 2,
    }
    found = run_node(ARITHMETIC + PRODUCT, data)
    assert found["fast"] is fast
    factor_R1 = 127 / np.maximum(np.abs(x_RI).max(axis=1, keepdims=True), np.float32(1e-30))
    whole_RI = np.rint(x_RI * factor_R1).astype(np.int64)
    expected_RO = (whole_RI @ s8_IO.astype(np.int64)) / factor_R1 * scale_O + bias_O
    whole, part = (np.array(each).reshape(rows, -1) for each in found["y"])
    np.testing.assert_allclose(whole, expected_RO, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(part, whole[:, outputs // 2 :])
    row = s8_IO[:, outputs // 2] * scale_O[outputs // 2]
    np.testing.assert_allclose(found["row"], row, rtol=1e-6)
