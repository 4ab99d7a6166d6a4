"""Documents of Word: paragraphs are translated with their styles, and all else stays."""

import io
import zipfile
from xml.etree import ElementTree as ET

import pytest

from gru_mt import UserError
from gru_mt.documents.registry import read_document
from gru_mt.documents.structured import package
from tests.documents.translators import backwards, translated

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
KIND = "application/vnd.openxmlformats-officedocument.wordprocessingml"
PARTS = {"document.main": "document2", "footnotes": "footnotes", "header": "header1"}
TYPES = "".join(
    f'<Override PartName="/word/{part}.xml" ContentType="{KIND}.{kind}+xml"/>'
    for kind, part in {**PARTS, "comments": "comments"}.items()
)


def part(body: str) -> bytes:
    root = f'<w:document xmlns:w="{W}" xmlns:m="m" xmlns:r="r">{body}</w:document>'
    return f'<?xml version="1.0"?>\r\n{root}'.encode()


def docx(body: str, **others: bytes) -> bytes:
    """Return a document with a header, a footnote, a comment and a picture."""
    members = {
        "[Content_Types].xml": f"<Types>{TYPES}</Types>".encode(),
        "word/document2.xml": part(f"<w:body>{body}</w:body>"),
        "word/media/a.png": bytes(range(256)),
        **{
            f"word/{name}.xml": part(paragraph(name))
            for name in ("footnotes", "header1", "comments")
        },
        **others,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, (name, content) in enumerate(members.items()):
            info = zipfile.ZipInfo(name, (1999, 1, 2 + number, 3, 4, 6))
            info.compress_type = zipfile.ZIP_STORED if number % 2 else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
        archive.comment = b"kept"
    return out.getvalue()


def odd_archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a", b"a")
    return out.getvalue()


def paragraph(text: str) -> str:
    return f"<w:p><w:pPr><w:jc/></w:pPr>{run(text)}</w:p>"


def run(text: str, style: str = "", more: str = "") -> str:
    style = f"<w:rPr>{style}</w:rPr>" if style else ""
    text = f'<w:t xml:space="preserve">{text}</w:t>' if text else ""
    return f"<w:r>{style}{text}{more}</w:r>"


def field(code: str) -> str:
    begin, middle, end = (
        f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")
    )
    return f"{begin}<w:r><w:instrText>{code}</w:instrText></w:r>{middle}|{end}"


def turned(data: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(translated(data, "a.docx", backwards)))


def test_other_members_and_what_the_archive_says_of_them_stay() -> None:
    data = docx(paragraph("Hello you"))
    assert translated(data, "a.docx") == data
    old, new = zipfile.ZipFile(io.BytesIO(data)), turned(data)
    changed = {f"word/{name}.xml" for name in PARTS.values()}
    for before, after in zip(old.infolist(), new.infolist(), strict=True):
        same = ("filename", "date_time", "compress_type", "external_attr")
        assert [getattr(before, name) for name in same] == [getattr(after, name) for name in same]
        assert (old.read(before) != new.read(after)) == (before.filename in changed)
    assert new.comment == b"kept"
    assert new.read("word/footnotes.xml") == part(paragraph("FOOTNOTES"))


CHECKED = '<w:lang w:val="en"/><w:noProof/>'
BOLD, ITALIC = "<w:b/>", "<w:i/>"
TAB, BREAK, NOTE = "<w:tab/>", "<w:br/>", '<w:footnoteReference w:id="2"/>'
LINK, LINK_END = '<w:hyperlink r:id="x">', "</w:hyperlink>"
SDT, SDT_END = "<w:sdt><w:sdtPr><w:id/></w:sdtPr><w:sdtContent>", "</w:sdtContent></w:sdt>"
PAGE, URL = field(" PAGE ").replace("|", run("seven")), field('HYPERLINK "a"').split("|")
BOX = f"<w:r><w:pict><w:txbxContent>{paragraph('a box')}</w:txbxContent></w:pict></w:r>"
MATHS = "<m:oMath><m:r><m:t>x y</m:t></m:r></m:oMath>"
MOVED = "<w:moveTo>{}</w:moveTo>"
DELETED = "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (run("a b"), run("B A")),
        (run("a &lt;b&gt; ") + run("c"), run("C &lt;b&gt; A")),  # what Word split
        (run("on") + "<w:proofErr/>" + run("e", CHECKED) + run(" b"), run("B ONE")),
        (run("a long ") + run("b", BOLD) + run("."), run(".") + run("B", BOLD) + run(" LONG A")),
        (run("it is ") + run("b ", BOLD) + run("c"), run("C ") + run("B", BOLD) + run(" IS IT")),
        (run("a ") + run("long one", BOLD), run("ONE LONG ", BOLD) + run("A")),
        (run("a") + run(" ", BOLD) + run("b"), run("B A")),
        (run("a b", BOLD) + run("c d", ITALIC), run("D C", ITALIC) + run("B A", BOLD)),
        (
            f"{run('a ')}{LINK}{run('b c', BOLD)}{LINK_END}",
            f"{LINK}{run('C B', BOLD)}{LINK_END}{run(' A')}",
        ),
        (
            f"{run('a ')}{SDT}{run('b')}{SDT_END}{run(' c')}",
            f"{run('C ')}{SDT}{run('B')}{SDT_END}{run(' A')}",
        ),
        (run("a") + run("", "", TAB) + run("b"), run("B") + run("", "", TAB) + run("A")),
        (run("a", "", BREAK) + run("b"), run("B") + run("", "", BREAK) + run("A")),
        (run("a", "", NOTE) + run(" b"), run("B ") + run("", "", NOTE) + run("A")),
        (run("a ") + PAGE + run(" b"), run("B ") + PAGE + run(" A")),
        (f"{run('a ')}{URL[0]}{run('b c')}{URL[1]}", f"{URL[0]}{run('C B')}{URL[1]}{run(' A')}"),
        (run("a ") + DELETED + run("b"), run("B") + DELETED + run(" A")),
        (run("a ") + MOVED.format(run("b")), MOVED.format(run("B")) + run(" A")),
        (run("a") + BOX + run("b c"), run("A") + BOX.replace("a box", "BOX A") + run("C B")),
        (MATHS, MATHS),
        (run("12.5 %"), run("12.5 %")),
        ("<w:r><w:t> a  b </w:t></w:r>", run("B") + run("  ") + run("A")),
    ],
)
def test_runs_travel_with_their_style(old: str, new: str) -> None:
    document = part("<w:body><w:tbl><w:p>{}</w:p></w:tbl></w:body>").decode()
    found = turned(docx(f"<w:tbl><w:p>{old}</w:p></w:tbl>")).read("word/document2.xml").decode()
    assert found == document.format(new)


