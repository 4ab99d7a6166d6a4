"""Texts of programs: JSON, .properties, and the keys of menus."""

import json

import pytest

from gru_mt.documents.document import replacing
from gru_mt.documents.structured.program_text import is_text, program_place
from tests.documents.translators import backwards, translated


@pytest.mark.parametrize(
    ("value", "new", "written"),
    [
        ("&File", "Fichier", "&Fichier"),
        ("Save &As...", "Enregistrer sous...", "&Enregistrer sous..."),
        ("E&xit", "Quitter", "&Quitter"),
        ("_Open file", "Ouvrir un fichier", "_Ouvrir un fichier"),
        ("&Find", "Rechercher un fichier", "Rechercher un &fichier"),  # the same letter
        ("Open &%s", "Ouvrir %s", "Ouvrir %s"),  # no letter follows
        ("&Delete %s", "%s löschen", "%s &löschen"),  # not %&s
        ("&Open...", "打开...", "打开(&O)..."),
        ("AT&T is here", "AT&T est là", "AT&T est là"),
        ("Tom &amp; Ann", "Tom &amp; Anne", "Tom &amp; Anne"),
        ("a_b and _c", "a_b et _c", "a_b et _c"),
        ("one\ntwo", "un deux\n", "un deux"),  # gettext wants no line end where there was none
        ("\tone two ", "\tun deux", "\tun deux "),
        ("%d of %s", "%s: %d", None),
        ("100% of %5.2f", "%5.2f à 100% en", "%5.2f à 100% en"),
        ("%(a)s of %(b)d", "%(b)d %(a)s", "%(b)d %(a)s"),
    ],
)
def test_what_a_program_wants_stays(value: str, new: str, written: str | None) -> None:
    place = program_place(value, replacing(0, 0))
    assert place
    sign = "_" if value.startswith("_") else "&"
    assert [edit.text for edit in place.edits(new)] == ([written] if written else [])
    if value.isprintable():
        assert place.text == (value if new == (written or new) else value.replace(sign, ""))


def test_options_and_bullets_stay_where_they_are() -> None:
    value = "Use -v or --so-on:\n\n  -q, --quiet  Say less\n- one\n 2. two\n"
    place = program_place(value, replacing(0, 0))
    assert place
    assert place.text == (
        'Use <x1/> or <x2/>:<p id="3"/><x4/>, <x5/><p id="6"/>Say less<p id="7"/>one<p id="8"/>two'
    )
    assert [edit.text for edit in place.edits(place.text)] == [value]


TEXTS = ["Save", "Hi!", "Don't", "Hi, {name}!", "two words", "保存", "<b>Save</b>", "Loading...",
         "{count} files", "été", "E-mail:"]  # fmt: skip
NO_TEXTS = ["", " ", "12:30", "#fff", "save_as", "a/b.png", "en-US/x", "http://a.org/b", "{name}",
            "fontSize", "a@b.org", "v1.2", "10px"]  # fmt: skip


@pytest.mark.parametrize("value", [*TEXTS, *NO_TEXTS])
def test_a_string_for_people_is_told_from_one_for_programs(value: str) -> None:
    assert is_text(value) == (value in TEXTS)


def test_json_changes_only_in_its_texts() -> None:
    text = """{"@@locale": "en", "title": "Say {name} now", "@title": {"type": "An object",
 "placeholders": {"name": {"example": "A b"}}},
 "a b": [ "One two", ["Key", "key_two"], 1.50, true ],
 "z": "x \\"y\\" \\u00e9\\n\\nZ", "url": "https://a.org"}"""
    new = translated(text, "a.arb", backwards).decode()
    changed = {
        '"Say {name} now"': '"NOW {name} SAY"',
        '"One two"': '"TWO ONE"',
        '"Key"': '"KEY"',
        '"x \\"y\\" \\u00e9\\n\\nZ"': '"Z\\n\\n\\u00c9 \\"Y\\" X"',
    }
    for old, replacement in changed.items():
        text = text.replace(old, replacement)
    assert new == text
    assert json.loads(new)["z"] == 'Z\n\nÉ "Y" X'


@pytest.mark.parametrize(
    ("line", "new", "encoding"),
    [
        ("a.b = one two ", "a.b = TWO ONE ", "utf-8"),
        ("a:été là", "a:LÀ ÉTÉ", "utf-8"),
        ("a été", "a ÉTÉ", "latin-1"),
        ("a=l\\u20ac été", "a=ÉTÉ L\\u20ac", "latin-1"),
        ("a=\\u00e9t\\u00e9 \\ud83d\\ude00", "a=\\ud83d\\ude00 \\u00c9T\\u00c9", "ascii"),
        ("a=one\\\n    two", "a=ONETWO", "ascii"),
        ("a=\\ one\\ttwo\\nthree\\\\", "a=\\ THREE\\\\\\nTWO\\tONE", "ascii"),
        ("a=It''s {0} now", "a=NOW {0} IT''S", "ascii"),
        ("a=It's {0} now", "a=NOW {0} IT'S", "ascii"),
        ("# a=one two", "# a=one two", "ascii"),
        ("  ! one two\\", "  ! one two\\", "ascii"),
        ("a\\=b\\ c one two", "a\\=b\\ c TWO ONE", "ascii"),
        ("color=#fff", "color=#fff", "ascii"),
        ("one two\\", "one TWO\\", "ascii"),
    ],
)
def test_properties_change_only_in_their_texts(line: str, new: str, encoding: str) -> None:
    old = f"# c\n{line}\nk=Key\n" if not line.endswith("\\") else f"k=Key\n{line}"
    expected = old.replace(line, new).replace("Key", "KEY")
    written = translated(old.encode(encoding), "a.properties", backwards)
    assert written.decode(encoding) == expected
