"""The server's page in a real browser: it is typed into, and read."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tests.browser
from gru_mt import Translator
from gru_mt.corrections.store import read_corrections
from gru_mt.inference.translation import Languages
from gru_mt.server.api import Limits
from tests.browser import browser, faint, needs_chromium, too_wide
from tests.page.test_browser import DROP, type_in
from tests.server.conftest import Start, post

__all__ = ["browser"]  # fixtures
pytestmark = [pytest.mark.slow, needs_chromium]


def visit(browser: Any, address: str, **options: Any) -> tuple[Any, list[str]]:
    """Return the page of a server, ready, and what it asked for and complained about."""
    opened, events = tests.browser.visit(browser, address, **options)
    opened.locator("#from option").first.wait_for(state="attached")
    return opened, events


def answer_by(found: Any, path: str, answer: Callable[[Any], Any], **how: Any) -> None:
    """Let the page's requests to `path` get `answer` of the values that they have."""
    found.route(
        f"**/{path}",
        lambda route: route.fulfill(json=answer(route.request.post_data_json), **how),
    )


def test_a_text_is_translated_as_one_types_by_this_server_alone(browser: Any, start: Start) -> None:
    address = start()
    found, events = visit(browser, address)
    typed = "I see one cat. we want <b>two</b> dog!\n\n  they like a@b.org"
    type_in(found, typed)
    wanted = post(f"{address}/translate", q=typed).json()
    lines = found.locator("#target p").evaluate_all("all => all.map((p) => p.textContent)")
    assert "\n".join(lines) == wanted["translatedText"]
    assert found.locator("#target b").count() == 0, "what is typed is text"
    assert found.inner_text("#speed").endswith(" ms")
    type_in(found, "")
    assert found.inner_text("#target").strip() == ""
    assert [event for event in events if not event.startswith(address)] == []


def test_the_newest_text_counts(browser: Any, start: Start) -> None:
    found, _ = visit(browser, start())
    held: list[Any] = []
    found.route("**/translate", lambda route: held.append(route))
    for text in ("slow", "new"):
        found.fill("#source", text)
        found.wait_for_timeout(400)
    assert found.evaluate("document.querySelector('#target').classList.contains('old')")
    late, newest = held
    newest.fulfill(json={"details": [{"text": "NEW", "source": "new", "warnings": []}]})
    found.locator("#target", has_text="NEW").wait_for()
    with suppress(Exception):  # its request was aborted
        late.fulfill(json={"details": [{"text": "SLOW", "source": "slow", "warnings": []}]})
    found.wait_for_timeout(200)
    assert found.inner_text("#target") == "NEW"


DETAILS: list[dict[str, Any]] = [
    {"text": "Sûr.", "source": "Sure.", "confidence": 0.9, "warnings": []},
    {"text": "\n"},
    {"text": "Le le.", "source": "It.", "confidence": 0.1, "warnings": ["repetition"]},
    {"text": " "},
    {"text": "À nous.", "source": "Ours.", "confidence": None, "warnings": [], "corrected": True},
]


def test_doubtful_sentences_are_marked_and_a_better_translation_is_suggested(
    browser: Any, start: Start, run: Path
) -> None:
    found, _ = visit(browser, start(path=run, suggestions=True))
    answer_by(found, "translate", lambda values: {"details": DETAILS})
    type_in(found, "Sure.\nIt. Ours.")
    classes = [each.get_attribute("class") for each in found.locator(".sentence").all()]
    assert classes == ["sentence", "sentence doubtful", "sentence corrected"]
    found.unroute("**/translate")
    type_in(found, "I see one cat. they like!")
    found.locator(".sentence").first.focus()
    found.keyboard.press("Enter")
    assert found.inner_text("#original") == "I see one cat."
    found.click("#others")
    found.locator("#candidates button").nth(1).click()
    other = found.locator("#candidates button").nth(1).inner_text()
    assert found.input_value("#better") == other
    found.fill("#better", "Je vois le chat.")
    found.click("#suggest")
    found.locator(".corrected", has_text="Je vois le chat.").wait_for()
    kept = [(each.source, each.target) for each in read_corrections(run)]
    assert kept == [("I see one cat.", "Je vois le chat.")]
    found.locator(".sentence").last.click()
    found.keyboard.press("Escape")
    assert not found.locator("#details").is_visible()


