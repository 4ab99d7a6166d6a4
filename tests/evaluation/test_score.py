"""Scores are sacreBLEU's: expected values come from its command line or are computed by hand."""

import json
import math
import os
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from gru_mt.errors import UserError
from gru_mt.evaluation.score import (
    Score,
    corpus_bleu,
    interval,
    score_translations,
    sentence_chrf,
)

HYPOTHESES = [
    "Tom n'est pas là aujourd'hui.",
    "Je l'ai vu hier soir dans la rue.",
    "Où est-ce que tu habites ?",
    "Il a 3,5 millions d'euros.",
    "Ça va !",
    "Elle aime beaucoup les chats noirs de sa voisine.",
]
REFERENCES = [
    ["Tom n'est pas ici aujourd'hui.", "Tom est absent aujourd'hui."],
    ["Je l'ai vue hier soir dans la rue."],
    ["Où habites-tu ?", "Tu habites où ?", "Où est-ce que vous habitez ?"],
    ["Il possède 3,5 millions d'euros."],
    ["Tout va bien !", "Ça va !"],
    ["Elle aime beaucoup les chats de son voisin."],
]


def command_line_scores(
    folder: Path, hypotheses: list[str], references: list[list[str]]
) -> list[dict[str, Any]]:
    """Return what `python -m sacrebleu` says of BLEU and chrF; it wants equally many references.

    Where a sentence has fewer, its first one is repeated: that changes neither score.
    """
    streams = zip_longest(*references)
    filled = [[line or refs[0] for line, refs in zip(s, references, strict=True)] for s in streams]
    for name, lines in [("hypotheses", hypotheses), *((str(n), s) for n, s in enumerate(filled))]:
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", *(str(n) for n in range(len(filled)))]
    command += ["-i", "hypotheses", "-m", "bleu", "chrf", "--confidence", "-f", "json", "-w", "9"]
    environment = {key: value for key, value in os.environ.items() if key != "SACREBLEU_SEED"}
    result = subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, encoding="utf-8"
    )
    scores: list[dict[str, Any]] = json.loads(result.stdout)
    return scores


def assert_same(score: Score, expected: dict[str, Any]) -> None:
    mean, half_width = expected["confidence_mean"], expected["confidence_var"]
    assert score.value == pytest.approx(expected["score"])
    assert score.low == pytest.approx(max(0.0, mean - half_width))
    assert score.high == pytest.approx(min(100.0, mean + half_width))


def test_an_interval_lies_between_0_and_100() -> None:
    assert interval(50.0, 2.0) == (48.0, 52.0)
    assert interval(1.0, 2.0) == (0.0, 3.0)
    assert interval(100.00000000000004, 0.0) == (100.0, 100.0)


def test_scores_are_those_of_the_sacrebleu_command_line(tmp_path: Path) -> None:
    scores = score_translations(HYPOTHESES, REFERENCES)
    bleu, chrf = command_line_scores(tmp_path, HYPOTHESES, REFERENCES)
    assert_same(scores.multi_reference, bleu)
    assert_same(scores.chrf, chrf)
    bleu, _ = command_line_scores(tmp_path, HYPOTHESES, [texts[:1] for texts in REFERENCES])
    assert_same(scores.single_reference, bleu)
    assert scores.single_reference.signature == bleu["signature"]
    assert scores.multi_reference.signature == bleu["signature"].replace("nrefs:1", "nrefs:var")
    assert scores.chrf.signature.startswith("nrefs:var|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|")


def test_bleu_by_hand() -> None:
    # 4 of 5 words, 3 of 4 pairs, 2 of 3 triples and 1 of 2 quadruples match: their product is 1/5.
    assert corpus_bleu(["a b c d e"], [["a b c d f"]]) == pytest.approx(100 * 0.2**0.25)
    # All match, but four words stand for six: the brevity penalty is exp(1 - 6/4).
    assert corpus_bleu(["a b c d"], [["a b c d e f"]]) == pytest.approx(100 * math.exp(-0.5))


def test_chrf_by_hand() -> None:
    # 2 of 3 characters, 1 of 2 pairs and 0 of 1 triples match, in precision as in recall.
    chrf = score_translations(["abc"], [["abd"]]).chrf
    assert chrf.value == pytest.approx(100 * (2 / 3 + 1 / 2 + 0) / 3)
    # Of a sentence, against the reference that fits it best.
    expected = pytest.approx([chrf.value, 100])
    assert sentence_chrf(["abc", "Tom."], [["xyz", "abd"], ["Tom.", "Tim."]]) == expected


