"""The frame of all documents: endings, encodings, and which texts are translated."""

import pytest

from gru_mt import UserError, translate_document
from gru_mt.documents.registry import read_document
from gru_mt.inference.translation import Languages
from tests.documents.translators import Changing, Identity


class Counting(Identity):
    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def translate(self, sources: list[str], **keywords: object) -> list[str]:
        self.asked.append(sources)
        return [f"<{text}>" for text in sources]


class Silent(Identity):
    def translate(self, sources: list[str], **keywords: object) -> list[str]:
        return ["" for _ in sources]


def test_a_long_document_is_translated_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gru_mt.documents.document.CHUNK", 2)
    translator = Counting()
    assert translate_document(translator, b"a\nb\nc\na", "a.txt") == b"<a>\n<b>\n<c>\n<a>"
    assert translator.asked == [["a", "b"], ["c"]]


def test_each_distinct_text_is_translated_once_without_its_spaces() -> None:
    translator = Counting()
    data = b"Hi\n\n  Hi \r\n12.\n\tBye\r\n \xc2\xa0Hi"
    expected = b"<Hi>\n\n  <Hi> \r\n12.\n\t<Bye>\r\n \xc2\xa0<Hi>"
    assert translate_document(translator, data, "a.TXT") == expected
    assert translator.asked == [["Hi", "Bye"]]
    assert translate_document(translator, b"1\n\n2", "a.txt") == b"1\n\n2"
    assert translate_document(Silent(), b"No\n", "a.txt") == b"No\n", "an empty text is none"
    assert translate_document(translator, b"", "a.txt") == b""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_a_file_keeps_its_encoding_and_its_mark(encoding: str) -> None:
    text = "Où ?\r\nÇa va\n" + "on rit\n" * 9
    data = text.encode(encoding)
    assert translate_document(Identity(), data, "a.txt") == data
    changed = translate_document(Changing(), data, "a.txt")
    assert changed == text.upper().encode(encoding)
    marked, expected = (f"\ufeff{each}".encode("utf-16-be") for each in (text, text.upper()))
    assert translate_document(Changing(), marked, "a.txt") == expected


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"a", "dir/a.xyz", "a.xyz: is no known document; these are: .*.txt"),
        (b"a", "a", "a: is no known document"),
        ("été là\né".encode() + b"\xe9\nc", "a.txt", "a.txt, line 2: is not utf-8 .*; save it as"),
        (b"a\nb\x81\nc", "a.txt", "a.txt, line 2: is not cp1252 .*; save it as UTF-8"),
        (b"PK\3\4aaaa", "a.txt", "a.txt: is a zip archive, .* not text"),
        ("text", "a.txt", "data must be of type bytes"),
    ],
)
def test_what_is_no_document_is_one_line(data: bytes, name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        translate_document(Identity(), data, name)


@pytest.mark.parametrize(
    ("text", "language", "encoding"),
    [
        ("“Où es-tu ?”\nà cœur", "fr", "cp1252"),
        ("Где ты?\nЯ»", "ru", "cp1251"),
        ("これは本です。", "ja", "shift_jis"),
    ],
)
def test_an_older_file_keeps_the_encoding_of_its_language(
    text: str, language: str, encoding: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Adding(Identity):
        languages = Languages(language)
        more = "!"

        def translate(self, sources: list[str], **keywords: object) -> list[str]:
            return [source + self.more for source in sources]

    caplog.set_level("INFO", "gru_mt")
    data = text.encode(encoding)
    changed = translate_document(Adding(), data, "a.txt")
    assert changed.decode(encoding) == text.replace("\n", "!\n") + "!"
    assert caplog.messages == [f"a.txt: is not UTF-8; it is read as {encoding}"]
    Adding.more = "ộ"
    assert "ộ" in translate_document(Adding(), data, "a.txt").decode()
    lacks = f"as {encoding} lacks ộ (U+1ED9) of a translation"
    assert caplog.messages[2] == f"a.txt: is written in UTF-8, {lacks}"


@pytest.mark.parametrize(
    ("data", "said"), [(b"1\n\n2", "nothing in it is to be"), (b"a\nb\na", "no text changed, of 2")]
)
def test_a_document_that_stays_says_so(
    data: bytes, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert translate_document(Identity(), data, "a.txt") == data
    assert f"a.txt: stays as it is: {said}" in caplog.text


@pytest.mark.parametrize(
    ("text", "name"), [(f"a{' ' * 1_000_000}b", "a.md"), ("<![CDATA[" * 100_000, "a.html")]
)
def test_a_document_made_to_take_long_takes_no_hour(text: str, name: str) -> None:
    assert translate_document(Changing(), text.encode(), name).decode() == text.replace(
        "a", "A"
    ).replace("b", "B")


def test_a_document_with_too_many_characters_is_not_read() -> None:
    assert read_document("é".encode() * 10, "a.txt", most_characters=10).texts
    with pytest.raises(UserError, match=r"a\.txt: has 11 characters, more than 10; divide it"):
        read_document(b"a" * 11, "a.txt", most_characters=10)
