"""An export is whole or not there. Loading gives it back, or names the file that is not its own."""

import os
import shutil
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gru_mt.errors import UserError
from gru_mt.inference.engines.onnx_engine import METADATA, is_export, load_export, usable_export
from gru_mt.inference.published import local_folder
from gru_mt.inference.translator import Translator
from gru_mt.onnx_export import write
from gru_mt.onnx_export.graphs import graphs
from gru_mt.onnx_export.write import export
from gru_mt.run import WEIGHTS
from gru_mt.storage import read_checksummed_json, read_json, write_checksummed_json, write_json
from gru_mt.tensors import load_tensors, save_tensors
from tests.test_bundle import SOURCES, configure, model_of, tokenizer, write_bundle

WHY = "exporting comes with the extra gru-mt[onnx]"
pytest.importorskip("onnxruntime", reason=WHY)
parse_model = pytest.importorskip("onnx.parser", reason=WHY).parse_model
NO_MODEL = '<ir_version: 9, opset_import: ["": 20]> g (float[N] x) => (float[N] y) { y = Neg(x) }'

FILES = [
    "encoder.onnx",
    "decoder.onnx",
    "tokenizer.source.model",
    "tokenizer.target.model",
    "tokenizer.lexicon.txt",
    "tokenizer.memory.tsv",
]


