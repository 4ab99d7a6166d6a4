"""A bundle loads as the same translator, or names the file that does not belong to it."""

import hashlib
import json
import math
import shutil
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from gru_mt.bundle import (
    Bundle,
    build_model,
    load_bundle,
    load_named_tensors,
    named_tensors,
    read_provenance,
    save_bundle,
)
from gru_mt.config.load import parse_config
from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.tokenizer.special import EOS
from gru_mt.data.tokenizer.tokenizer import Tokenizer, train_tokenizer
from gru_mt.errors import UserError
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.translator import Translator
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.page.write import write_page
from gru_mt.tensors import load_tensors, save_tensors

CPU = torch.device("cpu")
SOURCES = [f"the {one} sees the {other}" for one in "abcdefgh" for other in "abcdefgh"]
TARGETS = [f"le {one} voit le {other}" for one in "abcdefgh" for other in "abcdefgh"]
FILES = [
    "weights.safetensors",
    "tokenizer.model",
    "tokenizer.lexicon.txt",
    "tokenizer.memory.tsv",
    "config.yaml",
    "provenance.json",
]
PROVENANCE = {"corpus": "où ?", "sha256": "abc"}
Kind = Literal["unigram", "word"]


def configure(*overrides: str, kind: Kind = "word", joint: bool = True) -> Config:
    text = f"""
        data: {{corpus: fra-eng}}
        tokenizer: {{kind: {kind}, joint: {joint}, vocabulary_size: 300, min_frequency: 1}}
        model: {{embedding_size: 8, encoder_size: 4, decoder_size: 8}}
    """
    return parse_config(text, where="here", overrides=overrides)


@cache
def tokenizer(kind: Kind = "word", joint: bool = True, last: str = "h") -> Tokenizer:
    """Return a tokenizer of texts whose last letter is `last`."""
    sources, targets = ([text.replace("h", last) for text in side] for side in (SOURCES, TARGETS))
    config = configure(kind=kind, joint=joint).tokenizer
    return train_tokenizer(config, sources, targets, warn=lambda _: None)


def model_of(config: Config, words: Tokenizer) -> Seq2Seq:
    torch.manual_seed(1)
    return build_model(config, words).eval()


def write_bundle(folder: Path, config: Config, words: Tokenizer) -> Seq2Seq:
    model = model_of(config, words)
    save_bundle(folder, Bundle(model, words, config, PROVENANCE), {"step": 3})
    return model


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    write_bundle(tmp_path / "model", configure(), tokenizer())
    return tmp_path / "model"


def logits(model: Seq2Seq) -> Tensor:
    source_BS = torch.tensor([[4, 5, EOS], [6, EOS, 0]])
    state = model.encode(source_BS, torch.tensor([3, 2]))
    return model.decode(torch.tensor([[2, 4, 5], [2, 6, 7]]), state)


def assert_refused(folder: Path, named: Path) -> None:
    with pytest.raises(UserError) as caught:
        load_bundle(folder, CPU)
    assert str(caught.value).startswith(f"{named}:")
    assert "\n" not in str(caught.value)


# There and back


@pytest.mark.parametrize("kind", ["unigram", "word"])
@pytest.mark.parametrize("joint", [True, False])
def test_a_bundle_comes_back_as_the_same_translator(
    tmp_path: Path, kind: Kind, joint: bool
) -> None:
    config, words = configure(kind=kind, joint=joint), tokenizer(kind, joint)
    model = write_bundle(tmp_path, config, words)
    torch.manual_seed(2)
    loaded = load_bundle(tmp_path, CPU)

    assert torch.equal(logits(loaded.model), logits(model))
    assert loaded.tokenizer.files() == words.files()
    assert loaded.tokenizer.joint == joint
    assert loaded.config == config
    assert loaded.provenance.items() >= PROVENANCE.items()
    assert loaded.provenance["weights"]["step"] == 3
    assert not loaded.model.training


def test_a_joint_embedding_is_stored_once(bundle: Path) -> None:
    tensors, _ = load_tensors(bundle / "weights.safetensors")
    assert len([name for name in tensors if "embedding" in name]) == 1
    loaded = load_bundle(bundle, CPU).model
    assert loaded.source_embedding is loaded.target_embedding


