"""The page's files, and the details that it asks for."""

from pathlib import Path

import requests

from gru_mt import Translator
from tests.server.conftest import Start


def test_details_are_the_parts_of_the_translation(start: Start, workplace: Path) -> None:
    text = " I see one cat.  we want a@b.org!\n\n\tthey like\r\n"
    values = {"q": [text, ""], "source": "en", "target": "fr", "details": "true"}
    answer = requests.post(f"{start()}/translate", json=values).json()
    parts, none = answer["details"]
    assert none == []
    assert "".join(part["text"] for part in parts) == answer["translatedText"][0]
    sentences = [part for part in parts if "source" in part]
    assert [each["source"] for each in sentences] == [
        *("I see one cat.", "we want a@b.org!", "they like"),
    ]
    first = Translator.load(workplace / "runs" / "small").translate("I see one cat.").to_json()
    named = ("text", "confidence", "warnings")
    assert [sentences[0][name] for name in named] == [first[name] for name in named]
    plain = requests.post(f"{start()}/translate", json=values | {"details": False}).json()
    assert plain.keys() == {"translatedText"}


def test_the_page_may_ask_its_server_alone(start: Start) -> None:
    address = start()
    for path, kind in [("/", "html"), ("/page.css", "css"), ("/page.js", "javascript")]:
        answer = requests.get(f"{address}{path}")
        assert answer.headers["Content-Type"] == f"text/{kind}; charset=utf-8"
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
    assert requests.post(address).status_code == 405
