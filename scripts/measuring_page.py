"""What `bench page` measures in a browser."""

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from screenshot import ARGUMENTS, browser_path


@contextmanager
def opened(path: Path) -> Iterator[tuple[Page, float]]:
    """Open a page in Chromium; yield it, and the seconds until it can translate."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        page = browser.new_page()
        started_s = time.perf_counter()
        page.goto(path.resolve().as_uri())
        page.locator("#footer", has_text="ready").wait_for()
        yield page, time.perf_counter() - started_s
        browser.close()


def milliseconds(page: Page, sentences: Sequence[str]) -> list[float]:
    """Return how long each sentence takes, typed alone, as the page says it."""
    found = []
    for sentence in sentences:
        page.fill("#source", sentence)
        page.locator("#target:not(.old)").wait_for()
        said = re.fullmatch(r"(\d+) ms", page.inner_text("#speed"))
        assert said, page.inner_text("#speed")
        found.append(float(said[1]))
    return found


def renderer_mb() -> float:
    """Return the memory of Chromium's largest renderer, with its share of what is shared."""
    sizes = [0.0]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"--type=renderer" in (process / "cmdline").read_bytes():
                rollup = (process / "smaps_rollup").read_text()
                sizes.append(int(re.findall(r"^Pss: +(\d+)", rollup, re.MULTILINE)[0]) / 1_000)
        except (OSError, IndexError):
            continue  # it has ended
    return max(sizes)
