"""An exported model gives torch's numbers and texts, and no batch changes a sentence's text.

tests/onnx_export/test_write.py has the tests of a whole export.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gru_mt.config.decoding import Decoding
from gru_mt.config.schema import ModelConfig
from gru_mt.errors import UserError
from gru_mt.inference.engines.engine import BeamState, Engine
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.translator import Translator
from gru_mt.model.cells import CELLS
from gru_mt.model.seq2seq import Seq2Seq
from tests.inference.test_translator import NO_FORK, forked, sentences, tokenizer

WHY = "exporting comes with the extra gru-mt[onnx]"
pytest.importorskip("onnxruntime", reason=WHY)

import onnx  # noqa: E402 after what it needs

from gru_mt.inference.engines.onnx_engine import OnnxEngine, _Graph  # noqa: E402
from gru_mt.onnx_export.graphs import graphs, input_limits  # noqa: E402
from gru_mt.onnx_export.int8 import quantise  # noqa: E402

SHAPES: dict[str, dict[str, Any]] = {  # each attention, each context, one and more layers
    "rnn": {"attention": "general", "encoder_layers": 2},
    "rnn_relu": {"attention": "dot", "bidirectional": False, "encoder_size": 8},
    "gru_update": {"attention": "additive", "decoder_layers": 3},
    "gru_reset_before": {"attention": "none", "context": "repeat", "output": "untied"},
    "gru": {"attention": "dot", "decoder_layers": 2},
    "lstm": {"attention": "none", "context": "repeat", "decoder_layers": 2},
}
WORDS = tokenizer("word")
PRODUCT = """
<ir_version: 9, opset_import: ["" : 20]>
product (float[N, M] x) => (float[N, N] y) { y = MatMul(x, x) }
"""


@dataclass(frozen=True)
class Engines:
    torch: Engine[Any]
    fp32: Engine[Any]
    int8: Engine[Any]


@pytest.fixture(scope="module", params=CELLS)
def engines(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Engines:
    """Return a tiny random model of each cell, in three engines."""
    pytest.importorskip("onnxscript", reason=WHY)
    sizes = {"embedding_size": 8, "encoder_size": 4, "decoder_size": 8}
    config = ModelConfig(cell=request.param, **sizes | SHAPES[request.param])
    joint, size = config.attention == "dot", WORDS.source.size
    model = Seq2Seq(config, source_size=size, target_size=size, joint=joint).eval()
    rng = torch.Generator().manual_seed(5)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5, generator=rng)
    torch.nn.init.normal_(model.output_bias_V, std=0.1, generator=rng)  # no word is always best
    models = graphs(model)

    def engine(name: str) -> OnnxEngine:
        folder = tmp_path_factory.mktemp(name)
        for file, graph in models.items():
            (folder / file).write_bytes(graph.SerializeToString())
        return OnnxEngine(*(folder / file for file in models))

    fp32 = engine("fp32")
    for graph in models.values():
        quantise(graph, input_limits(model))
    return Engines(TorchEngine(model), fp32, engine("int8"))


def run(engine: Engine[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the engine's results, step by step, while hypotheses of a batch end and multiply."""
    rng = np.random.default_rng(1)
    length_B = np.array([7, 3, 1, 5, 2])
    state: BeamState = engine.start(rng.integers(4, WORDS.source.size, (5, 7)), length_B)
    yield state.state_LRZ, *(state.sources[name] for name in sorted(state.sources))
    for row_N in ([0, 0, 0, 2, 4, 4], [0, 1, 2, 3, 3, 3, 3], [5], [0]):
        last_id_R = rng.integers(4, WORDS.target.size, len(state.source_R))
        log_prob_RN, id_RN, after = engine.step(last_id_R, state, 4)
        order_RN = np.argsort(-log_prob_RN, axis=1)  # they come in any order
        log_prob_RN = np.take_along_axis(log_prob_RN, order_RN, axis=1)
        id_RN = np.take_along_axis(id_RN, order_RN, axis=1)
        yield log_prob_RN, id_RN, after.state_LRZ, after.coverage_RS
        state = after.select(np.array(row_N))


