"""What is kept on rewritten sentences: each row's arithmetic, with translators of a few lines."""

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.text.glossary import Glossary
from gru_mt.errors import UserError
from gru_mt.evaluation.robustness import measure as measure_module
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
SAME = EvaluationSet(SOURCES, [[source] for source in SOURCES])


@dataclass
class Text:
    text: str
    confidence: float | None = None


class Fake:
    """Translates by a function of the text, and remembers how it was asked."""

    def __init__(self, function: Callable[[str], str] = str) -> None:
        self.function = function
        self.asked: list[tuple[list[str], bool, Glossary | None]] = []

    def __call__(
        self, sources: Sequence[str], *, split: bool = True, glossary: Glossary | None = None
    ) -> list[Text]:
        self.asked.append((list(sources), split, glossary))
        return [Text(self.function(source)) for source in sources]


def rows(report: RobustnessReport) -> dict[str, Row]:
    return {row.name: row for row in report.rows}


def test_who_copies_keeps_items_names_and_joined_lines_but_no_terms() -> None:
    report = measure(Fake(), SAME)
    kept = {name: row.kept for name, row in rows(report).items()}
    for name in ("plain", "UPPER CASE", "no final mark", *ITEMS, "<b>tags</b> around a word",
                 "tags that nest", "Markdown", "a frame around it", "signed and joined numbers",
                 "three items", "a name never seen", "a name never seen, first",
                 "2 sentences on a line", "4 sentences on a line, not split"):  # fmt: skip
        assert kept[name] == pytest.approx(100), name
    assert kept["glossary terms"] == 0
    assert list(kept)[:2] == ["plain", "UPPER CASE"]


def test_rows_say_how_many_lines_they_have() -> None:
    lines = {name: row.sentences for name, row in rows(measure(Fake(), SAME)).items()}
    assert lines["plain"] == lines["UPPER CASE"] == lines["Title Case"] == 6
    assert lines["lower case"] == lines["no final mark"] == lines["several final marks"] == 5
    assert lines["no apostrophes"] == lines["other quotation marks"] == 2
    assert lines["one typo"] == lines["a URL"] == lines["glossary terms"] == 6
    # Of five sentences with a final mark; there is no line of eight.
    assert lines["2 sentences on a line"] == lines["2 sentences on a line, not split"] == 2
    assert lines["4 sentences on a line"] == 1
    assert "8 sentences on a line" not in lines
    # Tom, Where, Anna, They: with the source as its reference, each is on both sides.
    assert lines["a name never seen"] == 4
    assert lines["a name never seen, first"] == 3


@pytest.mark.parametrize(
    ("name", "rewritten"),
    [
        ("Title Case", "Where Is My Old Yellow House?"),
        ("lower case", "where is my old yellow house?"),
        ("a space before marks", "Where is my old yellow house ?"),
    ],
)
def test_a_row_is_bleu_of_the_rewritten_over_that_of_the_same_sentences(
    name: str, rewritten: str
) -> None:
    reference = "Where is my old green house?"
    row = rows(measure(Fake(), EvaluationSet([SOURCES[1]], [[reference]])))[name]
    assert row.bleu == pytest.approx(corpus_bleu([rewritten], [[reference]]))
    assert row.plain_bleu == pytest.approx(corpus_bleu([SOURCES[1]], [[reference]]))
    assert row.bleu
    assert row.plain_bleu
    assert row.kept == pytest.approx(100 * row.bleu / row.plain_bleu)


def test_capitals_are_expected_in_capitals() -> None:
    # One who always writes lower case keeps nothing of capitals, and all of the rest.
    found = rows(measure(Fake(str.lower), EvaluationSet(["a b c d e"], [["a b c d e"]])))
    assert found["UPPER CASE"].kept == 0
    assert found["UPPER CASE"].plain_bleu == pytest.approx(100)
    # One who shouts whatever he reads loses nothing in capitals.
    shouted = rows(measure(Fake(str.upper), SAME))["UPPER CASE"]
    assert shouted.bleu == pytest.approx(100)
    assert shouted.kept == pytest.approx(100)


