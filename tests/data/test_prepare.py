"""What a run keeps of its corpus."""

import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pytest

from gru_mt.config.schema import Config
from gru_mt.data.augment.augmenter import Augmenter
from gru_mt.data.augment.word_lists import WordLists
from gru_mt.data.dataset.ids import EncodedPairs
from gru_mt.data.loader import TrainingPairs
from gru_mt.data.prepare import TrainingData, prepare
from gru_mt.data.tokenizer.special import EOS, PLACEHOLDER_TOKENS, UNK
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.data.types import Pair
from gru_mt.errors import UserError
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.run import Run
from gru_mt.training.output.run_writer import write_inputs
from gru_mt.training.resume import from_scratch
from tests.corpora import load_one, split_pairs
from tests.training.stored import NO_AUGMENT, examples

Configure = Callable[..., Config]


def prepared(config: Config, folder: Path) -> TrainingData:
    data = prepare(from_scratch(config), Run(folder))
    assert [*folder.iterdir()] == [Run(folder).data]
    write_inputs(config, data, Run(folder))
    return data


def test_the_report_and_both_evaluation_splits_are_kept(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = small_config()
    data = prepared(config, tmp_path)
    assert "420 lines read, 420 kept" in capsys.readouterr().err
    report = json.loads((tmp_path / "corpus.json").read_text())
    [counts] = report["corpora"]
    assert (counts["read"], counts["kept"], counts["dropped"]) == (420, 420, {})
    assert counts["sha256"] == load_one(config.data).sha256
    [dev] = json.loads((tmp_path / "dev.json").read_text())["sets"]
    assert dev["sources"] == data.dev[0].sources
    split = split_pairs(load_one(config.data).pairs)
    [test] = json.loads((tmp_path / "test.json").read_text())["sets"]
    assert set(test["sources"]) == {example.source for example in split.test}


def test_the_tokenizer_sees_the_training_split_only(
    small_config: Configure, small_corpus: Path, tmp_path: Path
) -> None:
    """A word that only dev or test contains is unknown."""
    pairs = (Pair(f"zebra {number}.", f"zèbre {number}.", 1) for number in range(1000))
    held_out = next(pair for pair in pairs if split_pairs([pair]).dev)
    corpus = small_corpus.with_name("more.tsv")
    corpus.write_text(small_corpus.read_text() + "\t".join(held_out[:2]))
    data = prepared(small_config(f"data.corpus={corpus}"), tmp_path)
    assert held_out.first in data.dev[0].sources
    assert UNK in data.tokenizer.source.encode("zebra")


def test_attribution_is_printed_once_and_kept(
    small_config: Configure, small_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = small_corpus.with_name("three.tsv.gz")
    lines = small_corpus.read_text().splitlines()
    third = "CC-BY 2.0 (France) Attribution: tatoeba.org #1 (CM)"
    corpus.write_bytes(gzip.compress("\n".join(f"{x}\t{third}" for x in lines).encode()))
    data = prepared(small_config(f"data.corpus={corpus}"), tmp_path)
    assert capsys.readouterr().err.count("CC-BY 2.0") == 1
    assert "tatoeba.org" in (tmp_path / "attribution.txt").read_text()
    assert "CC-BY 2.0" in data.provenance["attribution"]


def test_the_other_direction_swaps_the_sides_after_the_split(
    small_config: Configure, tmp_path: Path
) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "fr").mkdir()
    plain = NO_AUGMENT
    there = prepared(small_config(plain), tmp_path / "en")
    back = prepared(small_config(plain, "data.source=fr", "data.target=en"), tmp_path / "fr")
    assert [(pair.target.lower(), pair.source.lower()) for pair in examples(back)] == [
        (pair.source.lower(), pair.target.lower())
        for pair in examples(there)  # case is the source's
    ]


def test_a_corpus_of_which_nothing_falls_to_training_is_an_error(
    small_config: Configure, small_corpus: Path, tmp_path: Path
) -> None:
    corpus = small_corpus.with_name("one.tsv")
    for number in range(1000):  # until a sentence falls to dev or test
        corpus.write_text(f"sentence {number}\tphrase {number}\n")
        if not split_pairs(load_one(small_config(f"data.corpus={corpus}").data).pairs).train:
            break
    with pytest.raises(UserError, match="no pair is left to train on"):
        prepared(small_config(f"data.corpus={corpus}"), tmp_path)


def test_a_tokenizer_of_another_kind_leaves_no_file_behind(
    small_config: Configure, tmp_path: Path
) -> None:
    run = Run(tmp_path)
    for config in (small_config("tokenizer.joint=false"), small_config()):
        data = prepare(from_scratch(config), run)
        write_inputs(config, data, run)
    names = {path.name for path in tmp_path.glob("tokenizer*")}
    assert names == {"tokenizer.model", "tokenizer.lexicon.txt", "tokenizer.memory.tsv"}
    assert Tokenizer.load(tmp_path).files() == data.tokenizer.files()


def id_lists(pairs: EncodedPairs) -> list[tuple[list[int], list[int]]]:
    """Return the ids of both sides of each pair."""
    each = (np.array([row]) for row in range(len(pairs.source.length_N)))
    return [
        (*(side.padded(row)[0][0].tolist() for side in (pairs.source, pairs.target)),)
        for row in each
    ]


def test_an_epoch_changes_some_pairs_and_all_other_pairs_as_they_are(
    small_config: Configure, tmp_path: Path
) -> None:
    config = small_config("data.augment.no_mark=0.5")
    data = prepared(config, tmp_path)
    plain = TrainingPairs(
        small_config("data.augment=null"), data.tokenizer, data.pairs, max_pairs=9_999
    )
    clean = id_lists(plain.load((0, 0)))
    assert config.data.augment
    texts = [*data.pairs.texts()]
    augmenter = Augmenter(
        config.data.augment, texts, WordLists.learn(texts), seed=config.training.seed
    )
    pairs = TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=9_999)
    for epoch in (0, 1, 0):
        changed = augmenter.of_epoch(epoch, range(len(texts)), texts)
        assert changed
        for row, (source, target) in enumerate(id_lists(pairs.load((epoch, 0)))):
            if row in changed:
                assert source == [*data.tokenizer.source.encode(changed[row].source), EOS]
                assert target == [*data.tokenizer.target.encode(changed[row].target), EOS]
            else:
                assert (source, target) == clean[row]


