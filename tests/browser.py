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


def visit(browser: Any, page: Path, **options: Any) -> tuple[Any, list[str]]:
    """Return an opened page, and what it asked for and complained about."""
    opened = browser.new_page(**options)
    events: list[str] = []
    opened.on("request", lambda request: events.append(request.url))
    opened.on("console", lambda message: events.append(message.text))
    opened.on("pageerror", lambda error: events.append(str(error)))
    opened.on("dialog", lambda dialog: events.append(dialog.message))
    opened.goto(page.resolve().as_uri())
    return opened, events