def test_a_short_text_is_compared_without_its_marks_and_case() -> None:
    texts = ["Who is he?", "We see.", "It is not a short text."]
    shouts = Fake(lambda text: f"A B C D {text.upper()}")
    found = rows(measure(shouts, EvaluationSet(texts, [[f"A b c d {each}"] for each in texts])))
    for name in ("another mark", "lower case", "UPPER CASE"):
        row = found[f"a short text, {name}"]
        assert (row.sentences, row.kept) == (2, 100)
        assert row.bleu == pytest.approx(100)


def test_a_short_text_that_needs_its_mark_is_not_kept() -> None:
    texts = ["Who is he?", "We see."]
    marked = Fake(lambda text: f"a b c d {text}" if text in texts else "e f g h")
    found = rows(measure(marked, EvaluationSet(texts, [[f"a b c d {each}"] for each in texts])))
    for name in ("another mark", "lower case", "UPPER CASE"):
        row = found[f"a short text, {name}"]
        assert (row.bleu, row.kept) == (0, 0)
        assert row.plain_bleu == pytest.approx(100)


def test_a_frame_is_to_stand_around_the_translation_of_the_sentence_alone() -> None:
    def kept(framed: Callable[[str], str]) -> float | None:
        fake = Fake(lambda text: text.upper() if text in SOURCES else framed(text))
        return rows(measure(fake, SAME))["a frame around it"].kept

    def upper(text: str) -> str:
        for source in SOURCES:
            text = text.replace(source, f" {source.upper()} ")
        return text

    assert kept(str) == 0
    assert kept(upper) == 100


@pytest.mark.parametrize(
    ("name", "loses"),
    [
        ("signed and joined numbers", lambda text: re.sub(r"\d|[½XIV]{2,}|½", "", text)),
        ("tags that nest", lambda text: re.sub("(<[^/>]*>)+", "", text)),
        ("Markdown", lambda text: text.replace("*", "").replace("[", "").replace("_", "")),
        ("a frame around it", lambda text: text if text in SOURCES else text[1:-1]),
    ],
)
def test_what_is_lost_is_not_kept(name: str, loses: Callable[[str], str]) -> None:
    assert (rows(measure(Fake(loses), SAME))[name].kept or 0) < 60


def test_what_has_no_final_mark_should_get_none() -> None:
    def mark(text: str) -> str:
        return text if text.endswith((".", "?", "!")) else f"{text}."

    both = EvaluationSet(["a b c d.", "e f g h ?"], [["a b c d.", "A"], ["e f g h ?"]])
    row = rows(measure(Fake(mark), both))["no final mark"]
    assert row.plain_bleu == pytest.approx(100), "its plain translations lose their marks too"
    assert row.bleu == pytest.approx(
        corpus_bleu(["a b c d.", "e f g h."], [["a b c d", "A"], ["e f g h"]])
    )


def test_lines_of_several_sentences_are_scored_as_their_sentences_joined() -> None:
    references = [["a b c d.", "x"], ["e f g h.", "y", "z"], ["i j k l."], ["m n o p."], ["q r s."]]
    five = EvaluationSet([row[0] for row in references], references)
    fake = Fake(lambda text: text.partition(".")[0] + ".")  # the first sentence alone
    found = rows(measure(fake, five))
    joined = [["a b c d. e f g h.", "x y", "a b c d. z"], ["i j k l. m n o p."]]
    for name, split in (
        ("2 sentences on a line", True),
        ("2 sentences on a line, not split", False),
    ):
        assert found[name].bleu == pytest.approx(corpus_bleu(["a b c d.", "i j k l."], joined))
        assert found[name].plain_bleu == pytest.approx(100)
        assert (["a b c d. e f g h.", "i j k l. m n o p."], split, None) in fake.asked
    assert [split for _, split, _ in fake.asked].count(False) == 2


@pytest.mark.parametrize(
    ("function", "kept"),
    [
        (lambda text: text.replace("@", ""), 0),
        (lambda text: f"{text} {text}", 0),
        (lambda text: text[::-1], 0),
        (str, 100),
    ],
)
def test_an_item_counts_if_it_comes_out_unchanged_and_once(
    function: Callable[[str], str], kept: float
) -> None:
    found = rows(measure(Fake(function), SAME))
    assert found["an @name"].kept == found["an e-mail address"].kept == kept


