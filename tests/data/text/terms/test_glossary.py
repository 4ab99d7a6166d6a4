"""The terms of a glossary in a text."""

import re
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.text.placeholders import Span
from gru_mt.data.text.terms.glossary import Glossary
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
Οδος\tchemin
東京\tTokyo
हिन्द\tInde
می\tx
IT\tinfo
US\tles USA
us\tnous
R&D\tR&D
o’clock\theures
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A cat, a Cat and a CAT's.", ["cat=Chat", "Cat=Chat", "CAT=Chat"]),
        ("concatenate cats cat_ cat9 bobcat caté", []),
        ("the north \u00a0 sea, North Seas", ["north \u00a0 sea=mer du Nord"]),
        ("οδος ΟΔΟΣ", ["οδος=chemin", "ΟΔΟΣ=chemin"]),  # a final sigma
        ("我在東京都 cat東京", ["東京=Tokyo", "cat=Chat", "東京=Tokyo"]),
        ("हिन्दी हिन्द", ["हिन्द=Inde"]),  # a vowel sign goes on with the word
        ("می\u200cخواهم", []),  # and so does a joiner
        ("IT is it, It and it's US.", ["IT=info", "US=les USA"]),  # capitals are found as capitals
        ("IS IT BIG?", ["IT=info"]),  # nothing tells it from the pronoun
        ("r&d R&D, the us, Us", ["R&D=R&D", "us=nous", "Us=nous"]),
        ("5 O'clock, o’clock oʼclock", ["O'clock=heures", "o’clock=heures", "oʼclock=heures"]),
        ("", []),
    ],
)
def test_terms_are_found_where_no_word_goes_on(tmp_path: Path, text: str, found: list[str]) -> None:
    spans = read(tmp_path, TERMS).find(text)
    assert [f"{text[start:end]}={translation}" for start, end, translation in spans] == found
    assert all(first.end <= second.start for first, second in pairwise(spans))


def test_a_file_is_read_as_editors_write_it(tmp_path: Path) -> None:
    glossary = read(
        tmp_path, b"\xef\xbb\xbf a  b \t A  B \r\ncat\tC\xe2\x80\x8e\r\nCat\tC\xe2\x80\x8e\n"
    )
    assert glossary.find("A B cat") == [Span(0, 3, "A  B"), Span(4, 7, "C\u200e")]  # of Arabic
    assert glossary == Glossary.read(str(tmp_path / "terms.tsv"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a\tb\n\ncat chat\n", "terms.tsv:3: expected 'term<TAB>translation', with one tab"),
        (b"a\tb\nc\t\xff\n", "terms.tsv:2: not UTF-8; save the file as UTF-8"),
        ("\u200b\tb\n", "terms.tsv:1: the term is empty; write one"),
        ("a\tb\x1b[2J\n", "terms.tsv:1: a control character in 'b\\x1b[2J'; remove it"),
        ("cat\tchat\n\nCat\tminou\n", "terms.tsv:3: 'Cat' is 'minou' here and 'chat' in "),
        ("# a\tb\n \n", "terms.tsv: no terms"),
    ],
)
def test_a_malformed_line_is_named_with_the_fix(
    tmp_path: Path, data: str | bytes, message: str
) -> None:
    with pytest.raises(UserError, match=re.escape(message)) as error:
        read(tmp_path, data)
    assert "\n" not in str(error.value)


def test_what_is_no_file_is_the_users_mistake() -> None:
    with pytest.raises(UserError, match=r"^/dev/zero: more than 30,000,000 bytes"):  # it has no end
        Glossary.read("/dev/zero")
    with pytest.raises(UserError, match=r"^the glossary must be a path, got "):
        Glossary.read(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"a": "b\nc\ud800"}, "glossary['a']: a control character in 'b\\nc"),
        ({b"a": "b"}, "the term must be text, got b'a'"),
        ({"Cat": "chat", "cat": "minou"}, "'cat' is 'minou' here and 'chat' in glossary['Cat']"),
        ([("a", "b")], "a glossary must be a dict"),
    ],
)
def test_terms_of_a_dict_are_held_to_the_same(terms: Any, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)) as error:
        Glossary.of(terms)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "ways",
    [
        ["café", "cafe\u0301", "CAFÉ", "CAFE\u0301"],
        ["q\u0323\u0307x", "q\u0307\u0323x", "Q\u0307\u0323x"],  # marks in any order
        ["각하", "\u1100\u1161\u11a8하"],
    ],
)
def test_accents_are_equal_however_they_are_written(ways: list[str]) -> None:
    for term in ways[:2]:  # a term in capitals would need capitals
        glossary = Glossary.of({term: " x "})
        for text in ways:
            assert glossary.find(f"b {text}, d") == [Span(2, 2 + len(text), "x")], ascii(text)
        base = unicodedata.normalize("NFD", ways[0])
        assert glossary.find(f"b {base}\u0300, d") == [], "another accent is another letter"
