"""A bundle loads as the same translator, or names the file that does not belong to it."""

import hashlib
import json
import math
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from gru_mt.bundle import Bundle, build_model, load_bundle, read_provenance, save_bundle
from gru_mt.config.load import parse_config
from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.tokenizer.special import EOS
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.translator import Translator
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.tensors import load_tensors, save_tensors
from tests.data.tokenizer.trained import learn

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
    return learn(config, sources, targets)[0]


def model_of(config: Config, words: Tokenizer, seed: int = 1) -> Seq2Seq:
    torch.manual_seed(seed)
    return build_model(config, words).eval()


def write_bundle(folder: Path, config: Config, words: Tokenizer, seed: int = 1) -> Seq2Seq:
    model = model_of(config, words, seed)
    save_bundle(folder, Bundle(model, words, config, PROVENANCE), {"step": 3})
    return model


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    write_bundle(tmp_path / "model", configure(), tokenizer())
    return tmp_path / "model"


@pytest.fixture
def weights(bundle: Path) -> Path:
    return bundle / "weights.safetensors"


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


@pytest.mark.parametrize(("kind", "joint"), [("unigram", True), ("word", False)])
def test_a_bundle_and_its_run_come_back_as_the_same_translator(
    tmp_path: Path, kind: Kind, joint: bool
) -> None:
    config = configure("decoding.beam_size=2", kind=kind, joint=joint)
    words = tokenizer(kind, joint)
    model = write_bundle(tmp_path / "model", config, words)
    torch.manual_seed(2)
    for folder in (tmp_path, tmp_path / "model"):
        loaded = load_bundle(folder, CPU)
        assert torch.equal(logits(loaded.model), logits(model))
        assert loaded.tokenizer.files() == words.files()
        assert loaded.tokenizer.joint == joint
        assert loaded.config == config
        assert Translator.load(str(folder)).decoding == config.decoding
        assert loaded.provenance.items() >= PROVENANCE.items()
        assert loaded.provenance["weights"]["step"] == 3
        assert not loaded.model.training
        assert (loaded.model.source_embedding is loaded.model.target_embedding) == joint


def test_better_weights_replace_the_old_alone_and_another_configuration_the_bundle(
    bundle: Path,
) -> None:
    before = {path.name: path.read_bytes() for path in bundle.iterdir()}
    better = write_bundle(bundle, configure(), tokenizer(), seed=2)
    after = {path.name: path.read_bytes() for path in bundle.iterdir()}
    assert {name for name in after if after[name] != before.get(name)} == {"weights.safetensors"}
    assert torch.equal(logits(load_bundle(bundle, CPU).model), logits(better))

    (bundle / "onnx").mkdir()
    (bundle / "onnx" / "export.json").write_text("{}")
    (bundle / "notes").write_text("mine")
    (bundle / "tokenizer.source.model").write_text("stale")
    longer = configure("training.max_epochs=99")
    model = write_bundle(bundle, longer, tokenizer())
    loaded = load_bundle(bundle, CPU)
    assert loaded.config == longer
    assert torch.equal(logits(loaded.model), logits(model))
    assert {path.name for path in bundle.iterdir()} == {*FILES, "onnx", "notes"}
    assert (bundle / "onnx" / "export.json").read_text() == "{}"
    assert [path.name for path in bundle.parent.iterdir()] == ["model"]


# Not a bundle, or not one of a piece


