"""What is retained on perturbed sentences: arithmetic of rows, with translators of a few lines."""

import json
import random
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.text.terms.glossary import Glossary
from gru_mt.errors import UserError
from gru_mt.evaluation.robustness import measure as module
from gru_mt.evaluation.robustness.cases import ITEMS
from gru_mt.evaluation.robustness.measure import RobustnessReport, Row, measure
from gru_mt.evaluation.robustness.perturbations import PERTURBATIONS
from gru_mt.evaluation.score import corpus_bleu

SOURCES = [
    "Tom sees the big black dog.",
    "Where is my old yellow house?",
    "I don't know what you want!",
    "We have never been there, Anna.",
    "They said that Tom isn't at home.",
    "no mark at the end of this",
]


def copied(*texts: str) -> EvaluationSet:
    """Return a set whose sources are their own references."""
    return EvaluationSet([*texts], [[text] for text in texts])


SAME = copied(*SOURCES)


class Fake:
    """Translates by a function of the text, and remembers how it was asked."""

    def __init__(self, function: Callable[[str], str] = str) -> None:
        self.function = function
        self.asked: list[tuple[list[str], bool]] = []

    def __call__(self, sources: list[str], *, split: bool = True, **_: Any) -> list[Any]:
        self.asked.append((list(sources), split))
        return [SimpleNamespace(text=self.function(source)) for source in sources]


def rows(translate: Any, texts: EvaluationSet = SAME, **options: Any) -> dict[str, Row]:
    return {row.name: row for row in measure(translate, texts, **options).rows}


def test_who_copies_keeps_items_names_and_joined_lines_but_no_terms() -> None:
    said: list[str] = []
    first, second = Fake(), Fake()
    random.seed(1)
    found = rows(first, say=said.append)
    random.seed(2)
    assert (rows(second), second.asked) == (found, first.asked), "chance has no part in it"
    for name in ("plain", "UPPER CASE", "no final mark", *ITEMS, "<b>tags</b> around a word",
                 "tags that nest", "Markdown", "a frame around it", "signed and joined numbers",
                 "three items", "a name never seen", "a name never seen, first",
                 "2 sentences on a line", "4 sentences on a line, not split"):  # fmt: skip
        assert found[name].retained == pytest.approx(100), name
    assert found["glossary terms"].retained == 0
    assert [line.rpartition(":")[0] for line in said] == [*found], "rows are announced in order"
    lines = {name: row.sentences for name, row in found.items()}
    assert lines["plain"] == lines["UPPER CASE"] == lines["Title Case"] == 6
    assert lines["lower case"] == lines["no final mark"] == lines["several final marks"] == 5
    assert lines["no apostrophes"] == lines["other quotation marks"] == 2
    assert lines["one typo"] == lines["a URL"] == lines["glossary terms"] == 6
    # Of five sentences with a final mark; there is no line of eight.
    assert lines["2 sentences on a line"] == lines["2 sentences on a line, not split"] == 2
    assert lines["4 sentences on a line"] == 1
    assert "8 sentences on a line" not in lines
    # Tom, Where, Anna, They: with the source as its reference, all are on both sides.
    assert (lines["a name never seen"], lines["a name never seen, first"]) == (4, 3)


def test_a_row_is_bleu_of_the_perturbed_over_that_of_the_same_sentences() -> None:
    references = [["Where is my old green house?"]]
    found = rows(Fake(), EvaluationSet([SOURCES[1]], references))
    for name, perturbed in (
        ("Title Case", "Where Is My Old Yellow House?"),
        ("a space before marks", "Where is my old yellow house ?"),
    ):
        bleu, plain = (corpus_bleu([text], references) for text in (perturbed, SOURCES[1]))
        assert (found[name].bleu, found[name].plain_bleu) == pytest.approx((bleu, plain))
        assert found[name].retained == pytest.approx(100 * bleu / plain)


def test_a_translation_is_expected_as_the_perturbation_asks() -> None:
    # One who always writes lower case keeps nothing of capitals, and all of the rest.
    found = rows(Fake(str.lower), copied("a b c d e"))["UPPER CASE"]
    assert found.retained == 0
    assert found.plain_bleu == pytest.approx(100)
    # One who writes all in capitals loses nothing in capitals.
    assert rows(Fake(str.upper))["UPPER CASE"].retained == pytest.approx(100)
    fake = Fake(lambda text: text if text.endswith((".", "?", "!")) else f"{text}.")
    both = EvaluationSet(["a b c d.", "e f g h ?"], [["a b c d.", "A"], ["e f g h ?"]])
    row = rows(fake, both)["no final mark"]
    assert row.plain_bleu == pytest.approx(100), "its plain translations lose their marks too"
    expected = corpus_bleu(["a b c d.", "e f g h."], [["a b c d", "A"], ["e f g h"]])
    assert row.bleu == pytest.approx(expected)
    # Several final marks are as good as the first of them.
    both = EvaluationSet(["a b c d.", "e f g h?"], [["a b c d."], ["e f g h?"]])
    row = rows(Fake(str), both)["several final marks"]
    assert (row.retained, row.bleu) == pytest.approx((100, 100))
    # Short texts are compared without their marks and case.
    texts = ["Who is he?", "We see.", "It is not a short text."]
    capitals = Fake(lambda text: f"A B C D {text.upper()}")
    found_rows = rows(capitals, EvaluationSet(texts, [[f"A b c d {text}"] for text in texts]))
    for name in ("another mark", "lower case", "UPPER CASE"):
        row = found_rows[f"a short text, {name}"]
        assert (row.sentences, row.retained) == (2, 100)


