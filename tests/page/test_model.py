"""The page's products of int8 against those of the export; test_write.py has whole models."""

import base64

import numpy as np
import pytest

from gru_mt.onnx_export.int8 import quantised
from tests.page.node import FOLDER, needs_node, run_node

pytestmark = needs_node

ARITHMETIC = """
import { Arithmetic } from "./product.js";
const bytes = Buffer.from(data.weights, "base64");
const weights = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const wasm = data.kernel ? Buffer.from(data.kernel, "base64") : null;
const arithmetic = await Arithmetic.create(weights, data.linears, wasm);
"""

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
