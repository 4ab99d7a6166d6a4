"""Every format is read as a corpus and as dev; what is none is refused with what to do."""

import gzip
import json

import pytest

from gru_mt.data.corpus.report import DropReason
from gru_mt.data.dataset.source_files import fingerprints_of, missing_files
from gru_mt.data.evaluation_set import EvaluationSet, load_evaluation_set
from gru_mt.errors import UserError
from tests.corpora import PAIRS, TABLE, data_config, dropped, load, pairs, refusal, write, zipped

JSON = "".join(json.dumps({"id": 1, "translation": {"en": first, "fr": second}}) + "\n"
               for first, second in PAIRS)  # fmt: skip
TMX = "<tmx><header/><body>\n" + "".join(
    f'<tu><tuv xml:lang="en"><seg>{first.replace("&", "&amp;")}</seg></tuv>'
    f'<tuv xml:lang="fr"><seg>{second}</seg></tuv></tu>\n'
    for first, second in PAIRS
) + "</body></tmx>\n"  # fmt: skip


def sgm(kind: str, side: int) -> str:
    segments = "".join(f'<seg id="{number}"> {pair[side].replace("&", "&amp;")} </seg>\n'
                       for number, pair in enumerate(PAIRS, start=1))  # fmt: skip
    return f'<{kind} setid="t" srclang="any">\n<doc>\n<hl>\n{segments}</hl></doc></{kind}>'


OBJECTS = [json.loads(line) for line in JSON.splitlines()]


def iwslt(side: int) -> str:
    about = "<url>http://a</url>\n<talkid>1</talkid>\n<title>A & b</title>\n"
    return about + "".join(f"{pair[side]}\n" for pair in PAIRS)


FORMATS: dict[str, dict[str, str | bytes]] = {  # several files are parallel
    "json lines with a byte order mark": {"a.jsonl": "\ufeff" + JSON},
    "json lines, flat": {"a.ndjson": "\n\n".join(json.dumps({"fr": b, "en": a}) for a, b in PAIRS)},
    "json lines of lists": {"a.json": "\n".join(map(json.dumps, PAIRS))},
    "a json array": {"a.json": "[\n" + ",\n".join(JSON.splitlines()) + "\n]"},
    "an array on one line": {"a.json": json.dumps(OBJECTS)},
    "an array of lists": {"a.json": json.dumps(PAIRS)},
    "an array of one object": {"a.json": json.dumps({"data": OBJECTS, "n": 2}, indent=1)},
    "an object of texts": {"a.json": json.dumps(dict(PAIRS), indent=1)},
    "two objects with the same names": {
        f"{language}.json": json.dumps({"a": {"b": one}, "c": [], "d": two, "e": three})
        for language, (one, two, three) in zip(("en", "fr"), zip(*PAIRS, strict=True), strict=True)
    },
    "two lists": {f"{side}.json": json.dumps([pair[side] for pair in PAIRS]) for side in (0, 1)},
    "json lines by another name": {"a.txt": JSON},
    "tmx, gz": {"a.tmx.gz": gzip.compress(TMX.encode(), mtime=0)},
    "tmx, by another name": {"a.xml": TMX},
    "sgm": {"s.sgm": sgm("srcset", 0), "r.sgm": sgm("refset", 1)},
    "iwslt": {"tags.en": iwslt(0), "tags.fr": iwslt(1)},
}


def as_dev(files: object) -> tuple[EvaluationSet, list[str]]:
    config = data_config("phrasebook", dev=files)
    return load_evaluation_set(config.dev[0], config, "data.dev")


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_read_as_corpus_and_as_dev(name: str) -> None:
    write(FORMATS[name])
    corpus = {"path": [*FORMATS[name]]}
    assert pairs(corpus) == PAIRS
    found, notes = as_dev(corpus)
    references = [reference for [reference] in found.references]
    assert [*zip(found.sources, references, strict=True)] == PAIRS
    assert notes == []


def test_a_zip_and_a_folder_are_read_as_dev() -> None:
    files = {"a.en": "One.\nTwo.\n", "a.fr": "Un.\nDeux.\n", "b.tsv": TABLE}
    write({f"d/{name}": text for name, text in files.items()})
    write({"d.zip": zipped(*((name, text.encode()) for name, text in files.items()))})
    for path in ("d", "d.zip"):
        assert as_dev(path)[0].sources == ["One.", "Two.", *(first for first, _ in PAIRS)]
    config = data_config("d/b.tsv", dev="d")  # the run knows the files
    assert missing_files(config, fingerprints_of(config)) == []


def test_a_cell_of_several_lines_is_one_sentence() -> None:
    write({"t.csv": '"One,\nand two.","Un,\r\net deux."\n\nThree.,Trois.\n'})
    assert as_dev("t.csv")[0].sources == ["One, and two.", "Three."]
    assert as_dev("t.csv")[0].references == [["Un, et deux."], ["Trois."]]


def test_what_is_odd_in_dev_is_named() -> None:
    for name, content, message in (
        ("t.csv", 'Go.,Va.\n"Run.,Cours.\nNo.,Non.\n', r"t.csv:2: unbalanced quotation marks"),
        ("t.tsv", b"Go.\tVa.\n\xff\tx\n", "t.tsv:2: not UTF-8"),
        ("t.jsonl", JSON + "x\n", "t.jsonl:4: no JSON object"),
    ):
        write({name: content})
        with pytest.raises(UserError, match=message):
            as_dev(name)
    line = "Il est dans la maison et pas {}.\tHe is in the house and not {}.\n"
    write({"t.tsv": "".join(line.format(n, n) for n in range(9))})
    [warning] = as_dev("t.tsv")[1]
    assert warning.startswith("t.tsv: the first side looks like fr, the second like en: ")


