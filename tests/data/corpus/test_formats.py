"""Every format of a corpus, in any encoding and packing, as a corpus, as dev and as test."""

import bz2
import gzip
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from gru_mt.config.data import DataConfig
from gru_mt.data.corpus import text_stream
from gru_mt.data.corpus.report import DroppedLines, DropReason
from gru_mt.data.dataset.plain_text import write_splits
from gru_mt.data.dataset.source_files import fingerprints_of, missing_files
from gru_mt.data.evaluation_set import EvaluationSet, load_evaluation_set
from gru_mt.data.splits import load_splits
from gru_mt.errors import UserError
from tests.corpora import data_config, load_one

PAIRS = [("It's summer & hot.", "C'est l'été."), ("Go!", "Vas-y !"), ("No?", "Non ?")]
TABLE = "".join(f"{first}\t{second}\n" for first, second in PAIRS)
JSON = "".join(json.dumps({"id": 1, "translation": {"en": first, "fr": second}}) + "\n"
               for first, second in PAIRS)  # fmt: skip


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def tmx(encoding: str, text: Callable[[str], str] = lambda text: text, head: str = "") -> str:
    units = "".join(
        f'<tu><tuv xml:lang="EN-gb"><seg>{text(first.replace("&", "&amp;"))}</seg></tuv>'
        f'<tuv xml:lang="fr"><seg>{text(second)}</seg></tuv></tu>\n'
        for first, second in PAIRS
    )
    declared = f'<?xml version="1.0" encoding="{encoding}"?>\n' if encoding else ""
    return f'{declared}<tmx version="1.4"{head}><header/><body>\n{units}</body></tmx>\n'


def sgm(kind: str, side: int) -> str:
    segments = "".join(f'<seg id="{number}"> {pair[side].replace("&", "&amp;")} </seg>\n'
                       for number, pair in enumerate(PAIRS, start=1))  # fmt: skip
    return (
        f'<{kind} setid="t" srclang="any">\n<doc docid="a">\n<hl>\n{segments}</hl></doc></{kind}>'
    )


