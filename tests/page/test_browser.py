"""The page in a real browser: it is typed into, and read."""

import base64
import gzip
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gru_mt.page.write import page as page_of
from gru_mt.page.write import write_page
from gru_mt.report.html import json_in_page
from tests.browser import browser, faint, needs_chromium, too_wide, visit
from tests.page.test_write import ABOUT

__all__ = ["browser"]  # fixtures
pytestmark = [pytest.mark.slow, needs_chromium]
Faked = Callable[..., Path]


@pytest.fixture(scope="module")
def page(workplace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "translator.html"
    write_page(workplace / "runs" / "small", path)
    return path


# A worker that says a text in capitals; the letters of a text say how it answers.
FAKE = """
const answerTo = (source) => {
  const text = METADATA.answers?.[source] ?? source.toUpperCase();
  const sourceWords = [...source.split(" "), "<eos>"];
  const words = [...text.split(" "), "<eos>"];
  const attention = words.map((_, t) => sourceWords.map((_, s) => (s === t ? 0.8 : 0.02)));
  const [confidence, warnings] = source.includes("doubt") ? [0.1, ["repetition"]] : [0.9, []];
  const candidates = [1, 2].map((score) => ({ text, score: -score, words, attention }));
  return { source, gap: "", text, confidence, warnings, sourceWords, candidates };
};
let METADATA = null;
onmessage = ({ data: { kind, id, text, nBest, metadata } }) => {
  if (kind === "load") {
    METADATA = metadata;
    return postMessage({ kind: "ready", seconds: 0.01, engine: "a fake" });
  }
  const lines = text.split("\\n").map((line) => ({ text: line, sentences: [answerTo(line)] }));
  const answer = () =>
    postMessage(text.includes("fail")
      ? { kind: "failed", message: "it broke" }
      : { kind: "translated", id, seconds: 0.01, lines });
  setTimeout(answer, text.includes("slow") || nBest > 1 ? 400 : 5);
};
"""


@pytest.fixture
def faked(tmp_path: Path) -> Faked:
    """Return a function that writes a page with the fake worker; `metadata` is added to its own."""

    def write(**metadata: Any) -> Path:
        about = {**ABOUT, "weightsSha256": "0" * 64, "decoding": {"beam_size": 2}, **metadata}
        whole = page_of(about, base64.b64encode(gzip.compress(b"weights")).decode())
        path = tmp_path / "faked.html"
        text = re.sub(r'(?<=id="worker">)[^<]*', lambda _: json_in_page(FAKE), whole)
        path.write_text(text, "utf-8")
        return path

    return write


def opened(browser: Any, page: Path, **options: Any) -> tuple[Any, list[str]]:
    """Return the page, ready to translate, and what it asked for and complained about."""
    found, events = visit(browser, page, **options)
    found.locator("#footer", has_text="ready").wait_for()
    return found, events


def type_in(found: Any, text: str) -> None:
    found.fill("#source", text)
    found.locator("#target:not(.old)").wait_for()


def test_a_text_is_translated_as_one_types_and_nothing_is_asked_for(
    browser: Any, page: Path
) -> None:
    found, events = opened(browser, page)
    assert found.inner_text("h1") == "English to French"
    type_in(found, "I see one cat.\nwe want a@b.org!\n\nthey like <b>.")
    first, second, third, fourth = found.locator("#target p").all_inner_texts()
    assert first
    assert "a@b.org" in second
    assert third == ""
    assert "<b>" in fourth, "what is typed is text"
    assert found.inner_text("#speed").endswith(" ms")
    assert events[0] == page.resolve().as_uri()
    assert [event for event in events[1:] if not event.startswith("blob:")] == []
    type_in(found, "they take four hat.")
    wanted = found.inner_text("#target")
    type_in(found, "")
    found.fill("#source", "I see one cat. " * 200)
    found.wait_for_timeout(100)  # it is being translated now
    type_in(found, "they take four hat.")
    found.wait_for_timeout(300)
    assert found.inner_text("#target") == wanted, "the newest text counts"
    found.locator(".sentence").focus()
    assert found.locator("#read span").all_inner_texts()[-1] == "(end)"
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
    assert [bool(line) for line in lines] == [True, False, True, True]
    letters.write_bytes("déjà vu".encode("latin-1"))
    found.set_input_files("#file", letters)
    found.locator("#failure", has_text="letters.txt is no text in UTF-8").wait_for()


def test_what_does_not_work_is_said(browser: Any, page: Path, faked: Faked, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    start = text.index('id="weights">') + 4_000
    damaged = tmp_path / "damaged.html"
    damaged.write_text(f"{text[:start]}!!!!{text[start:]}", "utf-8")
    found, _ = visit(browser, damaged)
    found.locator("#failure", has_text="damaged").wait_for()
    found, _ = visit(browser, page, java_script_enabled=False)
    assert "JavaScript, which is turned off here" in found.inner_text("body")
    found, _ = opened(browser, faked())
    found.fill("#source", "fail")
    found.locator("#failure", has_text="The translation failed: it broke").wait_for()
    type_in(found, "one")
    assert not found.locator("#failure").is_visible()


@pytest.mark.parametrize(
    ("width", "scheme", "paper"),
    [
        (320, "light", "rgb(255, 255, 255)"),
        (390, "dark", "rgb(22, 22, 26)"),
        (1_280, "light", "rgb(255, 255, 255)"),
    ],
)
def test_the_page_fits_the_window_and_is_light_or_dark(
    browser: Any, page: Path, width: int, scheme: str, paper: str
) -> None:
    viewport = {"width": width, "height": 800}
    found, _ = opened(browser, page, viewport=viewport, color_scheme=scheme)
    type_in(found, "I see one cat. " * 20 + "a" * 300)
    found.locator(".sentence").first.click()
    assert too_wide(found) == []
    assert faint(found) == []
    assert found.locator("body").evaluate("e => getComputedStyle(e).backgroundColor") == paper


def test_a_text_is_text_wherever_it_comes_from(browser: Any, faked: Faked) -> None:
    found, events = opened(browser, faked())
    assert found.inner_text(".example") == ABOUT["examples"][0]
    assert ABOUT["attribution"] in found.inner_text("#credit")
    found.click(".example")
    found.locator("#target:not(.old)").wait_for()
    assert found.inner_text("#target") == ABOUT["examples"][0].upper()
    assert found.locator("#target b, #target script, #credit b").count() == 0
    assert [event for event in events[1:] if not event.startswith("blob:")] == []
    type_in(found, "İİİ evi İzmir çok")  # a small letter of İ has two characters
    assert found.locator(".word").all_inner_texts() == ["İİİ", "EVI", "İZMIR", "ÇOK"]


def test_an_answer_belongs_to_the_text_the_sentence_or_the_file_that_asked_for_it(
    browser: Any, faked: Faked
) -> None:
    found, _ = opened(browser, faked())
    found.fill("#source", "a slow text")
    found.wait_for_timeout(100)  # it was asked for
    type_in(found, "new")
    found.wait_for_timeout(500)  # the worker has answered both
    assert found.inner_text("#target") == "NEW"
    found.click(".sentence")
    found.fill("#source", "a slow text")
    found.wait_for_timeout(100)
    found.click("#others")
    found.locator("#target", has_text="A SLOW TEXT").wait_for()
    found.fill("#source", "a slow end")
    found.wait_for_timeout(100)
    found.set_input_files("#file", {"name": "a.txt", "mimeType": "", "buffer": b"one\ntwo"})
    found.locator("#target", has_text="A SLOW END").wait_for()
    assert found.inner_text("#state").startswith("2 lines, ")
    assert found.inner_text("#save") == "Save a.fr.txt"
    type_in(found, "one\ntwo")
    found.locator(".sentence").first.click()
    found.click("#others")
    found.locator(".sentence").last.click()
    found.wait_for_timeout(600)  # the candidates of the first have come
    assert found.locator("#candidates li").count() == 0
    found.click("#others")
    found.locator("#candidates li", has_text="TWO").first.wait_for()
    slow = {"name": "b.txt", "mimeType": "", "buffer": b"a slow file"}
    found.set_input_files("#file", slow)
    found.locator("#state", has_text="b.txt").wait_for()
    found.click("#others")
    assert found.inner_text("#state") == "b.txt was stopped: open it again"


def test_a_doubtful_sentence_is_marked_and_the_mark_is_not_copied(
    browser: Any, faked: Faked
) -> None:
    found, _ = opened(browser, faked())
    found.context.grant_permissions(["clipboard-read", "clipboard-write"])
    type_in(found, "sure\na\u00a0⚠ doubt")
    sure, doubtful = found.locator(".sentence").all()
    mark = "e => getComputedStyle(e, '::after').content"
    assert [each.evaluate(mark)[:3] for each in (sure, doubtful)] == ["non", '"\u00a0⚠']
    why = "Confidence: 10%. A word or phrase is repeated."
    assert [sure.get_attribute("title"), doubtful.get_attribute("title")] == [None, why]
    doubtful.click()
    assert found.inner_text("#trust") == why
    found.click("#copy")
    found.locator("#state", has_text="Copied").wait_for()
    assert found.evaluate("navigator.clipboard.readText()") == "SURE\nA\u00a0⚠ DOUBT"


def test_words_are_read_from_right_to_left(browser: Any, faked: Faked) -> None:
    arabic = "قرأت هذا الكتاب"
    metadata = {"languages": ["en", "ar"], "answers": {"I read this book": arabic}}
    found, _ = opened(browser, faked(**metadata), viewport={"width": 360, "height": 800})
    type_in(found, "I read this book")
    assert found.get_attribute("#target", "lang") == "ar"
    assert found.locator(".word").all_inner_texts() == arabic.split()
    found.locator(".sentence").focus()
    found.keyboard.press("ArrowLeft")
    assert found.inner_text(".word.on") == arabic.split()[1]
    found.click("#others")
    found.locator("#candidates li").first.wait_for()
    assert found.locator("html").evaluate("e => e.scrollWidth") <= 360


DROP = """([place, kind]) => {
  const data = new DataTransfer();
  if (kind === "file") data.items.add(new File(["one\\ntwo\\n"], "a.txt"));
  else data.setData("text/plain", "one");
  const event = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data });
  return !document.querySelector(place).dispatchEvent(event);
}"""


def test_a_file_may_be_dropped_anywhere_and_a_text_into_the_source(
    browser: Any, faked: Faked
) -> None:
    found, _ = opened(browser, faked())
    assert not found.evaluate(DROP, ["#source", "text"]), "the browser puts it there"
    for place in ("#source", "#target", "footer"):
        assert found.evaluate(DROP, [place, "file"])
    found.locator("#save:visible").wait_for()
    with found.expect_download() as download:
        found.click("#save")
    assert Path(download.value.path()).read_text("utf-8") == "one\ntwo\n"


def test_attention_is_shown_both_ways_by_the_pointer_and_by_keys(
    browser: Any, faked: Faked
) -> None:
    found, _ = opened(browser, faked(), viewport={"width": 360, "height": 800})
    type_in(found, "one two three\n" + "four five six " * 9)
    before = found.locator("#target").bounding_box()
    for _ in range(2):
        found.locator(".word", has_text="TWO").hover()
        assert found.locator("#read .h8").all_inner_texts() == ["two"]
        found.locator(".word", has_text="SIX").first.hover()
        assert found.locator("#read .h8").all_inner_texts() == ["six"]
        assert found.locator(".on").all_inner_texts() == ["SIX"], "one word at a time"
    assert found.locator("#target").bounding_box() == before, "what is pointed at stays there"
    found.locator("#read span", has_text="five").first.hover()
    assert found.locator(".word.h8").all_inner_texts() == ["FIVE"]
    found.mouse.move(0, 0)
    found.locator(".sentence").first.focus()
    assert found.locator("#read .h8").all_inner_texts() == ["two"], "where one was"
    found.focus("#copy")
    found.keyboard.press("Tab")
    for word in ("one", "two", "three"):
        found.keyboard.press("ArrowRight")
        assert found.locator("#read .on").all_inner_texts() == [word]
        assert found.locator(".word.h8").all_inner_texts() == [word.upper()]


def test_everything_is_reached_by_tab(browser: Any, faked: Faked) -> None:
    found, _ = opened(browser, faked(examples=[]))
    type_in(found, "one\ntwo")
    found.focus("#source")
    reached = []
    for _ in range(7):
        found.keyboard.press("Tab")
        reached.append(found.evaluate("document.activeElement.id || document.activeElement.title"))
        outline = found.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none" or reached[-1] == "file"  # its label is outlined
    assert reached == ["clear", "file", "", "", "copy", "read", "others"]
    found.locator(".sentence").first.focus()
    found.keyboard.press("Enter")
    assert found.evaluate("document.activeElement.id") == "others", "past the other sentence"
    found.keyboard.press("Enter")
    found.locator("#candidates li", has_text="ONE").first.wait_for()
