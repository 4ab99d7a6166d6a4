"""HTML: the texts of a page change; tags, scripts, code and what nobody wants translated do not."""

import random
import re

import pytest
from bs4 import BeautifulSoup

from gru_mt.documents.registry import read_document
from tests.documents.translators import backwards, capitals, translated

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
  <title>a &amp; b</title>
  <style>p > a { color: red }</style><script>if (a < b) { say("<p>no</p>") }</script>
</head><body class=x>
  <!-- no <p>text</p> -->
  <h1>One <a href="x?a=1&b=2" title="two 'words'">three</a>.</h1>
  <p>Four &eacute; <b><i>five</i> six</b>
     seven <code>no</code><br>
     eight <span class="a notranslate">no <span>no</span></span> nine.</p>
  <ul><li>ten<li><img alt='eleven' src=a.png>&nbsp;twelve</ul>
  <input placeholder=no type="text"><pre>no</pre><p translate="No">no <b>no</b></p>
  <a><div>thirteen</div></a> <b>fourteen <p>fifteen</b> &lt;b&gt; 5 < 6</p>
</body></html>
"""
TEXTS = [
    "two 'words'", "eleven", "a & b", "One <g1>three</g1>.",
    'Four é <g1><g2>five</g2> six</g1> seven <x3/><br id="4"/>eight <x5/> nine.',
    "ten", "twelve", "thirteen", "fourteen", "fifteen<x1/> <b> 5 < 6",
]  # fmt: skip

KEPT = [
    'say("<p>no</p>")', "<!-- no <p>text</p> -->", "<code>no</code>", "no <span>no</span></span>",
    "<pre>no</pre>", "no <b>no</b>", "placeholder=no", "{ color: red }",
]  # fmt: skip


def structure(page: bytes) -> list[object]:
    """Return the tags of a page with their attributes, but for texts."""
    shown = ("alt", "title", "placeholder")
    return [
        (tag.name, {k: v for k, v in tag.attrs.items() if k not in shown}, tag.parent.name)
        for tag in BeautifulSoup(page, "html.parser").find_all(True)
        if tag.parent
    ]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_what_does_not_change_is_the_same_byte_for_byte(ending: str) -> None:
    for page in (PAGE, f"\ufeff{PAGE}", PAGE.rstrip(), "", "text", "a < b", "<p", "<!-- a", "a&b",
                 f"a &#{'1' * 5_000}; <p a='&#{'1' * 5_000};'>"):  # fmt: skip
        data = page.replace("\n", ending).encode()
        assert translated(data, "a.html") == data


def test_texts_stand_between_blocks_with_inline_tags_as_marks() -> None:
    assert read_document(PAGE.encode(), "a.htm").texts == TEXTS
    crossed = b"a <b>b <i>c</b> d</i> <u>e"  # of tags that cross one pair is a pair
    assert read_document(crossed, "a.html").texts == ["a <g1>b <x2/>c</g1> d<x3/> <x4/>e"]
    new = translated(PAGE, "a.html", capitals)
    assert structure(new) == structure(PAGE.encode())
    changed = ["TWO 'WORDS'", "alt='ELEVEN'", "A &amp; B", "&nbsp;TWELVE", "FIFTEEN</b> &lt;b&gt;"]
    for part in [*KEPT, *changed]:
        assert part in new.decode(), part


def test_tags_stay_nested_when_words_are_reordered() -> None:
    new = translated(PAGE, "a.html", backwards).decode()
    old = PAGE.replace("two 'words'", "'words' two").lower()
    assert sorted(re.findall("<[^<>]*>", new.lower())) == sorted(re.findall("<[^<>]*>", old))
    assert "</a> ONE</h1>" in new
    assert "<b>SIX <i>FIVE</i></b>" in new


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"<meta charset='iso-8859-1'><p>\xe9 x", b"<meta charset='iso-8859-1'><p>\xc9 X"),
        (b"<meta charset=koi8-r><p>\xc4", b"<meta charset=koi8-r><p>\xe4"),  # Cyrillic
        (b"<meta charset=ascii><p>\xb5", b"<meta charset=ascii><p>&#924;"),  # a Greek M
        ('<p title="“a”">b'.encode("utf-16"), '<p title="“A”">B'.encode("utf-16")),
        (b"<meta charset=utf-16><p>\xc3\xa9", b"<meta charset=utf-16><p>\xc3\x89"),  # as browsers
        (b"<meta charset=gb2312><p>\xe9F a", b"<meta charset=gb2312><p>\xe9F A"),  # of gbk
        (b"<meta charset=shift_jis><p>\x87@ a", b"<meta charset=shift_jis><p>\x87@ A"),  # of cp932
        (b"<p title='&#39;a'>&quot;b&quot;", b"<p title='&#x27;A'>\"B\""),
    ],
)
def test_a_page_keeps_its_encoding(data: bytes, expected: bytes) -> None:
    assert translated(data, "a.html", capitals) == expected


def test_a_translation_that_ends_a_tag_elsewhere_loses_no_text() -> None:
    page = """<img "alt="the friend"><p>One word</p><p>it's > b</p>"""
    new = translated(page, "a.html", lambda text: "l'ami" if "friend" in text else text.upper())
    assert b"<p>ONE WORD</p>" in new


def test_what_ends_at_once_hides_nothing_and_code_of_templates_stays() -> None:
    chapter = b"<html><head><script src='k.js'/><style/></head><body><p>Hello</p></body></html>"
    assert read_document(chapter, "a.xhtml").texts == ["Hello"]
    page = """<p>{% if n > 1 and a < b %}Many{% endif %} cats, {{ a && b }}{n}.</p>
<% if (n > 1) { %><p>a</p><% } %><?php if ($a->b) { ?><p>b</p><?= c ?>"""
    assert read_document(page.encode(), "a.html").texts == [
        "Many<x1/> cats, <x2/>{n}.", "a", "b"
    ]  # fmt: skip
    new = translated(page, "a.html", capitals).decode()
    for text, changed in (("Many", "MANY"), (" cats,", " CATS,"), ("{n}", "{N}"), (">a", ">A")):
        page = page.replace(text, changed)
    assert new == page.replace(">b<", ">B<")


def test_what_nobody_wants_translated_ends_where_a_browser_ends_it() -> None:
    page = """<ul><li class=notranslate>no<ul><li>no<li>no</ul>no<li>ten</ul><p translate=no>no
<p>eleven</p><table><tr><td translate=no>no<p>no</p><td>twelve</table><p translate=no>no <b>no</b>
</p>thirteen <img class=notranslate alt=no> <img alt="fourteen">"""
    texts = ["fourteen", "ten", "eleven", "twelve", "thirteen"]
    assert read_document(page.encode(), "a.html").texts == texts


def test_whatever_a_page_has_its_tags_stay() -> None:
    rng = random.Random(1)
    parts = re.findall(r"</?\w+[^<>]*>|<!--|-->|&\w+;|\w+|\s|[^<]", PAGE)
    for _ in range(100):
        page = "".join(rng.choices(parts, k=rng.randint(1, 60))).encode()
        assert translated(page, "a.html") == page
        new = translated(page, "a.html", backwards)
        tags = [sorted(map(str, structure(each))) for each in (page, new)]
        assert [t.split(", ")[0] for t in tags[0]] == [t.split(", ")[0] for t in tags[1]], page
