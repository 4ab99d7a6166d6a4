"""Tables as people have them: separators, quotation marks, headers and columns are found."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest

from gru_mt.data.corpus.readers.columns import is_header
from gru_mt.data.corpus.report import DropReason
from tests.corpora import dropped, load, pairs, refusal, write

THINGS = ["house, maison", "dog, chien", "letter, lettre"]
PAIRS = [
    (f"Yes, I saw {number} {english}s.", f"Oui, j'ai vu {number} {french}s.")
    for number in range(100, 220)
    for english, french in [THINGS[number % 3].split(", ")]
]
SHORT = [(f"Go {number}.", f"Va {number} !") for number in range(30)]


def table(rows: Any, **settings: Any) -> str:
    """Return a table as Python's csv module writes it."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", **settings).writerows(rows)
    return text.getvalue()


def joined(rows: Any, mark: str) -> str:
    return "".join(mark.join(map(str, row)) + "\n" for row in rows)


def read(name: str, content: str, **keys: Any) -> list[tuple[str, str]]:
    """Return the pairs of a file with this content; `keys` are of its corpus."""
    write({name: content})
    return pairs({"path": name, **keys})


def refused(name: str, content: str, **keys: Any) -> str:
    write({name: content})
    return refusal({"path": name, **keys}, allow_dropped=0.2)


@pytest.mark.parametrize(
    "content",
    [
        "sep=;\n" + joined(PAIRS, ";"),  # Excel, with prose's commas
        joined(PAIRS, "|"),
        table(PAIRS),
        table([(f"{first}; {first}", second) for first, second in PAIRS]).replace("; Yes", ", Yes"),
        table([(first, f"{second}\nBien sûr.") for first, second in PAIRS], delimiter=";"),
        "".join(f'"{first}", "{second}"\n' for first, second in PAIRS),
        "".join(f'"{first}" , "{second}"\n' for first, second in PAIRS),
        table(PAIRS, quoting=csv.QUOTE_ALL, quotechar="'"),
        "\r\n\n" + table(PAIRS).replace("\n", "\r\n\n"),  # empty lines are no records
    ],
)
def test_the_mark_that_gives_all_lines_as_many_columns_divides_them(content: str) -> None:
    found = read("a.csv", content)
    assert len(found) == len(PAIRS)
    assert found[0][1].removesuffix(" Bien sûr.") == PAIRS[0][1]
    assert dropped("a.csv").keys() <= {DropReason.HEADER}


def test_a_delimiter_may_be_set() -> None:
    content = joined(SHORT, "#")
    assert read("a.txt", content, delimiter="#") == read("a.csv", content, delimiter="#") == SHORT
    assert read("c.txt", joined(SHORT, " ||| ")) == SHORT  # as Moses writes it


def test_commas_of_sentences_do_not_divide_them_but_cost_their_line() -> None:
    content = "".join(f"Yes, I {n}.,Oui, moi {n}.\n" for n in range(120))
    assert "set columns" in refused("a.csv", content)
    assert "set columns" in refused("b.csv", content.replace("Yes,", "Yes"))
    assert read("c.csv", table(SHORT) + "Yes, go,Oui\n") == SHORT
    assert dropped("c.csv") == {DropReason.OTHER_COLUMNS: (31,)}


def test_stray_marks_cost_their_lines_and_swallow_no_other() -> None:
    rows = joined(SHORT, ",").splitlines()
    rows[10] = '"' + rows[10]
    assert read("a.csv", "\n".join(rows)) == SHORT[:10] + SHORT[11:]
    assert dropped("a.csv") == {DropReason.QUOTES: (11,)}
    rows[14] = rows[14].replace(",", '",')  # a second one makes no record of what is between
    assert read("b.csv", "\n".join(rows)) == SHORT[:10] + SHORT[15:]
    assert dropped("b.csv") == {DropReason.QUOTES: (11, 12, 13)}
    content = '"broken,x\nen,fr\n' + joined(SHORT, ",")
    assert read("d.csv", content) == SHORT
    assert dropped("d.csv") == {DropReason.QUOTES: (1,), DropReason.HEADER: (2,)}
    content = 'Go.,Va !\nYes.,"' + "Oui.\n" * 2_000 + "One.,Un.\n"
    assert read("c.csv", content) == [("Go.", "Va !"), ("One.", "Un.")]


def test_marks_within_a_cell_are_text_doubled_or_escaped() -> None:
    content = 'He said "go",Il dit « va »\n"Go" he said,"Va" dit-il\n' + table(SHORT)
    assert read("a.csv", content)[:2] == [
        ('He said "go"', "Il dit « va »"),
        ('"Go" he said', '"Va" dit-il'),
    ]
    rows = [(f'"Go" {first}', second) for first, second in SHORT]
    escaped = table(rows, escapechar="\\", doublequote=False, quoting=csv.QUOTE_ALL)
    assert read("a.csv", escaped) == read("b.csv", table(rows)) == rows