def test_an_epoch_takes_a_corpus_by_its_weight(
    small_config: Configure, small_corpus: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.tsv"
    other.write_text("".join(f"we see the cat{n}.\tnous voir chat{n}.\n" for n in range(40)))
    corpora = (
        f"[{{path: {small_corpus}, weight: 0.25}}, {{path: {other}, weight: 2.5, part: train}}]"
    )
    config = small_config(f"data.corpus={corpora}", "data.augment=null")
    (run := tmp_path / "run").mkdir()
    data = prepared(config, run)
    pairs = TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=9_999)
    corpora = data.pairs.line_N["corpus"].tolist()
    of_corpus = [[row for row, corpus in enumerate(corpora) if corpus == n] for n in (0, 1)]
    assert len(of_corpus[1]) == 40
    times = [Counter(pairs.load((epoch, 0)).row_N.tolist()) for epoch in range(4)]
    for seen in times:
        assert {*seen} >= {*of_corpus[1]}
        assert sum(seen[row] for row in of_corpus[1]) == 100
        assert {seen[row] for row in of_corpus[1]} == {2, 3}
        quarter = sum(seen[row] for row in of_corpus[0])
        assert abs(quarter - len(of_corpus[0]) / 4) < 1
    total = sum(times, Counter())
    assert {total[row] for row in of_corpus[0]} == {1}, "each quarter is another one"
    assert {total[row] for row in of_corpus[1]} == {10}
    for epoch in (3, 0):  # whatever epochs came before
        again = TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=9_999).load((epoch, 0))
        assert again.row_N.tolist() == pairs.load((epoch, 0)).row_N.tolist()
        assert id_lists(again) == id_lists(pairs.load((epoch, 0)))


def test_placeholders_are_masked_and_words_are_added_after_the_pairs(
    small_config: Configure, small_corpus: Path, tmp_path: Path
) -> None:
    corpus = small_corpus.with_name("placeholders.tsv")
    corpus.write_text(
        "".join(f"we see a@b.org cat{n}.\tnous voir a@b.org chat{n}.\n" for n in "abcdefgh")
    )
    data = prepared(small_config(f"data.corpus={corpus}"), tmp_path)
    pairs = len(split_pairs(load_one(small_config(f"data.corpus={corpus}").data).pairs).train)
    train = examples(data)
    assert {pair.source.split()[2] for pair in train[:pairs]} == {PLACEHOLDER_TOKENS[0]}
    assert {pair.source for pair in train[pairs:]} == {"we", "see"}
    lines = {pair.line for pair in train}
    assert lines <= set(range(1, 9))
    (other := tmp_path / "plain").mkdir()
    plain = prepared(small_config(f"data.corpus={corpus}", NO_AUGMENT), other)
    assert examples(plain) == train[:pairs]


def test_the_short_texts_of_the_training_split_are_remembered_and_no_others(
    small_config: Configure, small_corpus: Path, tmp_path: Path
) -> None:
    corpus = small_corpus.with_name("short.tsv")
    words = [f"{first}{second}" for first in ascii_lowercase for second in ascii_lowercase]
    corpus.write_text("".join(f"See {word}!\tVois {word} !\n" for word in words))
    data = prepared(small_config(f"data.corpus={corpus}", NO_AUGMENT), tmp_path)
    memory = Tokenizer.load(tmp_path).memory
    kept = {source for each in [*data.dev, *data.test] for source in each.sources}
    assert len(kept) > 10
    for word in words:
        text = f"See {word}!"
        assert memory.find(text) == ([] if text in kept else [f"Vois {word} !"])


def test_training_reads_sources_as_translation_does(
    small_config: Configure, small_corpus: Path, tmp_path: Path
) -> None:
    corpus = small_corpus.with_name("cases.tsv")
    words = [f"{first}{second}" for first in ascii_lowercase for second in "abcdefgh"]
    sources = [f"We know that Tom sees {word}. Does he SEE {word}?" for word in words]
    lines = (
        f"{source}\tNous voyons {word}.\n" for source, word in zip(sources, words, strict=True)
    )
    corpus.write_text("".join(lines))
    config = small_config(f"data.corpus={corpus}", NO_AUGMENT)
    data = prepared(config, tmp_path)
    truecaser, encode = data.tokenizer.truecaser, data.tokenizer.source.encode
    assert len(data.pairs)
    for pair in examples(data):
        raw = sources[pair.line - 1]
        (read,) = Reader(truecaser, "en", lambda *_: True, split=False).sentences(raw)
        assert pair.source == read.text
        assert pair.source.startswith("we know that Tom sees")
    [dev], [pairs] = data.dev, data.dev_pairs
    rows, lengths = pairs.source.padded(np.arange(len(dev.sources)))
    for row, length, raw in zip(rows, lengths, dev.sources, strict=True):
        (read,) = Reader(truecaser, "en", lambda *_: True, split=False).sentences(raw)
        assert row[:length].tolist() == [*encode(read.text), EOS]
