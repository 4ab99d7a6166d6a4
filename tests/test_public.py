"""What `import gru_mt` offers: its names, and the examples in their docstrings."""

import doctest
import re
import subprocess
import sys
from importlib.metadata import version
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from api_page import api_page

import gru_mt

CONFIG = """
data: {corpus: pairs.tsv}
tokenizer: {kind: word, min_frequency: 1}
model: {embedding_size: 16, encoder_size: 16, decoder_size: 32, dropout: 0}
training:
    device: cpu
    precision: fp32
    max_epochs: 15
    batch_tokens: 64
    warmup_steps: 5
    learning_rate: 0.02
    embedding_rate: 1
    label_smoothing: 0
    averaging: 0.9
    validate_steps: 1000
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with small.yaml and its run, which has learnt 36 pairs by heart."""
    folder = tmp_path_factory.mktemp("public")
    subjects = {"I": "je", "you": "tu", "we": "nous", "they": "elles"}
    verbs = {"see": "vois", "want": "veux", "like": "aime"}
    nouns = {"cat": "chat", "dog": "chien", "key": "clef"}
    lines = [
        f"{subject} {verb} a {noun}.\t{subjects[subject]} {verbs[verb]} un {nouns[noun]}.\n"
        for subject, verb, noun in product(subjects, verbs, nouns)
    ]
    (folder / "pairs.tsv").write_text("".join(lines))
    (folder / "small.yaml").write_text(CONFIG)
    texts = {
        "reference": "Je vois un chat.\nNous avons faim.\nIl est tard.\n",
        "first": "Je vois un chien.\nNous avons faim.\nIl est tard.\n",
        "second": "Je vois un chat.\nNous sommes faim.\nIl fait nuit.\n",
    }
    for name, text in texts.items():
        (folder / f"{name}.fr").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        gru_mt.train(gru_mt.load_config("small.yaml"), "runs/small")
    return folder


MEMBERS = ["Translator.load", "Translator.averaging", "Translator.translate",
           "Translator.translate_iterable"]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in gru_mt.__all__ if name[0] != "_"] + MEMBERS)
def test_the_examples_run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnx", reason="exporting comes with the extra gru-mt[onnx]")
    monkeypatch.chdir(folder)
    public = attrgetter(name)(gru_mt)
    example = doctest.DocTestParser().get_doctest(public.__doc__, {}, name, None, None)
    said: list[str] = []
    result = doctest.DocTestRunner().run(example, out=said.append)
    assert result.attempted > 1
    assert not result.failed, "".join(said)


def test_the_page_of_the_api_is_what_the_docstrings_say() -> None:
    page = Path(__file__).parents[1] / "scripts" / "examples" / "API.md"
    assert page.read_text(encoding="utf-8") == api_page(), "run python scripts/api_page.py"
    shown = re.findall(r"^## (.*)$", api_page(), re.MULTILINE)
    assert {*shown} == {name for name in gru_mt.__all__ if name[0] != "_"}


@pytest.fixture(scope="module")
def translator(folder: Path) -> gru_mt.Translator:
    return gru_mt.Translator.load(str(folder / "runs" / "small"))


LINES = ["I see a cat.", "", "We want a key."]


def test_lines_come_in_any_iterable(translator: gru_mt.Translator) -> None:
    expected = [each.text for each in translator.translate(LINES)]
    assert expected[0]
    numbers = np.array(LINES)
    for sources in (tuple(LINES), (each for each in LINES), iter(LINES), numbers):
        assert [each.text for each in translator.translate(sources)] == expected
    assert translator.translate(numbers[0]).text == expected[0]
    assert translator.translate([]) == []
    for text in ("a\nb", "\ud800", "a\0b\x1b", "\u202ea", "\U0010ffff", "\r\n"):
        assert isinstance(translator.translate(text).text, str)


def test_a_stream_is_translated_chunk_by_chunk(translator: gru_mt.Translator) -> None:
    read: list[str] = []
    lines = (read.append(line) or line for line in LINES * 3)  # type: ignore[func-returns-value]
    stream = translator.translate_iterable(lines, chunk=2, beam_size=1)
    assert read == []
    first = next(stream)
    assert read == LINES[:2]
    expected = translator.translate(LINES * 3, beam_size=1)
    assert [first, *stream] == expected
    assert str(first) == f"{first}" == first.text


def test_export_names_what_it_cannot_write(folder: Path) -> None:
    run = folder / "runs" / "small"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"format": "pdf"}, "format must be onnx or page or archive, got 'pdf'"),
        ({"precision": "int4"}, "precision must be fp32 or int8, got 'int4'"),
        ({"format": "page", "precision": "fp32"}, "a page has int8 weights"),
        ({"out": 3}, "out must be a path, got 3"),
    ]
    for more, message in wrong:
        with pytest.raises(gru_mt.UserError, match=message):
            gru_mt.export(run, **more)
    with pytest.raises(gru_mt.UserError, match="neither a run"):
        gru_mt.export(str(folder), folder / "x.html", format="page")


