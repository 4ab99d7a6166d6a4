"""Translation memories: encodings, languages, codes in segments, and broken units."""

import pytest

from gru_mt.data.corpus import text_stream
from gru_mt.data.corpus.report import DropReason
from gru_mt.data.evaluation_set import load_evaluation_set
from tests.corpora import data_config, dropped, load, pairs, refusal, write

PAIRS = [("It's summer & hot.", "C'est l'été."), ("Go!", "Vas-y !"), ("No?", "Non ?")]


def tmx(encoding: str = "utf-8", head: str = "") -> str:
    units = "".join(
        f'<tu><tuv xml:lang="EN-gb"><seg>{first.replace("&", "&amp;")}</seg></tuv>'
        f'<tuv lang="fr"><seg>{second}</seg></tuv></tu>\n'
        for first, second in PAIRS
    )
    declared = f'<?xml version="1.0" encoding="{encoding}"?>\n' if encoding else ""
    return (
        f'{declared}<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"{head}><header/><body>\n'
        f"{units}</body></tmx>\n"
    )


@pytest.mark.parametrize(
    "encoding", ["utf-16", "UTF-16LE", "windows-1252", "iso-8859-1", "UTF8", "mac-roman", ""]
)
def test_a_memory_is_decoded_once_as_it_declares(encoding: str) -> None:
    write({"a.tmx": tmx(encoding).encode(encoding or "utf-8")})
    assert pairs("a.tmx") == PAIRS


def test_other_declarations_are_read_or_refused() -> None:
    write({"a.tmx": tmx("utf-16").encode("utf-8")})  # recoded, with the old declaration
    assert pairs("a.tmx") == PAIRS
    for encoding in ("shift_jis", "euc-jp", "gb18030", "big5", "iso-2022-jp"):  # unknown to expat
        write({"a.tmx": tmx(encoding).replace("été", "中文").encode(encoding)})
        assert pairs("a.tmx")[0] == ("It's summer & hot.", "C'est l'中文."), encoding
    write({"a.tmx": tmx("utf-8").encode("cp1252")})
    assert pairs({"path": "a.tmx", "encoding": "cp1252"}) == PAIRS, "the key wins"
    write({"a.tmx": tmx("klingon").encode("cp1252")})
    assert "declares the encoding 'klingon', which nobody knows: set encoding" in refusal("a.tmx")


def test_units_are_found_by_language_and_region() -> None:
    other = '<tu><tuv xml:lang="de"><seg>Geh.</seg></tuv><tuv lang="FR"><seg>Va.</seg></tuv></tu>'
    write({"a.tmx": tmx().replace("<body>", f"<body>{other}")})
    assert pairs("a.tmx") == PAIRS
    assert dropped("a.tmx") == {DropReason.LANGUAGE: (1,)}
    message = refusal("a.tmx", languages=["en", "ja"], target="ja")
    assert "data.languages ['en', 'ja'] must be the codes that it has" in message


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
    write({"a.tmx": tmx().replace("Go!", segment)})
    assert pairs("a.tmx")[1] == (text, "Vas-y !")


@pytest.mark.parametrize("segment", ["Go & run", "Go <b>now", "Go&nbsp;now", "Go&#1;now"])
def test_a_unit_that_is_no_xml_is_dropped_and_counted(segment: str) -> None:
    write({"a.tmx": tmx().replace("Go!", segment)})
    assert pairs("a.tmx") == [PAIRS[0], PAIRS[2]]
    assert dropped("a.tmx") == {DropReason.XML: (2,)}
    config = data_config("phrasebook", dev="a.tmx")
    found, notes = load_evaluation_set(config.dev[0], config, "data.dev")
    assert (len(found.sources), notes) == (2, ["a.tmx: left out: no well-formed XML: 1"])


def test_units_may_have_prefixes_comments_and_stand_without_a_root() -> None:
    prefixed = tmx(head=' xmlns:mq="urn:x"').replace("<tu>", "<tu><mq:note>n</mq:note>")
    commented = tmx().replace("<body>", "<body><!-- <tu><tuv/></tu> -->")
    unit = '<tu><tuv xml:lang="en"><seg>Go.</seg></tuv><tuv xml:lang="fr"><seg>Va.</seg></tuv></tu>'
    write({"a.tmx": prefixed, "b.tmx": commented, "c.tmx": unit})
    assert pairs("a.tmx") == PAIRS
    assert load("b.tmx").report.read == len(PAIRS)
    assert pairs("c.tmx") == [("Go.", "Va.")]


def test_a_memory_may_be_one_long_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_stream, "PIECE", 7)  # bytes: each tag and letter is cut somewhere
    monkeypatch.setattr(text_stream, "MAX_LINE_BYTES", 100)
    write({"a.tmx": tmx().replace("\n", " ")})
    assert pairs("a.tmx") == PAIRS


def test_a_memory_without_units_or_with_half_a_unit_is_refused() -> None:
    for text, message in {
        "<tmx><body/></tmx>": "it has no unit",
        tmx()[:-60]: "it ends within a unit",
    }.items():
        write({"a.tmx": text})
        assert f"a.tmx: no TMX that can be read: {message}" in refusal("a.tmx")
