"""Text in one language: each line is kept on its side, or counted with its reason."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.corpus.builder import Corpus
from gru_mt.data.splits import load_splits
from gru_mt.data.types import Example, Pair
from gru_mt.errors import UserError
from tests.corpora import data_config, load_one


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def load(corpus: dict[str, Any], **settings: Any) -> Corpus:
    return load_one(
        data_config(corpus | {"side": "target"}, back_translate="runs/back", **settings)
    )


def texts(corpus: Corpus) -> list[str]:
    assert all(pair.first == "" for pair in corpus.pairs)
    return [pair.second for pair in corpus.pairs]


def test_each_line_is_a_text_or_counted() -> None:
    Path("a.fr").write_bytes(b"Oui .\r\n\n Non !\nOui .\nun\tdeux\n\xff\n!!!")
    corpus = load({"path": "a.fr"})
    assert texts(corpus) == ["Oui .", "Non !", "!!!"]
    assert corpus.report.lines() == [
        "7 lines read, 3 kept",
        "empty side: 1, first at line 2",
        "duplicate: 1, first at line 4",
        "more than one column: 1, first at line 5",
        "not UTF-8: 1, first at line 6",
    ]


def test_the_text_stands_on_the_side_of_the_target() -> None:
    Path("a.en").write_text("Yes.\n")
    corpus = load({"path": "a.en"}, source="fr", target="en")
    assert corpus.pairs == [Pair("Yes.", "", 1)]


@pytest.mark.parametrize(
    ("name", "content"), [("a.tsv", "x\tOui.\ny\tNon.\n"), ("a.csv", 'x,Oui.\ny,"Non."\n')]
)
def test_a_column_of_a_table_can_be_the_text(name: str, content: str) -> None:
    Path(name).write_text(content)
    assert texts(load({"path": name, "columns": [2]})) == ["Oui.", "Non."]
    with pytest.raises(UserError, match="most often too few columns"):
        load({"path": name, "columns": [3]})


def test_a_column_of_a_built_in_corpus_can_be_the_text() -> None:
    french = texts(load({"path": "phrasebook", "columns": [2]}))
    assert len(french) > 10_000
    assert french[0].endswith(".")


def test_a_table_without_columns_is_refused_with_what_to_set() -> None:
    Path("a.txt").write_text("Go.\tVa !\nRun!\tCours !\n")
    with pytest.raises(UserError, match=r"set columns to the one of data\.target, such as"):
        load({"path": "a.txt"})


def test_a_translation_memory_is_refused() -> None:
    Path("a.tmx").write_text("<tmx/>\n")
    with pytest.raises(UserError, match=r"a\.tmx: a translation memory has both sides"):
        load({"path": "a.tmx"})


def test_a_folder_is_read_by_the_ending_of_the_language() -> None:
    Path("news").mkdir()
    Path("news/b.fr").write_text("Deux.\n")
    Path("news/a.fr.gz").write_bytes(gzip.compress(b"Un.\n"))
    Path("news/a.en").write_text("One.\n")
    corpus = load({"path": "news"})
    assert texts(corpus) == ["Un.", "Deux."]
    assert corpus.lines.where(2) == "b.fr:1"


def test_text_alone_is_apart_from_pairs_and_leaks_are_dropped() -> None:
    Path("p.tsv").write_text("w828\tx\n")
    Path("dev.tsv").write_text("!!!\thm\nw\tz\n")  # a source of marks alone is no text's leak
    Path("a.fr").write_text("Z!\nneuf\n")
    corpora = ["p.tsv", {"path": "a.fr", "side": "target"}]
    parts = load_splits(data_config(corpora, dev="dev.tsv", back_translate="b"))
    assert parts.train == [Example("w828", "x", 1)]
    assert parts.monolingual == [Example("", "neuf", 2, 1)]
    assert parts.leaks == {"a": 1}
    assert parts.sizes() == "train 1 pairs and 1 texts alone, dev 2, test 0"