def test_a_run_and_its_model_folder_load_alike(bundle: Path) -> None:
    of_run, of_folder = (load_bundle(path, CPU) for path in (bundle.parent, bundle))
    assert torch.equal(logits(of_run.model), logits(of_folder.model))
    assert of_run.provenance == of_folder.provenance


def test_a_translator_loads_with_the_decoding_it_was_configured_with(tmp_path: Path) -> None:
    config = configure("decoding.beam_size=2", "decoding.length_penalty=0.5")
    model = write_bundle(tmp_path, config, tokenizer())
    loaded = Translator.load(str(tmp_path), device="cpu")
    decoding = config.decoding
    ours = Translator(TorchEngine(model), tokenizer(), decoding)
    assert loaded.translate(SOURCES[:4]) == ours.translate(SOURCES[:4])
    assert loaded.decoding == decoding


def test_better_weights_replace_the_old_and_nothing_else(bundle: Path) -> None:
    before = {path.name: path.read_bytes() for path in bundle.iterdir()}
    torch.manual_seed(2)
    better = build_model(configure(), tokenizer())
    save_bundle(bundle, Bundle(better, tokenizer(), configure(), PROVENANCE), {"step": 4})

    after = {path.name: path.read_bytes() for path in bundle.iterdir()}
    assert {name for name in after if after[name] != before.get(name)} == {"weights.safetensors"}
    assert torch.equal(logits(load_bundle(bundle, CPU).model), logits(better))


def test_another_configuration_replaces_the_bundle_whole_and_keeps_what_else_is_there(
    bundle: Path,
) -> None:
    (bundle / "onnx").mkdir()
    (bundle / "onnx" / "export.json").write_text("{}")
    (bundle / "tokenizer.source.model").write_text("stale")
    longer = configure("training.max_epochs=99")
    model = write_bundle(bundle, longer, tokenizer())
    loaded = load_bundle(bundle, CPU)
    assert loaded.config == longer
    assert torch.equal(logits(loaded.model), logits(model))
    assert {path.name for path in bundle.iterdir()} == {*FILES, "onnx"}
    assert (bundle / "onnx" / "export.json").read_text() == "{}"
    assert [path.name for path in bundle.parent.iterdir()] == ["model"]


@pytest.mark.parametrize("name", FILES[1:])
def test_new_weights_do_not_sign_a_damaged_file(bundle: Path, name: str) -> None:
    before = (bundle / name).read_bytes()
    (bundle / name).write_bytes(before[:-2] + bytes([before[-2] ^ 1]) + before[-1:])
    assert_refused(bundle, bundle / name)
    model = write_bundle(bundle, configure(), tokenizer())
    assert (bundle / name).read_bytes() == before
    assert torch.equal(logits(load_bundle(bundle, CPU).model), logits(model))


# Not a bundle, or not one of a piece


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    assert_refused(tmp_path, tmp_path)
    assert_refused(tmp_path / "missing", tmp_path / "missing")
    assert_refused(tmp_path / "notes.txt", tmp_path / "notes.txt")


def test_a_run_without_weights_yet_is_refused(tmp_path: Path) -> None:
    write_bundle(tmp_path / "model", configure(), tokenizer())
    (tmp_path / "model" / "weights.safetensors").unlink()
    with pytest.raises(UserError, match=r"weights\.safetensors: missing; .* first validation"):
        load_bundle(tmp_path, CPU)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(bundle: Path, name: str) -> None:
    (bundle / name).unlink()
    assert_refused(bundle, bundle / name)


