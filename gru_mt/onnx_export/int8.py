"""Turn the products with weights in an exported graph into products of 8-bit integers.

Each column of the weights has a scale of its own, and so has each row of the input, unless a limit
of its values is known: then that gives the scale. onnxruntime's own quantisation takes the largest
value of a whole array: a translation would depend on the rest of its batch. The input is unsigned,
with 128 for zero, and the weights are signed, as x86's VNNI multiplies them.

Shapes: I input features, O output features.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # a page takes its weights from here, and needs no onnx
    from collections.abc import Iterator

    from onnx import GraphProto, ModelProto, NodeProto

Limits = Sequence[tuple[NDArray[np.float32], float]]  # weights_OI, largest absolute value of x_I

# x86 processors without VNNI sum two products in 16 signed bits. Weights of at most 64 keep that
# sum in range, since 2 * 255 * 64 < 2**15.
LARGEST = 64

PRODUCT = """
<domain: "gru_mt", opset_import: ["" : 20, "com.microsoft" : 1]>
product_int8 (x, weight, weight_scale) => (y) {
    last_axis = Constant <value = int64[1] {-1}> ()
    zero = Constant <value = uint8 {128}> ()
    weight_zero = Constant <value = int8 {0}> ()
    one = Constant <value = float {1.0}> ()
    most = Constant <value = float {127.0}> ()
    tiny = Constant <value = float {1e-30}> ()

    size = Abs (x)
    largest = ReduceMax (size, last_axis)
    positive = Max (largest, tiny)
    factor = Div (most, positive)
    scaled = Mul (x, factor)
    x_u8 = QuantizeLinear (scaled, one, zero)

    larger = com.microsoft.MatMulIntegerToFloat (x_u8, weight, one, weight_scale, zero, weight_zero)
    y = Div (larger, factor)
}
"""

LIMITED_PRODUCT = """
<domain: "gru_mt", opset_import: ["" : 20, "com.microsoft" : 1]>
limited_product_int8 (x, weight, scale, step, bias) => (y) {
    zero = Constant <value = uint8 {128}> ()
    weight_zero = Constant <value = int8 {0}> ()
    x_u8 = QuantizeLinear (x, step, zero)
    y = com.microsoft.MatMulIntegerToFloat (x_u8, weight, step, scale, zero, weight_zero, bias)
}
"""

ROWS = """
<domain: "gru_mt", opset_import: ["" : 20]>
rows_int8 (embedding, embedding_scale, id) => (y) {
    last_axis = Constant <value = int64[1] {-1}> ()
    row_s8 = Gather (embedding, id)
    row = Cast <to = 1> (row_s8)
    row_scale = Gather (embedding_scale, id)
    factor = Unsqueeze (row_scale, last_axis)
    y = Mul (row, factor)
}
"""


def quantised(weight_IO: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return s8_IO and scale_O: s8_IO * scale_O is near weight_IO."""
    scale_O = np.maximum(np.abs(weight_IO).max(axis=0) / LARGEST, np.float32(1e-30))
    return np.rint(weight_IO / scale_O).astype(np.int8), scale_O


def quantise(model: "ModelProto", limits: Limits = ()) -> None:
    """Change each product with constant weights, in place, to a product of integers.

    One whose weights are in `limits` adds its bias too. Rows of embeddings are looked up in
    integers. An embedding that is also the weights of the output layer is stored once.
    """
    from onnx import numpy_helper, parser

    graph, nodes = model.graph, [*_nodes(model.graph)]
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    matrices = {name for name, weight in weights.items() if weight.ndim == 2}
    by_row: dict[str, bool] = {}  # whether the rows of a matrix have the scales, or its columns
    flipped: dict[str, str] = {}  # what a Transpose gives -> the matrix that it is of
    for node in nodes:
        name = node.input[0] if node.op_type in ("Gather", "Transpose") else ""
        if name in matrices:
            by_row[name] = True
            if node.op_type == "Gather":
                node.op_type, node.domain = "rows_int8", "gru_mt"
                node.input[:] = [f"{name}_s8", f"{name}_scale", node.input[1]]
            else:
                flipped[node.output[0]] = name
                node.input[0], node.output[0] = f"{name}_s8", f"{node.output[0]}_s8"
    steps = {}
    for node in nodes:
        name = node.input[1] if node.op_type == "MatMul" else ""
        if name not in matrices and name not in flipped:
            continue
        matrix = flipped.get(name, name)
        by_row.setdefault(matrix, False)
        node.op_type, node.domain = "product_int8", "gru_mt"
        node.input[:] = [node.input[0], f"{name}_s8", f"{matrix}_scale"]
        weight_OI = weights[matrix] if name in flipped else weights[matrix].T
        limit = next((most for own, most in limits if np.array_equal(own, weight_OI)), None)
        if limit is None:
            continue
        node.op_type = "limited_product_int8"
        node.input.append(f"{name}_step")
        steps[f"{name}_step"] = np.float32(limit / 127)
        node.input.extend(_taken_bias(node.output[0], nodes, weights))
    kept = [tensor for tensor in graph.initializer if tensor.name not in by_row]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for name, is_by_row in by_row.items():
        s8, scale = quantised(weights[name].T if is_by_row else weights[name])
        for values, ending in ((s8.T if is_by_row else s8, "s8"), (scale, "scale")):
            graph.initializer.append(numpy_helper.from_array(values, f"{name}_{ending}"))
    for name, step in steps.items():
        graph.initializer.append(numpy_helper.from_array(np.array(step), name))
    functions = (PRODUCT, LIMITED_PRODUCT, ROWS)
    model.functions.extend(map(parser.parse_function, functions))
    model.opset_import.add(domain="gru_mt", version=1)


def _taken_bias(
    product: str, nodes: "list[NodeProto]", weights: "Mapping[str, NDArray[np.float32]]"
) -> list[str]:
    """Return the bias that is all that becomes of a product, and add it no more; or nothing."""
    users = [node for node in nodes if product in node.input]
    bias = users[0].input[1] if len(users) == 1 and users[0].op_type == "Add" else ""
    if bias not in weights or weights[bias].ndim != 1:
        return []
    users[0].op_type = "Identity"
    del users[0].input[1]
    return [bias]


def _nodes(graph: "GraphProto") -> "Iterator[NodeProto]":
    """Yield the nodes of a graph, and of the loops in it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)