def write(files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


def pairs(corpus: object) -> list[tuple[str, str]]:
    return [(pair.first, pair.second) for pair in load_one(data_config(corpus)).pairs]


def as_set(files: object) -> EvaluationSet:
    config = DataConfig.model_validate({"corpus": "phrasebook", "dev": files})
    found, _ = load_evaluation_set(config.dev[0], config, "data.dev")
    return found


def refusal(corpus: object) -> str:
    with pytest.raises(UserError) as raised:
        load_one(data_config(corpus))
    assert "\n" not in str(raised.value)
    return str(raised.value)


BOM = "\ufeff"
FORMATS: dict[str, tuple[dict[str, str | bytes], object]] = {
    "tsv": ({"a.tsv": TABLE}, "a.tsv"),
    "header": ({"a.tsv": "fr\ten\n" + "".join(f"{b}\t{a}\n" for a, b in PAIRS)}, "a.tsv"),
    "bz2": ({"a.tsv.bz2": bz2.compress(TABLE.encode())}, "a.tsv.bz2"),
    "xz": ({"a.tsv.xz": lzma.compress(TABLE.encode())}, "a.tsv.xz"),
    "gz without its ending": ({"a.tsv": gzip.compress(TABLE.encode())}, "a.tsv"),
    "zst without its ending": ({"a.tsv": zstandard.compress(TABLE.encode())}, "a.tsv"),
    "old Macs": ({"a.tsv": TABLE.replace("\n", "\r")}, "a.tsv"),
    "utf-16 without a mark": (
        {"a.tsv": TABLE.encode("utf-16-be")}, {"path": "a.tsv", "encoding": "utf-16"}
    ),
    "utf-16-le with a mark": (
        {"a.tsv": (BOM + TABLE).encode("utf-16-le")}, {"path": "a.tsv", "encoding": "UTF-16LE"}
    ),
    "utf-32": ({"a.tsv": TABLE.encode("utf-32-le")}, {"path": "a.tsv", "encoding": "utf-32"}),
    "mac-roman": ({"a.tsv": TABLE.encode("mac-roman")}, {"path": "a.tsv", "encoding": "mac-roman"}),
    "a mark beside another encoding": (
        {"a.tsv": (BOM + TABLE).encode()}, {"path": "a.tsv", "encoding": "cp1252"}
    ),
    "json lines": ({"a.jsonl": JSON}, "a.jsonl"),
    "json lines, flat": (
        {"a.ndjson": "".join(json.dumps({"fr": b, "en": a}) + "\n\n" for a, b in PAIRS)}, "a.ndjson"
    ),
    "json lines of lists": ({"a.json": "\n".join(map(json.dumps, PAIRS))}, "a.json"),
    "a json array": ({"a.json": "[\n" + ",\n".join(JSON.splitlines()) + "\n]"}, "a.json"),
    "json lines by another name": ({"a.txt": JSON}, "a.txt"),
    "tmx": ({"a.tmx": tmx("utf-8")}, "a.tmx"),
    "tmx, gz": ({"a.tmx.gz": gzip.compress(tmx("UTF8").encode())}, "a.tmx.gz"),
    "tmx, by another name": ({"a.xml": tmx("utf-8")}, "a.xml"),
    "sgm": (
        {"s.sgm": sgm("srcset", 0), "r.sgm": sgm("refset", 1)}, {"path": ["s.sgm", "r.sgm"]}
    ),
    "iwslt": (
        {
            f"train.tags.{side}": "<url>http://a</url>\n<talkid>1</talkid>\n<title>A & b</title>\n"
            + "".join(f"{pair[place]}\n" for pair in PAIRS)
            for place, side in enumerate(("en", "fr"))
        },
        {"path": ["train.tags.en", "train.tags.fr"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_read_as_corpus_and_as_dev(name: str) -> None:
    files, corpus = FORMATS[name]
    write(files)
    assert pairs(corpus) == PAIRS
    found = as_set(corpus)
    assert [*zip(found.sources, (each for [each] in found.references), strict=True)] == PAIRS


def test_the_files_of_a_folder_of_dev_are_known_to_the_run() -> None:
    write({"p.tsv": TABLE, "d/a.tsv": TABLE, "d/b.jsonl": JSON})
    config = data_config("p.tsv", dev="d")
    assert len(fingerprints_of(config)) == 3
    assert missing_files(config, fingerprints_of(config)) == []
    Path("d/b.jsonl").unlink()
    assert missing_files(config, fingerprints_of(data_config("p.tsv", dev="d/a.tsv"))) == []


def test_a_zip_and_a_folder_are_read_as_test() -> None:
    write({"d/a.en": "One.\nTwo.\n", "d/a.fr": "Un.\nDeux.\n", "d/b.tsv": TABLE})
    with zipfile.ZipFile("d.zip", "w") as archive:
        for file in sorted(Path("d").iterdir()):
            archive.write(file)
    for path in ("d", "d.zip"):
        assert as_set(path).sources == ["One.", "Two.", *(first for first, _ in PAIRS)]


# Translation memories


@pytest.mark.parametrize(
    "encoding", ["utf-16", "UTF-16LE", "windows-1252", "iso-8859-1", "UTF8", "mac-roman", ""]
)
def test_a_memory_is_decoded_once_as_it_declares(encoding: str) -> None:
    write({"a.tmx": tmx(encoding).encode(encoding or "utf-8")})
    assert pairs("a.tmx") == PAIRS
    write({"a.tmx": tmx("utf-16").encode("utf-8")})  # recoded, with the old declaration
    assert pairs("a.tmx") == PAIRS


@pytest.mark.parametrize("encoding", ["shift_jis", "euc-jp", "gb18030", "big5", "iso-2022-jp"])
def test_a_memory_may_be_in_an_encoding_that_the_parser_does_not_know(encoding: str) -> None:
    text = tmx(encoding).replace("été", "中文").replace("EN-gb", "en")
    write({"a.tmx": text.encode(encoding)})
    assert pairs("a.tmx")[0] == ("It's summer & hot.", "C'est l'中文.")


def test_the_key_wins_over_what_a_memory_declares() -> None:
    write({"a.tmx": tmx("utf-8").encode("cp1252")})
    assert pairs({"path": "a.tmx", "encoding": "cp1252"}) == PAIRS
    write({"a.tmx": tmx("klingon").encode("cp1252")})
    assert "declares the encoding 'klingon', which nobody knows: set encoding" in refusal("a.tmx")


@pytest.mark.parametrize(
    ("segment", "text"),
    [
        (r'<bpt i="1">{\b </bpt>Go<ept i="1">}</ept>', "Go"),
        ("<ph x='1'>&lt;br/&gt;</ph>Go<it pos='end'>x</it><ut>y</ut>", "Go"),
        ("<hi>Go</hi> <hi><ph>x</ph>now</hi>", "Go now"),
        ("Go<ph type='lb'/>now", "Go now"),
        ("Go<ph>a<sub>a note</sub></ph>", "Go"),
        ("<![CDATA[Go <now>]]>", "Go <now>"),
        ("<!-- a comment -->Go", "Go"),
        ("Go\n      now", "Go now"),
    ],
)
def test_codes_in_a_segment_are_no_text(segment: str, text: str) -> None:
    write({"a.tmx": tmx("utf-8").replace("Go!", segment)})
    assert pairs("a.tmx")[1] == (text, "Vas-y !")


@pytest.mark.parametrize(
    ("segment", "reason"),
    [
        ("Go & run", DropReason.XML),
        ("Go <b>now", DropReason.XML),
        ("Go&nbsp;now", DropReason.XML),  # an entity that XML does not know
        ("Go&#1;now", DropReason.XML),
    ],
)
def test_a_unit_that_is_no_xml_is_dropped_and_counted(segment: str, reason: DropReason) -> None:
    write({"a.tmx": tmx("utf-8").replace("Go!", segment)})
    corpus = load_one(data_config("a.tmx"))
    assert [(pair.first, pair.second) for pair in corpus.pairs] == [PAIRS[0], PAIRS[2]]
    assert corpus.report.dropped == {reason: DroppedLines(1, (2,))}
    config = DataConfig.model_validate({"corpus": "phrasebook", "dev": "a.tmx"})
    found, notes = load_evaluation_set(config.dev[0], config, "data.dev")
    assert (len(found.sources), notes) == (2, ["a.tmx: left out: no well-formed XML: 1"])


def test_units_may_have_prefixes_comments_and_stand_alone() -> None:
    write(
        {
            "a.tmx": tmx("utf-8", head=' xmlns:mq="urn:x"').replace(
                "<tu>", "<tu><mq:note>n</mq:note>"
            )
        }
    )
    assert pairs("a.tmx") == PAIRS
    commented = tmx("utf-8").replace("<body>", "<body><!-- <tu><tuv/></tu> -->")
    write({"a.tmx": commented})
    assert load_one(data_config("a.tmx")).report.read == len(PAIRS)
    unit = '<tu><tuv xml:lang="en"><seg>Go.</seg></tuv><tuv xml:lang="fr"><seg>Va.</seg></tuv></tu>'
    write({"a.tmx": unit})
    assert pairs("a.tmx") == [("Go.", "Va.")]


def test_a_memory_may_be_one_long_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_stream, "PIECE", 7)  # bytes: each tag and letter is cut somewhere
    monkeypatch.setattr(text_stream, "MAX_LINE_BYTES", 100)
    write({"a.tmx": tmx("utf-8").replace("\n", " ")})
    assert pairs("a.tmx") == PAIRS


def test_a_memory_without_units_or_with_half_a_unit_is_refused() -> None:
    write({"a.tmx": "<tmx><body/></tmx>"})
    assert "a.tmx: no TMX that can be read: it has no unit" in refusal("a.tmx")
    write({"a.tmx": tmx("utf-8")[:-60]})
    assert "a.tmx: no TMX that can be read: it ends within a unit" in refusal("a.tmx")


# JSON and markup


def test_a_line_of_other_json_is_dropped_and_counted() -> None:
    write({"a.jsonl": JSON + '{"translation": {"en": "x"}}\nnot json\n{"translation": null}\n7\n'})
    report = load_one(data_config("a.jsonl")).report
    assert report.dropped == {
        DropReason.LANGUAGE: DroppedLines(2, (4, 6)),
        DropReason.JSON: DroppedLines(2, (5, 7)),
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            '[\n {\n  "en": "a",\n  "fr": "b"\n }\n]\n',
            "not JSON lines: write one object a line",
        ),
        ('[{"en": "a", "fr": "b"}, {"en": "c", "fr": "d"}]', "not JSON lines"),
        ('{"a": "x", "b": "y", "c": "z"}\n', "do not tell which are en and fr: set columns"),
        ('{"german": "x", "french": "y"}\n', "its header names 'german'"),
    ],
)
def test_json_that_cannot_be_read_is_refused(content: str, said: str) -> None:
    write({"a.json": content})
    assert said in refusal("a.json")


def test_json_keys_are_chosen_by_their_values_and_told() -> None:
    lines = [{"id": n, "question": f"Go {n}.", "answer": f"Va {n}."} for n in range(3)]
    write({"a.jsonl": "".join(f"{json.dumps(line)}\n" for line in lines)})
    corpus = load_one(data_config("a.jsonl"))
    assert corpus.pairs[0][:2] == ("Go 0.", "Va 0.")
    told = "a.jsonl: columns question and answer are read as en and fr; set columns to read others"
    assert corpus.warnings == (told,)


def test_json_keys_may_be_chosen_by_number() -> None:
    write({"a.jsonl": '{"a": "x", "b": "Go.", "c": "Va."}\n'})
    assert pairs({"path": "a.jsonl", "columns": [2, 3]}) == [("Go.", "Va.")]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.parquet", b"PAR1\x15\x04", "damaged, or not of the kind its name says"),
        ("a.tsv", b"SQLite format 3\0", "is a database of SQLite: export its table"),
        ("a.txt", b"%PDF-1.7\n", "is a PDF: save it as tab-separated text"),
        (
            "a.tar.gz",
            gzip.compress(b"a" * 257 + b"ustar", mtime=0),
            "is a packed archive: unpack it",
        ),
        ("a.tsv", b"<!DOCTYPE html>\n<html>", "is a web page"),
        ("a.sgm", sgm("srcset", 0).encode(), "markup of one language; for two such files"),
        ("a.xlf", b'<?xml version="1.0"?>\n<xliff><file/></xliff>', "markup of one language"),
    ],
)
def test_what_cannot_be_read_is_named_for_what_it_is(name: str, content: bytes, said: str) -> None:
    write({name: content})
    assert f"{name}: " in refusal(name)
    assert said in refusal(name)


