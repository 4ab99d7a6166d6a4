"""Tables as people have them: separators, quotation marks, headers and columns are found."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.corpus.builder import Corpus
from gru_mt.data.corpus.languages import language_code
from gru_mt.data.corpus.readers.header import is_header, named_columns, other_languages
from gru_mt.data.corpus.report import DroppedLines, DropReason
from gru_mt.errors import UserError
from tests.corpora import data_config, load_one

THINGS = ["house, maison", "dog, chien", "letter, lettre"]
PAIRS = [
    (f"Yes, I saw {number} {english}s.", f"Oui, j'ai vu {number} {french}s.")
    for number in range(100, 220)
    for english, french in [THINGS[number % 3].split(", ")]
]
SHORT = [(f"Go {number}.", f"Va {number} !") for number in range(30)]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(rows: Any, **settings: Any) -> str:
    """Return a table as Python's csv module writes it."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", **settings).writerows(rows)
    return text.getvalue()


def load(name: str, content: str | bytes, corpus: Any = None, **settings: Any) -> Corpus:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_one(data_config({"path": name} | (corpus or {}), **settings))


def pairs(corpus: Corpus) -> list[tuple[str, str]]:
    return [(pair.first, pair.second) for pair in corpus.pairs]


def refusal(name: str, content: str, corpus: Any = None, **settings: Any) -> str:
    with pytest.raises(UserError) as raised:
        load(name, content, corpus, **settings)
    assert "\n" not in str(raised.value)
    return str(raised.value)


# The delimiter


@pytest.mark.parametrize(
    "content",
    [
        "".join(f"{first};{second}\n" for first, second in PAIRS),  # Excel, with prose's commas
        "sep=;\n" + "".join(f"{first};{second}\n" for first, second in PAIRS),
        "".join(f"{first}|{second}\n" for first, second in PAIRS),
        "".join(f"{first}\t{second}\n" for first, second in PAIRS),
        written(PAIRS),
        written(PAIRS, quoting=csv.QUOTE_ALL, delimiter=";"),
        written([(f"{first}; {first}", second) for first, second in PAIRS]).replace(
            "; Yes", ", Yes"
        ),
        written([(first, f"{second}\nBien sûr.") for first, second in PAIRS], delimiter=";"),
        "".join(f'"{first}", "{second}"\n' for first, second in PAIRS),
        written(PAIRS, quoting=csv.QUOTE_ALL, quotechar="'"),
        "\n\n" + written(PAIRS).replace("\n", "\n\n"),  # empty lines are no records
    ],
)
def test_the_mark_that_gives_all_lines_as_many_columns_divides_them(content: str) -> None:
    corpus = load("a.csv", content)
    assert len(pairs(corpus)) == len(PAIRS)
    assert pairs(corpus)[0][1].removesuffix(" Bien sûr.") == PAIRS[0][1]
    assert corpus.report.dropped.keys() <= {DropReason.HEADER}


def test_a_delimiter_may_be_set() -> None:
    content = "".join(f"{first}#{second}\n" for first, second in SHORT)
    assert pairs(load("a.txt", content, {"delimiter": "#"})) == SHORT
    assert pairs(load("a.csv", content, {"delimiter": "#"})) == SHORT
    assert "set delimiter" in refusal("b.txt", written(SHORT))
    moses = "".join(f"{first} ||| {second}\n" for first, second in SHORT)
    assert "set delimiter: '|||'" in refusal("c.txt", moses)
    assert pairs(load("c.txt", moses, {"delimiter": "|||"})) == SHORT


def test_commas_of_sentences_do_not_divide_them() -> None:
    content = "".join(f"Yes, I {n}.,Oui, moi {n}.\n" for n in range(120))
    assert "set columns" in refusal("a.csv", content)
    assert "set columns" in refusal("b.csv", content.replace("Yes,", "Yes"))


def test_a_comma_that_no_quotation_marks_protect_costs_its_line() -> None:
    corpus = load("a.csv", written(SHORT) + "Yes, go,Oui\n")
    assert pairs(corpus) == SHORT
    assert corpus.report.dropped == {DropReason.OTHER_COLUMNS: DroppedLines(1, (31,))}


# Quotation marks


def test_a_stray_mark_costs_its_line_and_swallows_no_other() -> None:
    rows = [f"{first},{second}" for first, second in SHORT]
    rows[10] = '"' + rows[10]
    corpus = load("a.csv", "\n".join(rows))
    assert pairs(corpus) == SHORT[:10] + SHORT[11:]
    assert corpus.report.dropped == {DropReason.QUOTES: DroppedLines(1, (11,))}


