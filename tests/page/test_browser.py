"""The page in a real browser: it is typed into, and read."""

from pathlib import Path
from typing import Any

import pytest

from gru_mt.page.write import write_page
from tests.browser import browser, needs_chromium, visit
from tests.test_cli import workplace

__all__ = ["browser", "workplace"]  # fixtures
pytestmark = needs_chromium


@pytest.fixture(scope="module")
def page(workplace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "translator.html"
    write_page(workplace / "runs" / "small", path)
    return path


def opened(browser: Any, page: Path, **options: Any) -> tuple[Any, list[str]]:
    """Return the page, ready to translate, and what it asked for and complained about."""
    found, events = visit(browser, page, **options)
    found.locator("#footer", has_text="ready").wait_for()
    return found, events


def type_in(found: Any, text: str) -> None:
    found.fill("#source", text)
    found.locator("#target:not(.old)").wait_for()


def test_a_sentence_is_translated_as_one_types_and_nothing_is_asked_for(
    browser: Any, page: Path
) -> None:
    found, events = opened(browser, page)
    assert found.inner_text("h1") == "English to French"
    type_in(found, "I see one cat.\nwe want a@b.org!\n\nthey like <b>.")
    lines = found.locator("#target p").all_inner_texts()
    assert len(lines) == 4
    assert lines[0]
    assert "a@b.org" in lines[1]
    assert lines[2] == ""
    assert "<b>" in lines[3], "what is typed is text"
    assert found.inner_text("#state").endswith(" ms")
    assert events[0] == page.resolve().as_uri()
    assert [event for event in events[1:] if not event.startswith("blob:")] == []


def test_the_newest_text_counts(browser: Any, page: Path) -> None:
    found, _ = opened(browser, page)
    type_in(found, "they take four hat.")
    wanted = found.inner_text("#target")
    type_in(found, "")
    found.fill("#source", "I see one cat. " * 200)
    found.wait_for_timeout(100)  # it is being translated now
    type_in(found, "they take four hat.")
    found.wait_for_timeout(300)
    assert found.inner_text("#target") == wanted


def test_candidates_confidence_and_attention_are_shown(browser: Any, page: Path) -> None:
    found, _ = opened(browser, page)
    type_in(found, "I see one cat.")
    assert not found.locator("#details").is_visible()
    found.locator(".word").first.hover()
    source = found.locator("#read span")
    assert source.all_inner_texts()[-1] == "(end)"
    assert source.count() > found.locator("#read .h0").count()
    source.first.hover()
    assert found.locator(".word[class*=' h']").count() > 0
    found.locator(".sentence").focus()
    first = found.inner_text(".word.on")
    found.keyboard.press("ArrowRight")
    assert found.inner_text(".word.on") != first
    found.click("#others")
    found.locator("#candidates li").nth(1).wait_for()
    candidates = found.locator("#candidates li").all_inner_texts()
    assert len({*candidates}) == len(candidates) > 1


def test_a_file_has_as_many_lines_as_its_translation(
    browser: Any, page: Path, tmp_path: Path
) -> None:
    found, _ = opened(browser, page)
    letters = tmp_path / "letters.txt"
    letters.write_bytes(b"I see one cat.\r\n\r\nwe want two dog. they like!\r\nthey see four key.")
    found.set_input_files("#file", letters)
    found.locator("#save:visible").wait_for()
    assert found.inner_text("#state").startswith("4 lines, ")
    with found.expect_download() as download:
        found.click("#save")
    assert download.value.suggested_filename == "letters.fr.txt"
    lines = Path(download.value.path()).read_text("utf-8").split("\n")
    assert len(lines) == 4
    assert [bool(line) for line in lines] == [True, False, True, True]
    letters.write_bytes("déjà vu".encode("latin-1"))
    found.set_input_files("#file", letters)
    found.locator("#failure", has_text="letters.txt is no text in UTF-8").wait_for()


def test_a_damaged_page_says_so(browser: Any, page: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    start = text.index('id="weights">') + 4_000
    damaged = tmp_path / "damaged.html"
    damaged.write_text(f"{text[:start]}!!!!{text[start:]}", "utf-8")
    found, _ = visit(browser, damaged)
    found.locator("#failure", has_text="damaged").wait_for()


def test_without_javascript_the_page_says_what_it_needs(browser: Any, page: Path) -> None:
    found, _ = visit(browser, page, java_script_enabled=False)
    assert "JavaScript, which is turned off here" in found.inner_text("body")


@pytest.mark.parametrize("width", [360, 1_440])
def test_the_page_fits_the_window(browser: Any, page: Path, width: int) -> None:
    found, _ = opened(browser, page, viewport={"width": width, "height": 800})
    type_in(found, "I see one cat. " * 20 + "a" * 300)
    found.locator(".sentence").first.click()
    assert found.locator("html").evaluate("e => e.scrollWidth") <= width


def test_dark_and_light_differ(browser: Any, page: Path) -> None:
    papers = []
    for scheme in ("light", "dark"):
        found, _ = opened(browser, page, color_scheme=scheme)
        papers.append(found.locator("body").evaluate("e => getComputedStyle(e).backgroundColor"))
    assert papers == ["rgb(255, 255, 255)", "rgb(22, 22, 26)"]