def export_twice(folder: Path, models: dict[str, Any]) -> Path:
    """Write a run, and these graphs of its model as exports in both precisions."""
    overrides = ("decoding.beam_size=2", "decoding.length_penalty=0.5", "data.corpus=/mine/pairs")
    config = configure(*overrides, "evaluation.bleu_tokenizer=intl", joint=False)
    write_bundle(folder / "model", config, tokenizer(joint=False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write, "graphs", lambda _: deepcopy(models))
        for precision in ("fp32", "int8"):
            assert export(folder, precision=precision).parent == folder
    return folder


@pytest.fixture(scope="module")
def exported_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run's folder with both exports of its model."""
    pytest.importorskip("onnxscript", reason=WHY)
    model = model_of(configure(joint=False), tokenizer(joint=False))
    return export_twice(tmp_path_factory.mktemp("run"), graphs(model))


@pytest.fixture
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a run's folder with both exports, to be changed: of its model or of no model."""
    if hasattr(request, "param"):
        return shutil.copytree(request.getfixturevalue("exported_run"), tmp_path / "run")
    return export_twice(tmp_path / "run", {name: parse_model(NO_MODEL) for name in FILES[:2]})


of_its_model = pytest.mark.parametrize(  # torch's exporter takes seconds
    "run", [pytest.param("model", marks=pytest.mark.slow)], indirect=True
)


def change_weights(run: Path) -> None:
    tensors, metadata = load_tensors(run / "model" / WEIGHTS)
    tensors["output_bias_V"] += 1
    save_tensors(run / "model" / WEIGHTS, tensors, metadata)


def assert_refused(folder: Path, *parts: str) -> None:
    with pytest.raises(UserError) as caught:
        load_export(folder)
    assert str(caught.value).startswith(f"{folder}")
    assert all(part in str(caught.value) for part in parts)
    assert "\n" not in str(caught.value)


# There and back


@of_its_model
def test_an_export_is_the_same_translator_wherever_it_lies(run: Path, tmp_path: Path) -> None:
    metadata = read_json(run / "onnx-int8" / METADATA)
    assert metadata["precision"] == "int8"
    assert metadata["provenance"]["corpus"] == "où ?"
    assert metadata["provenance"]["weights"]["step"] == 3
    assert {"gru-mt", "torch", "onnx"} < metadata["versions"].keys()
    assert len(Translator.load(run / "onnx-int8").translate(SOURCES)) == len(SOURCES)
    shutil.move(run / "onnx", tmp_path / "elsewhere")
    ours, theirs = Translator.load(tmp_path / "elsewhere"), Translator.load(run, device="cpu")
    assert ours.decoding == theirs.decoding
    for one in (ours, theirs):
        assert (one.languages.target, one.languages.bleu_tokenizer) == ("fr", "intl")
    assert ours.tokenizer.files() == theirs.tokenizer.files()
    lines = [*SOURCES, "the a sees a@b.org. 7 h"]
    texts = [[each.text for each in one.translate(lines)] for one in (ours, theirs)]
    assert texts[0] == texts[1]
    shown = [one.translate(lines, attention=True, n_best=2) for one in (ours, theirs)]
    for own, other in zip(*shown, strict=True):
        for sentence, same in zip(own.sentences, other.sentences, strict=True):
            pairs = zip(sentence.candidates, same.candidates, strict=True)
            for weights_TS, expected_TS in ((a.attention, b.attention) for a, b in pairs):
                np.testing.assert_allclose(weights_TS, expected_TS, atol=1e-5)


@of_its_model
def test_it_translates_where_torch_and_the_configuration_cannot_be_imported(run: Path) -> None:
    code = (
        "import sys; sys.modules |= dict.fromkeys("
        "('torch', 'yaml', 'tqdm', 'gru_mt.config.schema', 'gru_mt.config.load'));"
        "from gru_mt.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "translate", "--model", str(run), SOURCES[0]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, f"using {run / 'onnx'}\n")
    assert done.stdout.count("\n") == 1


@of_its_model
def test_an_archive_brings_the_export_along_unless_it_is_of_other_weights(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _: tmp_path / "cache")
    expected = [each.text for each in Translator.load(run / "onnx").translate(SOURCES)]
    path = export(run, tmp_path / "a.zip", format="archive")
    assert b"/mine" not in path.read_bytes()
    found = usable_export(local_folder(path), warn=pytest.fail)
    assert found
    assert [each.text for each in Translator.load(found).translate(SOURCES)] == expected
    with pytest.raises(UserError, match=r"a\.zip: is in a cache; name the output"):
        export(path)
    change_weights(run)
    with caplog.at_level("INFO"):
        path = export(run, tmp_path / "b.zip", format="archive")
    assert "onnx: of other weights; it is not used" in caplog.text
    assert not (local_folder(path) / "onnx").exists()


# Which one is used


def test_the_export_of_a_run_or_a_bundle_is_preferred(run: Path) -> None:
    loaded = Translator.load(run / "onnx")
    assert (loaded.decoding.beam_size, loaded.languages.target) == (2, "fr")
    for folder in (run, run / "model"):
        if folder.name == "model":
            shutil.move(run / "onnx", folder / "onnx")
        assert usable_export(folder, warn=pytest.fail) == folder / "onnx"
    assert usable_export(run / "onnx-int8", warn=pytest.fail) is None
    assert usable_export(run, warn=pytest.fail) is None


def test_one_of_older_weights_or_of_another_format_is_not(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = read_json(run / "onnx" / METADATA)
    write_json(run / "onnx" / METADATA, metadata | {"format": 1})
    said: list[str] = []
    assert usable_export(run, warn=said.append) is None
    write_json(run / "onnx" / METADATA, metadata)
    change_weights(run)
    assert usable_export(run, warn=said.append) is None
    assert len(said) == 2
    assert "another version of gru-mt" in said[0]
    assert "of other weights" in said[1]
    assert all(f"gru-mt export --model {run} renews it" in line for line in said)
    monkeypatch.setattr(write, "graphs", no_graphs)
    export(run)
    assert usable_export(run, warn=pytest.fail) == run / "onnx"


def test_one_whose_metadata_is_damaged_is_not_and_it_is_said(run: Path) -> None:
    path = run / "onnx" / METADATA
    changed = path.read_bytes().replace(b'"fp32"', b'"fp16"')
    for content in (b"", b"hello", b"[]", b"{}", changed):
        path.write_bytes(content)
        said: list[str] = []
        assert usable_export(run, warn=said.append) is None
        (line,) = said
        assert line.startswith(f"warning: {run / 'onnx'}")
        assert "\n" not in line
        assert_refused(run / "onnx")


def test_without_onnxruntime_a_run_is_used_and_an_export_refused(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert usable_export(run, warn=pytest.fail) is None
    assert_refused(run / "onnx", "onnxruntime", 'pip install "gru-mt[onnx]"')


# Not an export, or not one of a piece


def test_a_missing_or_damaged_file_is_named(run: Path) -> None:
    for name in FILES:
        path = run / "onnx" / name
        whole = path.read_bytes()
        for content in (b"", whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1]), b"hello"):
            path.write_bytes(content)
            assert_refused(run / "onnx", name, "damaged")
        path.unlink()
        assert_refused(run / "onnx", name)
        path.write_bytes(whole)


DECODING = {"beam_size": 5, "length_penalty": 1.0, "max_source_tokens": 256}
DAMAGES: list[dict[str, Any]] = [
    {"format": 2},
    *({"files": files} for files in (1, {}, None, {"/dev/zero": "0" * 64})),
    {"files": dict.fromkeys(FILES, "0" * 64)},
    *({"decoding": values} for values in ({}, {"beam": 1}, DECODING | {"beam_size": "5"})),
    {"decoding": DECODING | {"length_penalty": None}},
    *({"languages": languages} for languages in (None, ["en"])),
    *({"calibration": weights} for weights in (1, [], [1.0] * 6, ["one"] * 7)),
]


def test_metadata_that_are_not_what_was_written_are_refused(run: Path) -> None:
    path = run / "onnx" / METADATA
    metadata = read_checksummed_json(path)
    files = metadata["files"]
    others = [{"files": files | {"more": "0" * 64}}]
    others += [{"files": {key: files[key] for key in files if key != name}} for name in FILES]
    for change in (*DAMAGES, *others):
        write_json(path, read_json(path) | change)
        assert_refused(run / "onnx")  # it is not what was checksummed
        write_checksummed_json(path, metadata | change)
        assert_refused(run / "onnx")
    path.write_bytes(path.read_bytes()[:-1])
    assert_refused(run / "onnx", "not JSON")


# Writing


def no_graphs(_: object) -> dict[str, object]:
    return {}


def test_what_is_something_else_is_not_overwritten_and_missing_packages_are_named(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for out in (run, run / "model" / WEIGHTS):
        with pytest.raises(UserError, match=r"something else than an export; .*--out"):
            export(run, out)
    (run / "app").mkdir()
    (run / "app" / METADATA).write_text('{"name": "mine"}')
    with pytest.raises(UserError, match="something else than an export"):
        export(run, run / "app")
    with pytest.raises(UserError, match="license"):
        export(run, run / "a.zip", format="archive", license=5)  # type: ignore[arg-type]
    assert (run / "model" / WEIGHTS).is_file()
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.setitem(sys.modules, "onnxscript", None)
    with pytest.raises(UserError, match=r"^exporting needs onnx and onnxscript: pip install"):
        export(run)


def test_an_export_replaces_all_of_an_older_one_or_leaves_it(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    monkeypatch.setattr(write, "graphs", no_graphs)
    with monkeypatch.context() as stopped:
        stopped.setattr(os, "fsync", stop)
        for out in (run / "onnx", run / "new"):
            with pytest.raises(KeyboardInterrupt):
                export(run, out)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    assert not is_export(run / "new")
    (run / "onnx" / "corrections.jsonl").write_text("mine")
    export(run)
    (run / "onnx" / "corrections.jsonl").rename(run / "mine")
    assert (run / "mine").read_text() == "mine", "what is no export's stays"
    (run / "mine").unlink()
    for name in ("encoder.onnx", "decoder.onnx", METADATA):
        (run / "onnx" / name).write_text("{")  # damaged
    export(run)
    assert "format" in read_json(run / "onnx" / METADATA), "it is renewed"
    assert {path.name for path in (run / "onnx").iterdir()} == {*FILES[2:], METADATA}
    assert {path.name for path in run.iterdir()} == {"model", "onnx", "onnx-int8"}
