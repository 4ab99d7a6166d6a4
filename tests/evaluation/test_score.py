"""Scores are sacreBLEU's: expected values come from it or are computed by hand."""

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


def test_a_single_sentence_has_no_interval_and_its_tokenizer_is_signed() -> None:
    scores = score_translations(["abcde"], [["abcdf", "abcde"]], tokenizer="char")
    # Of the first reference 4 of 5 letters, 3 of 4 pairs, 2 of 3 triples, 1 of 2 quadruples match.
    assert [score.value for score in scores] == pytest.approx([100, 100 * 0.2**0.25, 100])
    for score in scores:
        assert (score.low, score.high) == (None, None)
        assert str(score) == f"{score.name} {score.value:.2f}  {score.signature}"
        assert "bs:1000" not in score.signature
    assert all("|tok:char|" in score.signature for score in scores[:2])


def test_the_chrf_of_a_sentence_is_that_of_the_reference_that_fits_it_best() -> None:
    # 2 of 3 characters, 1 of 2 pairs and 0 of 1 triples match, in precision as in recall.
    expected = pytest.approx([100 * (2 / 3 + 1 / 2 + 0) / 3, 100])
    assert sentence_chrf(["abc", "Tom."], [["xyz", "abd"], ["Tom.", "Tim."]]) == expected


def test_an_interval_stays_between_0_and_100() -> None:
    hypotheses, references = ["a b c d e", "x y"], [["a b c d f", "a b c d e"], ["x y"]]
    assert score_translations(hypotheses, references).multi_reference.high == 100
    # Half of the resamples hold both sentences and score 8, a quarter 0 and a quarter 100.
    assert score_translations(["abc", "x"], [["def"], ["x"]]).chrf.low == 0


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