def test_a_share_is_of_translations_that_have_what_they_should() -> None:
    texts = copied(*(f"Say it {word}." for word in ("now", "far", "there", "again", "once")))
    found = rows(Fake(lambda text: text.replace("#", "") if "far" in text else text), texts)
    assert (found["a #tag"].retained, found["an @name"].retained) == (80, 100)
    found = rows(
        Fake(lambda text: text.upper() if text in SOURCES else re.sub(r"\d|@|<", "", text))
    )
    for name in ("an @name", "a date", "tags that nest", "a frame around it"):
        assert found[name].retained == 0, "a frame stands around the translation of its sentence"

    def only_once(texts: list[str], *, glossary: Glossary | None = None, **_: Any) -> list[Any]:
        terms = glossary.translations if glossary else {}
        words = [dict.fromkeys(text.lower().split()) for text in texts]
        lines = [" ".join(terms.get(word, word) for word in line) for line in words]
        return [SimpleNamespace(text=line) for line in lines]

    texts = copied("One two three four", "five six seven five")
    assert rows(only_once, texts)["glossary terms"].retained == 50


def test_lines_of_several_sentences_are_scored_as_their_sentences_joined() -> None:
    references = [["a b c d.", "x"], ["e f g h.", "y", "z"], ["i j k l."], ["m n o p."], ["q r s."]]
    fake = Fake(lambda text: text.partition(".")[0] + ".")  # the first sentence alone
    found = rows(fake, EvaluationSet([texts[0] for texts in references], references))
    joined = [["a b c d. e f g h.", "x y", "a b c d. z"], ["i j k l. m n o p."]]
    for name, split in (("", True), (", not split", False)):
        row = found[f"2 sentences on a line{name}"]
        assert row.bleu == pytest.approx(corpus_bleu(["a b c d.", "i j k l."], joined))
        assert row.plain_bleu == pytest.approx(100)
        assert (["a b c d. e f g h.", "i j k l. m n o p."], split) in fake.asked
    assert [split for _, split in fake.asked].count(False) == 2


def test_rows_are_of_sentences_that_they_fit_and_bleu_of_its_tokenizer() -> None:
    found = rows(Fake(), copied("我明白了。", "مرحبا بك."), tokenizer="char")
    assert not {"UPPER CASE", "Title Case", "lower case", "a name never seen"} & found.keys()
    assert found["no final mark"].sentences == found["a URL"].sentences == 2
    assert found["no final mark"].retained == found["a URL"].retained == pytest.approx(100)
    found = rows(Fake(), copied("I don't \"know\" where they're going, Tom.", "No!"))
    assert {way.name for way in PERTURBATIONS} < found.keys()
    report = measure(Fake(lambda _: ""), SAME)
    assert {row.retained for row in report.rows[1:]} == {None, 0.0}
    assert "none" in str(report.rows[1])
    with pytest.raises(UserError, match="nothing to score"):
        measure(Fake(), EvaluationSet([], []))


def test_a_long_set_is_thinned_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in (("ALL", 4), ("MANY", 3), ("SOME", 2)):
        monkeypatch.setattr(module, name, most)
    fake = Fake()
    found = rows(fake)
    assert fake.asked[0][0] == [SOURCES[0], SOURCES[1], SOURCES[3], SOURCES[4]]
    assert found["plain"].sentences == found["UPPER CASE"].sentences == 4
    assert found["a space before marks"].sentences == found["a name never seen"].sentences == 3
    assert found["a URL"].sentences == 2
    assert found["2 sentences on a line"].sentences == 1


def test_a_report_reads_as_a_table_and_as_json() -> None:
    all_but_one = Row("a URL", 1_000, 100 * 2_999 / 3_000)
    report = RobustnessReport((Row("lower case", 1_234, 99.0, 49.5, 50.0), all_but_one))
    _, first, second = lines = str(report).splitlines()
    assert first.split() == ["lower", "case", "1,234", "49.5", "50.0", "99.0", "%"]
    assert second.split() == ["a", "URL", "1,000", "99.9", "%"], "100.0 % is all of them"
    assert len({len(line) for line in lines}) == 1
    values = json.loads(json.dumps(report.to_json()))
    assert values["lower case"] == {
        "sentences": 1234, "kept": 99.0, "bleu": 49.5, "plain_bleu": 50.0,
    }  # fmt: skip
    assert values["a URL"]["bleu"] is None