def test_markup_of_several_languages_or_without_segments_is_refused() -> None:
    both = "<dataset><src lang='en'><seg>a</seg></src><ref lang='fr'><seg>b</seg></ref></dataset>"
    write({"a.en": both, "a.fr": both, "b.en": "<?xml version='1.0'?><a>x</a>", "b.fr": "x\n"})
    assert "a.en: has several languages" in refusal({"path": ["a.en", "a.fr"]})
    assert "b.en: is XML without <seg>" in refusal({"path": ["b.en", "b.fr"]})
    write({"c.en": sgm("srcset", 0).rpartition("</seg>")[0], "c.fr": sgm("refset", 1)})
    assert "c.en: ends within a <seg>" in refusal({"path": ["c.en", "c.fr"]})


def test_an_encoding_that_python_does_not_know_is_refused() -> None:
    for name in ("klingon", "hex", "rot13", "undefined"):
        with pytest.raises(ValueError, match="is no encoding that Python knows"):
            data_config({"path": "a.tsv", "encoding": name})
    assert data_config({"path": "a.tsv", "encoding": "UTF8"}).corpus[0].encoding == "utf-8"


# Folders


def test_what_a_folder_has_beside_the_corpus_is_named() -> None:
    write({"d/a.en": "One.\n", "d/a.fr": "Un.\n", "d/b.tsv": TABLE, "d/c.en": "Alone.\n",
           "d/README.md": "x", "d/e.docx": "x", "d/sub/f.tsv": TABLE})  # fmt: skip
    corpus = load_one(data_config("d"))
    assert len(corpus.pairs) == 1 + len(PAIRS)
    assert corpus.warnings == ("d: not read: 'c.en', 'e.docx', 'sub/'",)


