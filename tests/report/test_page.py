"""The page of a run: whole, alone, escaped, and honest about what it lacks."""

import base64
import hashlib
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.splits import Splits, load_splits
from gru_mt.errors import UserError
from gru_mt.evaluation.hypotheses import model_digest
from gru_mt.report.contents import contents_of
from gru_mt.report.page import page_of, watch, write_report
from gru_mt.run import Run
from gru_mt.storage import read_checksummed_json, write_checksummed_json
from tests.command_line import add_correction
from tests.report.conftest import NASTY
from tests.report.made import Page


def silent(_: str) -> None:
    """Say nothing."""


@pytest.fixture(scope="module")
def parsed(page: Path) -> Page:
    return Page(page.read_text("utf-8"))


def test_text_of_a_corpus_is_never_markup(parsed: Page) -> None:
    tags = [tag for tag, _ in parsed.elements]
    assert tags.count("script") == 2  # the data of the search, and the search
    assert "b" not in [tag for tag, attributes in parsed.elements if attributes]
    names = [(tag, name) for tag, attributes in parsed.elements for name in attributes]
    assert not [name for _, name in names if name.startswith("on") or name == "style"]
    assert "src" not in {name for _, name in names}
    rows = json.loads(parsed.contents["json"])
    assert [row[0] for row in rows[: len(NASTY)]] == NASTY
    assert parsed.contents["title"].startswith("small <b>: en to fr")  # then those of marks


def test_the_page_asks_nobody_and_runs_only_its_own_script(parsed: Page) -> None:
    values = {name: value for _, attributes in parsed.elements for name, value in attributes.items()
              if name == "content"}  # fmt: skip
    policy = str(values["content"])
    assert policy.startswith("default-src 'none'; ")
    for name in ("style", "script"):
        digest = hashlib.sha256(parsed.contents[name].encode()).digest()
        assert f"{name}-src 'sha256-{base64.b64encode(digest).decode()}';" in policy
    places = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(places) == len({*places})
    links = {attributes["href"] for _, attributes in parsed.elements if "href" in attributes}
    assert links
    assert links <= {f"#{place}" for place in places}, "every link has its place in the page"


def test_the_page_has_its_pictures_and_is_small(page: Path, parsed: Page) -> None:
    charts = [attributes for tag, attributes in parsed.elements if tag == "svg"]
    labels = [chart["aria-label"] for chart in charts]
    assert labels[:5] == ["Loss", "BLEU", "Learning rate", "Gradient norm", "Speed"]
    assert "Short and long sentences" in labels
    assert page.stat().st_size < 1_000_000


