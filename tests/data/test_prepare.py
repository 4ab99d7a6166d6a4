"""What a run keeps of its corpus."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pytest

from gru_mt.config.schema import Config
from gru_mt.data.prepare import TrainingData, prepare
from gru_mt.data.tokenizer.special import EOS, PLACEHOLDER_TOKENS, UNK
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.data.types import Pair
from gru_mt.errors import UserError
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.run import Run
from gru_mt.training.output.run_writer import write_inputs
from gru_mt.training.resume import Start
from tests.corpora import load, split_pairs
from tests.training.stored import NO_AUGMENT, examples


@pytest.fixture
def prepared(
    small_config: Callable[..., Config], tmp_path: Path
) -> Callable[..., tuple[TrainingData, Path]]:
    """Return a function that prepares a run from some lines, or from the small corpus."""

    def prepare_run(*settings: str, lines: str = "") -> tuple[TrainingData, Path]:
        number = len([*tmp_path.iterdir()])
        folder, path = tmp_path / f"run{number}", tmp_path / f"corpus{number}.tsv"
        folder.mkdir()
        if lines:
            path.write_text(lines)
            settings = (f"data.corpus={path}", *settings)
        config = small_config(*settings)
        data = prepare(Start(config), Run(folder))
        assert [*folder.iterdir()] == [Run(folder).data]
        write_inputs(config, data, Run(folder))
        return data, folder

    return prepare_run


Prepared = Callable[..., tuple[TrainingData, Path]]


def test_the_report_the_credit_and_both_evaluation_splits_are_kept(
    prepared: Prepared, small_corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = small_corpus.with_name("three.tsv.gz")
    third = "CC-BY 2.0 (France) Attribution: tatoeba.org #1 (CM)"
    lines = [f"{line}\t{third}" for line in small_corpus.read_text().splitlines()]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    data, folder = prepared(f"data.corpus={path}")
    errors, corpus = capsys.readouterr().err, load(str(path))
    assert "420 lines read, 420 kept" in errors
    [counts] = json.loads((folder / "corpus.json").read_text())["corpora"]
    assert (counts["read"], counts["kept"], counts["dropped"]) == (420, 420, {})
    assert counts["sha256"] == corpus.sha256
    split = split_pairs([*corpus.pairs])
    for name, pairs in (("dev", split.dev), ("test", split.test)):
        [found] = json.loads((folder / f"{name}.json").read_text())["sets"]
        assert {*found["sources"]} == {example.source for example in pairs}
    assert errors.count("CC-BY 2.0") == 1
    assert "tatoeba.org" in (folder / "attribution.txt").read_text()
    assert "CC-BY 2.0" in data.provenance["attribution"]


def test_the_tokenizer_sees_the_training_split_only(prepared: Prepared, small_corpus: Path) -> None:
    """A word that only dev or test contains is unknown."""
    pairs = (Pair(f"zebra {number}.", f"zèbre {number}.", 1) for number in range(1000))
    held_out = next(pair for pair in pairs if split_pairs([pair]).dev)
    data, _ = prepared(lines=small_corpus.read_text() + "\t".join(held_out[:2]))
    assert held_out.first in data.dev[0].sources
    assert UNK in data.tokenizer.source.encode("zebra")


def test_the_other_direction_swaps_the_sides_after_the_split(prepared: Prepared) -> None:
    there, _ = prepared(NO_AUGMENT)
    back, _ = prepared(NO_AUGMENT, "data.source=fr", "data.target=en")
    swapped = [(pair.target.lower(), pair.source.lower()) for pair in examples(back)]
    assert swapped == [(pair.source.lower(), pair.target.lower()) for pair in examples(there)]


def test_a_corpus_that_gives_an_epoch_no_pair_is_an_error(
    prepared: Prepared, small_corpus: Path
) -> None:
    pairs = (Pair(f"sentence {number}", f"phrase {number}", 1) for number in range(1000))
    held_out = next(pair for pair in pairs if not split_pairs([pair]).train)
    with pytest.raises(UserError, match="no pair is left to train on"):
        prepared(lines="\t".join(held_out[:2]))
    with pytest.raises(UserError, match="an epoch would be empty"):
        prepared(f"data.corpus={{path: {small_corpus}, weight: 0.001}}")


def test_a_tokenizer_of_another_kind_leaves_no_file_behind(
    small_config: Callable[..., Config], tmp_path: Path
) -> None:
    run = Run(tmp_path)
    for config in (small_config("tokenizer.joint=false"), small_config()):
        data = prepare(Start(config), run)
        write_inputs(config, data, run)
    names = {path.name for path in tmp_path.glob("tokenizer*")}
    assert names == {"tokenizer.model", "tokenizer.lexicon.txt", "tokenizer.memory.tsv"}
    assert Tokenizer.load(tmp_path).files() == data.tokenizer.files()


def test_placeholders_are_masked_and_words_are_added_after_the_pairs(prepared: Prepared) -> None:
    lines = "".join(f"we see a@b.org cat{n}.\tnous voir a@b.org chat{n}.\n" for n in "abcdefgh")
    plain, with_words = (
        examples(prepared(*settings, lines=lines)[0]) for settings in ((NO_AUGMENT,), ())
    )
    pairs = len(plain)
    assert {pair.source.split()[2] for pair in plain} == {PLACEHOLDER_TOKENS[0]}
    assert with_words[:pairs] == plain
    assert {pair.source for pair in with_words[pairs:]} == {"we", "see"}
    assert {pair.line for pair in with_words} <= {*range(1, 9)}


def test_words_of_dev_and_test_are_not_trained_on(prepared: Prepared, tmp_path: Path) -> None:
    lines = "".join(f"we see the cat{n}.\tnous voir chat{n}.\n" for n in "abcdefgh")
    own = tmp_path / "own.tsv"
    own.write_text("The!\tLes !\nI am here.\tNous\n")
    for leaks in ("keep", "drop"):
        data, _ = prepared(f"data.test={own}", f"data.leaks={leaks}", lines=lines)
        words = examples(data)[8:]
        are_leaks = [word.source == "the" or word.target == "nous" for word in words]
        assert words
        assert any(are_leaks) is (leaks == "keep")


def test_the_short_texts_of_the_training_split_are_remembered_and_no_others(
    prepared: Prepared,
) -> None:
    words = [f"{first}{second}" for first in ascii_lowercase for second in ascii_lowercase]
    lines = "".join(f"See {word}!\tVois {word} !\n" for word in words)
    data, folder = prepared(NO_AUGMENT, lines=lines)
    memory = Tokenizer.load(folder).memory
    kept = {source for each in [*data.dev, *data.test] for source in each.sources}
    assert len(kept) > 10
    for word in words:
        text = f"See {word}!"
        assert memory.find(text) == ([] if text in kept else [f"Vois {word} !"])


def test_training_reads_sources_as_translation_does(prepared: Prepared) -> None:
    words = [f"{first}{second}" for first in ascii_lowercase for second in "abcdefgh"]
    sources = [f"We know that Tom sees {word}. Does he SEE {word}?" for word in words]
    lines = [
        f"{source}\tNous voyons {word}.\n" for source, word in zip(sources, words, strict=True)
    ]
    data, _ = prepared(NO_AUGMENT, lines="".join(lines))
    reader = Reader(data.tokenizer.truecaser, "en", lambda *_: True, split=False)
    assert len(data.pairs)
    for pair in examples(data):
        (read,) = reader.sentences(sources[pair.line - 1])
        assert pair.source == read.text
        assert pair.source.startswith("we know that Tom sees")
    [dev], [pairs] = data.dev, data.dev_pairs
    rows, lengths = pairs.source.padded(np.arange(len(dev.sources)))
    for row, length, raw in zip(rows, lengths, dev.sources, strict=True):
        (read,) = reader.sentences(raw)
        assert row[:length].tolist() == [*data.tokenizer.source.encode(read.text), EOS]
