"""What `scripts/bench page` measures in a browser."""

import re
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from screenshot import ARGUMENTS, browser_path

from benchmarks.results import gru_mt, spread


def measure(model: Path, sentences: Sequence[str], beams: Mapping[str, int]) -> dict[str, Any]:
    """Return the figures of a model's page; its beam size is changed in its file."""
    ready_s: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        gru_mt("export", "--format", "page", "--model", model, "--out", path)
        figures: dict[str, Any] = {"bytes": path.stat().st_size}
        for name, beam in beams.items():
            content = path.read_text("utf-8")
            path.write_text(re.sub('"beam_size":\\d+', f'"beam_size":{beam}', content), "utf-8")
            for _ in range(4):
                with opened(path) as (_, seconds):
                    ready_s.append(seconds)
            with opened(path) as (page, _):
                times_ms = milliseconds(page, sentences)
            figures[f"{name}_ms"] = statistics.median(times_ms)
            figures[f"{name}_ms_of_95_in_100"] = statistics.quantiles(times_ms, n=20)[-1]
    return figures | {"ready_s": spread(ready_s)}


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
    """Return how long each sentence takes, typed alone, as the page shows it."""
    found = []
    for sentence in sentences:
        page.fill("#source", sentence)
        page.locator("#target:not(.old)").wait_for()
        shown = re.fullmatch(r"(\d+) ms", page.inner_text("#speed"))
        assert shown, page.inner_text("#speed")
        found.append(float(shown[1]))
    return found
