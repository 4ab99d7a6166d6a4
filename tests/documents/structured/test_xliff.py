"""XLIFF: which targets are filled, their tags and states; all else is the same."""

from xml.etree import ElementTree as ET

import pytest

from tests.documents.translators import backwards, translated

ONE = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en"><body>
  <trans-unit id="a"><source>{source}</source>{target}<note>A note</note>
    <alt-trans><source>one more</source><target/></alt-trans></trans-unit>
  <trans-unit id="b" translate="no"><source>not me</source></trans-unit>
</body></file></xliff>"""
TWO = """<x:xliff version="2.0" xmlns:x="urn:oasis:names:tc:xliff:document:2.0" srcLang="en">
 <x:file id="f"><x:unit id="u">
  <x:segment{state}>
   <x:source>{source}</x:source>{target}
  </x:segment>
  <x:ignorable><x:source> and </x:source></x:ignorable>
 </x:unit></x:file></x:xliff>"""
SEGMENT = "<seg-source>a b</seg-source>"
REVIEW = '<target state="needs-review-translation">'


@pytest.mark.parametrize(
    ("target", "new", "everything"),
    [
        ("", f"{REVIEW}B A</target>", False),
        ("<target/>", f"{REVIEW}B A</target>", False),
        ("<target> </target>", f"{REVIEW}B A</target>", False),
        ('<target state="new">a b</target>', f"{REVIEW}B A</target>", False),
        ("<target>c</target>", "<target>c</target>", False),
        ("<target>c</target>", f"{REVIEW}B A</target>", True),
        (SEGMENT, f"{SEGMENT}{REVIEW}B A</target>", False),
    ],
)
def test_a_target_of_version_1_is_filled(target: str, new: str, everything: bool) -> None:
    data, expected = (ONE.format(source="a b", target=each) for each in (target, new))
    assert translated(data, "a.xlf", backwards, everything=everything).decode() == expected


@pytest.mark.parametrize("state", ["", ' state="initial"'])
@pytest.mark.parametrize("target", ["", "\n   <x:target></x:target>"])
def test_a_target_of_version_2_is_filled(state: str, target: str) -> None:
    source = 'Press <x:pc id="1">the key</x:pc>'
    data = TWO.format(source=source, target=target, state=state)
    target = '\n   <x:target><x:pc id="1">KEY THE</x:pc> PRESS</x:target>'
    expected = TWO.format(source=source, target=target, state=' state="translated"')
    assert translated(data, "a.xliff", backwards).decode() == expected


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ('a <g id="1">b &gt; c</g><x id="2"/>d', 'D<x id="2"/><g id="1">C &gt; B</g> A'),
        ('<x id="0"/>a<x id="2"/>', '<x id="0"/>A<x id="2"/>'),
        ('a <g id="1"/> b', 'B <g id="1"/> A'),
        ('a <ph id="1">&lt;br/&gt;</ph> b', 'B <ph id="1">&lt;br/&gt;</ph> A'),
        ('a <bpt id="1">{</bpt>b<ept id="1">}</ept>', '<bpt id="1">{</bpt>B<ept id="1">}</ept> A'),
        ('a <bx id="1" rid="9"/>b<ex rid="9"/>', '<bx id="1" rid="9"/>B<ex rid="9"/> A'),
        ('a <x id="START_B_1"/>b<x id="CLOSE_B"/>', '<x id="START_B_1"/>B<x id="CLOSE_B"/> A'),
        (
            'a <bpt id="1"/><g id="2">b <ept id="1"/>c</g>',
            '<g id="2">C<bpt id="1"/> B</g><ept id="1"/> A',
        ),
        ('a <mrk mtype="protected">b</mrk> c', 'C <mrk mtype="protected">b</mrk> A'),
        ("a <!-- b --> c", "C <!-- b --> A"),
        ("<![CDATA[a <b>]]> c", "C &lt;b&gt; A"),
        ("a &amp; &#233;", "É &amp; A"),
        ("  a\n  b ", "  B\n  A "),
        ("a\r\nb&#13;", "B\nA&#13;"),
    ],
)
def test_inline_tags_travel(source: str, target: str) -> None:
    new = translated(ONE.format(source=source, target=""), "a.xlf", backwards)
    assert new.decode() == ONE.format(source=source, target=f"{REVIEW}{target}</target>")
    ET.fromstring(new)
