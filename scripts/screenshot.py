"""Takes a picture of a page: `screenshot.py PAGE[#ID] FILE.png [--width N] [--height N] [--dark]`.

PAGE is a file or an address.
With `--type TEXT` it types into the page's text field first, and points at the translation's last
word but three, to show what it read. It needs Chromium and the Python package playwright.
"""

import argparse
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium, the system's or else playwright's own, for the length of the block."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


def take(
    page: str, out: Path, *, width: int, height: int | None, dark: bool, typed: str | None
) -> None:
    """Write a picture of a page, `height` pixels of it, from the anchor on, or all."""
    path, _, anchor = page.partition("#")
    with chromium() as browser:
        opened = browser.new_page(
            viewport={"width": width, "height": height or 900},
            color_scheme="dark" if dark else "light",
        )
        address = path if "://" in path else Path(path).resolve().as_uri()
        opened.goto(f"{address}#{anchor}")
        if typed:
            opened.fill("textarea", typed)
            opened.locator("#target:not(.old)").wait_for()
            if words := opened.locator(".word").all():  # a server's page has none
                words[-4:][0].hover()
            opened.wait_for_timeout(200)
        opened.screenshot(path=out, full_page=height is None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("out", type=Path)
    parser.add_argument("--width", type=int, default=1_100)
    parser.add_argument("--height", type=int)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--type", dest="typed")
    take(**vars(parser.parse_args()))
