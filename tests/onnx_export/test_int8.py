"""Products in 8 bits are exact for whole numbers, and each row is computed by itself."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

WHY = "exporting comes with the extra gru-mt[onnx]"
onnxruntime = pytest.importorskip("onnxruntime", reason=WHY)
onnx = pytest.importorskip("onnx", reason=WHY)

from gru_mt.onnx_export.int8 import quantise  # noqa: E402 after what it needs

Floats = npt.NDArray[np.float32]
PRODUCT = "g (float[r, i] x) => (float[r, o] y) { y = MatMul (x, w) }"
BIASED = """g (float[r, i] x) => (float[r, o] y) {
    product = MatMul (x, w)
    y = Add (product, b)
}"""
SHARED = """g (float[r, i] x) => (float[r, o] negative, float[r, o] y) {
    product = MatMul (x, w)
    negative = Neg (product)
    y = Add (product, b)
}"""
TIED = """g (int64[r] id, float[r, i] x) => (float[r, i] row, float[r, o] y) {
    row = Gather (w, id)
    flipped = Transpose <perm = [1, 0]> (w)
    y = MatMul (x, flipped)
}"""


def quantised(text: str, weight: Floats, limit: float | None = None, **others: Floats) -> Any:
    """Return a graph whose products with the weight w are in 8 bits; no input is beyond `limit`."""
    model = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["": 20]> {text}')
    for name, array in {"w": weight, **others}.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    quantise(model, [] if limit is None else [(weight.T, limit)])
    onnx.checker.check_model(model)
    assert "MatMul" not in {node.op_type for node in model.graph.node}
    return model


def run(text: str, weight: Floats, **arrays: npt.NDArray[np.generic]) -> list[Floats]:
    """Return what a graph gives once its products with the weight w are in 8 bits."""
    return outputs_of(quantised(text, weight), **arrays)


def outputs_of(model: Any, **arrays: npt.NDArray[np.generic]) -> list[Floats]:
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    outputs: list[Floats] = session.run(None, arrays)
    return outputs


def random(*shape: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def test_whole_numbers_of_8_bits_give_exact_products_and_the_largest_do_not_saturate() -> None:
    weight = np.array([[64, -3], [-64, 64], [50, 0]], np.float32)
    x = np.array([[127, -127, 2], [0, 127, 0], [0, 0, 0]], np.float32)
    assert run(PRODUCT, weight, x=x)[0].tolist() == (x @ weight).tolist()
    weight, x = np.full((512, 1), 64, np.float32), np.full((1, 512), 127, np.float32)
    assert run(PRODUCT, weight, x=x)[0].tolist() == [[64 * 127 * 512]]
    assert run(PRODUCT, -weight, x=x)[0].tolist() == [[-64 * 127 * 512]]


def test_rows_and_columns_have_scales_of_their_own() -> None:
    weight, x = random(64, 2), random(3, 64, seed=1)
    rows = np.array([[2**20], [1], [1]], np.float32)
    columns = np.array([2**-20, 1], np.float32)
    scaled = run(PRODUCT, weight * columns, x=x * rows)[0]
    plain = run(PRODUCT, weight, x=x)[0]
    np.testing.assert_allclose(scaled, plain * rows * columns, rtol=1e-5)
    np.testing.assert_allclose(plain, x @ weight, atol=0.3)  # their deviation is 8
    assert np.array_equal(run(PRODUCT, weight, x=x[1:2])[0], plain[1:2])


def test_an_embedding_and_the_output_layer_share_their_weights_in_8_bits() -> None:
    weight, x = random(5, 16), random(2, 16, seed=1)
    tensors = quantised(TIED, weight).graph.initializer
    assert {each.name for each in tensors} == {"w_s8", "w_scale"}, "stored once"
    row, y = run(TIED, weight, id=np.array([4, 0]), x=x)
    scale = np.abs(weight).max(axis=1, keepdims=True) / 64
    np.testing.assert_allclose(row, (np.rint(weight / scale) * scale)[[4, 0]], rtol=1e-6)
    np.testing.assert_allclose(y, x @ weight.T, atol=0.2)


@pytest.mark.parametrize("text", [BIASED, SHARED])
def test_a_limit_gives_the_scale_of_all_rows_and_what_is_above_it_is_cut(text: str) -> None:
    weight, bias = random(64, 3), random(3, seed=1)
    x = np.clip(random(5, 64, seed=2), -2, 2)
    model = quantised(text, weight, limit=2.0, b=bias)
    *_, y = outputs_of(model, x=x)
    # By hand, in whole numbers: 254 steps from -2 to 2, and 128 for each column of weights.
    scale_O = np.abs(weight).max(axis=0) / 64
    whole = np.rint(x * 127 / 2).astype(int) @ np.rint(weight / scale_O).astype(int)
    np.testing.assert_allclose(y, whole * scale_O * 2 / 127 + bias, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(y, x @ weight + bias, atol=0.4)  # their deviation is 8
    assert np.array_equal(outputs_of(model, x=x[2:3])[-1], y[2:3])
    beyond = np.where(x == 2, 3 * x, x)
    assert (beyond != x).any()
    assert np.array_equal(outputs_of(model, x=beyond)[-1], y)
    assert ("Add" in {node.op_type for node in model.graph.node}) == (text == SHARED)
