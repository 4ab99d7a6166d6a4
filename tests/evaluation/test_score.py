"""Scores are sacreBLEU's: expected values come from it or are computed by hand."""

import math
from dataclasses import replace
from itertools import zip_longest

import pytest
from sacrebleu import BLEU, CHRF

from gru_mt.errors import UserError
from gru_mt.evaluation import score as module
from gru_mt.evaluation.score import Score, corpus_bleu, score_translations, sentence_chrf

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


@pytest.fixture(autouse=True)
def _all_resamples(resamples: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let scores have all their resamples."""
    monkeypatch.setattr(module, "RESAMPLES", resamples["RESAMPLES"])


def test_scores_intervals_and_signatures_are_sacrebleus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "12345")  # sacreBLEU's default, and ours
    streams = [*zip_longest(*REFERENCES)]
    expected = []
    for metric, known in ((BLEU(), streams), (BLEU(), streams[:1]), (CHRF(), streams)):
        found = metric.corpus_score(HYPOTHESES, known, n_bootstrap=1_000)
        expected.append((found, str(metric.get_signature())))
    monkeypatch.setenv("SACREBLEU_SEED", "7")  # is ignored
    scores = score_translations(HYPOTHESES, REFERENCES)
    for score, (found, signature) in zip(scores, expected, strict=True):
        assert score.value == pytest.approx(found.score)
        assert score.low == pytest.approx(max(0.0, found._mean - found._ci))
        assert score.high == pytest.approx(min(100.0, found._mean + found._ci))
        assert score.signature == signature
    assert corpus_bleu(HYPOTHESES, REFERENCES) == scores.multi_reference.value


@pytest.mark.parametrize(
    ("tokenizer", "hypothesis", "references", "expected"),
    [
        ("13a", "a b c d e", ["a b c d f", "a b c d e"], 1),
        # All match, but four words stand for six: the brevity penalty is exp(1 - 6/4).
        ("13a", "a b c d", ["a b c d e f"], math.exp(-0.5)),
        # 4 of 5 letters, 3 of 4 pairs, 2 of 3 triples, 1 of 2 quadruples match: 1/5 in all.
        ("char", "abcde", ["abcdf"], 0.2**0.25),
        # One of 8 characters differs: 7 of 8, 5 of 7 pairs, 4 of 6 triples, 3 of 5 quadruples.
        ("zh", "我今天去了北京。", ["我昨天去了北京。"], 0.25**0.25),
    ],
)
def test_bleu_by_hand(
    tokenizer: str, hypothesis: str, references: list[str], expected: float
) -> None:
    bleu = corpus_bleu([hypothesis], [references], tokenizer=tokenizer)
    assert bleu == pytest.approx(100 * expected)
    first, single, _ = score_translations([hypothesis], [references], tokenizer=tokenizer)
    assert first.value == bleu
    alone = corpus_bleu([hypothesis], [references[:1]], tokenizer=tokenizer)
    assert single.value == alone
    for score in (first, single):
        assert (score.low, score.high) == (None, None), "one sentence has no interval"
        assert str(score) == f"{score.name} {score.value:.2f}  {score.signature}"
        assert f"|tok:{tokenizer}|" in score.signature
        assert "bs:1000" not in score.signature


def test_chrf_by_hand() -> None:
    # 2 of 3 characters, 1 of 2 pairs and 0 of 1 triples match, in precision as in recall.
    chrf = score_translations(["abc"], [["abd"]]).chrf
    assert chrf.value == pytest.approx(100 * (2 / 3 + 1 / 2 + 0) / 3)
    # Of a sentence, against the reference that fits it best.
    expected = pytest.approx([chrf.value, 100])
    assert sentence_chrf(["abc", "Tom."], [["xyz", "abd"], ["Tom.", "Tim."]]) == expected


def test_an_interval_stays_between_0_and_100() -> None:
    hypotheses, references = ["a b c d e", "x y"], [["a b c d f", "a b c d e"], ["x y"]]
    assert score_translations(hypotheses, references).multi_reference.high == 100
    # Half of the resamples hold both sentences and score 8, a quarter 0 and a quarter 100.
    assert score_translations(["abc", "x"], [["def"], ["x"]]).chrf.low == 0
    # Of the resamples of two sentences a quarter is the first twice and scores 100, a quarter the
    # second twice and scores 0; half hold both: 3 of 4 characters match, every pair and triple.
    both = 100 * (3 / 4 + 1 + 1) / 3
    chrf = score_translations(["abc", "x"], [["abc"], ["y"]]).chrf
    assert chrf.value == pytest.approx(both)
    assert chrf.low == pytest.approx((100 + 0 + 2 * both) / 4 - 100 / 2, abs=5)


def test_a_score_reads_as_one_line_with_interval_and_signature() -> None:
    score = Score("chrF", 38.214, low=37.06, high=39.31, signature="nrefs:var", sentences=30)
    assert str(score) == "chrF 38.21 (95 % interval 37.1 to 39.3)  nrefs:var"
    few = "95 % interval 37.1 to 39.3, which means little: of 29 sentences"
    assert str(replace(score, sentences=29)) == f"chrF 38.21 ({few})  nrefs:var"


def test_what_cannot_be_scored_is_named() -> None:
    cases: list[tuple[list[str], list[list[str]], str]] = [
        (["a", "b"], [["a"]], r"2 translations .* references of 1 sentences"),
        ([], [], "nothing to score"),
        (["a", "b"], [["a"], []], "sentence 2 has no reference"),
    ]
    for hypotheses, references, message in cases:
        for score in (corpus_bleu, score_translations):
            with pytest.raises(UserError, match=message):
                score(hypotheses, references)


def test_bleu_for_validation_does_not_advise_to_detokenize(
    caplog: pytest.LogCaptureFixture,
) -> None:
    texts = ["a cat sees the dog ."] * 100  # from as many on sacreBLEU warns
    assert corpus_bleu(texts, [[text] for text in texts]) == pytest.approx(100)
    assert not caplog.records
