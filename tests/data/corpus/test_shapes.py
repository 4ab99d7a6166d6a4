"""Corpora as they come: shards, Moses and TMX files, CSV, other encodings; and what is not one."""

import csv
import gzip
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard

from gru_mt.data.corpus.report import DroppedLines, DropReason
from gru_mt.data.types import Pair
from gru_mt.errors import UserError
from tests.corpora import data_config, load_one

ENGLISH, FRENCH = "Go.\nIt's summer.\n", "Va !\nC'est l'été.\n"
PAIRS = [Pair("Go.", "Va !", 1), Pair("It's summer.", "C'est l'été.", 2)]
TABLE = "Go.\tVa !\nIt's summer.\tC'est l'été.\n"
TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en-GB"><seg>Go<ph>{1}</ph>.</seg></tuv><tuv lang="FR"><seg>Va !</seg></tuv></tu>
<tu><tuv xml:lang="de"><seg>Geh.</seg></tuv><tuv xml:lang="fr"><seg>Va !</seg></tuv></tu>
<tu><tuv xml:lang="fr"><seg>C'est l'été.</seg></tuv><tuv xml:lang="en"><seg>It's summer.</seg></tuv>
</tu></body></tmx>"""


def refusal(path: object, **settings: object) -> str:
    with pytest.raises(UserError) as raised:
        load_one(data_config({"path": path, **settings}, allow_dropped=0.2))
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("packed", ["", ".gz", ".zst", ".zip"])
def test_parallel_files_may_be_packed_each(packed: str, tmp_path: Path) -> None:
    paths = []
    for name, text in (("c.en", ENGLISH), ("c.fr", FRENCH)):
        path, data = tmp_path / f"{name}{packed}", text.encode()
        if packed == ".zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(name, data)
        else:
            packs: dict[str, Any] = {".gz": gzip.compress, ".zst": zstandard.compress, "": bytes}
            path.write_bytes(packs[packed](data))
        paths.append(str(path))
    assert load_one(data_config({"path": paths})).pairs == PAIRS


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_a_large_file_of_zstandard_is_read_whole(encoding: str, tmp_path: Path) -> None:
    """Of some of its bytes nothing can be unpacked yet, which is not the end."""
    rows = [(f"{number} {number * number}", f"{number}") for number in range(20_000)]
    text = "".join(f"{first}\t{second}\n" for first, second in rows)
    path = tmp_path / "c.tsv.zst"
    path.write_bytes(zstandard.compress(text.encode(encoding)))
    found = load_one(data_config({"path": str(path), "encoding": encoding})).pairs
    assert [pair[:2] for pair in found] == rows


def test_frames_of_zstandard_follow_each_other_and_a_cut_one_is_damaged(tmp_path: Path) -> None:
    lines = TABLE.encode().splitlines(keepends=True)
    path = tmp_path / "c.tsv.zst"
    whole = b"".join(map(zstandard.compress, lines))
    path.write_bytes(whole)
    assert load_one(data_config(str(path))).pairs == PAIRS
    for size in (len(whole) - 1, len(whole) // 2 + 9, 3):
        path.write_bytes(whole[:size])
        assert "damaged" in refusal(str(path))


@pytest.mark.parametrize("kind", ["folder", "zip", "pattern"])
def test_shards_are_one_corpus_in_the_order_of_their_names(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "shards"
    folder.mkdir()
    for name, text in (
        ("b.tsv", "b\tB\n\nb2\tB2\n"),
        ("a.tsv.gz", "a\tA\nx\n"),
        ("README.txt", "x"),
    ):
        data = text.encode()
        (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    (folder / ".hidden.tsv").write_text("h\tH\n")
    (folder / "deeper").mkdir()
    path = {"folder": folder, "zip": tmp_path / "s.zip", "pattern": folder / "[ab].tsv*"}[kind]
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for file in folder.glob("*.*"):
                archive.write(file, f"in/{file.name}")
    corpus = load_one(data_config(str(path)))
    assert [(pair.first, pair.line) for pair in corpus.pairs] == [("a", 1), ("b", 3), ("b2", 5)]
    assert corpus.report.dropped == {
        DropReason.NO_TAB: DroppedLines(2, ("a.tsv:2", "b.tsv:2")),
    }
    assert [corpus.lines.where(pair.line) for pair in corpus.pairs] == [
        "a.tsv:1", "b.tsv:1", "b.tsv:3"
    ]  # fmt: skip


def test_the_directory_of_a_zip_is_read_once_for_all_its_members(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    class Noted(zipfile.ZipFile):
        def __init__(self, file: Any, mode: Any = "r") -> None:
            opened.append(file)
            super().__init__(file, mode)

    monkeypatch.setattr(zipfile, "ZipFile", Noted)
    path = tmp_path / "s.zip"
    for word in ("a", "b"):  # the second archive takes the first one's place
        with zipfile.ZipFile(path, "w") as archive:
            for number in range(40):
                archive.writestr(f"{number:02}.tsv", f"{word} {number}\tx {number}\n")
        opened.clear()
        corpus = load_one(data_config(str(path)))
        assert [pair.first for pair in corpus.pairs] == [f"{word} {n}" for n in range(40)]
        assert len(opened) <= 3


def test_a_folder_or_zip_of_opus_is_read_as_it_comes(tmp_path: Path) -> None:
    files = {"Books.en-fr.en": ENGLISH, "Books.en-fr.fr": FRENCH, "Books.en-fr.xml": "<x/>",
             "README": "", "LICENSE": ""}  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert load_one(data_config(str(tmp_path))).pairs == PAIRS
    swapped = load_one(data_config(str(tmp_path), languages=["fr", "en"])).pairs
    assert swapped == [Pair(second, first, line) for first, second, line in PAIRS]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    (tmp_path / "en-fr.txt.zip").write_bytes(packed.getvalue())
    corpus = load_one(data_config(str(tmp_path / "en-fr.txt.zip")))
    assert (corpus.name, [*corpus.pairs]) == ("en-fr", PAIRS)


def test_units_of_tmx_are_found_by_language_and_region(tmp_path: Path) -> None:
    (tmp_path / "m.tmx").write_text(TMX)
    corpus = load_one(data_config(str(tmp_path / "m.tmx")))
    assert corpus.pairs == [Pair("Go.", "Va !", 1), Pair("It's summer.", "C'est l'été.", 3)]
    assert corpus.report.dropped == {DropReason.LANGUAGE: DroppedLines(1, (2,))}
    (tmp_path / "m.tmx").write_text(TMX[:-20])
    assert "m.tmx: no TMX that can be read: " in refusal(str(tmp_path / "m.tmx"))
    (tmp_path / "m.tmx").write_text(TMX)
    with pytest.raises(UserError, match=r"data\.languages \['en', 'ja'\] must be the codes"):
        load_one(data_config(str(tmp_path / "m.tmx"), languages=["en", "ja"], target="ja"))


@pytest.mark.parametrize("mark", [",", ";"])
def test_a_csv_file_has_quotes_around_its_marks_and_line_feeds(mark: str, tmp_path: Path) -> None:
    rows = [f'"Go{mark} now."{mark}"Va ""vite"" !"', f'Yes.{mark}"Oui\n."', f"One.{mark}Un."]
    (tmp_path / "c.csv").write_text("\r\n".join(rows))
    assert load_one(data_config(str(tmp_path / "c.csv"))).pairs == [
        Pair(f"Go{mark} now.", 'Va "vite" !', 1),
        Pair("Yes.", "Oui .", 2),
        Pair("One.", "Un.", 3),
    ]


def test_a_quotation_mark_that_is_never_closed_costs_its_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text('Go.,Va !\nYes.,"' + "Oui.\n" * 10_000 + "One.,Un.\n")
    before = csv.field_size_limit()
    corpus = load_one(data_config(str(path)))
    assert corpus.pairs == [Pair("Go.", "Va !", 1), Pair("One.", "Un.", 10_002)]
    assert corpus.report.dropped[DropReason.QUOTES] == DroppedLines(1, (2,))
    assert csv.field_size_limit() >= before, "the limit of other readers became smaller"


def test_columns_are_chosen_by_number(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text("1\tVa !\tGeh.\tGo.\n2\tOui.\n3\tNon.\tNein.\tNo.\n")
    corpus = load_one(data_config({"path": str(tmp_path / "c.tsv"), "columns": [4, 2]}))
    assert corpus.pairs == [Pair("Go.", "Va !", 1), Pair("No.", "Non.", 3)]
    assert corpus.report.dropped == {DropReason.FEW_COLUMNS: DroppedLines(1, (2,))}


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "cp1252"])
def test_another_encoding_is_read_where_it_is_named(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "c.tsv"
    path.write_bytes(TABLE.encode(encoding))
    assert load_one(data_config({"path": str(path), "encoding": encoding})).pairs == PAIRS


def test_an_encoding_that_the_file_has_not_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_bytes(b"a\tb\n\x81\tc\n")
    said = refusal(str(tmp_path / "c.tsv"), encoding="cp1252")
    assert "c.tsv: not cp1252 at byte 4" in said


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("c.tsv", TABLE.encode("utf-16"), "looks like UTF-16: set encoding: utf-16"),
        ("c.tsv", TABLE.encode("utf-16-le"), "looks like UTF-16: set encoding: utf-16"),
        ("c.tsv", TABLE.encode("latin-1"), "looks like Latin-1: set encoding: latin-1"),
        ("c.tsv", "a\t“été”\n".encode("cp1252"), "looks like Cp1252: set encoding: cp1252"),
        (
            "c.xlsx",
            b"PK\x03\x04 and more",
            "is a zip archive, as Word, Excel and OpenDocument files",
        ),
        ("c.tsv", b"PK\x03\x04 and more", "an archive of corpora must be named .zip"),
        ("c.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "save it as tab-separated text (.tsv)"),
        ("c.txt", b'Go.,Va !\n"Yes, no.",Oui.\n', "looks like CSV: name it .csv"),
        ("c.txt", b"Go.;Va !\nYes.;Oui.\n", "looks like CSV: name it .csv"),
        ("c.txt", b"Go.\nYes, we can.\nNo.\n", "for parallel files set path: [FILE, FILE]"),
        ("c.tsv", b"1\tGo.\tVa !\tx\n", "set columns to those of en and fr, counted"),
        ("c.tsv", b"Go.\tGo.\nNo.\tNo.\n", "2 of 2 pairs have the same text on both sides"),
        ("c.tsv", b"a\t\n" * 3 + b"b\tB\n" * 7, "9 of 10 lines dropped; most often duplicate: 6"),
    ],
)
def test_what_is_no_table_in_utf_8_is_named_with_the_fix(
    name: str, data: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    assert said in refusal(str(tmp_path / name))


@pytest.mark.parametrize(
    ("languages", "encoding"), [(["en", "ja"], "shift_jis"), (["zh", "en"], "gb18030")]
)
def test_an_encoding_is_guessed_by_the_languages(
    languages: list[str], encoding: str, tmp_path: Path
) -> None:
    (tmp_path / "c.tsv").write_bytes("a\t日本\nb\t中国\n".encode(encoding))
    with pytest.raises(UserError, match=f"set encoding: {encoding}"):
        load_one(
            data_config(
                str(tmp_path / "c.tsv"), languages=languages, source=languages[0],
                target=languages[1],
            )
        )  # fmt: skip


def test_more_than_a_fifth_dropped_needs_a_word(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text("a\tA\nb\tB\nc\tC\nnone\n")
    said = refusal(str(tmp_path / "c.tsv"))
    assert "1 of 4 lines dropped; most often no tab: 1, first at line 4; " in said
    assert said.endswith("to go on without them set data.allow_dropped to 0.250 or more")
    path = str(tmp_path / "c.tsv")
    assert load_one(data_config(path, allow_dropped=0.25)).report.kept == 3
    (tmp_path / "c.tsv").write_text("a\tA\nb\tB\nc\tC\nd\tD\nnone\n")
    assert load_one(data_config(path, allow_dropped=0.2)).report.kept == 4


@pytest.mark.parametrize(
    ("line", "is_header"),
    [("en\tfr", True), ("English\tFrench", True), ("source\ttarget", True),
     ("source\tsource", False), ("French\tfrançais", False), ("fr\ten", True),
     ("English\tEnglish", False)],
)  # fmt: skip
def test_a_first_line_of_names_is_a_header(line: str, is_header: bool, tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text(f"{line}\na\tA\n{line}s\n")
    dropped = load_one(data_config(str(tmp_path / "c.tsv"))).report.dropped
    assert dropped == ({DropReason.HEADER: DroppedLines(1, (1,))} if is_header else {})


def test_a_header_is_no_loss(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text("en\tfr\na\tA\n")
    assert load_one(data_config(str(tmp_path / "c.tsv"), allow_dropped=0.2)).report.kept == 1
    (tmp_path / "c.tsv").write_text("en\tfr\n")
    assert "1 of 1 lines dropped; most often header" in refusal(str(tmp_path / "c.tsv"))


def test_a_third_language_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text("".join(f"a{n}\tb{n}\tc c{n}\n" for n in range(50)))
    said = refusal(str(tmp_path / "c.tsv"))
    assert "column 3 is no attribution" in said
    assert said.endswith("set columns to those of en and fr")
    chosen = load_one(data_config({"path": str(tmp_path / "c.tsv"), "columns": [2, 3]}))
    assert chosen.pairs[0] == Pair("b0", "c c0", 1)


def test_two_corpora_of_one_name_need_names_of_their_own(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "c.tsv").write_text("a\tA\n")
    paths = [str(tmp_path / folder / "c.tsv") for folder in ("x", "y")]
    with pytest.raises(UserError, match=r"data\.corpus: two corpora are called 'c'"):
        load_one(data_config(paths))