def test_the_search_holds_what_has_room_and_says_what_it_leaves_out(
    run: Run, parsed: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(json.loads(parsed.contents["json"])) == 46
    monkeypatch.setattr("gru_mt.report.page.SEARCHED_BYTES", 1_000)
    text = page_of(contents_of(run, "test", say=silent))
    rows = json.loads(Page(text).contents["json"])
    assert 0 < len(rows) < 46
    assert f"The first {len(rows)} sentences are searched; {46 - len(rows)} more" in text


def test_the_score_comes_first_and_how_many_translations_are_a_reference(run: Run) -> None:
    contents = contents_of(run, "test", say=silent)
    first = contents.sets[0].hypotheses
    texts = [*first.set.references[0], *first.texts[1:]]  # the first of 46 is right
    sets = [replace(contents.sets[0], hypotheses=replace(first, texts=texts))]
    text = page_of(replace(contents, sets=sets))
    assert "Of 46 translations of the test split, 1 (2&nbsp;%) are a reference" in text
    assert text.index("BLEU, all references<b>") < text.index("<nav") < text.index("<svg")


def test_rows_of_few_sentences_or_words_say_so(page: Path) -> None:
    text = page.read_text("utf-8").partition("<h3>What is wrong")[0]
    counts = re.findall(
        r'</th><td class="number">(?:<span class="(few)">few</span> )?([\d,]+)', text
    )
    found = {(int(count.replace(",", "")) < 30, bool(few)) for few, count in counts}
    assert found == {(True, True), (False, False)}


def test_what_is_kept_is_not_translated_again_and_other_hypotheses_have_other_samples(
    page: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    with monkeypatch.context() as nothing:
        nothing.setattr("gru_mt.report.contents.Translator.load", pytest.fail)
        nothing.setattr("gru_mt.report.contents.load_splits", pytest.fail)
        write_report(run, run.report, say=said.append)
    assert said == []
    assert run.report.read_bytes() == page.read_bytes()
    values = read_checksummed_json(run.hypotheses("test"))
    values["sets"][0]["texts"][0] = "!"
    write_checksummed_json(run.hypotheses("test"), values)
    found, *_ = contents_of(run, "test", say=silent).sets
    (first,) = (each for each in found.samples.worst if each.number == 1)
    assert [piece.text for piece in first.translation] == ["!"]


def test_another_corpus_or_split_or_too_many_sentences_leave_tables_out(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def text_of(run: Run) -> str:
        return page_of(contents_of(run, "test", say=silent))

    def another(*given: Any, **more: Any) -> Splits:
        other = [EvaluationSet(["Another one."], [["Une autre."]])]
        return replace(load_splits(*given, **more), test=other)

    run.train_overlap("test").unlink()
    for name, value, why in (
        ("load_splits", another, "is not what it was"),
        ("MOST_COMPARED", 99, "too many to compare"),
    ):
        with monkeypatch.context() as changed:
            changed.setattr(f"gru_mt.report.contents.{name}", value)
            assert why in text_of(run)
    corpus = tmp_path / "pairs.tsv"
    before = Path(re.findall(r"\S+pairs\.tsv", run.config.read_text("utf-8"))[0])
    run.config.write_text(run.config.read_text("utf-8").replace(str(before), str(corpus)), "utf-8")
    text = text_of(run)
    assert "pairs.tsv: no such file" in text
    assert "Rare words" not in text
    corpus.write_bytes(before.read_bytes() + b"I see nine cat.\tmoi vois chat neuf.\n")
    assert "not what they were at training" in text_of(run)
    assert not run.train_overlap("test").exists()


def test_an_unfinished_run_the_dev_split_and_no_run(run: Run, tmp_path: Path) -> None:
    assert "translations of the dev split" in page_of(contents_of(run, "dev", say=silent))
    assert run.hypotheses("dev").is_file()
    summary = run.summary.read_text()
    run.summary.unlink()
    text = page_of(contents_of(run, "test", say=silent, translating=False))
    assert "The training is not finished" in text
    best = max(line.get("dev_bleu", 0) for line in run.read_metrics()[0])
    assert f"the best so far<b>{best:.1f}</b>" in text
    assert "What the dev split said" in text
    assert 'id="sentences' not in text
    run.summary.write_text(summary)
    run.evaluation_sets("test").unlink()
    text = page_of(contents_of(run, "test", say=silent))
    assert "The corpus was too small for a test split" in text
    with pytest.raises(UserError, match="holds no run; give the folder"):
        contents_of(Run(tmp_path), "test", say=silent)


def test_a_name_with_a_space_is_quoted_and_texts_say_their_language(
    run: Run, tmp_path: Path
) -> None:
    named = Run(tmp_path / "my run")
    shutil.copytree(run.folder, named.folder)
    text = page_of(contents_of(named, "test", say=silent))
    assert "gru-mt train --config &#39;my run.yaml&#39;</pre>" in text
    assert '<span dir="auto" lang="en">' in text
    assert '<span dir="auto" lang="fr">' in text


def test_a_run_that_trains_is_shown_again_and_again(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = iter([True, True, False])
    pages: list[str] = []
    monkeypatch.setattr("gru_mt.report.page.is_locked", lambda _: next(locked))
    monkeypatch.setattr("time.sleep", lambda _: pages.append(run.report.read_text("utf-8")))
    watch(run, run.report, say=silent)
    refreshing = '<meta http-equiv="refresh" content="15">'
    assert [refreshing in page for page in pages] == [True, True]
    assert all("The training is not finished" in page for page in pages), "it goes on"
    assert refreshing not in run.report.read_text("utf-8")
    assert 'id="sentences1"' in run.report.read_text("utf-8")


def test_corrections_are_shown_with_what_the_model_makes_of_them_by_itself(run: Run) -> None:
    for source, target in (("one <b>", "un"), ("two", "deux"), ("three", "trois")):
        add_correction(run.folder, source, target, by="Zoë")
    texts = {"one <b>": "un", "two": "douze"}
    write_checksummed_json(run.learned, {"model": model_digest(run), "texts": texts})
    rows = re.findall("<tr>.*?</tr>", page_of(contents_of(run, "test", say=silent)))
    shown = [re.sub("<[^>]*>", "|", row) for row in rows if "Zoë" in row]
    for row, (source, target, text) in zip(
        shown,
        [("three", "trois", "not asked yet"), ("two", "deux", "douze"),
         ("one &lt;b&gt;", "un", "the same")],
        strict=True,
    ):  # fmt: skip
        assert [part for part in row.split("|") if part][:3] == [source, target, text]