def test_a_line_of_other_json_is_counted_and_keys_are_chosen_by_values_or_by_number() -> None:
    write({"a.jsonl": JSON + '{"translation": {"en": "x"}}\nnot json\n{"translation": null}\n7\n'})
    assert dropped("a.jsonl") == {DropReason.LANGUAGE: (4, 6), DropReason.JSON: (5, 7)}
    write({"a.jsonl": JSON + '{"translation": {"en": "\\ud83d", "fr": "x"}}\n'})  # half an emoji
    assert dropped("a.jsonl") == {DropReason.CONTROL: (4,)}
    write({"a.jsonl": JSON + '{"a":' * 20 + "{}" + "}" * 20 + "\n"})  # names of names of names
    assert dropped("a.jsonl") == {DropReason.JSON: (4,)}
    latin = b'{"en": "a", "fr": "\xe9"}\n' * 1_000 + b'{"en": "b", "fr": "c"}\n'
    write({"a.jsonl": latin})  # no name is known by then
    assert "1,001 of 1,001 lines dropped" in refusal("a.jsonl")
    more = "".join(f', "name {n}": {n}' for n in range(40))
    write({"a.jsonl": JSON.replace("}\n", more + "}\n")})
    assert len(pairs("a.jsonl")) == JSON.count("\n")
    write({"a.jsonl": '{"id": 1, "question": "Go.", "answer": "Va."}\n'})
    assert pairs({"path": "a.jsonl", "columns": [3, 2]}) == [("Va.", "Go.")]
    corpus = load("a.jsonl")
    assert corpus.pairs[0][:2] == ("Go.", "Va.")
    assert "columns question and answer are read as en and fr; set" in corpus.warnings[0]


def test_a_name_that_one_of_two_files_has_is_counted() -> None:
    write({"a.json": '{"x": "Go.", "y": "Run.", "z": 1}'})
    write({"b.json": '{"x": "Va.", "z": "Un.", "w": "O"}'})
    assert pairs({"path": ["a.json", "b.json"]}) == [("Go.", "Va.")]
    assert dropped({"path": ["a.json", "b.json"]}) == {DropReason.EMPTY: (2, 3, 4)}
    found, notes = as_dev({"path": ["a.json", "b.json"]})
    assert (found.sources, found.references) == (["Go."], [["Va."]])
    assert notes == ["a.json: left out: empty side: 3"]
    write({"b.json": '{"x": 1}\n{"x": 2}', "c.json": "5", "d.json": '{"a":' * 20 + "{}" + "}" * 20})
    assert "d.json: not JSON: more than 10 objects" in refusal({"path": ["a.json", "d.json"]})
    for name, message in (("b", "not JSON: Extra data"), ("c", "JSON without an object or a list")):
        assert f"{name}.json: {message}" in refusal({"path": ["a.json", f"{name}.json"]})


def test_markup_of_several_languages_or_without_segments_is_refused() -> None:
    both = "<dataset><src lang='en'><seg>a</seg></src><ref lang='fr'><seg>b</seg></ref></dataset>"
    write({"a.en": both, "a.fr": both, "b.en": "<?xml version='1.0'?><a>x</a>", "b.fr": "x\n"})
    write({"c.en": sgm("srcset", 0).rpartition("</seg>")[0], "c.fr": sgm("refset", 1)})
    write({"d.tmx": TMX, "d.fr": "x\n"})
    write({f"e.{language}": "<seg>a\n" * 3_000 + "<seg>b</seg>\n" for language in ("en", "fr")})
    for first, message in {
        "a.en": "has several languages",
        "b.en": "is XML without <seg>",
        "c.en": "ends within a <seg>",
        "e.en": "a <seg> has no end, </seg>",
        "d.tmx": "a translation memory has both sides; give it alone",
    }.items():
        assert f"{first}: {message}" in refusal({"path": [first, f"{first[0]}.fr"]})


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.xlsx", b"PK\x03\x04 and more", "is a zip archive, as Word, Excel and OpenDocument"),
        ("c.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "save it as tab-separated text (.tsv)"),
        ("a.tsv", b"SQLite format 3\0", "is a database of SQLite: export its table"),
        (
            "a.tar.gz",
            gzip.compress(bytes([97] * 257) + b"ustar", mtime=0),
            "is a packed archive: unpack it",
        ),
        ("a.tsv", b"<!DOCTYPE html>\n<html>", "is a web page"),
        ("a.sgm", sgm("srcset", 0), "markup of one language; for two such files"),
        ("a.xlf", "<?xml version='1.0'?>\n<xliff version='1.2'>", "is XLIFF: export it as TMX"),
        ("fr.po", '# a\n\nmsgid ""\nmsgstr ""\n', "is a PO file: export it as TMX"),
        ("a.srt", "1\r\n00:00:01,000 --> 00:00:02,000\r\nHi\r\n", "is subtitles: write a sentence"),
        ("a.tsv", "version https://git-lfs.github.com/spec/v1\n", "is a pointer of Git LFS"),
        (
            "a.json",
            '{\n "Go.": "Va.",\n "a": [1]\n}',
            "no list of objects; write one object a line",
        ),
        ("a.json", '[{"en": "a"},\n{"en"', "neither JSON lines nor JSON: "),
        ("a.json", '{"a": "x", "b": "y", "c": "z"}\n', "do not tell which are en and fr: set col"),
    ],
)
def test_what_cannot_be_read_is_named_with_the_fix(
    name: str, content: str | bytes, message: str
) -> None:
    write({name: content})
    assert refusal(name).startswith(f"{name}: ")
    assert message in refusal(name)