def test_a_table_with_tabs_may_have_the_marks_of_csv_or_of_dialogue() -> None:
    rows = [(f'He said: "{first}"', f"Il dit :\n{second}") for first, second in SHORT]
    for quoting in (csv.QUOTE_ALL, csv.QUOTE_MINIMAL):
        assert read("a.tsv", table(rows, delimiter="\t", quoting=quoting)) == [
            (first, " ".join(second.split())) for first, second in rows
        ]
    rows = [(f'"{first}"', f"« {second} »") for first, second in SHORT]
    assert read("b.tsv", joined(rows, "\t")) == rows


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("french,english", [1, 0]),
        ("tgt_text,src_text", [1, 0]),
        ("English words/sentences,French words/sentences", [0, 1]),
        ("fr-FR,en-US", [1, 0]),
        ("textFr,textEn", [1, 0]),
        ("Text,Anglais", [1, 0]),
        ("source,fr", [0, 1]),
        ("en,en_score,french_sentence", [0, 2]),
        ("id,fr,en", [2, 1]),
    ],
)
def test_a_header_names_the_columns(header: str, columns: list[int]) -> None:
    rows = [["x y"] * (header.count(",") + 1) for _ in SHORT]
    for row, pair in zip(rows, SHORT, strict=True):
        row[columns[0]], row[columns[1]] = pair
    for name, delimiter in (("a.csv", ","), ("a.tsv", "\t")):
        content = header.replace(",", delimiter) + "\n" + table(rows, delimiter=delimiter)
        assert read(name, content) == SHORT
        assert dropped(name) == {DropReason.HEADER: (1,)}
    assert read("b.tsv", f"\n{content}") == SHORT


def test_a_line_of_text_is_no_header() -> None:
    for names in (
        ["is", "it"], ["French", "français"], ["English", "English"], ["train.en", "train.fr"],
        ["sentence 1", "phrase 1"], ["...", "!"], ["Hi", "Salut"], ["no", "non"], ["", ""],
        ["The original.", "A translation."], ["source", "source"], ["English.", "French."],
        ["I speak French", "Je parle anglais"],
    ):  # fmt: skip
        assert not is_header(names, ["en", "fr"]), names
    rows = [
        ("en", f"{first} {n}", "fr", f"{second} {n}") for n, (first, second) in enumerate(SHORT * 4)
    ]
    assert read("a.tsv", joined(rows, "\t")) == [row[1::2] for row in rows], "codes in each line"


def test_a_header_with_other_languages_or_columns_is_refused() -> None:
    content = "german,french\n" + table(SHORT)
    message = "a.csv: its header names 'german', and data.languages are en and fr"
    assert message in refused("a.csv", content)
    assert read("a.csv", content, columns=[1, 2]) == SHORT
    content = "id,fr,en\n" + table([(n, *pair[::-1]) for n, pair in enumerate(SHORT)])
    message = "columns [2, 3] are ['fr', 'en'] by its header: set columns: [3, 2]"
    assert message in refused("a.csv", content, columns=[2, 3])
    assert "columns [9, 3] are ['en'] by its header" in refused("a.csv", content, columns=[9, 3])
    assert read("a.csv", content, columns=[3, 2]) == SHORT


@pytest.mark.parametrize(
    "row",
    [
        lambda n, first, second: (f"{1 + n / 997:.4f}", first, second),
        lambda n, first, second: (f"doc-{n}", first, second),
        lambda n, first, second: (f"https://a.org/{n}", first, second, 0.5),
        lambda n, first, second: (first, second, -0.25, 1e-3),
        lambda n, first, second: (["wiki", "ted talks"][n % 2], first, second),
        lambda n, first, second: (n, f" {first}", f" {second}"),  # spaces after tabs are no prose
    ],
)
def test_columns_of_numbers_names_and_labels_are_no_text(row: Callable[..., Any]) -> None:
    many = [(f"Go {number}.", f"Va {number} !") for number in range(120)]
    rows = [row(number, *pair) for number, pair in enumerate(many)]
    assert read("a.tsv", table(rows, delimiter="\t")) == many
    if rows[0][1] != " Go 0.":
        assert read("a.csv", table(rows)) == many


def test_columns_are_chosen_by_values_with_a_word_or_by_number() -> None:
    content = table([(n, *pair) for n, pair in enumerate(SHORT)], delimiter="\t")
    assert read("a.csv", ",en,fr\n" + content.replace("\t", ",")) == SHORT  # an index of pandas
    assert read("a.tsv", content) == read("a.tsv", content, columns=[2, 3]) == SHORT
    note = "a.tsv: columns 2 and 3 are read as en and fr; set columns to read others"
    assert note in load("a.tsv").warnings
    assert load({"path": "a.tsv", "columns": [2, 3]}).warnings == ()
    content = "1\tVa !\tGeh.\tGo.\n2\tOui.\n3\tNon.\tNein.\tNo.\n"
    assert read("c.tsv", content, columns=[4, 2]) == [("Go.", "Va !"), ("No.", "Non.")]
    assert dropped({"path": "c.tsv", "columns": [4, 2]}) == {DropReason.FEW_COLUMNS: (2,)}
    rows = [(first, second, f"x {first}", f"y {second}") for first, second in SHORT]
    assert "set columns to those of en and fr, counted from 1" in refused("a.csv", table(rows))
