"""The routes: what clients get for what they send."""

import socket
from contextlib import suppress
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import pytest
import requests
from starlette.exceptions import HTTPException

from gru_mt import Translator
from gru_mt.corrections.store import read_corrections
from gru_mt.documents.registry import ENDINGS
from gru_mt.inference.translation import Languages
from gru_mt.server.api import Api, Limits
from gru_mt.server.app import application, open_socket
from gru_mt.server.directions import Direction, Directions
from gru_mt.server.page.routes import FILES as PAGE
from gru_mt.server.requests import SPEC, Rate
from tests.server.conftest import EN_FR, Start, post


@pytest.mark.parametrize("sent", ["json", "data", "files", "params"])
def test_a_text_is_translated_however_it_is_sent(
    start: Start, translator: Translator, sent: str
) -> None:
    values = {"q": " I see one cat.\r\n\n\tYou want two books. ", **EN_FR}
    files = {name: (None, value) for name, value in values.items()}
    given: Any = {sent: files if sent == "files" else values}
    answer = requests.post(f"{start()}/translate", **given, timeout=20)
    one, two = translator.translate(["I see one cat.", "You want two books."])
    assert answer.json() == {"translatedText": f" {one}\r\n\n\t{two} "}


@pytest.mark.parametrize(
    ("values", "status", "parts"),
    [
        ({}, 400, ["q: ", "required"]),
        ({"q": 1}, 400, ["q: ", "string", "got 1"]),
        ({"q": ["a", None]}, 400, ["q: ", "string, got ['a', None]"]),
        ({"q": "a", "target": "de"}, 400, ["no model", "en to de", "en to fr"]),
        ({"q": "a", "target": ""}, 400, ["target: ", "required"]),
        ({"q": "a", "source": ["en"]}, 400, ["source: ", "string, got ['en']"]),
        ({"q": "Das Haus ist rot", "source": "auto"}, 400, ["not to be in English"]),
        ({"q": "a", "format": "pdf"}, 400, ["format: ", "'text' or 'html', got 'pdf'"]),
        ({"q": "a" * 101}, 413, ["101", "100"]),
        ({"q": "a" * 20_000}, 413, ["bytes"]),
        ({"q": "a", "alternatives": -1}, 400, ["alternatives: ", "equal to 0, got -1"]),
    ],
)
def test_a_mistake_is_an_error_that_says_what(
    start: Start, values: Any, status: int, parts: list[str]
) -> None:
    address = start(limits=Limits(characters=100))
    answer = post(f"{address}/translate", **values)
    assert answer.status_code == status
    assert all(part in answer.json()["error"] for part in parts), answer.json()