@pytest.mark.parametrize(
    ("sources", "more", "message"),
    [
        (None, {}, "sources must be a list of texts, got None"),
        (["a", None], {}, r"sources\[1\] must be text, got None"),
        ("a", {"glossary": {"": "x"}}, "the term is empty"),
        ("a", {"glossary": [("a", "b")]}, "a glossary must be a dict"),
        ("a", {"beam_size": "1"}, "beam_size must be a whole number from 1 to 1,000, got '1'"),
        ("a", {"length_penalty": "x"}, "length_penalty must be a number from 0 to 10, got 'x'"),
        ("a", {"attention": 1}, "attention must be of type bool, got 1"),
        ("a", {"split": None}, "split must be of type bool, got None"),
        ("a", {"n_best": "3"}, "n_best must be a whole number of at least 1, got '3'"),
        ("a", {"batch_size": 0}, "batch_size must be a whole number of at least 1, got 0"),
    ],
)
def test_another_type_is_named(
    translator: gru_mt.Translator, sources: Any, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(gru_mt.UserError, match=message) as error:
        translator.translate(sources, **more)
    assert "\n" not in str(error.value)
    if "beam_size" in more or "length_penalty" in more:
        with pytest.raises(gru_mt.UserError, match=message):
            gru_mt.evaluate(translator, ["I see a dog."], ["je vois un chien."], **more)


@pytest.mark.parametrize(
    ("sources", "more", "message"),
    [
        ("one line", {}, "sources must be an iterable of texts, got 'one line'"),
        (None, {}, "sources must be an iterable of texts, got None"),
        ([], {"chunk": 0}, "chunk must be a whole number of at least 1, got 0"),
        ([], {"beam_size": 2.5}, "beam_size must be a whole number"),
    ],
)
def test_a_mistake_in_a_stream_is_told_before_it_is_read(
    translator: gru_mt.Translator, sources: Any, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(gru_mt.UserError, match=message):
        translator.translate_iterable(sources, **more)


@pytest.mark.parametrize("path", [None, b"runs", "a\0b", "\ud800"])
def test_what_is_no_path_is_named(path: Any) -> None:
    for take in (
        gru_mt.load_config,
        gru_mt.Translator.load,
        gru_mt.Glossary.read,
        lambda path: gru_mt.Translator.averaging([path, path]),
    ):
        with pytest.raises(gru_mt.UserError, match="must be a path, got") as error:
            take(path)
        assert "\n" not in str(error.value)


def test_train_takes_a_configuration_and_a_path(folder: Path) -> None:
    config, out = gru_mt.load_config(str(folder / "small.yaml")), folder / "runs" / "x"
    wrong: list[tuple[tuple[Any, ...], str]] = [
        ((config, None), "^folder must be a path"),
        ((config, b"runs/x"), "^folder must be a path"),
        ((None, out), "must be a path"),
        ((str(folder / "none.yaml"), out), "none.yaml: cannot be read"),
        (({"data": {}}, out), "data"),
    ]
    for arguments, message in wrong:
        with pytest.raises(gru_mt.UserError, match=message):
            gru_mt.train(*arguments)
    with pytest.raises(gru_mt.UserError, match=r"^started_s must be a number"):
        gru_mt.train(config, out, started_s="now")  # type: ignore[arg-type]
    assert not out.exists()
    for overrides in ("training.seed=7", 3, {"training.seed": 7}, [7], [b"a=1"]):
        with pytest.raises(gru_mt.UserError, match=r"^overrides(\[0\])? must be "):
            gru_mt.load_config(folder / "small.yaml", overrides)  # type: ignore[arg-type]


@pytest.mark.parametrize("paths", ["runs/small", None, []])
def test_models_that_are_averaged_are_a_list(folder: Path, paths: Any) -> None:
    with pytest.raises(gru_mt.UserError, match=r"^paths must "):
        gru_mt.Translator.averaging(paths)
    averaged = gru_mt.Translator.averaging(folder / "runs" / "small" for _ in range(2))
    assert averaged.translate("I see a cat.").text == "Je vois un chat."


@pytest.mark.parametrize("device", [None, "gpu"])
def test_another_device_is_named(folder: Path, device: Any) -> None:
    run, cpu = folder / "runs" / "small", torch.device("cpu")
    with pytest.raises(gru_mt.UserError, match=r"^device .* is not there"):
        gru_mt.Translator.load(run, device=device)
    assert gru_mt.Translator.load(run, device=cpu).translate("").text == ""  # type: ignore[arg-type]


def test_the_public_names_are_listed_and_another_is_an_attribute_error() -> None:
    code = "import gru_mt; print(*dir(gru_mt))"  # where no name was used before
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert {*gru_mt.__all__} <= {*names.decode().split()}
    assert gru_mt.__version__ == version("gru-mt")
    with pytest.raises(AttributeError, match="module 'gru_mt' has no attribute 'translate'"):
        gru_mt.__getattr__("translate")