def test_a_folder_that_is_no_run_or_has_no_weights_yet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    for path in (tmp_path, tmp_path / "missing", tmp_path / "notes.txt"):
        assert_refused(path, path)
    write_bundle(tmp_path / "model", configure(), tokenizer())
    (tmp_path / "model" / "weights.safetensors").unlink()
    with pytest.raises(UserError, match=r"weights\.safetensors: missing; .* first validation"):
        load_bundle(tmp_path, CPU)


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_named_and_new_weights_do_not_sign_it(bundle: Path, name: str) -> None:
    path = bundle / name
    whole = path.read_bytes()
    flipped = whole[:-2] + bytes([whole[-2] ^ 1]) + whole[-1:]
    cut_off = [whole[: len(whole) * quarters // 4] for quarters in range(4)]
    for content in (*cut_off, b"\x89PNG\r\n\x1a\n\x00\xff", flipped):
        path.write_bytes(content)
        assert_refused(bundle, path)
    model = write_bundle(bundle, configure(), tokenizer())
    assert path.read_bytes() == whole
    assert torch.equal(logits(load_bundle(bundle, CPU).model), logits(model))
    if name == "tokenizer.model":
        with path.open("r+b") as file:
            file.truncate(1 << 40)  # sparse: it takes no room, and is not read
        assert_refused(bundle, path)
    for device in (None, "/dev/zero", "/dev/full"):
        path.unlink()
        if device:
            path.symlink_to(device)
        assert_refused(bundle, path)
        path.touch()


@pytest.mark.parametrize(("kind", "joint"), [("word", True), ("unigram", False)])
def test_a_valid_file_of_another_bundle_is_named(tmp_path: Path, kind: Kind, joint: bool) -> None:
    # Sizes and shapes are the same, so that nothing but the digest can tell.
    folder, other = tmp_path / "model", tmp_path / "other"
    write_bundle(folder, configure(kind=kind, joint=joint), tokenizer(kind, joint))
    config = configure("model.dropout=0.5", kind=kind, joint=joint)
    write_bundle(other, config, tokenizer(kind, joint, last="i"))
    sides = ["tokenizer.model"] if joint else ["tokenizer.source.model", "tokenizer.target.model"]
    for name in (*sides, "config.yaml"):
        ours = (folder / name).read_bytes()
        shutil.copy(other / name, folder / name)
        assert_refused(folder, folder / name)
        (folder / name).write_bytes(ours)
    shutil.copy(other / "weights.safetensors", folder)
    assert_refused(folder, folder / "config.yaml")


@pytest.mark.parametrize(
    "change",
    [
        lambda bias_V: bias_V[:-1],
        lambda bias_V: None,
        lambda bias_V: torch.full_like(bias_V, math.nan),
        lambda bias_V: torch.full_like(bias_V, 3e38),
        lambda bias_V: bias_V.double(),
    ],
    ids=["shape", "missing", "NaN", "huge", "double"],
)
def test_weights_that_do_not_fit_the_model_or_are_no_numbers_are_named(
    weights: Path, change: Callable[[Tensor], Tensor | None]
) -> None:
    tensors, header = load_tensors(weights)
    changed = change(tensors.pop("output_bias_V"))
    more = {} if changed is None else {"output_bias_V": changed}
    save_tensors(weights, tensors | more, header)
    assert_refused(weights.parent, weights)
    save_tensors(weights, load_tensors(weights)[0] | {"more": torch.zeros(1)}, header)
    assert_refused(weights.parent, weights)


# A bundle of a stranger, who signs whatever it holds


def sign(folder: Path, metadata: dict[str, Any] | None = None) -> None:
    """Make the weights of a bundle say that they belong to the files that it has now."""
    path = folder / "weights.safetensors"
    tensors, header = load_tensors(path)
    others = [each for each in folder.iterdir() if each != path]
    digests = {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in others}
    save_tensors(path, tensors, {**header, "belongs_to": digests, **(metadata or {})})


def test_sizes_that_no_memory_holds_are_refused_before_it_is_taken(weights: Path) -> None:
    sizes = ["embedding_size", "encoder_size", "decoder_size"]
    overrides = [f"model.{size}=16384" for size in sizes]  # with 32 layers: 250 billion weights
    layers = ["model.encoder_layers=32", "model.decoder_layers=32", "model.attention=general"]
    config = configure(*overrides, *layers)
    (weights.parent / "config.yaml").write_text(dump_config(config))
    sign(weights.parent)
    assert_refused(weights.parent, weights)


def test_weights_that_do_not_say_what_they_belong_to_are_refused(weights: Path) -> None:
    for value in (None, 3, [], ["config.yaml"]):
        sign(weights.parent, {"belongs_to": value})
        assert_refused(weights.parent, weights)


@pytest.mark.parametrize(
    "entry",
    ["", "3", '{"header": "{}"}', '{"header": "[]", "sha256": ""}', "[" * 100_000,
     '{"header": 3, "sha256": ""}', '{"header": "\\ud800", "sha256": ""}'],
)  # fmt: skip
def test_a_header_that_is_no_object_or_huge_is_refused(weights: Path, entry: str) -> None:
    save_file(load_tensors(weights)[0], weights, {"gru_mt": entry})
    assert_refused(weights.parent, weights)
    weights.write_bytes((50_000_000).to_bytes(8, "little") + b"{}")
    assert_refused(weights.parent, weights)


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("corpora", [None, {}, [1], [{}], [{"name": "a", "sha256": 3}]]),
        ("attribution", [3, None]),
        ("training_pairs", ["x", 2.5, True, math.nan]),
        ("sentences", [[], {"dev": 3}, {"dev": {"a": "x"}}]),
        ("torch", [2]),
    ],
)
def test_a_value_of_another_type_in_a_provenance_is_refused(
    tmp_path: Path, key: str, values: list[object]
) -> None:
    whole = {
        "corpora": [{"path": ["a.tsv"], "name": "a", "sha256": "0f"}],
        "attribution": "of many",
        "training_pairs": 9,
        "sentences": {"dev": {"a": 3}},
        "torch": "2",
    }
    path = tmp_path / "provenance.json"
    path.write_text(json.dumps(whole))
    assert read_provenance(tmp_path) == whole
    for value in values:
        path.write_text(json.dumps(whole | {key: value}))
        with pytest.raises(UserError, match="provenance"):
            read_provenance(tmp_path)


def test_a_provenance_may_say_nothing_but_must_be_an_object(bundle: Path) -> None:
    path = bundle / "provenance.json"
    path.write_text("{}")
    sign(bundle)
    assert Translator.load(bundle).translate("the a sees the b").source == "the a sees the b"
    for content in ("3", "[" * 100_000, '{"a": ' + "9" * 5_000 + "}"):
        path.write_text(content)
        sign(bundle)
        assert_refused(bundle, path)


@pytest.mark.parametrize("value", [3, [1.0], [None] * 7])
def test_a_malformed_calibration_is_refused(bundle: Path, value: object) -> None:
    sign(bundle, {"calibration": value})
    with pytest.raises(UserError, match=r"weights\.safetensors: damaged: calibration must be 7"):
        Translator.load(bundle)


def test_a_model_that_computes_no_numbers_is_refused_when_it_translates(bundle: Path) -> None:
    model = load_bundle(bundle, CPU).model
    model.output_bias_V.data.fill_(math.nan)
    translator = Translator(TorchEngine(model), tokenizer(), configure().decoding)
    with pytest.raises(UserError, match="no finite numbers"):
        translator.translate("the a sees the b")
