"""What holds for each structured format: its own texts give the same bytes; errors are a line."""

import pytest

from gru_mt import UserError, translate_document
from tests.documents.structured.backwards import Backwards
from tests.documents.translators import Identity

PO = """# A title
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

#. to translators
#: a.py:1
msgctxt "menu"
msgid "Open é"
msgstr ""

#, fuzzy, c-format
#| msgid "old %s"
msgid "new %s"
msgstr "neuf %s"

msgid ""
"one\\n"
"two"
msgstr ""

#~ msgid "gone"
#~ msgstr ""
"""
XLIFF = """<?xml version='1.0'?>
<!-- <source>no</source> -->
<xliff version="1.2" xmlns='urn:oasis:names:tc:xliff:document:1.2'><file><body>
  <trans-unit id="a>b">
  <source>An <g id='1'>&eacute;</g> <![CDATA[<b>]]> &#233;</source></trans-unit>
  <trans-unit id="2"><source>It</source>\t<target/></trans-unit>
</body></file></xliff>
""".replace("&eacute;", "é")
JSON = '{"a" : "Say \\"hi\\" \\u00e9",\r\n\t"b":["One more",{}, 1e5, null ], "@c": {"d": "A é"}}'
PROPERTIES = (
    "# c\\\r\n! d\r\na.b = Hi \\\r\n   you\\!\r\n\r\nc:\\u00e9t\\u00e9 is é\r\nempty=\r\nd\\=e"
)


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        *((PO, ending) for ending in ("po", "pot")),
        *((XLIFF, ending) for ending in ("xlf", "XLIFF")),
        *((JSON, ending) for ending in ("json", "arb")),
        *((PROPERTIES, "properties"), ("", "po"), ("", "properties"), ("[]", "json")),
    ],
)
def test_with_its_own_texts_a_file_is_the_same(text: str, ending: str) -> None:
    for whole in (text, text.replace("\r\n", "\n"), text.replace("\n", "\r\n"), text.rstrip()):
        for encoding in ("utf-8", "utf-8-sig", "utf-16"):
            data = whole.encode(encoding)
            assert translate_document(Identity(), data, f"a.{ending}") == data
    if "é" in text:
        assert translate_document(Backwards(), data, f"a.{ending}") != data


@pytest.mark.parametrize(
    ("data", "ending", "message"),
    [
        ('msgid "a"\nmsgstr "b"\n\nmsgid "x"y"\nmsgstr ""', "po", "line 4: unescaped double quote"),
        ('msgid "a"\n\nmsgstring "b"', "po", r"line 3: is no line of \.po"),
        ('msgid "a"\nmsgstr "b"\n\n# c\nmsgid "c"\n', "po", "line 4: an entry wants msgid and"),
        ('msgid "a"\nmsgstr "b\n', "po", "line 1: an entry wants msgid and msgstr"),
        ("a: b", "po", "line 1: is no line"),
        ("/etc/hostname", "po", "line 1: is no line"),
        ("<a>\n<b>\n</a>", "xlf", "line 3: is no XML at column 3: mismatched tag"),
        ("<a:b/>", "xlf", "line 1: is no XML at column 1: unbound prefix"),
        ("", "xlf", "line 1: is no XML at column 1: no element found"),
        ("<a version='1'/>", "xlf", "line 1: is no XLIFF of version 1 or 2"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "xlf", "line 1: has a DTD in it"),
        ('<a x="' + "&#1" + '"/>', "xlf", "line 1: is no XML"),
        ("<a>" * 300 + "</a>" * 300, "xlf", "line 1: is nested too deeply"),
        ('{"a": "b",\n "c" "d"}', "json", "line 2: is no JSON at column 6: Expecting ':'"),
        ("", "json", "line 1: is no JSON at column 1: Expecting value"),
        ("[" * 99_999, "json", "is no JSON that can be read: maximum recursion"),
        ("[" + "9" * 5_000 + "]", "json", "is no JSON that can be read: Exceeds the limit"),
        ("a=b\nc=is \\u12x4", "properties", r"line 2: \\u wants four hexadecimal digits"),
        ("PK\3\4", "docx", "is damaged, or no such document"),
        ("PK\3\4", "json", "is a zip archive"),
    ],
)
def test_a_malformed_file_is_one_line_with_the_place(data: str, ending: str, message: str) -> None:
    with pytest.raises(UserError, match=rf"^a\.{ending}(, |: ){message}[^\n]*$"):
        translate_document(Identity(), data.encode(), f"a.{ending}")