def test_what_a_folder_of_test_has_beside_is_named() -> None:
    write({"p.tsv": TABLE, "t/a.en": "One.\n", "t/a.fr": "Un.\n", "t/b.en": "Alone.\n"})
    assert load_splits(data_config("p.tsv", test="t")).warnings() == ["t: not read: 'b.en'"]


def test_files_of_one_name_in_two_folders_of_a_zip_are_both_read() -> None:
    with zipfile.ZipFile("c.zip", "w") as archive:
        for number in ("1", "2"):
            archive.writestr(f"{number}/a.en", f"Go {number}.\n")
            archive.writestr(f"{number}/a.fr", f"Va {number}.\n")
    assert pairs("c.zip") == [("Go 1.", "Va 1."), ("Go 2.", "Va 2.")]


# Sets of dev and test


def test_a_cell_of_several_lines_is_one_line_of_the_split() -> None:
    write({"t.csv": '"One,\nand two.","Un,\r\net deux."\n\nThree.,Trois.\n', "p.tsv": TABLE})
    parts = load_splits(data_config({"path": "p.tsv", "part": "train"}, test="t.csv"))
    write_splits(parts, Path("out"), "en", "fr")
    assert Path("out/test.en").read_text() == "One, and two.\nThree.\n"
    assert Path("out/test.fr").read_text() == "Un, et deux.\nTrois.\n"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.csv", 'Go.,Va.\n"Run.,Cours.\nNo.,Non.\n', "t.csv:2: unbalanced quotation marks"),
        ("t.tsv", b"Go.\tVa.\n\xff\tx\n", "t.tsv:2: not UTF-8"),
        ("t.jsonl", JSON + "x\n", "t.jsonl:4: no JSON object"),
    ],
)
def test_a_line_of_a_set_that_cannot_be_read_is_named(
    name: str, content: str | bytes, said: str
) -> None:
    write({name: content})
    with pytest.raises(UserError, match=said):
        as_set(name)


def test_a_set_with_its_sides_exchanged_is_told() -> None:
    lines = [
        f"Il est dans la maison et pas {n}.\tHe is in the house and not {n}." for n in range(9)
    ]
    write({"t.tsv": "".join(f"{line}\n" for line in lines)})
    [warning] = load_splits(data_config("phrasebook", test="t.tsv")).warnings()
    assert warning.startswith("t.tsv: the first side looks like fr, the second like en: ")


def test_built_in_corpora_refuse_other_languages() -> None:
    for name in ("fra-eng", "phrasebook"):
        for languages in (["en", "de"], ["fr", "en"]):
            settings: dict[str, Any] = {"source": languages[0], "target": languages[1]}
            with pytest.raises(UserError, match=r"data\.languages must be \[en, fr\]"):
                load_one(data_config(name, languages=languages, **settings))
