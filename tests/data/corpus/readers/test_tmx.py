"""Translation memories: encodings, languages, codes in segments, and broken units."""

import pytest

from gru_mt.data.corpus import text_stream
from gru_mt.data.corpus.report import DropReason
from gru_mt.data.evaluation_set import load_evaluation_set
from tests.corpora import PAIRS, data_config, dropped, load, pairs, refusal, write

UNITS = "".join(
    f'<tu><tuv xml:lang="EN-gb"><seg>{first.replace("&", "&amp;")}</seg></tuv>'
    f'<tuv lang="fr"><seg>{second}</seg></tuv></tu>\n'
    for first, second in PAIRS
)
BODY = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"><header/><body>\n'
TMX = f"{BODY}{UNITS}</body></tmx>\n"


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("utf-16", "utf-16"),
        ("UTF-16LE", "UTF-16LE"),
        ("windows-1252", "cp1252"),
        ("utf-16", "utf-8"),  # recoded, with the old declaration
        ("shift_jis", "shift_jis"),  # unknown to expat
    ],
)
def test_a_memory_is_decoded_once_as_it_declares(declared: str, encoding: str) -> None:
    text = TMX.replace("été", "中文") if encoding == "shift_jis" else TMX
    write({"a.tmx": f'<?xml version="1.0" encoding="{declared}"?>\n{text}'.encode(encoding)})
    assert [first for first, _ in pairs("a.tmx")] == [first for first, _ in PAIRS]
    assert pairs("a.tmx")[0][1].replace("中文", "été") == "C'est l'été."


def test_other_declarations_are_overruled_or_refused() -> None:
    write({"a.tmx": f'<?xml version="1.0" encoding="utf-8"?>\n{TMX}'.encode("cp1252")})
    assert pairs({"path": "a.tmx", "encoding": "cp1252"}) == PAIRS, "the key wins"
    write({"a.tmx": f'<?xml version="1.0" encoding="klingon"?>\n{TMX}'.encode("cp1252")})
    assert "declares the encoding 'klingon', which nobody knows: set encoding" in refusal("a.tmx")


def test_units_are_found_by_language_and_region() -> None:
    other = '<tu><tuv xml:lang="de"><seg>Geh.</seg></tuv><tuv lang="FR"><seg>Va.</seg></tuv></tu>'
    write({"a.tmx": TMX.replace("<body>", f"<body>{other}")})
    assert pairs("a.tmx") == PAIRS
    assert dropped("a.tmx") == {DropReason.LANGUAGE: (1,)}
    message = refusal("a.tmx", languages=["en", "ja"], target="ja")
    assert "data.languages ['en', 'ja'] must be the codes that it has" in message


@pytest.mark.parametrize(
    ("segment", "text"),
    [
        (r'<bpt i="1">{\b </bpt>Go<ept i="1">}</ept>', "Go"),
        ("<hi>Go</hi> <hi><ph>x</ph>now</hi>", "Go now"),
        ("Go<ph type='lb'/>now", "Go now"),
        ("<![CDATA[Go <now>]]><!-- a comment -->", "Go <now>"),
        ("Go\n      now", "Go now"),
    ],
)
def test_codes_in_a_segment_are_no_text(segment: str, text: str) -> None:
    write({"a.tmx": TMX.replace("Go!", segment)})
    assert pairs("a.tmx")[1] == (text, "Vas-y !")


def test_a_unit_that_is_no_xml_is_dropped_and_counted() -> None:
    for segment in ("Go & run", "Go <b>now", "Go&nbsp;now", "Go&#1;now"):
        write({"a.tmx": TMX.replace("Go!", segment)})
        assert pairs("a.tmx") == [PAIRS[0], PAIRS[2]]
        assert dropped("a.tmx") == {DropReason.XML: (2,)}
    write({"a.tmx": TMX.replace("It's", "Ité").encode().replace("é".encode(), b"\xe9")})
    [lines] = load("a.tmx").report.dropped.values()
    assert r"It\udce9 summer" in lines.examples[0], "it can be kept as UTF-8"
    write({"a.tmx": TMX.replace("Go!", "Go & run")})
    config = data_config("phrasebook", dev="a.tmx")
    found, notes = load_evaluation_set(config.dev[0], config, "data.dev")
    assert (len(found.sources), notes) == (2, ["a.tmx: left out: no well-formed XML: 1"])


def test_units_may_have_prefixes_comments_and_stand_without_a_root() -> None:
    prefixed = TMX.replace("<tmx", '<tmx xmlns:mq="urn:x"').replace(
        "<tu>", "<tu><mq:note>n</mq:note>"
    )
    commented = TMX.replace("<body>", "<body><!-- <tu><tuv/></tu> -->")
    write({"a.tmx": prefixed, "b.tmx": commented, "c.tmx": UNITS})
    assert pairs("a.tmx") == pairs("c.tmx") == PAIRS
    assert load("b.tmx").report.read == len(PAIRS)


def test_a_memory_may_be_one_long_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_stream, "PIECE", 7)  # bytes: each tag and letter is cut somewhere
    monkeypatch.setattr(text_stream, "MAX_LINE_BYTES", 100)
    write({"a.tmx": TMX.replace("\n", " ")})
    assert pairs("a.tmx") == PAIRS


def test_a_memory_without_units_or_with_half_a_unit_is_refused() -> None:
    for text, message in {
        "<tmx><body/></tmx>": "it has no unit",
        TMX[:-60]: "it ends within a unit",
    }.items():
        write({"a.tmx": text})
        assert f"a.tmx: no TMX that can be read: {message}" in refusal("a.tmx")