def test_a_link_is_marked_though_it_is_longer_than_the_text_around_it() -> None:
    data = docx(f"<w:p>{run('a')}{LINK}{run('bcd', BOLD)}{LINK_END}{run('e')}</w:p>")
    assert read_document(data, "a.docx").texts[0] == "a<g1>bcd</g1>e"


def test_a_field_over_several_paragraphs_and_ranges_keep_their_order() -> None:
    begin, end = field(" TOC ").split("|")
    ranges = '<w:bookmarkStart w:id="1"/>{}<w:bookmarkEnd w:id="1"/>'
    body = f"<w:p>{begin}{run('a b')}</w:p><w:p>{run('c d')}{end}</w:p>"
    body += f"<w:p>{run('a ')}{ranges.format(run('b c'))}{run(' d')}</w:p>"
    found = turned(docx(body)).read("word/document2.xml").decode()
    for old, new in {"a b": "B A", "c d": "D C", "a ": "D ", "b c": "C B", " d": " A"}.items():
        body = body.replace(f">{old}<", f">{new}<")
    assert found == part(f"<w:body>{body}</w:body>").decode()
    ET.fromstring(found)


def test_a_part_may_have_the_type_of_its_ending() -> None:
    """So Microsoft's Open XML SDK declares the main one."""
    types = f'<Types><Default Extension="xml" ContentType="{KIND}.document.main+xml"/>'
    override = TYPES.replace(f"{KIND}.document.main", "").replace("/word/document2.xml", "/none")
    data = docx(
        paragraph("Hello"), **{"[Content_Types].xml": f"{types}{override}</Types>".encode()}
    )
    assert "Hello" in read_document(data, "a.docx").texts


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xd0\xcf\x11\xe0" + bytes(99), "is encrypted, or of an older Word; save it as .docx"),
        (b"", "is damaged, or no such document: File is not a zip file"),
        (docx("")[:-30], "is damaged, or no such document"),
        (docx("").replace(b"\r\n<w:doc", b"\r\n<v:doc"), r"is damaged, .*: word/.*: Bad CRC-32"),
        (odd_archive(), "has two members of one name, or an odd compression"),
        (docx("<w:p>"), r"word/document2\.xml, line 2: is no XML at column \d+: mismatched tag"),
        (docx("", **{"[Content_Types].xml": b"<Types/>"}), "is no document of Word"),
        (docx("", **{"word/header1.xml": b"<a/>"}), r"word/header1\.xml, line 1: is no text of W"),
    ],
)
def test_what_is_no_document_of_word_is_one_line(data: bytes, message: str) -> None:
    with pytest.raises(UserError, match=rf"^a\.docx(: |, ){message}[^\n]*$"):
        translated(data, "a.docx")


@pytest.mark.parametrize(
    ("limit", "most"), [("MOST_MEMBERS", 5), ("MOST_UNPACKED", 900), ("CHARACTER_BYTES", 9)]
)
def test_what_would_fill_the_memory_is_not_unpacked(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    assert read_document(docx(paragraph("a")), "a.docx", most_characters=100).texts
    monkeypatch.setattr(package, limit, most)
    with pytest.raises(UserError, match=r"a\.docx: has 6 members of 1,\d+ bytes unpacked; at most"):
        read_document(docx(""), "a.docx", most_characters=100)
