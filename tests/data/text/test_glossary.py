"""The terms of a glossary in a text."""

import re
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.text.glossary import Glossary
from gru_mt.data.text.placeholders import Span
from gru_mt.errors import UserError


def read(folder: Path, data: str | bytes) -> Glossary:
    path = folder / "terms.tsv"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return Glossary.read(path)


TERMS = """\
# source\ttarget
cat\tChat
black cat\tchat noir
cat food\tcroquettes

North Sea\tmer du Nord
C++\tC++
.NET\tdotnet
Straße\true
Οδος\tchemin
東京\tTokyo
ไทย\tthaï
हिन्द\tInde
Iso-9001\tISO
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A cat, a Cat and a CAT's.", ["cat=Chat", "Cat=Chat", "CAT=Chat"]),
        ("concatenate cats cat_ cat9 bobcat caté", []),
        ("The black cat", ["black cat=chat noir"]),
        ("A black cat food", ["black cat=chat noir"]),  # longer than "cat food"
        ("cat food", ["cat food=croquettes"]),
        ("the north \u00a0 sea, North Seas", ["north \u00a0 sea=mer du Nord"]),
        ("C++ and C+++, xC++", ["C++=C++", "C++=C++"]),
        ("use .NET, ASP.NET", [".NET=dotnet", ".NET=dotnet"]),
        ("STRAßE Straße STRASSE", ["STRAßE=rue", "Straße=rue", "STRASSE=rue"]),
        ("οδος ΟΔΟΣ", ["οδος=chemin", "ΟΔΟΣ=chemin"]),  # a final sigma
        ("我在東京都 cat東京", ["東京=Tokyo", "cat=Chat", "東京=Tokyo"]),
        ("คนไทยและ", ["ไทย=thaï"]),
        ("हिन्दी हिन्द", ["हिन्द=Inde"]),  # a vowel sign goes on with the word
        ("iso-9001 ISO-90012", ["iso-9001=ISO"]),
        ("İ cat", ["cat=Chat"]),  # its lower case has two characters
        ("cat", ["cat=Chat"]),
        ("  cat  \n cat ", ["cat=Chat", "cat=Chat"]),
        ("", []),
    ],
)
def test_terms_are_found_where_no_word_goes_on(tmp_path: Path, text: str, found: list[str]) -> None:
    spans = read(tmp_path, TERMS).find(text)
    assert [f"{text[start:end]}={translation}" for start, end, translation in spans] == found
    assert all(first.end <= second.start for first, second in pairwise(spans))


def test_a_file_is_read_as_editors_write_it(tmp_path: Path) -> None:
    glossary = read(tmp_path, b"\xef\xbb\xbf a  b \t A  B \r\ncat\tchat\r\nCat\tchat\n")
    assert glossary.find("A B cat") == [Span(0, 3, "A  B"), Span(4, 7, "chat")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a\tb\n\ncat chat\n", "terms.tsv:3: expected 'term<TAB>translation', with one tab"),
        ("a\tb\tc\n", "terms.tsv:1: expected 'term<TAB>translation', with one tab"),
        ("a\t \n", "terms.tsv:1: the translation is empty; write one"),
        ("#\n\tb\n", "terms.tsv:2: the term is empty; write one"),
        ("\u200b\tb\n", "terms.tsv:1: the term is empty; write one"),
        (b"a\tb\nc\t\xff\n", "terms.tsv:2: not UTF-8; save the file as UTF-8"),
        ("a\tb\x1b[2J\n", "terms.tsv:1: a control character in 'b\\x1b[2J'; remove it"),
        ("cat\tchat\n\nCat\tminou\n", "terms.tsv:3: 'Cat' is 'minou' here and 'chat' in "),
        ("IT\tchat\nIT\tminou\n", "terms.tsv:2: 'IT' is 'minou' here and 'chat' in "),
        ("a\t\u202eb\n", "terms.tsv:1: a control character in '\\u202eb'; remove it"),
        ("a\u2066\tb\n", "terms.tsv:1: a control character in 'a\\u2066'; remove it"),
        ("a\tb\x85c\n", "terms.tsv:1: a control character in 'b\\x85c'; remove it"),
        ("", "terms.tsv: no terms"),
        ("# a\tb\n \n", "terms.tsv: no terms"),
    ],
)
def test_a_malformed_line_is_named_with_the_fix(
    tmp_path: Path, data: str | bytes, message: str
) -> None:
    with pytest.raises(UserError, match=re.escape(message)) as error:
        read(tmp_path, data)
    assert "\n" not in str(error.value)


def test_marks_that_arabic_and_hebrew_texts_have_may_stand_in_a_term(tmp_path: Path) -> None:
    glossary = read(tmp_path, "C++\tC++\u200e\n")
    assert glossary.find("C++") == [Span(0, 3, "C++\u200e")]


def test_a_glossary_without_end_is_not_read_for_ever() -> None:
    with pytest.raises(UserError, match=r"^/dev/zero: more than 30,000,000 bytes"):
        Glossary.read(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"": "x"}, "glossary['']: the term is empty"),
        ({" \u00a0": "x"}, "the term is empty"),
        ({"a": ""}, "glossary['a']: the translation is empty"),
        ({"a": "b\nc"}, "glossary['a']: a control character in 'b\\nc'"),
        ({"a\tb": "c"}, "a control character in 'a\\tb'"),
        ({"a": "\u202eb"}, "a control character"),
        ({"a": "\ud800"}, "a control character"),
        ({"a": 3}, "glossary['a']: the translation must be text, got 3"),
        ({3: "a"}, "glossary[3]: the term must be text, got 3"),
        ({b"a": "b"}, "the term must be text, got b'a'"),
        ({"Cat": "chat", "cat": "minou"}, "'cat' is 'minou' here and 'chat' in glossary['Cat']"),
        ([("a", "b")], "a glossary must be a dict"),
        ("terms.tsv", "a glossary must be a dict"),
        (None, "a glossary must be a dict"),
    ],
)
def test_terms_of_a_dict_are_held_to_the_same(terms: Any, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)) as error:
        Glossary.of(terms)
    assert "\n" not in str(error.value)


def test_spaces_around_a_term_of_a_dict_make_no_difference() -> None:
    assert Glossary.of({" red  cat ": " a "}).find("Red cat") == [Span(0, 7, "a")]


def test_a_path_may_be_text(tmp_path: Path) -> None:
    assert read(tmp_path, TERMS) == Glossary.read(str(tmp_path / "terms.tsv"))
    for path in (None, 3, b"terms.tsv", ["terms.tsv"]):
        with pytest.raises(UserError, match=r"^the glossary must be a path, got "):
            Glossary.read(path)  # type: ignore[arg-type]


def test_a_file_that_is_not_there_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        Glossary.read(tmp_path / "none.tsv")


def test_thousands_of_terms_are_found_each(tmp_path: Path) -> None:
    terms = [f"term {i} of{' very' * (i % 40)} many" for i in range(1_000)]
    glossary = read(tmp_path, "".join(f"{term}\t<{i}>\n" for i, term in enumerate(terms)))
    spans = glossary.find(", ".join(terms))
    assert [span.text for span in spans] == [f"<{i}>" for i in range(1_000)]


def test_a_term_is_no_part_of_a_word_with_vowel_signs() -> None:
    glossary = Glossary.of({"लड़क": "x", "लड़की": "girl", "ก": "x", "กี": "y", "می": "x"})
    assert [span.text for span in glossary.find("लड़की, लड़का")] == ["girl"]
    assert [span.text for span in glossary.find("กี่ กี กก")] == ["y", "x", "x"]
    assert glossary.find("می\u200cخواهم") == []


def test_terms_and_translations_are_in_one_way_of_writing(tmp_path: Path) -> None:
    written = "cafe\u0301\te\u0301te\u0301\nco\u00adop\tb\n"
    for glossary in (
        read(tmp_path, written),
        Glossary.of(dict(line.split("\t") for line in written.splitlines())),
    ):
        assert [span.text for span in glossary.find("Café, coop")] == ["été", "b"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("IT is it, It and it's US.", ["info", "les USA"]),
        ("IS IT BIG?", ["info"]),  # nothing tells it from the pronoun
        ("r&d R&D", ["R&D"]),
        ("the us, THE US and Us", ["nous", "les USA", "nous"]),
        ("gru GRU Gru GRU模型", ["grue", "grue", "grue", "modèle"]),
        ("a vitamin C, c", ["c", "c"]),  # one letter is not enough
        ("ÉU É\u0301U e\u0301u E\u0301U", ["UE", "UE"]),
    ],
)
def test_a_term_in_capitals_is_found_in_capitals(text: str, found: list[str]) -> None:
    terms = {"IT": "info", "US": "les USA", "us": "nous", "R&D": "R&D", "Gru": "grue", "C": "c"}
    glossary = Glossary.of({**terms, "ÉU": "UE", "gru模型": "modèle"})
    assert [span.text for span in glossary.find(text)] == found


APOSTROPHES = "'’ʼ‘"


@pytest.mark.parametrize("of_term", APOSTROPHES)
def test_apostrophes_are_equal(of_term: str) -> None:
    glossary = Glossary.of({f"o{of_term}clock": "h", f"Rock {of_term}n{of_term} roll": "rock"})
    for each in APOSTROPHES:
        text = f"At 5 O{each}clock rock {each}n{each} roll"
        assert [*glossary.find(text)] == [Span(5, 12, "h"), Span(13, 26, "rock")]


@pytest.mark.parametrize(
    "ways",
    [
        ["café", "cafe\u0301", "CAFÉ", "CAFE\u0301"],
        ["ǰin", "j\u030cin", "J\u030cIN"],  # no single character is the capital
        ["ΐ", "ι\u0308\u0301", "Ϊ\u0301", "ϊ\u0301"],
        ["q\u0323\u0307x", "q\u0307\u0323x", "Q\u0307\u0323x"],  # marks in any order
        ["ệx", "ẹ\u0302x", "ê\u0323x", "e\u0302\u0323X"],
        ["İzmir", "I\u0307zmir", "izmir"],
        ["각하", "\u1100\u1161\u11a8하"],
        ["がx", "か\u3099x"],
    ],
)
def test_accents_are_equal_however_they_are_written(ways: list[str]) -> None:
    for term in ways[:2]:  # a term in capitals would need capitals
        glossary = Glossary.of({term: "x"})
        for text in ways:
            assert glossary.find(f"b {text}, d") == [Span(2, 2 + len(text), "x")], ascii(text)
        base = unicodedata.normalize("NFD", ways[0])
        assert glossary.find(f"b {base}\u0300, d") == [], "another accent is another letter"
