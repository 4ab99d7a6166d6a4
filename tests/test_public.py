"""What `import gru_mt` offers: its names, and the examples in their docstrings."""

import doctest
from importlib.metadata import version
from itertools import product
from pathlib import Path

import pytest

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
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        gru_mt.train(gru_mt.load_config(Path("small.yaml")), Path("runs/small"))
    return folder


@pytest.mark.parametrize("name", [name for name in gru_mt.__all__ if name[0] != "_"])
def test_the_examples_run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    public = getattr(gru_mt, name)
    text = public.__doc__
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    said: list[str] = []
    result = doctest.DocTestRunner().run(example, out=said.append)
    assert result.attempted > 1
    assert not result.failed, "".join(said)


def test_the_version_is_that_of_the_package() -> None:
    assert gru_mt.__version__ == version("gru-mt")


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'gru_mt' has no attribute 'translate'"):
        gru_mt.__getattr__("translate")