@pytest.mark.parametrize("body", [b"{", b"[" * 100_000, b'["a"]', b"\xff", b'{"q": "\xff"}'])
def test_a_malformed_body_is_an_error(start: Start, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = requests.post(f"{start()}/translate", data=body, headers=headers, timeout=20)
    assert answer.status_code == 400
    assert "body" in answer.json()["error"]


def test_lists_alternatives_and_odd_characters(start: Start, translator: Translator) -> None:
    texts = ["I see one cat.", "", "\ud800 \x00 we like"]
    answer = post(f"{start()}/translate", q=texts, alternatives=2).json()
    assert list(map(len, answer.values())) == [3, 3]
    one = translator.translate(texts[0], n_best=3).texts
    assert [answer["translatedText"][0], *answer["alternatives"][0]] == one
    assert (answer["translatedText"][1], answer["alternatives"][1]) == ("", [])


def test_the_language_is_detected_and_each_text_goes_its_way(
    start: Start, translator: Translator
) -> None:
    texts = {"French": "moi vois chat un.", "English": "I see one cat."}
    lexicon = translator.tokenizer.truecaser.learn([*texts.values()][:1], [""])
    tokenizer = replace(translator.tokenizer, truecaser=lexicon)
    french = replace(translator, tokenizer=tokenizer, languages=Languages("fr", "de"))
    english = replace(translator, languages=Languages("en", "de"))
    address = start(french, english)
    answer = post(f"{address}/translate", q=[*texts.values()], source="auto", target="de").json()
    assert [each["language"] for each in answer["detectedLanguage"]] == ["fr", "en"]
    assert answer["translatedText"] == [
        str(french.translate(texts["French"])),
        str(english.translate(texts["English"])),
    ]
    best, *_ = post(f"{address}/detect", q=texts["English"]).json()
    assert best == {"language": "en", "confidence": 100.0}
    listed = requests.get(f"{address}/languages", timeout=20).json()
    assert [(each["code"], each["name"], each["targets"]) for each in listed] == [
        ("fr", "French", ["de"]),
        ("de", "German", []),
        ("en", "English", ["de"]),
    ]


@pytest.mark.parametrize(
    ("text", "source", "kind"),
    [("moi vois", "fr", "text"), ("123 😀", "auto", "text"), (" <p>a &amp; b", "fr-CA", "html")],
)
def test_a_text_in_the_wanted_language_stays(
    start: Start, translator: Translator, text: str, source: str, kind: str
) -> None:
    address = start(replace(translator, languages=Languages("fr", "en")), translator)
    values = {"q": text, "source": source, "target": "fr", "format": kind}
    assert post(f"{address}/translate", **values).json()["translatedText"] == text
    assert post(f"{address}/translate", **values | {"target": "de"}).status_code == 400


def test_html_keeps_tags_and_entities(start: Start, translator: Translator) -> None:
    text = "<meta charset=koi8-r><p class='a'> I see &lt;caté&gt;.</p>\n<script>I see</script>"
    answer = post(f"{start()}/translate", q=text, format="html").json()
    found = escape(str(translator.translate("I see <caté>.")), quote=False)
    assert "é" in found
    assert answer["translatedText"] == text.replace("I see &lt;caté&gt;.", found)


def test_a_key_is_asked_for_and_pages_of_an_origin_may_ask(start: Start) -> None:
    address = start(keys=["one", "two"], origins=["https://a.org"])
    for key, status in {"": 403, "on": 403, "two": 200}.items():
        assert post(f"{address}/detect", q="a", api_key=key).status_code == status
    settings = requests.get(f"{address}/frontend/settings", timeout=20).json()
    assert settings["keyRequired"] is True
    assert settings["language"]["target"] == {"code": "fr", "name": "French"}
    for origin, allowed in {"https://a.org": "https://a.org", "https://b.org": None}.items():
        answer = requests.get(f"{address}/languages", headers={"Origin": origin}, timeout=20)
        assert answer.headers.get("Access-Control-Allow-Origin") == allowed


@pytest.mark.parametrize("keys", [[], ["one", "two"]])
def test_who_asks_too_often_is_told_when_to_come_again(start: Start, keys: list[str]) -> None:
    """That is a key; without keys it is an address, which a proxy on this machine names."""
    address = start(limits=Limits(per_minute=2), keys=keys)

    def ask(client: int) -> requests.Response:
        headers = {} if keys else {"X-Forwarded-For": f"10.0.0.{client}"}
        values = {"q": "a", "api_key": keys[client] if keys else ""}
        return requests.post(f"{address}/detect", values, headers=headers, timeout=20)

    assert [ask(client).status_code for client in (0, 0, 1)] == [200, 200, 200]
    refused = ask(0)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 30
    assert "more than 2 requests a minute" in refused.json()["error"]
    assert ask(1).status_code == 200


def test_a_rate_is_so_many_at_once_and_then_one_in_each_part_of_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rate, waits_s = Rate(3), []
    for at_s in (0, 0, 0, 1, 20, 20, 80, 80, 80, 80):
        try:
            rate.count("a", at_s * 10**9)
            waits_s.append(0)
        except HTTPException as refused:
            waits_s.append(int((refused.headers or {})["Retry-After"]))
    assert waits_s == [0, 0, 0, 19, 0, 20, 0, 0, 0, 20]
    monkeypatch.setattr("gru_mt.server.requests.MOST_CLIENTS", 1)
    rate.count("b", 80 * 10**9)
    rate.count("a", 80 * 10**9)  # b asked after a, so a is forgotten


def test_a_document_comes_back_under_a_name_that_cannot_be_guessed(
    start: Start, translator: Translator
) -> None:
    address = start()
    file = ("../../etc/my letter.TXT", b"I see one cat.\r\n\r\n12\r\n")
    sent: Any = {"files": {"file": file}, "data": EN_FR, "timeout": 20}
    answers = [requests.post(f"{address}/translate_file", **sent) for _ in range(2)]
    urls = [answer.json()["translatedFileUrl"] for answer in answers]
    assert urls[0].startswith(f"{address}/download_file/")
    assert urls[0] != urls[1]
    got = requests.get(urls[0], timeout=20)
    assert got.content == f"{translator.translate('I see one cat.')}\r\n\r\n12\r\n".encode()
    assert "my%20letter.fr.TXT" in got.headers["Content-Disposition"]
    assert "etc" not in got.headers["Content-Disposition"]
    for name in ("x.txt", "..%2F..%2Fetc%2Fpasswd", "../api.py"):
        assert requests.get(f"{address}/download_file/{name}", timeout=20).status_code == 404
    odd = requests.post(f"{address}/translate_file", data=EN_FR, files={"file": ("a.exe", b"")})
    assert odd.status_code == 400
    assert all(ending in odd.json()["error"] for ending in ENDINGS)
    assert post(f"{address}/translate_file", file="a").status_code == 400


def test_a_suggestion_is_a_correction_from_then_on(start: Start, run: Path) -> None:
    address = start(Translator.load(run), path=run, suggestions=True)
    values: Any = {"q": "I see one cat.", "s": "Un chat !"}
    site = {"Origin": "https://bad.org"}
    assert requests.post(f"{address}/suggest", EN_FR | values, headers=site).status_code == 403
    assert requests.post(f"{address}/suggest", headers={"Origin": "http://[x"}).status_code == 403
    assert read_corrections(run) == []
    assert post(f"{address}/suggest", **values).json() == {"success": True}
    assert post(f"{address}/translate", **values).json()["translatedText"] == "Un chat !"
    assert post(f"{address}/suggest", **values | {"s": "a\tb\x00"}).status_code == 400
    assert post(f"{start()}/suggest", **values).status_code == 403
    archive = start(Translator.load(run), path=run / "a.zip", suggestions=True)
    failed = post(f"{archive}/suggest", **values)
    assert failed.status_code == 500
    assert "zip" not in failed.json()["error"], "no path of the server"


def test_the_specification_names_every_route_and_its_methods(translator: Translator) -> None:
    directions = Directions([Direction(Path(), lambda: translator)])
    routes: Any = application(Api(directions)).routes
    methods = {each.path: each.methods - {"HEAD"} for each in routes if each.path not in PAGE}
    described = {path: {name.upper() for name in its} for path, its in SPEC["paths"].items()}
    assert described == methods


@pytest.mark.parametrize(
    "begun",
    [
        "GET /?q=",
        "GET /health HTTP/1.1\r\nX: ",
        "POST /detect HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ",  # a trailer
    ],
)
def test_a_head_without_an_end_is_refused(start: Start, begun: str) -> None:
    host, port = start().removeprefix("http://").split(":")
    sent = 0
    with socket.create_connection((host, int(port))) as client, suppress(ConnectionError):
        client.sendall(begun.encode())
        while sent < 100_000_000:
            client.sendall(b"a" * 100_000)
            sent += 100_000
    assert sent < 10_000_000  # what the system has room for, too


def test_headers_may_be_long_and_chunks_many(start: Start) -> None:
    chunks = (b"q=see".ljust(100) for _ in range(1_000))
    headers = {"X": "a" * 60_000, "Content-Type": "text/plain"}
    answer = requests.post(f"{start()}/detect", data=chunks, headers=headers, timeout=20)
    assert answer.status_code == 413, "all of it was read"


def test_a_connection_sends_small_packets_at_once() -> None:
    with (
        open_socket("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_details_are_the_parts_of_the_translation(start: Start, translator: Translator) -> None:
    text = " I see one cat.  we want a@b.org!\n\n\tthey like\r\n"
    address = start()
    answer = post(f"{address}/translate", q=[text, ""], details="true").json()
    parts, none = answer["details"]
    assert none == []
    assert "".join(part["text"] for part in parts) == answer["translatedText"][0]
    sentences = [part for part in parts if "source" in part]
    sources = ["I see one cat.", "we want a@b.org!", "they like"]
    assert [each["source"] for each in sentences] == sources
    first = translator.translate("I see one cat.").to_json()
    named = ("text", "confidence", "warnings")
    assert [sentences[0][name] for name in named] == [first[name] for name in named]
    plain = post(f"{address}/translate", q=text, details=False).json()
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