def test_files_are_translated_and_saved(browser: Any, start: Start) -> None:
    found, _ = visit(browser, start())
    files = [("letter.txt", b"I see one cat.\n\nthey like!"), ("a.pdf", b"%PDF-"), ("b.txt", b"")]
    payload = [{"name": name, "mimeType": "", "buffer": data} for name, data in files]
    found.set_input_files("#file", payload)
    found.locator("#files a").nth(1).wait_for()
    assert "is no known document" in found.locator("#files .over").inner_text()
    with found.expect_download() as download:
        found.locator("#files a").first.click()
    assert download.value.suggested_filename == "letter.fr.txt"
    lines = Path(download.value.path()).read_text("utf-8").split("\n")
    assert [bool(line) for line in lines] == [True, False, True]
    assert found.evaluate(DROP, ["footer", "file"])
    found.locator("#files a", has_text="a.fr.txt").wait_for()
    busy: Any = {"status": 503, "headers": {"Retry-After": "1"}, "json": {"error": "busy"}}
    found.route("**/translate_file", lambda route: route.fulfill(**busy))
    found.set_input_files("#file", {"name": "c.txt", "mimeType": "", "buffer": b"I see one cat."})
    found.wait_for_timeout(300)
    found.unroute("**/translate_file")
    found.locator("#files a", has_text="c.fr.txt").wait_for()


def test_a_key_is_asked_for_only_where_one_is_needed(browser: Any, start: Start) -> None:
    found, _ = visit(browser, start())
    assert not found.locator("#key").is_visible()
    found, _ = visit(browser, start(keys=["a key"]))
    found.fill("#source", "I see one cat.")
    found.locator("#failure", has_text="api_key").wait_for()
    found.fill("#key", "a key")
    found.keyboard.press("Enter")
    found.locator("#target:not(.old) .sentence").wait_for()
    assert not found.locator("#failure").is_visible()
    found.reload()
    type_in(found, "they like!")
    found.locator("#target .sentence").click()
    offered = ("#others", "#proposal", "#suggest", "#invitation")
    assert [found.is_visible(each) for each in offered] == [True, False, False, False]


def test_what_does_not_work_is_said_and_tried_again(browser: Any, start: Start) -> None:
    found, _ = visit(browser, start(limits=Limits(characters=200)))
    busy = {"status": 503, "headers": {"Retry-After": "1"}}
    answer_by(found, "translate", lambda values: {"error": "busy"}, **busy)
    found.fill("#source", "they like!")
    found.locator("#failure", has_text="busy").wait_for()
    found.unroute("**/translate")
    found.locator("#target .sentence").wait_for()
    assert not found.locator("#failure").is_visible()
    found.fill("#source", "x" * 201)
    found.locator("#failure", has_text="too long").wait_for()
    assert found.inner_text("#length") == "201 of 200 characters"
    found.route("**/translate", lambda route: route.abort())
    found.fill("#source", "they")
    found.locator("#failure", has_text="cannot be reached").wait_for()


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (390, "dark"), (1_280, "dark")])
def test_the_page_fits_the_window_in_any_language(
    browser: Any, start: Start, translator: Translator, width: int, scheme: str
) -> None:
    back = replace(translator, languages=Languages("ar", "en"))
    there = replace(translator, languages=Languages("en", "ar"))
    viewport = {"width": width, "height": 800}
    found, _ = visit(
        browser, start(there, back, suggestions=True), viewport=viewport, color_scheme=scheme
    )
    found.select_option("#from", "en")
    answer_by(found, "translate", lambda values: {"details": [DETAILS[2] | {"text": "نعم " * 90}]})
    type_in(found, "It " * 30 + "a" * 300)
    assert [found.get_attribute("#target", name) for name in ("lang", "dir")] == ["ar", "rtl"]
    found.click(".sentence")
    assert too_wide(found) == []
    assert faint(found) == []
    found.click("#swap")
    assert [found.input_value(each) for each in ("#from", "#into")] == ["ar", "en"]
    assert found.input_value("#source").startswith("نعم")
    found.locator("#target[lang=en]").wait_for()