def test_two_stray_marks_do_not_make_a_record_of_what_is_between() -> None:
    rows = [f"{first},{second}" for first, second in SHORT]
    rows[10], rows[14] = '"' + rows[10], rows[14].replace(",", '",')
    corpus = load("a.csv", "\n".join(rows))
    assert pairs(corpus) == SHORT[:10] + SHORT[15:]
    assert corpus.report.dropped == {DropReason.QUOTES: DroppedLines(5, (11, 12, 13))}


def test_a_stray_mark_costs_a_line_of_text_in_one_language() -> None:
    content = 'Un, deux.\n"Trois.\nQuatre.\nIl dit "cinq".\nSix"\n'
    found = load("a.csv", content, {"side": "target"}, back_translate="runs/back")
    assert [pair.second for pair in found.pairs] == [
        "Un, deux.",
        "Quatre.",
        'Il dit "cinq".',
        'Six"',
    ]
    assert found.report.dropped == {DropReason.QUOTES: DroppedLines(1, (2,))}


def test_marks_amid_a_cell_are_text() -> None:
    content = 'He said "go",Il dit « va »\n"Go" he said,"Va" dit-il\n' + written(SHORT)
    assert pairs(load("a.csv", content))[:2] == [
        ('He said "go"', "Il dit « va »"),
        ('"Go" he said', '"Va" dit-il'),
    ]


def test_a_backslash_may_stand_before_a_mark() -> None:
    rows = [(f'"Go" {first}', second) for first, second in SHORT]
    content = written(rows, escapechar="\\", doublequote=False, quoting=csv.QUOTE_ALL)
    assert pairs(load("a.csv", content)) == rows


@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
def test_a_table_with_tabs_may_have_the_marks_of_csv(quoting: Any) -> None:
    rows = [(f'He said: "{first}"', f"Il dit :\n{second}") for first, second in SHORT]
    content = written(rows, delimiter="\t", quoting=quoting)
    assert pairs(load("a.tsv", content)) == [
        (first, " ".join(second.split())) for first, second in rows
    ]


def test_marks_of_dialogue_in_a_table_with_tabs_stay() -> None:
    rows = [(f'"{first}"', f"« {second} »") for first, second in SHORT]
    assert pairs(load("a.tsv", "".join("\t".join(row) + "\n" for row in rows))) == rows


# Headers


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("en,fr", [0, 1]),
        ("french,english", [1, 0]),
        ("target,source", [1, 0]),
        ("tgt_text,src_text", [1, 0]),
        ("English words/sentences,French words/sentences", [0, 1]),
        ("sentence_fr,sentence_en", [1, 0]),
        ("fr-FR,en-US", [1, 0]),
        ("translation.fr,translation.en", [1, 0]),
        ("textFr,textEn", [1, 0]),
        ("Français,Anglais", [1, 0]),
        ("Text,English", [1, 0]),
        ("translation,text", [1, 0]),
        ("source,fr", [0, 1]),
    ],
)
def test_a_header_names_the_columns(header: str, columns: list[int]) -> None:
    rows = [[pair[columns.index(place)] for place in (0, 1)] for pair in SHORT]
    for name, delimiter in (("a.csv", ","), ("a.tsv", "\t")):
        content = header.replace(",", delimiter) + "\n" + written(rows, delimiter=delimiter)
        corpus = load(name, content)
        assert pairs(corpus) == SHORT
        assert corpus.report.dropped == {DropReason.HEADER: DroppedLines(1, (1,))}


@pytest.mark.parametrize(
    ("names", "languages", "found"),
    [
        (["id", "fr", "en"], ["en", "fr"], [2, 1]),
        (["source", "english_sentence", "hindi_sentence"], ["en", "hi"], [1, 2]),
        (["en", "en_score", "fr"], ["en", "fr"], [0, 2]),
        (["en_1", "en_2", "fr"], ["en", "fr"], None),
        (["deu", "eng"], ["en", "de"], [1, 0]),
        (["हिन्दी", "English"], ["en", "hi"], [1, 0]),
        (["I speak French", "Je parle anglais"], ["en", "fr"], None),
        (["English.", "French."], ["en", "fr"], None),
    ],
)
def test_columns_by_their_names(
    names: list[str], languages: list[str], found: list[int] | None
) -> None:
    assert named_columns(names, languages) == found


@pytest.mark.parametrize(
    "names",
    [["is", "it"], ["Go", "Va"], ["French", "français"], ["English", "English"],
     ["train.en", "train.fr"], ["sentence 1", "phrase 1"], ["...", "!"],
     ["1", "2"], ["Hi", "Salut"], ["The original.", "A translation."],
     ["no", "non"], ["", ""], ["English"]],
)  # fmt: skip
def test_a_line_of_text_is_no_header(names: list[str]) -> None:
    assert not is_header(names, ["en", "fr"])


