"""The page of a run in a real browser."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gru_mt.evaluation.compare import compare_systems
from gru_mt.evaluation.systems import read_systems
from gru_mt.report.compare_page import comparison_page
from gru_mt.report.contents import contents_of
from gru_mt.report.page import page_of
from gru_mt.report.samples import Piece
from gru_mt.run import Run
from tests.browser import browser, faint, needs_chromium, too_wide, visit
from tests.kept_runs import make_run
from tests.report.made import hypotheses

__all__ = ["browser"]  # a fixture
pytestmark = [pytest.mark.slow, needs_chromium]


def test_nothing_else_is_asked_for_and_nothing_of_the_corpus_runs(browser: Any, page: Path) -> None:
    opened, events = visit(browser, page)
    assert events == [page.resolve().as_uri()]
    assert opened.title() == "small <b>: en to fr"
    for picture in opened.query_selector_all("figure svg"):
        assert picture.bounding_box()["width"] > 200


OPEN_DETAILS = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
LONG = "Donaudampfschifffahrtsgesellschaft" * 12
ROWS = [
    ("<b>See</b> you " + LONG, LONG, ["see " + LONG, "a cat"]),
    ("Where is the station? " * 20, "أين المحطة؟ " * 40, ["أين المحطة؟"]),
    ("彼は昨日友達に会った。" * 40, "", ["彼は昨日友達に会ったと言った。" * 30]),
]


@pytest.fixture(scope="module")
def pages(page: Path, trained: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the pages there are, one of them with texts and names that leave no room."""
    folder = tmp_path_factory.mktemp("pages")
    whole = contents_of(Run(page.parent), "test", say=print)
    begun = contents_of(trained, "test", say=print, translating=False)
    first, crowd = whole.sets[0], hypotheses(*ROWS * 15)
    worst = [
        replace(
            one,
            source=source,
            translation=[Piece(text, True)],
            references=[[Piece(reference, False)] for reference in references],
        )
        for one, (source, text, references) in zip(first.samples.worst, ROWS, strict=False)
    ]
    samples = replace(first.samples, worst=worst)
    crowded = replace(first, hypotheses=crowd, chrf=[50.0] * 45, samples=samples)
    systems = []
    for name in ("a", LONG[:80], "b" * 60, "c"):
        texts = [[f"{name[:2]} {row[1]}" for row in ROWS] * 15]
        make_run(folder / name, [crowd.set], texts, f"data.corpus={name}.tsv", minutes=2.0)
        systems.append(folder / name)
    compared = compare_systems(read_systems(systems, [], None, "test", None), "test")
    written = {
        "training": page_of(begun),
        "crowded": page_of(replace(whole, sets=[crowded] * 2)),
        "compared": comparison_page(compared, "13a", {}),
    }
    for name, text in written.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return {"run": page} | {name: folder / f"{name}.html" for name in written}


@pytest.mark.parametrize("name", ["run", "training", "crowded", "compared"])
def test_nothing_scrolls_sideways_on_a_phone_or_on_paper(
    browser: Any, pages: dict[str, Path], name: str
) -> None:
    opened, _ = visit(browser, pages[name])
    opened.evaluate(OPEN_DETAILS)
    for width in (320, 390, 640):
        opened.set_viewport_size({"width": width, "height": 800})
        assert too_wide(opened) == []
    opened.set_viewport_size({"width": 1_280, "height": 800})
    assert opened.evaluate("document.documentElement.scrollWidth") <= 1_280
    opened.emulate_media(media="print", color_scheme="dark")
    opened.set_viewport_size({"width": 680, "height": 900})  # A4 without its margins
    assert too_wide(opened) == []
    assert not opened.locator("nav").is_visible()
    assert faint(opened) == [], "it is dark on white"


@pytest.mark.parametrize("name", ["run", "training", "crowded", "compared"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out(browser: Any, pages: dict[str, Path], name: str, scheme: str) -> None:
    opened, _ = visit(browser, pages[name], color_scheme=scheme)
    opened.evaluate(OPEN_DETAILS)
    for width in (390, 1_280):
        opened.set_viewport_size({"width": width, "height": 800})
        assert faint(opened) == []


def test_sentences_are_found_by_their_words_without_accents_and_case(
    browser: Any, page: Path
) -> None:
    opened, events = visit(browser, page)
    rows = json.loads(opened.locator("#sentences").text_content())
    texts = ["\n".join([source, translation, *others]) for source, translation, others, _ in rows]
    found = sum(all(word in text for word in ("they", "four", "key")) for text in texts)
    assert 10 <= found < 46, "ten sources, and those whose translation has the word"
    opened.fill("#query", "THEY fôur key")
    assert opened.inner_text("#found") == f"{found} of 46 sentences"
    assert opened.locator("#results tr").count() == found
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
