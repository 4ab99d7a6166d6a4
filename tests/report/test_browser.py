"""The page of a run in a real browser."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser import browser, needs_chromium, visit

__all__ = ["browser"]  # a fixture
pytestmark = [pytest.mark.slow, needs_chromium]


def test_nothing_else_is_asked_for_and_nothing_of_the_corpus_runs(browser: Any, page: Path) -> None:
    opened, events = visit(browser, page)
    assert events == [page.resolve().as_uri()]
    assert opened.title() == "small <b>: en to fr"
    for picture in opened.query_selector_all("figure svg"):
        assert picture.bounding_box()["width"] > 200


@pytest.mark.parametrize("width", [360, 1_440])
def test_the_page_is_never_wider_than_the_window(browser: Any, page: Path, width: int) -> None:
    opened, _ = visit(browser, page, viewport={"width": width, "height": 800})
    opened.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert opened.evaluate("document.documentElement.scrollWidth") <= width


def test_sentences_are_found_by_their_words_without_accents_and_case(
    browser: Any, page: Path
) -> None:
    opened, events = visit(browser, page)
    opened.fill("#query", "THEY fôur key")
    assert opened.inner_text("#found") == "10 of 46 sentences"
    assert opened.locator("#results tr").count() == 10
    opened.fill("#query", "script")
    assert "<script>" in opened.inner_text("#results")
    opened.fill("#query", "")
    assert not opened.locator("#table").is_visible()
    assert events == [page.resolve().as_uri()]


def test_without_javascript_the_page_can_be_read(browser: Any, page: Path) -> None:
    opened, events = visit(browser, page, java_script_enabled=False)
    assert not opened.locator("#search").is_visible()
    assert opened.locator("details summary").first.is_visible()
    assert events == [page.resolve().as_uri()]


def test_the_dark_page_is_dark_and_its_pictures_are_light(browser: Any, page: Path) -> None:
    def look(scheme: str) -> list[int]:
        """Return how light the page, a picture's text and its first line are, of 765."""
        opened, _ = visit(browser, page, color_scheme=scheme)
        found = [("body", "backgroundColor"), (".chart text", "fill"), (".chart .first", "stroke")]
        script = "([at, name]) => getComputedStyle(document.querySelector(at))[name]"
        colours = [opened.evaluate(script, pair) for pair in map(list, found)]
        return [sum(map(int, re.findall(r"\d+", colour))) for colour in colours]

    (dark, *dark_ink), (light, *light_ink) = look("dark"), look("light")
    assert dark < 150 < 600 < light
    assert min(dark_ink) > 350 > max(light_ink)
