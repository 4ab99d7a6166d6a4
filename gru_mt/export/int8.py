"""Turn the products with weights in an exported graph into products of 8-bit integers.

Each row of the input is scaled by its own largest value, and so is each column of the weights.
onnxruntime's own quantisation has one scale for a whole array: a sentence's translation would then
depend on the rest of its batch.

The input is unsigned, with 128 for zero, and the weights are signed: x86 processors with VNNI have
an instruction for that.

Shapes: I input features, O output features.
"""

from collections.abc import Iterator

from onnx import GraphProto, ModelProto, NodeProto, numpy_helper, parser

from gru_mt.export.quantised import quantised

PRODUCT = """
<domain: "gru_mt", opset_import: ["" : 20]>
product_int8 (x, weight, weight_scale) => (y) {
    last_axis = Constant <value = int64[1] {-1}> ()
    zero = Constant <value = uint8 {128}> ()
    weight_zero = Constant <value = int8 {0}> ()
    middle = Constant <value = float {128.0}> ()
    most = Constant <value = float {127.0}> ()
    tiny = Constant <value = float {1e-30}> ()

    size = Abs (x)
    largest = ReduceMax (size, last_axis)
    positive = Max (largest, tiny)
    factor = Div (most, positive)
    scaled = Mul (x, factor)
    whole = Round (scaled)
    shifted = Add (whole, middle)
    x_u8 = Cast <to = 2> (shifted)

    sum = MatMulInteger (x_u8, weight, zero, weight_zero)
    float_sum = Cast <to = 1> (sum)
    unscaled = Div (float_sum, factor)
    y = Mul (unscaled, weight_scale)
}
"""


def quantise(model: ModelProto) -> None:
    """Change each product with constant weights, in place, to a product of integers."""
    graph = model.graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    flipped = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Transpose"}
    done = set()
    for node in [*_nodes(graph)]:
        name = node.input[1] if node.op_type == "MatMul" else ""
        tensor = tensors.get(flipped.get(name, name))
        if tensor is None:
            continue
        node.op_type, node.domain = "product_int8", "gru_mt"
        node.input[:] = [node.input[0], f"{name}_s8", f"{name}_scale"]
        if name not in done:
            done.add(name)
            weight_IO = numpy_helper.to_array(tensor)
            s8_IO, scale_O = quantised(weight_IO.T if name in flipped else weight_IO)
            graph.initializer.append(numpy_helper.from_array(s8_IO, f"{name}_s8"))
            graph.initializer.append(numpy_helper.from_array(scale_O, f"{name}_scale"))
    model.functions.append(parser.parse_function(PRODUCT))
    model.opset_import.add(domain="gru_mt", version=1)
    read = {name for node in _nodes(graph) for name in node.input}
    kept = [tensor for tensor in graph.initializer if tensor.name in read]
    del graph.initializer[:]
    graph.initializer.extend(kept)


def _nodes(graph: GraphProto) -> Iterator[NodeProto]:
    """Yield the nodes of a graph, and of the loops in it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)