def test_a_part_of_the_items_is_a_part_of_100() -> None:
    sources = [f"Say it {word}." for word in ("now", "far", "there", "again", "once")]
    loses = Fake(lambda text: text.replace("#", "") if "far" in text else text)
    found = rows(measure(loses, EvaluationSet(sources, [[each] for each in sources])))
    assert found["a #tag"].kept == 80
    assert found["an @name"].kept == 100


def test_terms_of_a_glossary_are_translated_by_it_each_time() -> None:
    def translate(
        sources: Sequence[str], *, split: bool = True, glossary: Glossary | None = None
    ) -> list[Text]:
        terms = glossary.translations if glossary else {}
        words = [[terms.get(word.lower(), word) for word in text.split()] for text in sources]
        return [Text(" ".join(row)) for row in words]

    def only_once(
        sources: Sequence[str], *, split: bool = True, glossary: Glossary | None = None
    ) -> list[Text]:
        distinct = [" ".join(dict.fromkeys(text.split())) for text in sources]
        return translate(distinct, glossary=glossary)

    texts = ["One two three four", "five six seven five"]
    same = EvaluationSet(texts, [[text] for text in texts])
    assert rows(measure(translate, same))["glossary terms"].kept == 100
    assert rows(measure(only_once, same))["glossary terms"].kept == 50


@pytest.mark.parametrize("texts", [["我明白了。", "你好吗？"], ["مرحبا بك.", "كيف حالك؟"]])
def test_a_script_without_case_has_no_rows_of_case(texts: list[str]) -> None:
    found = rows(measure(Fake(), EvaluationSet(texts, [[text] for text in texts])))
    assert not {"UPPER CASE", "Title Case", "lower case", "a name never seen"} & found.keys()
    assert found["no final mark"].sentences == found["a URL"].sentences == 2
    assert found["a URL"].kept == 100


def test_a_report_is_a_pure_function_of_the_set() -> None:
    first, second = Fake(), Fake()
    random.seed(1)
    report = measure(first, SAME)
    random.seed(2)
    assert measure(second, SAME) == report
    assert first.asked == second.asked


def test_a_long_set_is_cut_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in (("ALL", 4), ("MANY", 3), ("SOME", 2)):
        monkeypatch.setattr(measure_module, name, most)
    fake = Fake()
    found = rows(measure(fake, SAME))
    assert fake.asked[0][0] == [SOURCES[0], SOURCES[1], SOURCES[3], SOURCES[4]]
    assert found["plain"].sentences == found["UPPER CASE"].sentences == 4
    assert found["a space before marks"].sentences == found["a name never seen"].sentences == 3
    assert found["a URL"].sentences == 2
    assert found["2 sentences on a line"].sentences == 1


def test_each_row_is_announced_before_it_is_translated() -> None:
    said: list[str] = []
    report = measure(Fake(), SAME, say=said.append)
    assert [each.rpartition(":")[0] for each in said] == [row.name for row in report.rows]


def test_a_model_that_says_nothing_keeps_nothing() -> None:
    report = measure(Fake(lambda _: ""), SAME)
    assert {row.kept for row in report.rows[1:]} == {None, 0.0}
    assert "none" in str(report.rows[1])


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(UserError, match="nothing to score"):
        measure(Fake(), EvaluationSet([], []))


def test_the_bleu_tokenizer_is_used() -> None:
    texts = EvaluationSet(["abcde。"], [["abcdf。"]])
    bleu = corpus_bleu(["abcde。"], [["abcdf。"]], tokenizer="char")
    by_words, by_letters = (
        rows(measure(Fake(), texts, tokenizer=each)) for each in ("13a", "char")
    )
    assert (by_words["plain"].bleu, bleu > 0) == (0, True)
    for name in ("plain", "UPPER CASE"):
        assert by_letters[name].plain_bleu == pytest.approx(bleu)


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


def test_every_way_of_rewriting_has_a_row() -> None:
    texts = ["I don't \"know\" where they're going, Tom.", "No!"]
    found = rows(measure(Fake(), EvaluationSet(texts, [[text] for text in texts])))
    assert {way.name for way in PERTURBATIONS} < found.keys()