@pytest.mark.parametrize("kind", ["unigram", "word"])
@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_off_anywhere_is_named(tmp_path: Path, kind: Kind, name: str) -> None:
    write_bundle(tmp_path, configure(kind=kind), tokenizer(kind))
    path = tmp_path / name
    whole = path.read_bytes()
    for tenths in range(10):
        path.write_bytes(whole[: len(whole) * tenths // 10])
        assert_refused(tmp_path, path)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_something_else_is_named(bundle: Path, name: str) -> None:
    (bundle / name).write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    assert_refused(bundle, bundle / name)


@pytest.mark.parametrize("name", ["tokenizer.model", "config.yaml", "provenance.json"])
def test_a_valid_file_of_another_bundle_is_named(bundle: Path, tmp_path: Path, name: str) -> None:
    # Sizes and shapes are the same, so that nothing but the digest can tell.
    other = tmp_path / "other"
    config, words = configure("model.dropout=0.5"), tokenizer(last="i")
    save_bundle(other, Bundle(model_of(config, words), words, config, {"corpus": "other"}), {})
    shutil.copy(other / name, bundle / name)
    assert_refused(bundle, bundle / name)


def test_a_valid_tokenizer_of_another_bundle_is_named_on_either_side(tmp_path: Path) -> None:
    config = configure(joint=False)
    for side in ("source", "target"):
        folder, other = tmp_path / side, tmp_path / f"other-{side}"
        write_bundle(folder, config, tokenizer(joint=False))
        write_bundle(other, config, tokenizer(joint=False, last="i"))
        name = f"tokenizer.{side}.model"
        shutil.copy(other / name, folder / name)
        assert_refused(folder, folder / name)


def change(tensors: dict[str, Tensor], how: str) -> dict[str, Tensor]:
    name = "output_bias_V"
    if how == "other shape":
        return tensors | {name: torch.zeros(len(tensors[name]) + 1)}
    if how == "same size in another shape":
        return tensors | {name: tensors[name][None]}
    if how == "one more":
        return tensors | {"more": torch.zeros(1)}
    return {key: tensor for key, tensor in tensors.items() if key != name}


@pytest.mark.parametrize(
    "how", ["other shape", "same size in another shape", "one more", "one less"]
)
def test_weights_that_do_not_fit_the_model_are_named(bundle: Path, how: str) -> None:
    path = bundle / "weights.safetensors"
    tensors, metadata = load_tensors(path)
    save_tensors(path, change(tensors, how), metadata)
    assert_refused(bundle, path)


def test_weights_of_another_bundle_are_refused(bundle: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write_bundle(other, configure("model.dropout=0.5"), tokenizer())
    shutil.copy(other / "weights.safetensors", bundle)
    assert_refused(bundle, bundle / "config.yaml")


def test_a_cell_that_the_weights_are_not_of_is_refused_though_its_shapes_fit(bundle: Path) -> None:
    path = bundle / "config.yaml"
    text = path.read_text()
    assert "cell: gru\n" in text
    path.write_text(text.replace("cell: gru\n", "cell: gru_reset_before\n"))
    assert_refused(bundle, path)


# A bundle of a stranger, who signs whatever it holds


def sign(folder: Path, metadata: dict[str, Any] | None = None, **changed: Any) -> None:
    """Make the weights of a bundle say that they belong to the files that it has now."""
    path = folder / "weights.safetensors"
    tensors, header = load_tensors(path)
    others = [each for each in folder.iterdir() if each != path]
    digests = {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in others}
    save_tensors(path, tensors | changed, {**header, "belongs_to": digests, **(metadata or {})})


def test_sizes_that_no_memory_holds_are_refused_before_it_is_taken(bundle: Path) -> None:
    sizes = ["embedding_size", "encoder_size", "decoder_size"]
    overrides = [f"model.{size}=16384" for size in sizes]  # with 32 layers: 250 billion weights
    layers = ["model.encoder_layers=32", "model.decoder_layers=32", "model.attention=general"]
    (bundle / "config.yaml").write_text(dump_config(configure(*overrides, *layers)))
    sign(bundle)
    assert_refused(bundle, bundle / "weights.safetensors")


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 3e38])
def test_weights_that_are_no_numbers_are_refused(bundle: Path, number: float) -> None:
    sign(bundle, output_bias_V=torch.full((tokenizer().target.size,), number))
    assert_refused(bundle, bundle / "weights.safetensors")


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.int64, torch.bool])
def test_weights_of_another_type_are_refused(bundle: Path, dtype: torch.dtype) -> None:
    tensors, _ = load_tensors(bundle / "weights.safetensors")
    sign(bundle, None, **{name: tensor.to(dtype) for name, tensor in tensors.items()})
    assert_refused(bundle, bundle / "weights.safetensors")


@pytest.mark.parametrize("value", [None, 3, "x", [], ["config.yaml"]])
def test_weights_that_do_not_say_what_they_belong_to_are_refused(
    bundle: Path, value: object
) -> None:
    sign(bundle, {"belongs_to": value})
    assert_refused(bundle, bundle / "weights.safetensors")


