"""What holds for each format: its own texts give the same bytes, and errors are a line."""

from typing import cast

import pytest

from gru_mt import UserError
from tests.documents.translators import backwards, translated

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
TIMES = "00:00:01,000 --> 00:00:02,500"
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
        ('<!DOCTYPE x SYSTEM "></x>"><xliff version="1.2"/>', "xlf"),
        (f'msgid "a"\nmsgid_plural "b"\nmsgstr[0] ""\nmsgstr[{"1" * 5_000}] ""\n', "po"),
    ],
)
def test_with_its_own_texts_a_file_is_the_same(text: str, ending: str) -> None:
    for whole in (text, text.replace("\r\n", "\n"), text.replace("\n", "\r\n"), text.rstrip()):
        for encoding in ("utf-8", "utf-8-sig", "utf-16"):
            data = whole.encode(encoding)
            assert translated(data, f"a.{ending}") == data
    if "é" in text:
        assert translated(data, f"a.{ending}", backwards) != data


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
        ("<?xml version='1.0' encoding='utf-7'?><a>+2AA-</a>", "xlf", "line 1: is no XML"),
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
        (b"\xc3\xa9\xc3\xa9\n\xc3\xa9\xe9\n", "txt", r"line 2: is not utf-8 .*; save it as UTF-8"),
        (b"a\nb\x81\nc", "txt", r"line 2: is not cp1252 .*; save it as UTF-8"),
        ("a", "xyz", r"is no known document; these are: \.arb .*\.txt"),
        ("<meta charset=punycode>Hi-!", "html", "declares the encoding 'punycode', which nobody"),
        ("<meta charset=no-such>a", "html", "declares the encoding 'no-such', which nobody"),
        ("1\n00:00:01,000 -> 2\nHi\n", "srt", "line 1: expected times such as"),
        (f"1\n{TIMES}\nHi\n\n2\n00:00 --> x\nHi\n", "srt", "line 6: expected times"),
        ("Hi", "vtt", "line 1: a file of WebVTT begins with the line WEBVTT"),
        (f"WEBVTT\n\n{TIMES}\nHi\n00:05.000 --> soon\n", "vtt", "line 5: expected times"),
    ],
)
def test_a_malformed_file_is_one_line_with_the_place(
    data: str | bytes, ending: str, message: str
) -> None:
    with pytest.raises(UserError, match=rf"^a\.{ending}(, |: ){message}[^\n]*$"):
        translated(data, f"dir/a.{ending}")
    with pytest.raises(UserError, match="data must be of type bytes"):
        translated(cast("bytes", 7), f"a.{ending}")
