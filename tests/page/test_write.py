"""The page as a file, and its worker in Node: it says what Python says."""

import base64
import contextlib
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gru_mt.bundle import Bundle, load_bundle
from gru_mt.data.text.translation_memory import TranslationMemory
from gru_mt.inference.confidence import Calibration
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.translation import Languages
from gru_mt.inference.translator import Translator
from gru_mt.onnx_export.int8 import quantised
from gru_mt.page.model_data import FOLDER, model_data
from gru_mt.page.write import joined, page
from gru_mt.storage import read_json
from tests.command_line import Run, assert_one_line
from tests.data.text import test_placeholders
from tests.inference.preprocessing import test_sentence
from tests.page.node import needs_node, run_node
from tests.page.strings import framed, written_strings
from tests.report.made import Page
from tests.test_bundle import Kind, configure, tokenizer
from tests.test_bundle import model_of as model_with

ABOUT: dict[str, Any] = {
    "name": "pets <b>", "title": "pets <b>: en to fr", "languages": ["en", "fr"], "parameters": 9,
    "version": "0.1.0", "score": None, "corpora": [], "attribution": "</script><b>", "megabytes": 1,
    "examples": ["</script><script>document.title = 'owned'</script>"],
}  # fmt: skip


def test_the_kernel_is_what_its_text_says() -> None:
    wasmtime = pytest.importorskip("wasmtime", reason="it assembles the kernel")
    assembled = wasmtime.wat2wasm((FOLDER / "model" / "kernel.wat").read_text())
    assert base64.b64decode((FOLDER / "model" / "kernel.base64").read_text()) == assembled


def test_the_command_writes_a_page_beside_the_model(there: Path, gru_mt: Run) -> None:
    said = gru_mt("export", "--format", "page").err
    path = Path("runs/small/translator.html")
    size = path.stat().st_size
    assert said == f"wrote {path}: {size / 1e6:.1f} MB; open it in a browser\n"
    text = path.read_text("utf-8")
    assert f'"megabytes":{round(size / 1e6, 1)}' in text
    [corpus] = read_json(Path("runs/small/corpus.json"))["corpora"]
    assert f'"corpora":[{{"name":"{corpus["name"]}","sha256":"{corpus["sha256"]}"}}]' in text
    assert '"name":"small"' in text
    gru_mt("export", "--format", "archive", "--out", "en-fr.zip")
    gru_mt("export", "--format", "page", "--model", "en-fr.zip", "--out", "other.html")
    assert '"title":"en-fr: en to fr"' in Path("other.html").read_text("utf-8")
    other = there / "other.html"
    gru_mt("export", "--format", "page", "--model", "runs/small/model", "--out", other)
    assert other.stat().st_size > 10_000
    with contextlib.chdir("runs/small/model"):
        assert gru_mt("export", "--format", "page", "--model", ".").out == ""
        assert not [*Path().glob("*.html")], "it is in the run, beside the model"
    refused = gru_mt("export", "--format", "page", "--precision", "fp32")
    assert_one_line(refused, "--precision fp32: a page has int8 weights; leave it out")


def test_the_page_asks_for_nothing_and_text_in_it_is_inert() -> None:
    nasty = {**ABOUT, "truecaser": "<!--<script></script>-->", "vocabularies": ["</script><b>"]}
    text = page(nasty, "weights")
    elements = Page(text).elements
    tags = [tag for tag, _ in elements]
    assert tags.count("script") == 4
    assert "b" not in tags
    assert not [each for _, each in elements if {"src", "href", "style"} & each.keys()]
    policies = [each["content"] for _, each in elements if "http-equiv" in each]
    assert "default-src 'none'" in str(policies)
    assert "unsafe-inline" not in str(policies)
    assert page(nasty, "weights") == text, "the same page has the same bytes"


PRODUCT = """
import { Arithmetic } from "./model/product.js";
const bytes = Buffer.from(data.weights, "base64");
const weights = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const wasm = data.kernel ? Buffer.from(data.kernel, "base64") : null;
const arithmetic = await Arithmetic.create(weights, data.linears, wasm);
const linear = arithmetic.linear("x");
const x = Float32Array.from(data.x);
const parts = [linear, linear.slice(data.start, linear.outputs)];
result = {
  y: parts.map((part) => [...part.of(x, data.rows)]),
  row: [...linear.row(data.start)],
  fast: arithmetic.kernel !== null,
};
"""


