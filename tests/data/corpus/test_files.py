"""The files of a corpus are found in order; a path that is none is refused with what to do."""

import gzip
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.corpus.builder import line_name
from gru_mt.data.dataset.source_files import source_files
from gru_mt.data.splits import load_splits
from gru_mt.errors import UserError
from tests.corpora import data_config, dropped, load, load_one, pairs, refusal, write, zipped

GO = b"Go.\tVa !\n"


@pytest.mark.parametrize("path", ["d", "s.zip", "d/[ab].tsv*"])
def test_several_files_are_one_corpus_in_the_order_of_their_names(path: str) -> None:
    write({"d/b.tsv": "b\tB\ny\nb2\tB2\n", "d/a.tsv.gz": gzip.compress(b"a\tA\nx\n"),
           "d/README.txt": "x", "d/.hidden.tsv": "h\tH\n", "d/deeper/c.tsv": "c\tC\n"})  # fmt: skip
    with zipfile.ZipFile("s.zip", "w") as archive:
        for file in Path("d").glob("*.*"):
            archive.write(file, f"in/{file.name}")
        archive.writestr("__MACOSX/in/._a.tsv", "\0")
    corpus = load(path)
    assert [(pair.first, pair.line) for pair in corpus.pairs] == [("a", 1), ("b", 3), ("b2", 5)]
    assert line_name(corpus.files, 1) == "a.tsv:1"
    assert line_name(corpus.files, 5) == "b.tsv:3"
    assert [*dropped(path).values()] == [("a.tsv:2", "b.tsv:2")]


def test_parallel_files_are_found_by_their_endings_as_opus_has_them() -> None:
    files = {"Books.en-fr.en": "Go.\n", "Books.en-fr.fr": "Va !\n", "Books.en-fr.xml": "<x/>",
             "README": "", "LICENSE": ""}  # fmt: skip
    write({f"d/{name}": text for name, text in files.items()})
    write({"en-fr.txt.zip": zipped(*((name, text.encode()) for name, text in files.items()))})
    assert pairs("d") == [("Go.", "Va !")]
    assert pairs("d", languages=["fr", "en"]) == [("Va !", "Go.")]
    assert pairs({"path": "d", "side": "target"}, back_translate="b") == [("", "Va !")]
    assert load("en-fr.txt.zip").name == "en-fr"
    write({"a.json": '{"en": "Go.", "fr": "Va."}'})
    assert load("a.json").name == "a"
    members = ((f"{n}/a.{side}", f"w{n} {side}.".encode()) for n in (1, 2) for side in ("en", "fr"))
    write({"two.zip": zipped(*members)})
    assert pairs("two.zip") == [("w1 en.", "w1 fr."), ("w2 en.", "w2 fr.")]


def test_what_a_folder_has_beside_the_corpus_is_named() -> None:
    write({"d/a.en": "One.\n", "d/a.en.gz": gzip.compress(b"Uno.\n"), "d/a.fr": "Un.\n",
           "d/b.tsv": GO, "d/README.md": "x", "d/e.docx": "x", "d/sub/f.tsv": GO})  # fmt: skip
    corpus = load("d")
    assert [pair[:2] for pair in corpus.pairs] == [("Uno.", "Un."), ("Go.", "Va !")]
    assert corpus.warnings == ("d: not read: 'a.en', 'e.docx', 'sub/'",)
    write({"p.tsv": GO, "t/a.en": "One.\n", "t/a.fr": "Un.\n", "t/b.en": "Alone.\n"})
    assert load_splits(data_config("p.tsv", test="t")).warnings() == ["t: not read: 'b.en'"]


def test_the_directory_of_a_zip_is_read_once_for_all_its_members(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened = []

    class Noted(zipfile.ZipFile):
        def __init__(self, file: Any, *mode: Any) -> None:
            opened.append(file)
            super().__init__(file, *mode)

    monkeypatch.setattr(zipfile, "ZipFile", Noted)
    for word in ("a", "b"):  # the second archive takes the first one's place
        members = ((f"{n:02}.tsv", f"{word} {n}\tx {n}".encode()) for n in range(9))
        write({"s.zip": zipped(*members)})
        opened.clear()
        assert [pair[0] for pair in pairs("s.zip")] == [f"{word} {n}" for n in range(9)]
        assert len(opened) <= 2


@pytest.mark.parametrize(
    ("members", "found"),
    [
        ([], "nothing"),
        (["_about.txt", "x.json"], "'_about.txt', 'x.json'"),
        ([f"{n}.bin" for n in range(9)], "'0.bin', '1.bin', '2.bin', '3.bin', '4.bin', ..."),
        (["\x1b[2J\u202e.bin"], r"'\x1b[2J\u202e.bin'"),
    ],
)
def test_a_zip_without_a_corpus_is_refused_by_its_names(members: list[str], found: str) -> None:
    write({"c.zip": zipped(*((name, GO) for name in members))})
    assert refusal("c.zip") == (
        "c.zip: no corpus in it: expected tables (.tsv, .txt, .csv, .tmx, .jsonl, .ndjson, "
        f".parquet) or files that end in .en and .fr, found {found}"
    )


def test_only_a_regular_file_is_read() -> None:
    os.mkfifo("pipe")  # which nobody writes: to open it would wait for ever
    for path in ("pipe", "/dev/zero"):
        message = f"{path}: not a regular file; a run reads its corpus again when it resumes"
        assert refusal(path) == refusal({"path": [path, path]}) == message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a/" * 2_500, "cannot be read: File name too long"),
        ("~nobody-of-this-name/c.txt", "no path: Could not determine home directory"),
    ],
)
def test_an_odd_name_is_refused_in_one_short_line(name: str, message: str) -> None:
    config = data_config("x")
    corpus = config.corpus[0].model_copy(update={"path": [name]})  # past its validation
    with pytest.raises(UserError) as raised:
        load_one(config.model_copy(update={"corpus": [corpus]}))
    assert message in str(raised.value)
    assert len(str(raised.value)) < 500


def test_a_path_is_relative_to_the_working_folder_and_a_tilde_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"sub/c.txt: no such file in {tmp_path}, nor a corpus (" in refusal("sub/c.txt")
    assert f"{tmp_path}/c.txt: no such file, nor a corpus (" in refusal(str(tmp_path / "c.txt"))
    monkeypatch.setenv("HOME", str(tmp_path))
    write({"en": b"Go.\n"})
    parallel = {"path": ["~/en", "~/fr"]}
    assert refusal(parallel) == f"{tmp_path}/fr: no such file"
    write({"fr": b"Va !\n"})
    assert load(parallel).report.kept == 1
    assert source_files(data_config(parallel)) == [tmp_path / "en", tmp_path / "fr"]