def test_any_reference_of_a_sentence_may_match() -> None:
    scores = score_translations(["a b c d e"], [["a b c d f", "a b c d e"]])
    assert scores.multi_reference.value == pytest.approx(100)
    assert scores.single_reference.value == pytest.approx(100 * 0.2**0.25)
    assert corpus_bleu(["a b c d e"], [["a b c d f", "a b c d e"]]) == pytest.approx(100)
    assert corpus_bleu(HYPOTHESES, REFERENCES) == (
        score_translations(HYPOTHESES, REFERENCES).multi_reference.value
    )


def test_an_interval_stays_between_0_and_100() -> None:
    hypotheses, references = ["a b c d e", "x y"], [["a b c d f", "a b c d e"], ["x y"]]
    assert score_translations(hypotheses, references).multi_reference.high == 100
    # Half of the resamples hold both sentences and score 8, a quarter 0 and a quarter 100.
    assert score_translations(["abc", "x"], [["def"], ["x"]]).chrf.low == 0


def test_chrf_has_its_interval_where_a_resample_matches_nothing() -> None:
    # Of the resamples of two sentences a quarter is the first twice and scores 100, a quarter the
    # second twice and scores 0; half hold both: 3 of 4 characters match, every pair and triple.
    both = 100 * (3 / 4 + 1 + 1) / 3
    chrf = score_translations(["abc", "x"], [["abc"], ["y"]]).chrf
    assert chrf.value == pytest.approx(both)
    assert chrf.low == pytest.approx((100 + 0 + 2 * both) / 4 - 100 / 2, abs=5)


def test_the_seed_of_the_interval_ignores_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    expected = score_translations(HYPOTHESES, REFERENCES)
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    assert score_translations(HYPOTHESES, REFERENCES) == expected
    assert os.environ["SACREBLEU_SEED"] == "7", "the environment is left as it was"


def test_a_score_reads_as_one_line_with_interval_and_signature() -> None:
    score = Score(
        "BLEU, all references", 38.214, low=37.06, high=39.31, signature="nrefs:var", sentences=30
    )
    assert str(score) == "BLEU, all references 38.21 (95 % interval 37.1 to 39.3)  nrefs:var"


def test_an_interval_of_few_sentences_is_said_to_mean_little() -> None:
    score = score_translations(["a b c d e"] * 29, [["a b c d e"]] * 29).multi_reference
    interval = "95 % interval 100.0 to 100.0, which means little: of 29 sentences"
    assert str(score) == f"BLEU, all references 100.00 ({interval})  {score.signature}"
    assert "little" not in str(score_translations(["a b"] * 30, [["a b"]] * 30).multi_reference)


def test_one_sentence_has_no_interval() -> None:
    for score in score_translations(["a b c d e"], [["a b c d f"]]):
        assert (score.low, score.high) == (None, None)
        assert str(score) == f"{score.name} {score.value:.2f}  {score.signature}"
        assert score.signature.startswith("nrefs:1|case:mixed|"), "no bootstrap stands there"


def test_chinese_by_hand() -> None:
    # One of 8 characters differs: 7 of 8, 5 of 7 pairs, 4 of 6 triples, 3 of 5 quadruples match.
    scores = score_translations(["我今天去了北京。"], [["我昨天去了北京。"]], tokenizer="zh")
    assert scores.multi_reference.value == pytest.approx(100 * 0.25**0.25)
    assert scores.single_reference.value == scores.multi_reference.value
    assert "|tok:zh|" in scores.multi_reference.signature
    assert "|tok:zh|" in scores.single_reference.signature


def test_characters_by_hand() -> None:
    # As words that are characters: the test by hand above.
    assert corpus_bleu(["abcde"], [["abcdf"]], tokenizer="char") == pytest.approx(100 * 0.2**0.25)
    assert corpus_bleu(["abcde"], [["abcdf"]]) == 0


@pytest.mark.parametrize("score", [corpus_bleu, score_translations])
@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        (["a", "b"], [["a"]], r"2 translations .* references of 1 sentences"),
        (["a"], [["a"], ["b"], ["c"]], r"1 translations .* references of 3 sentences"),
        ([], [], "nothing to score"),
        (["a", "b"], [["a"], []], "sentence 2 has no reference"),
    ],
)
def test_what_cannot_be_scored_is_named(
    score: Any, hypotheses: list[str], references: list[list[str]], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        score(hypotheses, references)


def test_bleu_for_validation_does_not_advise_to_detokenize(
    caplog: pytest.LogCaptureFixture,
) -> None:
    texts = ["a cat sees the dog ."] * 100  # from as many on sacreBLEU warns
    assert corpus_bleu(texts, [[text] for text in texts]) == pytest.approx(100)
    assert not caplog.records
