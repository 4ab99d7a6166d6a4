"""Paired tests are sacreBLEU's, and what they cannot know is left out."""

import random
import tracemalloc
from itertools import zip_longest
from typing import TYPE_CHECKING

import pytest
from sacrebleu import BLEU, CHRF
from sacrebleu.significance import PairedTest, Result

from gru_mt.errors import UserError
from gru_mt.evaluation import score as module
from gru_mt.evaluation.score import score_systems, score_translations

if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS = ["le", "la", "un", "une", "chat", "chien", "livre", "voit", "mange", "sur", "ici", "bleu"]


def sentences(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=8)) for _ in range(count)]


def damaged(texts: list[str], words: int, seed: int) -> list[str]:
    """Return texts in which so many words at the end are others."""
    others = sentences(len(texts), seed)
    return [
        " ".join(text.split()[:-words] + other.split()[-words:])
        for text, other in zip(texts, others, strict=True)
    ]


REFERENCES = sentences(60, seed=1)
SYSTEMS = [damaged(REFERENCES, 3, seed=2), damaged(REFERENCES, 2, seed=3)]


def test_all_figures_are_sacrebleus_to_the_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, count in {"_COUNTED": 7, "RESAMPLES": 200, "TRIALS": 500}.items():
        monkeypatch.setattr(module, name, count)
    monkeypatch.setenv("SACREBLEU_SEED", "12345")  # sacreBLEU's default, and ours
    references = [[text, *SYSTEMS[0][row : row + row % 3]] for row, text in enumerate(REFERENCES)]
    streams = [*zip_longest(*references)]
    systems: list[tuple[str, Sequence[str]]] = [*zip("ab", SYSTEMS, strict=True)]
    metrics = {"BLEU": BLEU(tokenize="char"), "chrF2": FloatCHRF()}
    signed, by_bootstrap = PairedTest(systems, metrics, streams, "bs", 200)()
    also_signed, by_trials = PairedTest(systems, metrics, streams, "ar", 500)()
    monkeypatch.setenv("SACREBLEU_SEED", "7")  # is ignored
    found = score_systems([texts for _, texts in systems], references, tokenizer="char")
    for name, metric in zip(metrics, found, strict=True):
        assert metric.bootstrap == str(signed[name])
        assert metric.randomisation == str(also_signed[name])
        rows = zip(metric.systems, by_bootstrap[name], by_trials[name], strict=True)
        for ours, bootstrap, trials in rows:
            assert isinstance(bootstrap, Result)
            assert isinstance(trials, Result)
            mean, half_width = float(bootstrap.mean or 0), float(bootstrap.ci or 0)
            assert (ours.value, ours.mean) == (bootstrap.score, bootstrap.mean)
            assert (ours.low, ours.high) == (mean - half_width, mean + half_width)
            assert ours.p_bootstrap == bootstrap.p_value
            assert ours.p_randomisation == trials.p_value


class FloatCHRF(CHRF):
    """sacreBLEU 2.6 gives a float where nothing matches, else a float32; no mean of both."""

    def _compute_f_score(self, statistics: list[int]) -> float:
        return float(super()._compute_f_score(statistics))


@pytest.mark.slow
def test_a_large_set_takes_bounded_memory() -> None:
    """sacreBLEU's tests take 91 MB a thousand sentences."""
    texts, references = SYSTEMS[0] * 20, [[text] for text in REFERENCES * 20]
    tracemalloc.start()
    score_translations(texts, references)
    score_systems([texts, SYSTEMS[1] * 20], references, tokenizer="13a")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20e6


def test_few_differences_have_no_p_value_and_equal_scores_have_one() -> None:
    """Of equal scores sacreBLEU gives 0.001 and 0.0001, the smallest that there are."""
    references = [[text] for text in REFERENCES]
    most, least = ([*REFERENCES[:-count], *[""] * count] for count in (30, 29))
    spaced = [text.replace(" ", "  ") for text in REFERENCES]
    systems = [REFERENCES, most, least, REFERENCES, spaced]
    for metric in score_systems(systems, references, tokenizer="13a"):
        for score in ("p_bootstrap", "p_randomisation"):
            first, second, third, same, equal = (getattr(each, score) for each in metric.systems)
            assert first is third is same is None
            assert second is not None
            assert equal == 1.0


def test_one_sentence_has_no_interval_and_counts_that_differ_are_refused() -> None:
    found = score_systems([["le chat"], ["le chien"]], [["le chat"]], tokenizer="13a")
    assert all((score.low, score.high) == (None, None) for each in found for score in each.systems)
    with pytest.raises(UserError, match="2 translations cannot be scored"):
        score_systems([["le chat"], ["le chien", "le chat"]], [["le chat"]], tokenizer="13a")