@pytest.mark.slow
def test_numbers_are_torchs(engines: Engines) -> None:
    for ours, theirs in zip(run(engines.fp32), run(engines.torch), strict=True):
        assert len(ours) == len(theirs)
        for array, tensor in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(array, np.asarray(tensor), rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_numbers_in_8_bits_are_near(engines: Engines) -> None:
    for (ours, *_), (theirs, *_) in zip(run(engines.int8), run(engines.torch), strict=True):
        np.testing.assert_allclose(ours, np.asarray(theirs), rtol=0.1, atol=0.3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "products"),
    [  # of the encoder, then of the decoder: those with a limit, and others
        ("gru", [(4, 2), (5, 1)]),  # 2 cells, value and bridge; 2 cells, state, readout and output
        ("rnn_relu", [(0, 4), (0, 4)]),
    ],
)
def test_products_of_hidden_states_have_limits(cell: Any, products: list[tuple[int, int]]) -> None:
    pytest.importorskip("onnxscript", reason=WHY)
    sizes = {"embedding_size": 8, "encoder_size": 4, "decoder_size": 8}
    config = ModelConfig(cell=cell, **sizes | SHAPES[cell])
    model = Seq2Seq(config, source_size=20, target_size=20, joint=True).eval()
    found = []
    for graph in graphs(model).values():
        quantise(graph, input_limits(model))
        text = onnx.printer.to_text(graph.graph)
        found.append((text.count("limited_product_int8 "), text.count("gru_mt.product_int8 ")))
    assert found == products


def translate(engine: Engine[Any], sources: list[str], beam: int, batch_size: int) -> list[str]:
    translator = Translator(engine, WORDS, Decoding(beam))
    return [*map(str, translator.translate(sources, batch_size=batch_size))]


@pytest.mark.slow
@pytest.mark.parametrize("beam", [1, 4])
def test_texts_are_torchs_and_those_of_each_sentence_alone(engines: Engines, beam: int) -> None:
    sources = sentences(80)
    for engine, alike in ((engines.fp32, engines.torch), (engines.int8, engines.int8)):
        texts = translate(alike, sources, beam, 64)
        assert len(set(texts)) > 15, "a model that says always the same proves nothing"
        for batch_size in (64, 7, 1):
            assert translate(engine, sources, beam, batch_size) == texts
        assert translate(engine, sources[::-1], beam, 7) == texts[::-1]
    assert WORDS.target.size < 40, "a beam may be wider than the vocabulary"
    few = sources[:3]
    assert translate(engines.fp32, few, 40, 2) == translate(engines.torch, few, 40, 2)


@NO_FORK
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # as of Python 3.12
def test_a_process_forked_after_a_product_multiplies_too(tmp_path: Path) -> None:
    path = tmp_path / "product.onnx"
    path.write_bytes(onnx.parser.parse_model(PRODUCT).SerializeToString())
    graph = _Graph(path, cores=2)
    x = np.ones((600, 600), np.float32)  # large enough for all threads

    def work() -> list[str]:
        return [str(graph.run({"x": x, "more": x})["y"].sum()) for _ in range(20)]

    assert work() == [str(np.float32(600**3))] * 20
    session = graph._session
    path.unlink()
    assert forked(lambda: [*work(), str(graph._session is session)]) == [*work(), "False"]


@pytest.mark.parametrize("content", [b"", b"hello"])
def test_what_is_no_graph_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "encoder.onnx"
    with pytest.raises(UserError, match=r"encoder\.onnx: cannot be read: No such file"):
        OnnxEngine(path, path)
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"encoder\.onnx: onnxruntime cannot load it: ") as caught:
        OnnxEngine(path, path)
    assert "\n" not in str(caught.value)
