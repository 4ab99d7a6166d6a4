"""gettext's .po: what is filled, what stays, and how it is marked."""

from pathlib import Path

import polib
import pytest

from gru_mt import UserError
from tests.documents.translators import backwards, translated

HEADER = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={}\\n"\n"Plural-Forms: {};\\n"\n\n'
)
BODY = r"""#. a comment
#: a.py:1
msgctxt "menu"
msgid "Save as"
msgstr ""

#, python-format
msgid ""
"See %s\n"
"\"now\"\n"
msgstr ""

msgid "done"
msgstr "fait"

#, fuzzy
#| msgid "was"
msgid "is it"
msgstr "sait"

msgid "A rather long text that does not fit into a line of 79 columns with its msgstr"
msgstr ""

#~ msgid "it is gone"
#~ msgstr ""
"""
TEXT = HEADER.format("UTF-8", "nplurals=2; plural=(n > 1)") + BODY


def entries(text: str) -> list[polib.POEntry]:
    return [*polib.pofile(text + "\n")]


def test_an_encoding_that_is_none_of_text_is_not_asked() -> None:
    text = TEXT.replace("UTF-8", "hex")
    assert "AS SAVE" in translated(text, "a.po", backwards).decode()


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_only_what_is_untranslated_is_filled_and_marked(everything: bool, line_end: str) -> None:
    data = TEXT.replace("\n", line_end).encode()
    new = translated(data, "a.po", backwards, everything=everything).decode()
    assert new.count("\r\n") == (new.count("\n") if line_end == "\r\n" else 0)
    long = "MSGSTR ITS WITH COLUMNS 79 OF LINE A INTO FIT NOT DOES THAT TEXT LONG RATHER A"
    done, fuzzy = ("DONE", "IT IS") if everything else ("fait", "sait")
    expected = ["AS SAVE", '"NOW"\n%s SEE\n', done, fuzzy, long, ""]
    old = entries(TEXT)
    assert [entry.msgstr for entry in entries(new)] == expected
    for before, after, text in zip(old, entries(new), expected, strict=True):
        assert after.fuzzy == (before.fuzzy or before.msgstr != text)
        before.msgstr, before.flags = text, after.flags
        before.linenum = after.linenum
        assert before == after
    assert "#, fuzzy, python-format" in new
    assert all(len(line) < 80 for line in new.splitlines() if line.startswith('"MSG'))
    assert new.endswith(f'{line_end}#~ msgstr ""{line_end}')
    again = translated(new, "a.po", backwards)
    assert again == new.encode() or everything, "what is fuzzy waits for a person"


@pytest.mark.parametrize(
    ("rule", "forms"),
    [
        ("nplurals=1; plural=0", ["CATS"]),
        ("nplurals=2; plural=(n != 1)", ["CAT", "CATS"]),
        ("nplurals=2; plural=n==1", ["CATS", "CAT"]),
        ("nplurals=3; plural=n==0 ? 0 : n==1 ? 1 : 2", ["CATS", "CAT", "CATS"]),
        ("nplurals=2; plural=n%0", ["CAT", "CATS"]),
        ("nplurals=INTEGER; plural=EXPRESSION", ["CAT", "CATS"]),
    ],
)
def test_each_plural_form_comes_from_its_text(rule: str, forms: list[str]) -> None:
    text = HEADER.format("CHARSET", rule) + 'msgid "cat"\nmsgid_plural "cats"\n'
    text += "".join(f'msgstr[{number}] ""\n' for number in range(len(forms)))
    [entry] = entries(translated(text, "a.pot", backwards).decode())
    assert entry.msgstr_plural == dict(enumerate(forms))
    assert entry.flags == ["fuzzy"]


def test_the_header_tells_the_encoding() -> None:
    text = HEADER.format("ISO-8859-1", "nplurals=1") + '# é\nmsgid "é ok"\nmsgstr ""\n'
    new = translated(text.encode("latin-1"), "a.po", backwards).decode("latin-1")
    assert new == text.replace('msgid "é', '#, fuzzy\nmsgid "é').replace('"\n\n', '"\n\n').replace(
        'ok"\nmsgstr ""', 'ok"\nmsgstr "OK É"'
    )


def test_a_file_that_holds_a_path_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.po").write_text('msgid "a b"\nmsgstr ""\n')
    with pytest.raises(UserError, match=r"a\.po, line 1: is no line of \.po"):
        translated(str(tmp_path / "secret.po"), "a.po")


@pytest.mark.parametrize(
    "text", ["", 'a "b" \\ c\td', "\x0b\x0c", "one two " * 20, "l" * 200, "é\n\n"]
)
def test_a_translation_is_written_as_gettext_reads_it(text: str) -> None:
    data = '# \f\nmsgid "a\u2028b"\nmsgstr ""\n'
    new = translated(data, "a.po", lambda source: text).decode()
    [entry] = entries(new.replace("\u2028", " "))
    assert entry.msgstr == text.strip()
