"""Books: chapters and titles are translated, the rest of the archive stays."""

import io
import re
import zipfile

import pytest

from gru_mt import UserError
from tests.documents.translators import backwards, translated

CHAPTER = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{}</title></head>
<body><p id="a">{}<br/></p><img src="a b.png"/></body></html>"""
NCX = '<ncx><navPoint id="a b"><navLabel><text>{}</text></navLabel></navPoint></ncx>'
OPF = "<package><dc:title>{}</dc:title><dc:creator>Jane Roe</dc:creator></package>"
OLD = {
    "mimetype": "application/epub+zip",
    "o/one.xhtml": CHAPTER.format("One day", "He <em>is here</em> &amp; there"),
    "o/toc.ncx": NCX.format("One &amp; all"),
    "o/content.opf": OPF.format("One book"),
    "o/a.css": "p { color: red }",
}
NEW = OLD | {
    "o/one.xhtml": CHAPTER.format("DAY ONE", "THERE &amp; <em>HERE IS</em> HE"),
    "o/toc.ncx": NCX.format("ALL &amp; ONE"),
    "o/content.opf": OPF.format("BOOK ONE"),
}
LOCK = '<a URI="{}"/>'


def book(members: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            kind = zipfile.ZIP_STORED if name == "mimetype" else None
            archive.writestr(zipfile.ZipInfo(name), text, kind)
    return out.getvalue()


def test_chapters_and_titles_are_translated() -> None:
    assert translated(book(OLD), "a.epub") == book(OLD)
    new = translated(book(OLD), "a.epub", backwards)
    archive = zipfile.ZipFile(io.BytesIO(new))
    assert {name: archive.read(name).decode() for name in archive.namelist()} == NEW
    assert new[30:58] == b"mimetypeapplication/epub+zip", "readers look for it there"


def test_members_keep_names_in_utf_8_whether_the_archive_says_so_or_not() -> None:
    said = book({**OLD, "o/\u00e9.xhtml": OLD["o/one.xhtml"]})
    flag = rb"(PK\x03\x04..|PK\x01\x02....)\x00\x08"  # which only that member has
    silent = re.sub(flag, lambda found: found[1] + b"\0\0", said, flags=re.DOTALL)
    assert silent != said
    for data in (said, silent):
        new = zipfile.ZipFile(io.BytesIO(translated(data, "a.epub", backwards)))
        assert new.read("o/\u00e9.xhtml").decode() == NEW["o/one.xhtml"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"META-INF/encryption.xml": LOCK.format("o/one.xhtml")}, "is protected against copying"),
        ({"o/one.xhtml": "<?xml version='1.0' encoding='x'?>"}, "o/one.xhtml: declares the"),
    ],
)
def test_what_is_no_book_that_can_be_read_is_one_line(more: dict[str, str], message: str) -> None:
    with pytest.raises(UserError, match=rf"^a\.epub(: |, ){message}[^\n]*$"):
        translated(book(OLD | more), "a.epub")
    with pytest.raises(UserError, match=r"is no book: it has no \.xhtml, \.html, \.htm"):
        translated(book({"a.txt": ""}), "a.epub")
    fonts = book(OLD | {"META-INF/encryption.xml": LOCK.format("o/a.ttf")})
    assert translated(fonts, "a.epub") == fonts
