"""Turn the products with weights in an exported graph into products of 8-bit integers.

Each row of the input and each column of the weights has a scale of its own. onnxruntime's own
quantisation has one for a whole array: a translation would depend on the rest of its batch. The
input is unsigned, with 128 for zero, and the weights are signed, as x86's VNNI multiplies them.

Shapes: I input features, O output features.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # a page takes its weights from here, and needs no onnx
    from collections.abc import Iterator

    from onnx import GraphProto, ModelProto, NodeProto

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


def quantise(model: "ModelProto") -> None:
    """Change each product with constant weights, in place, to a product of integers.

    Rows of embeddings are looked up in integers too. An embedding that is also the weights of the
    output layer is stored once.
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
    for node in nodes:
        name = node.input[1] if node.op_type == "MatMul" else ""
        if name in matrices or name in flipped:
            by_row.setdefault(flipped.get(name, name), False)
            node.op_type, node.domain = "product_int8", "gru_mt"
            node.input[:] = [node.input[0], f"{name}_s8", f"{flipped.get(name, name)}_scale"]
    kept = [tensor for tensor in graph.initializer if tensor.name not in by_row]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for name, is_by_row in by_row.items():
        s8, scale = quantised(weights[name].T if is_by_row else weights[name])
        for values, ending in ((s8.T if is_by_row else s8, "s8"), (scale, "scale")):
            graph.initializer.append(numpy_helper.from_array(values, f"{name}_{ending}"))
    model.functions.extend(map(parser.parse_function, (PRODUCT, ROWS)))
    model.opset_import.add(domain="gru_mt", version=1)


def _nodes(graph: "GraphProto") -> "Iterator[NodeProto]":
    """Yield the nodes of a graph, and of the loops in it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)
