"""Parquet tables as Spark, Ray Data, Polars, DuckDB and the Hugging Face hub write them."""

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from gru_mt.config.load import load_config
from gru_mt.data.corpus.builder import line_name
from gru_mt.data.corpus.files import CorpusFile
from gru_mt.data.corpus.readers.parquet import ParquetTable
from gru_mt.data.corpus.report import DropReason
from gru_mt.data.splits import load_splits
from gru_mt.errors import UserError
from tests.command_line import Run
from tests.corpora import data_config, dropped, load, pairs, refusal

EN, FR = ["Go.", "It's summer.", "No."], ["Va !", "C'est l'été.", "Non."]
PAIRS = [*zip(EN, FR, strict=True)]


def write(path: str, columns: dict[str, Any], **settings: Any) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    parquet.write_table(pa.table(columns), path, **settings)


@pytest.mark.parametrize(
    "columns",
    [
        {"id": [1, 2, 3], "fr": FR, "score": [0.5, 0.7, 1.0], "en": EN},
        {"translation": [{"en": one, "fr": two} for one, two in PAIRS]},
        {"translation.en": EN, "translation.fr": FR},  # as pandas flattens it
        {"en": pa.array(EN, pa.large_string()), "fr": pa.array(FR).dictionary_encode()},
        {"en": pa.array(EN, pa.string_view()), "fr": pa.array([text.encode() for text in FR])},
    ],
)
def test_columns_are_found_by_their_names(columns: dict[str, Any]) -> None:
    write("a.parquet", columns)
    assert pairs("a.parquet") == PAIRS
    Path("a.parquet").rename("table")  # whatever it is called
    assert pairs("table") == PAIRS
    names = [*columns]
    if "en" in names:
        numbers = [names.index("en") + 1, names.index("fr") + 1]
        assert pairs({"path": "table", "columns": numbers}) == PAIRS


@pytest.mark.parametrize(
    ("columns", "settings", "message"),
    [
        ({"a": EN, "n": [1, 2, 3]}, {}, "a.parquet: ['a', 'n'] do not tell which are en and fr"),
        ({"en": EN, "de": FR}, {"columns": [1, 3]}, "['en', 'de'] do not tell which"),
        ({"en": EN, "german": FR}, {}, "its header names 'german', and data.languages are en"),
        ({"en": EN, "n": [1, 2, 3]}, {"columns": [1, 2]}, "column 'n' has int64, and no text"),
    ],
)
def test_other_columns_are_named(columns: Any, settings: Any, message: str) -> None:
    write("a.parquet", columns)
    assert message in refusal({"path": "a.parquet", **settings})


def test_rows_with_a_null_or_broken_text_are_counted() -> None:
    struct = pa.array([{"en": "No.", "fr": "Non."}, None, {"en": "Go.", "fr": None}])
    write("a.parquet", {"translation": struct})
    assert dropped("a.parquet") == {DropReason.EMPTY: (2, 3)}
    with pytest.raises(UserError, match=r"a\.parquet:2: empty side"):
        load_splits(data_config("phrasebook", test="a.parquet"))
    write("b.parquet", {"en": pa.array([b"Go.", b"\xff"]), "fr": ["Va !", "x"]})
    assert dropped("b.parquet") == {DropReason.NOT_UTF8: (2,)}


def test_a_folder_of_them_is_a_corpus_beside_dev_and_text_in_one_language() -> None:
    write("d/part-00000.parquet", {"en": EN[:1], "fr": FR[:1]})
    write("d/part-00001.snappy.parquet", {"en": EN[1:], "fr": FR[1:]})
    Path("d/_SUCCESS").touch()
    found = load("d")
    lines = [line_name(found.files, pair.line) for pair in found.pairs]
    assert lines[1:] == ["part-00001.snappy.parquet:1", "part-00001.snappy.parquet:2"]
    assert (found.name, found.warnings) == ("d", ())
    write("dev.parquet", {"en": ["Yes."], "fr": ["Oui."]})
    write("news.parquet", {"fr": ["Bonjour."]})
    corpora = [{"path": "d", "part": "train"}, {"path": "news.parquet", "side": "target"}]
    splits = load_splits(data_config(corpora, dev="dev.parquet", back_translate="runs/back"))
    assert (splits.dev[0].sources, splits.dev[0].references) == (["Yes."], [["Oui."]])
    assert splits.sizes() == "train 3 pairs and 1 monolingual texts, dev 1, test 0"


def test_init_takes_the_files_of_the_hub(gru_mt: Run) -> None:
    """In them train, validation and test are files with such names."""
    for split, texts in (("train", PAIRS[:1]), ("validation", PAIRS[1:2]), ("test", PAIRS[2:])):
        rows = [{"en": first, "fr": second} for first, second in texts]
        write(f"data/{split}-00000-of-00001.parquet", {"translation": rows})
    assert refusal(".").endswith("found 'data/'")
    assert gru_mt("init", "data", "--languages", "en,fr", "--out", "my.yaml").code == 0
    found = load_splits(load_config("my.yaml").data)
    assert found.sizes() == "train 1 pairs, dev 1, test 1"
    assert found.train[0][:2] == PAIRS[0]


def test_what_cannot_be_read_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.parquet", {"en": EN * 9_000, "fr": FR * 9_000}, compression="snappy")
    whole = Path("a.parquet").read_bytes()
    middle = len(whole) // 3
    for broken in (b"", b"PAR1", whole[:-9], whole[:middle] + bytes(99) + whole[middle + 99 :]):
        Path("a.parquet").write_bytes(broken)
        assert refusal("a.parquet").startswith(("a.parquet: damaged", "a.parquet: cannot be unpa"))
    twice = pa.Table.from_arrays([EN, FR, EN, FR], ["en", "fr", "note", "note"])
    parquet.write_table(twice, "a.parquet")
    assert refusal("a.parquet") == "a.parquet: two columns are called 'note'; rename one"
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert refusal("a.parquet") == 'a.parquet: Parquet needs pyarrow: pip install "gru-mt[parquet]"'
    Path("a.parquet").unlink()
    assert refusal("a.parquet").startswith("a.parquet: no such file in ")


def test_memory_holds_some_rows_of_a_row_group() -> None:
    texts = [f"sentence {number} " * 9 for number in range(60_000)]
    write("a.parquet", {"en": texts, "fr": texts}, compression="none", use_dictionary=False)
    size, before = Path("a.parquet").stat().st_size, pa.total_allocated_bytes()
    with ParquetTable(CorpusFile(Path("a.parquet"))) as table:
        most = max(pa.total_allocated_bytes() - before for _ in table.batches(["en", "fr"]))
    assert most < size / 2