def test_names_of_a_language_have_one_code() -> None:
    assert {*map(language_code, ["en", "ENG", "English", "en-GB", "en_us", "anglais"])} == {"en"}
    assert language_code("zh-Hans") == language_code("cmn") == "zh"
    assert language_code("Klingon") == "klingon"
    assert other_languages(["German", "French"], ["en", "fr"]) == ["German"]
    assert other_languages(["German", "French"], ["en", "klingon"]) == []


def test_codes_in_each_line_are_no_header() -> None:
    rows = [("en", first, "fr", second) for first, second in SHORT * 4]
    rows = [(a, f"{b} {n}", c, f"{d} {n}") for n, (a, b, c, d) in enumerate(rows)]
    assert pairs(load("a.tsv", written(rows, delimiter="\t"))) == [row[1::2] for row in rows]


def test_a_header_that_names_one_language_has_the_usual_order() -> None:
    assert pairs(load("a.csv", "English,Text\n" + written(SHORT))) == SHORT
    assert "'hindi_sentence'" in refusal("b.csv", "id,english,hindi_sentence\n1,a,b\n")


def test_a_header_with_other_languages_is_refused() -> None:
    said = refusal("a.csv", "german,french\n" + written(SHORT))
    assert "a.csv: its header names 'german', and data.languages are en and fr" in said
    assert pairs(load("a.csv", "german,french\n" + written(SHORT), {"columns": [1, 2]})) == SHORT


def test_columns_that_contradict_the_header_are_refused() -> None:
    content = "id,fr,en\n" + written([(n, *pair[::-1]) for n, pair in enumerate(SHORT)])
    said = refusal("a.csv", content, {"columns": [2, 3]})
    assert "columns [2, 3] are ['fr', 'en'] by its header: set columns: [3, 2]" in said
    assert pairs(load("a.csv", content, {"columns": [3, 2]})) == SHORT


# Columns without a header


@pytest.mark.parametrize(
    "row",
    [
        lambda n, first, second: (n, first, second),
        lambda n, first, second: (f"{1 + n / 997:.4f}", first, second),
        lambda n, first, second: (f"doc-{n}", first, second),
        lambda n, first, second: (f"https://a.org/{n}", first, second, 0.5),
        lambda n, first, second: (n, first, n + 5, second),
        lambda n, first, second: (first, second, -0.25, 1e-3),
        lambda n, first, second: (first, second, n / 7),
        lambda n, first, second: (first, second, f"https://a.org/{n}"),
        lambda n, first, second: (["wiki", "ted talks"][n % 2], first, second),
    ],
)
def test_columns_of_numbers_names_and_labels_are_no_text(row: Any) -> None:
    many = [(f"Go {number}.", f"Va {number} !") for number in range(120)]
    rows = [row(number, *pair) for number, pair in enumerate(many)]
    for name, delimiter in (("a.csv", ","), ("a.tsv", "\t")):
        assert pairs(load(name, written(rows, delimiter=delimiter))) == many


def test_spaces_after_tabs_are_no_prose() -> None:
    rows = [(number, f" {first}", f" {second}") for number, (first, second) in enumerate(SHORT)]
    assert pairs(load("a.tsv", written(rows, delimiter="\t"))) == SHORT


def test_an_index_of_pandas_has_no_name() -> None:
    content = ",en,fr\n" + written([(n, *pair) for n, pair in enumerate(SHORT)])
    assert pairs(load("a.csv", content)) == SHORT


def test_what_was_chosen_by_its_looks_is_said() -> None:
    content = written([(n, *pair) for n, pair in enumerate(SHORT)], delimiter="\t")
    corpus = load("a.tsv", content)
    assert (
        "a.tsv: columns 2 and 3 are read as en and fr; set columns to read others"
        in corpus.warnings
    )
    assert load("a.tsv", content, {"columns": [2, 3]}).warnings == ()


def test_four_columns_of_text_are_refused() -> None:
    rows = [(first, second, f"x {first}", f"y {second}") for first, second in SHORT]
    assert "set columns to those of en and fr, counted from 1" in refusal("a.csv", written(rows))


# Text in one language


def test_the_column_of_text_in_one_language_is_found_by_its_name() -> None:
    corpus = {"side": "target"}
    settings = {"back_translate": "runs/back"}
    found = load("a.csv", "id,fr,en\n1,Va !,Go.\n", corpus, **settings)
    assert [pair.second for pair in found.pairs] == ["Va !"]
    plain = load("b.csv", "Yes, go.\nNo.\n", corpus, **settings)
    assert [pair.second for pair in plain.pairs] == ["Yes, go.", "No."]
