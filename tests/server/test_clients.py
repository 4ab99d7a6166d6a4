"""Programs that speak LibreTranslate's API: two of its clients, and requests as others send them.

What Weblate, Mastodon and Subtitle Edit send and read is by their sources of 2025.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
import requests
from deep_translator import LibreTranslator
from deep_translator.exceptions import AuthorizationException, ServerException
from libretranslatepy import LibreTranslateAPI

from gru_mt import Translator
from tests.server.conftest import Start

KEY = "8f14e45f"
Translate = Callable[[str], str]


@pytest.fixture
def alone(translator: Translator) -> Translate:
    """Return the translator without a server, as a function from text to text."""
    return lambda text: str(translator.translate(text))


def test_libretranslatepy(start: Start, alone: Translate) -> None:
    client = LibreTranslateAPI(start(keys=[KEY]), KEY)  # it sends forms, and a body with GET
    text = "I see one cat & 2 keys = “100 %”."
    for source in ("en", "auto"):
        assert client.translate(text, source, "fr") == alone(text)
    assert client.detect("we want two dog.")[0]["language"] == "en"
    assert [language["code"] for language in client.languages()] == ["en", "fr"]


def test_deep_translator(start: Start, alone: Translate, tmp_path: Path) -> None:
    url = start(keys=[KEY]) + "/"  # it sends all in the query string
    client = LibreTranslator("en", "fr", KEY, custom_url=url)
    texts = ["we want two dog?", "I see one cat & 2 keys."]
    assert client.translate_batch(texts) == [*map(alone, texts)]
    (tmp_path / "a.txt").write_text(texts[0])
    assert client.translate_file(str(tmp_path / "a.txt")) == alone(texts[0])
    with pytest.raises(AuthorizationException):
        LibreTranslator("en", "fr", "another key", custom_url=url).translate("a cat")
    with pytest.raises(ServerException, match="BAD_REQUEST"):
        LibreTranslator("fr", "en", KEY, custom_url=url).translate("un chat")


@pytest.mark.parametrize("key", ["", KEY])
def test_weblate(start: Start, alone: Translate, key: str) -> None:
    url = start(keys=[key] if key else [])
    assert {"en", "fr"} <= {each["code"] for each in requests.get(f"{url}/languages").json()}
    texts = ["I see one cat.", "we want %(count)d dog!", "<b>They</b> like it.\n"]
    values = {"api_key": key, "q": texts, "source": "en", "target": "fr"}
    answer = requests.post(f"{url}/translate", json=values, headers={"User-Agent": "Weblate/5.18"})
    translated = answer.json()["translatedText"]
    assert translated[:2] == [*map(alone, texts[:2])]
    assert translated[2].endswith("\n")
    assert "%(count)d" in translated[1]


@pytest.mark.parametrize("source", ["en", "auto"])
def test_mastodon(start: Start, source: str) -> None:
    url, headers = start(), {"Content-Type": "application/json"}
    languages = requests.get(f"{url}/languages", headers=headers).json()
    assert {each["code"]: [*{*each["targets"]} - {each["code"]}] for each in languages} == {
        "en": ["fr"],
        "fr": [],
    }
    mention = '<a href="https://example.org/@cat" class="u-url mention">@<span>cat</span></a>'
    mention = f'<span class="h-card" translate="no">{mention}</span>'
    link = '<a href="https://example.org/x?a=1&amp;b=2" rel="nofollow">'
    status = f"<p>we want {mention} two dog &amp; 1 key.</p><p>I see {link}it</a><br />again!</p>"
    values = {"q": [status, "we want one key."], "source": source, "target": "fr", "format": "html"}
    answer = requests.post(f"{url}/translate", json=values | {"api_key": None}, headers=headers)
    found = answer.json()
    html, _ = found["translatedText"]
    for part in (mention, link, "<p>", "</p>", "</a>", "<br />", "&amp;"):
        assert html.count(part) == status.count(part), part
    detected = [each["language"] for each in found.get("detectedLanguage", [])]
    assert detected == (["en", "en"] if source == "auto" else [])


def test_subtitle_edit(start: Start, alone: Translate) -> None:
    body = '{"q": "We see one cat.<br />I like \\"it\\".", "source": "en", "target": "fr"}'
    headers = {"Content-Type": "application/json", "accept": "application/json"}
    answer = requests.post(f"{start()}/translate", data=body.encode(), headers=headers)
    assert answer.json()["translatedText"].count("<br />") == 1