@pytest.mark.parametrize(
    "entry",
    ["", "3", "null", "[]", '{"header": "{}"}', '{"header": "[]", "sha256": ""}', "[" * 100_000,
     '{"header": 3, "sha256": ""}', '{"header": "\\ud800", "sha256": ""}'],
)  # fmt: skip
def test_a_header_that_is_no_object_is_refused(bundle: Path, entry: str) -> None:
    path = bundle / "weights.safetensors"
    tensors, _ = load_tensors(path)
    save_file(tensors, path, {"gru_mt": entry})
    assert_refused(bundle, path)


def test_a_table_of_tensors_that_is_huge_is_not_read(bundle: Path) -> None:
    path = bundle / "weights.safetensors"
    path.write_bytes((50_000_000).to_bytes(8, "little") + b"{}")
    assert_refused(bundle, path)


WHOLE = {
    "corpora": [{"path": ["a.tsv"], "name": "a", "sha256": "0f"}],
    "attribution": "of many",
    "training_pairs": 9,
    "sentences": {"dev": {"a": 3}},
    "gru_mt": "0.1.0",
    "torch": "2",
    "python": "3",
}
OTHERS: list[Any] = [None, True, 3, 2.5, math.nan, "x", [], [1], ["x"], {}, {"a": 1}, [{}]]


@pytest.mark.parametrize("key", WHOLE)
def test_a_value_of_another_type_in_a_provenance_is_refused(tmp_path: Path, key: str) -> None:
    path = tmp_path / "provenance.json"
    for value in OTHERS:
        path.write_text(json.dumps({**WHOLE, key: value}))
        if value in ([], {}, "x", 3) and type(value) is type(WHOLE[key]):
            assert read_provenance(tmp_path)[key] == value
        else:
            with pytest.raises(UserError, match="provenance"):
                read_provenance(tmp_path)


def test_a_translator_may_say_nothing_of_its_corpora(bundle: Path) -> None:
    (bundle / "provenance.json").write_text("{}")
    sign(bundle)
    assert Translator.load(bundle).translate("the a sees the b").source == "the a sees the b"
    assert write_page(bundle).is_file()


@pytest.mark.parametrize("content", ["[]", "3", "[" * 100_000, '{"a": ' + "9" * 5_000 + "}"])
def test_a_provenance_that_is_no_object_is_refused(bundle: Path, content: str) -> None:
    (bundle / "provenance.json").write_text(content)
    sign(bundle)
    assert_refused(bundle, bundle / "provenance.json")


@pytest.mark.parametrize("value", [3, "x", [1.0], [None] * 7, {"a": 1}])
def test_a_malformed_calibration_is_refused(bundle: Path, value: object) -> None:
    sign(bundle, {"calibration": value})
    with pytest.raises(UserError, match=r"weights\.safetensors: damaged: calibration must be 7"):
        Translator.load(bundle)
    with pytest.raises(UserError, match="calibration must be 7"):
        write_page(bundle)


@pytest.mark.parametrize("name", FILES[1:])
@pytest.mark.parametrize("target", ["/dev/zero", "/dev/full"])
def test_a_device_is_no_file_of_a_bundle(bundle: Path, name: str, target: str) -> None:
    (bundle / name).unlink()
    (bundle / name).symlink_to(target)
    assert_refused(bundle, bundle / name)


def test_a_file_that_is_too_long_is_not_read(bundle: Path) -> None:
    with (bundle / "tokenizer.model").open("r+b") as file:
        file.truncate(1 << 40)  # sparse: it takes no room
    assert_refused(bundle, bundle / "tokenizer.model")


def test_a_model_that_computes_no_numbers_is_refused_when_it_translates() -> None:
    model = model_of(configure(), tokenizer())
    model.output_bias_V.data.fill_(math.nan)
    translator = Translator(TorchEngine(model), tokenizer(), configure().decoding)
    with pytest.raises(UserError, match="no finite numbers"):
        translator.translate("the a sees the b")


# Weights by name


def test_weights_go_from_one_model_to_another() -> None:
    torch.manual_seed(1)
    first, second = (build_model(configure(), tokenizer()) for _ in range(2))
    assert not torch.equal(logits(first), logits(second))
    load_named_tensors(second, named_tensors(first), Path("here"))
    assert torch.equal(logits(first), logits(second))
    assert all(parameter.requires_grad for parameter in second.parameters())
