"""Chromium, to look at our pages as people do."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip(
    "playwright.sync_api", reason="the package playwright drives the browser"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
        )
        yield opened
        opened.close()


def visit(browser: Any, page: Path | str, **options: Any) -> tuple[Any, list[str]]:
    """Return an opened file or address, and what it asked for and complained about."""
    opened = browser.new_page(**options)
    events: list[str] = []
    opened.on("request", lambda request: events.append(request.url))
    opened.on("console", lambda message: events.append(message.text))
    opened.on("pageerror", lambda error: events.append(str(error)))
    opened.on("dialog", lambda dialog: events.append(dialog.message))
    opened.goto(page if isinstance(page, str) else page.resolve().as_uri())
    return opened, events


def too_wide(opened: Any) -> list[str]:
    """Return what scrolls sideways: its tag, classes and first words."""
    found: list[str] = opened.evaluate(
        """() => [...document.querySelectorAll('html, .scroll, pre, nav, #target, #read')]
        .filter((each) => each.scrollWidth > each.clientWidth)
        .map((each) => `${each.tagName} ${each.className}: ${each.innerText.slice(0, 40)}`)"""
    )
    return found


def faint(opened: Any) -> list[str]:
    """Return the texts whose contrast is below 4.5 to 1, the least of WCAG 2.2 AA."""
    found: list[str] = opened.evaluate(_FAINT)
    return found


_FAINT = r"""() => {
  const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
  const over = ([r, g, b, alpha = 1], below) =>
    [r, g, b].map((part, n) => alpha * part + (1 - alpha) * below[n]);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = (element) => element
    ? over(parts(getComputedStyle(element).backgroundColor), paper(element.parentElement))
    : [255, 255, 255];
  const contrast = (element) => {
    const { fill, color } = getComputedStyle(element);
    const [ink, below] = [parts(element.closest('svg') ? fill : color), paper(element)];
    const [dark, light] = [over(ink, below), below].map(luminance).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const hasText = (element) => element.checkVisibility()
    && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...document.querySelectorAll('body *')]
    .filter((element) => hasText(element) && contrast(element) < 4.5)
    .map((element) => `${element.tagName} ${element.textContent.slice(0, 40)}`);
}"""
