"""Buckets of sentences: each in one, and scored as sacreBLEU scores them."""

import pytest

from gru_mt.evaluation.hypotheses import Hypotheses
from gru_mt.evaluation.overlap import TrainOverlap
from gru_mt.evaluation.score import score_translations
from gru_mt.report.tables import SentenceScores, tables_of
from tests.report.made import hypotheses

WORDS = ["un", "chien", "voit", "deux", "chats", "dans", "la", "grande", "maison"] * 4


def of_lengths(*lengths: int, references: list[int] | None = None) -> Hypotheses:
    """Return sources of so many words; every second translation lacks the first letters."""
    counts = references or [1] * len(lengths)
    rows = []
    for row, (length, count) in enumerate(zip(lengths, counts, strict=True)):
        text = " ".join(WORDS[:length])
        others = [f"{text} {number}" for number in range(1, count)]
        rows.append((" ".join(["word"] * length), text[3 * (row % 2) :], [text, *others]))
    return hypotheses(*rows)


def scored(found: Hypotheses) -> SentenceScores:
    return SentenceScores(found.texts, found.set.references, "13a")


def test_a_bucket_has_the_scores_and_intervals_of_sacrebleu() -> None:
    found = of_lengths(7, 9, 11, 6, 8, 10, references=[1, 3, 2, 1, 1, 2])
    rows = [0, 2, 3, 5]
    bucket = scored(found).bucket("some", rows)
    expected = score_translations(
        [found.texts[row] for row in rows], [found.set.references[row] for row in rows]
    )
    assert bucket.sentences == 4
    for ours, score in ((bucket.bleu, expected.multi_reference), (bucket.chrf, expected.chrf)):
        assert ours == pytest.approx((score.value, score.low, score.high))
    single = scored(found).bucket("one", [0])
    assert [*single.bleu] == [pytest.approx(100), None, None]


def test_every_sentence_is_in_one_bucket_of_each_table() -> None:
    found = of_lengths(1, 3, 4, 5, 6, 8, 12, 13, 21, 30)
    (table,) = tables_of(found.set, None, scored(found))
    assert [(each.name, each.sentences) for each in table.buckets] == [
        ("1 to 3", 2), ("4 to 5", 2), ("6 to 8", 2), ("9 to 12", 1), ("13 to 20", 1),
        ("21 and more", 2),
    ]  # fmt: skip
    assert tables_of(hypotheses(("", "a", ["b"])).set, None, scored(found)) == [], "no sources"
    found = of_lengths(*[5] * 6, references=[1, 2, 3, 4, 5, 9])
    known = TrainOverlap(
        distance=[0.1, 0.3, 0.55, 0.6, 1.0, 0.299],
        near_duplicate=[True, False, False, False, False, False],
        rarest=[0, 1, 2, 3, 99, 100],
        target_words={},
    )
    tables = tables_of(found.set, known, scored(found))
    assert [[(each.name, each.sentences) for each in table.buckets] for table in tables[1:]] == [
        [("0", 1), ("1 to 2", 2), ("3 to 9", 1), ("10 to 99", 1), ("100 and more", 1)],
        [("near-duplicate", 1), ("0 to 30 %", 1), ("30 to 40 %", 1), ("50 to 60 %", 1),
         ("60 to 100 %", 2)],
        [("1", 1), ("2", 1), ("3 to 4", 2), ("5 and more", 2)],
    ]  # fmt: skip
