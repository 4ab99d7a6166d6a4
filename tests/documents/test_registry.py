"""The frame of all documents: endings, encodings, and which texts are translated."""

import pytest

from gru_mt import UserError, translate_document
from gru_mt.documents.registry import read_document
from tests.documents.translators import by, capitals, translated


def test_each_distinct_text_is_translated_once_in_chunks_without_its_spaces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gru_mt.documents.document.CHUNK", 2)
    asked: list[list[str]] = []

    def translate(sources: list[str]) -> list[str]:
        asked.append(sources)
        return [f"<{source}>" for source in sources]

    translator = by(str)
    translator.translate = translate
    data = b"Hi\n\n  Hi \r\n12.\n\tBye\r\n \xc2\xa0Hi\nNo"
    expected = b"<Hi>\n\n  <Hi> \r\n12.\n\t<Bye>\r\n \xc2\xa0<Hi>\n<No>"
    assert translate_document(translator, data, "a.TXT") == expected
    assert asked == [["Hi", "Bye"], ["No"]]
    assert translated(b"No\n", "a.txt", lambda text: "") == b"No\n", "an empty text is none"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_a_file_keeps_its_encoding_and_its_mark(encoding: str) -> None:
    text = "Où ?\r\nÇa va\n" + "on rit\n" * 9
    data = text.encode(encoding)
    assert translated(data, "a.txt") == data
    assert translated(data, "a.txt", capitals) == text.upper().encode(encoding)
    marked, expected = (f"\ufeff{each}".encode("utf-16-be") for each in (text, text.upper()))
    assert translated(marked, "a.txt", capitals) == expected


def test_the_sign_for_what_was_damaged_is_of_utf_8_too() -> None:
    data = "Caf\ufffd is open.".encode()
    assert translated(data, "a.txt", "{} é".format) == data + " é".encode()


@pytest.mark.parametrize(
    ("text", "language", "encoding"),
    [
        ("“Où es-tu ?”\nà cœur", "fr", "cp1252"),
        ("Где ты?\nЯ»", "ru", "cp1251"),
        ("これは本です。", "ja", "shift_jis"),
        ("①これは本です。", "Japanese", "cp932"),
        ("햏 이 책은 좋습니다. 나는 집에 갑니다.", "ko-KR", "cp949"),
    ],
)
def test_an_older_file_keeps_the_encoding_of_its_language(
    text: str, language: str, encoding: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "gru_mt")
    data = text.encode(encoding)
    changed = translate_document(by("{}!".format, language), data, "a.txt")
    assert changed.decode(encoding) == text.replace("\n", "!\n") + "!"
    assert caplog.messages == [f"a.txt: is not UTF-8; it is read as {encoding}"]
    assert "ộ" in translate_document(by("{}ộ".format, language), data, "a.txt").decode()
    lacks = f"as {encoding} lacks ộ (U+1ED9) of a translation"
    assert caplog.messages[2] == f"a.txt: is written in UTF-8, {lacks}"


@pytest.mark.parametrize(
    ("data", "said"), [(b"1\n\n2", "nothing in it is to be"), (b"a\nb\na", "no text changed, of 2")]
)
def test_a_document_that_stays_says_so(
    data: bytes, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert translated(data, "a.txt") == data
    assert f"a.txt: stays as it is: {said}" in caplog.text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"a{' ' * 1_000_000}b", "a.md"),
        ("<![CDATA[" * 100_000, "a.html"),
        ("{{<%" * 100_000, "a.html"),
        (f"<p {'c' * 200_000}>x</p>", "a.html"),
        ("a\n\n" * 20_000, "a.md"),
        ('{"A": "x' + "\\n" * 200_000 + ' y"}', "a.json"),
        ('{"A": "x %' + "0" * 200_000 + '"}', "a.json"),
        (f"1\n00:00:01,000 --> 00:00:02,000\n<{'i' * 200_000}\n", "a.srt"),
    ],
)
def test_a_document_made_to_take_long_takes_no_hour(text: str, name: str) -> None:
    new = translated(text, name, capitals).decode()
    assert new.casefold() == text.casefold()


def test_a_document_with_too_many_characters_is_not_read() -> None:
    assert read_document("é".encode() * 10, "a.txt", most_characters=10).texts
    with pytest.raises(UserError, match=r"a\.txt: has 11 characters, more than 10; divide it"):
        read_document(b"a" * 11, "a.txt", most_characters=10)