@needs_node
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
        "kernel": (FOLDER / "model" / "kernel.base64").read_text() if fast else "",
        "x": x_RI.flatten().tolist(),
        "rows": rows,
        "start": outputs // 2,
    }
    found = run_node(PRODUCT, data)
    assert found["fast"] is fast
    factor_R1 = 127 / np.maximum(np.abs(x_RI).max(axis=1, keepdims=True), np.float32(1e-30))
    whole_RI = np.rint(x_RI * factor_R1).astype(np.int64)
    expected_RO = (whole_RI @ s8_IO.astype(np.int64)) / factor_R1 * scale_O + bias_O
    whole, part = (np.array(each).reshape(rows, -1) for each in found["y"])
    np.testing.assert_allclose(whole, expected_RO, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(part, whole[:, outputs // 2 :])
    row = s8_IO[:, outputs // 2] * scale_O[outputs // 2]
    np.testing.assert_allclose(found["row"], row, rtol=1e-6)


WORKER_SCRIPT = joined("worker.js")
TRANSLATE = """
const bytes = Buffer.from(data.weights, "base64");
const weights = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const { translator } = await load({ metadata: data.metadata, weights });
result = [];
for (const line of data.lines) result.push(await translator.translate(line, { nBest: 1 }));
"""
LINES = [
    "the a sees the b", "THE C SEES THE D. The e sees the f!", "", "  the g sees a@b.org 1999 ",
    "the Zbigniew sees 7", "<b>the</b> h", "10", "the 猫 sees 😀", "hello", "THE H! Hello! the a b",
]  # fmt: skip


@pytest.mark.slow
@needs_node
@pytest.mark.parametrize(
    ("kind", "joint", "overrides"),
    [
        ("word", True, "model.cell=lstm model.decoder_layers=2 decoding.length_penalty=0.5"),
        ("word", False, "model.attention=none model.context=repeat model.output=untied"),
        ("word", False, "model.cell=rnn model.attention=general model.decoder_size=18"),
        ("word", True, "model.cell=rnn_relu model.attention=none decoding.length_penalty=0"),
        ("word", True, "model.cell=gru_update model.bidirectional=false model.encoder_size=8"),
        ("unigram", True, "model.cell=gru_reset_before model.attention=additive"),
        ("unigram", False, "model.encoder_layers=2 decoding.beam_size=1"),
    ],
)
def test_translations_are_pythons(kind: Kind, joint: bool, overrides: str) -> None:
    config = configure(*overrides.split(), kind=kind, joint=joint)
    memory = TranslationMemory.learn(["Hello!", "the h."], ["Bonjour !", "Le h."])
    words = replace(tokenizer(kind, joint), memory=memory)
    model = model_with(config, words)
    rng = torch.Generator().manual_seed(2)
    for parameter in model.requires_grad_(requires_grad=False).parameters():
        torch.nn.init.normal_(parameter, std=0.5, generator=rng)
    bundle = Bundle(model, words, config, {"weights": {"calibration": [0.5] * 7}})
    metadata, weights = model_data(bundle, precision="fp32")
    data = {"metadata": metadata, "weights": base64.b64encode(weights).decode(), "lines": LINES}
    found: list[dict[str, Any]] = run_node(WORKER_SCRIPT + TRANSLATE, data)
    translator = Translator(
        TorchEngine(model),
        words,
        config.decoding,
        Languages(config.data.source),
        calibration=Calibration.of([0.5] * 7),
    )
    expected = translator.translate(LINES)
    assert [each["text"] for each in found] == [each.text for each in expected]
    assert len({*(each["text"] for each in found)}) > 4, "one text for all proves nothing"
    known = expected[-1].sentences[1].candidates[0]
    assert (expected[-2].text, known.text, known.score) == ("bonjour", "Bonjour !", 0)
    for ours, theirs in zip(found, expected, strict=True):
        assert len(ours["sentences"]) == len(theirs.sentences)
        for one, other in zip(ours["sentences"], theirs.sentences, strict=True):
            assert (one["source"], one["gap"]) == (other.source, other.gap)
            assert one["candidates"][0]["score"] == pytest.approx(
                other.candidates[0].score, abs=1e-4
            )
            assert one["warnings"] == [*other.warnings]
            assert one["confidence"] == pytest.approx(other.confidence, abs=1e-4)
            for candidate in one["candidates"]:
                sums = [sum(row) for row in candidate["attention"] or []]
                assert sums == pytest.approx([1.0] * len(sums), abs=1e-4)
                assert len(sums) in (0, len(candidate["words"]))


@needs_node
def test_what_people_type_is_translated_as_by_python(workplace: Path) -> None:
    run = workplace / "runs" / "small"
    metadata, weights = model_data(load_bundle(run, torch.device("cpu")), precision="fp32")
    texts = [text for text in written_strings(test_placeholders, test_sentence) if len(text) < 200]
    rng = random.Random(1)
    arms = ["{n, plural, ", "{a.b ,select,", "one {", "=1{", "other {", "} ", "}}", "# é", "a "]
    messages = ["".join(rng.choices(arms, k=8)) for _ in range(20)]
    messages += ["I see {n, plural, one {# cat} other {# cats, {b, select, c {see one cat}}}}."]
    others = [
        "I see one cat, and " * 80,
        "Спасибо Большое",
        "I tkae one.",
        "on May 5, I see one. See cat, May 2001",
    ]
    lines = [*framed(1)[::3], *texts[::3], *messages, *others]
    data = {"metadata": metadata, "weights": base64.b64encode(weights).decode(), "lines": lines}
    found: list[dict[str, Any]] = run_node(WORKER_SCRIPT + TRANSLATE, data)
    expected = Translator.load(run).translate(lines)
    seen = {warning for each in expected for warning in each.warnings}
    assert seen >= {"split", "language", "spelling"}
    for line, ours, theirs in zip(lines, found, expected, strict=True):
        assert ours["text"] == theirs.text, ascii(line)
        ours_warn = [sentence["warnings"] for sentence in ours["sentences"]]
        assert ours_warn == [[*sentence.warnings] for sentence in theirs.sentences], ascii(line)


@needs_node
def test_a_damaged_file_is_said_to_be() -> None:
    config, words = configure(), tokenizer()
    bundle = Bundle(model_with(config, words), words, config, {"weights": {}})
    metadata, weights = model_data(bundle)
    script = WORKER_SCRIPT + (
        "const weights = new Uint8Array(data.weights).buffer;\n"
        "const given = { metadata: data.metadata, weights };\n"
        "result = await load(given).then(() => '', (e) => e.message);"
    )
    whole = run_node(script, {"metadata": metadata, "weights": [*weights]})
    changed = run_node(script, {"metadata": metadata, "weights": [weights[0] ^ 1, *weights[1:]]})
    assert (whole, changed) == ("", "the file of this page is damaged")
