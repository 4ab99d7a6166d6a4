"""Paired tests are sacreBLEU's, and what they cannot know is left out."""

import random
import re
import subprocess
import sys
import tracemalloc
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sacrebleu import BLEU, CHRF
from sacrebleu.significance import PairedTest, Result, _bootstrap_resample

from gru_mt.errors import UserError
from gru_mt.evaluation import score as score_module
from gru_mt.evaluation import significance
from gru_mt.evaluation.score import (
    RESAMPLES,
    count_matches,
    interval,
    resampled,
    score_translations,
)
from gru_mt.evaluation.significance import score_systems

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


def of_sacrebleu(folder: Path, test: str) -> list[list[list[float]]]:
    """Return the numbers that sacreBLEU's own command prints: by system, and then by metric."""
    for name, texts in (("ref", REFERENCES), ("a", SYSTEMS[0]), ("b", SYSTEMS[1])):
        (folder / name).write_text("".join(f"{text}\n" for text in texts))
    command = ["sacrebleu", "ref", "-i", "a", "b", "-m", "bleu", "chrf", test, "-f", "latex"]
    result = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=True
    )
    rows = [row.split("&")[1:] for row in result.stdout.splitlines() if row.endswith(r"\\")]
    return [[[*map(float, re.findall(r"[\d.]+", cell))] for cell in row] for row in rows[1:]]


@pytest.mark.slow
def test_scores_intervals_and_p_values_are_those_of_sacrebleus_command(tmp_path: Path) -> None:
    bootstrap, randomisation = (of_sacrebleu(tmp_path, f"--paired-{test}") for test in ("bs", "ar"))
    found = score_systems(SYSTEMS, [[text] for text in REFERENCES], tokenizer="13a")
    assert [metric.name for metric in found] == ["BLEU", "chrF"]
    for place, metric in enumerate(found):
        first, second = metric.systems
        for system, score in enumerate((first, second)):
            assert score.low is not None
            assert score.high is not None
            ours = [score.value, score.mean, (score.high - score.low) / 2]
            assert ours == pytest.approx(bootstrap[system][place][:3], abs=0.051)
        assert second.p_bootstrap == pytest.approx(bootstrap[1][place][3], abs=5.1e-5)
        assert second.p_randomisation == pytest.approx(randomisation[1][place][1], abs=5.1e-5)
        assert first.p_bootstrap is first.p_randomisation is None


def test_all_figures_are_sacrebleus_to_the_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_module, "_COUNTED", 7)  # sentences, of 60
    references = [[text, *SYSTEMS[0][row : row + row % 3]] for row, text in enumerate(REFERENCES)]
    streams = [*zip_longest(*references)]
    systems: list[tuple[str, Sequence[str]]] = [*zip("ab", SYSTEMS, strict=True)]
    metrics = {"BLEU": BLEU(tokenize="char"), "chrF2": FloatCHRF()}
    found = score_systems([texts for _, texts in systems], references, tokenizer="char")
    signed, by_bootstrap = PairedTest(systems, metrics, streams, "bs", 1_000)()
    also_signed, by_trials = PairedTest(systems, metrics, streams, "ar", 10_000)()
    for name, metric in zip(metrics, found, strict=True):
        assert [metric.bootstrap, metric.randomisation] == [
            *map(str, (signed[name], also_signed[name]))
        ]
        rows = zip(metric.systems, by_bootstrap[name], by_trials[name], strict=True)
        for ours, bootstrap, trials in rows:
            assert isinstance(bootstrap, Result)
            assert isinstance(trials, Result)
            expected = interval(float(bootstrap.mean or 0), float(bootstrap.ci or 0))
            assert (ours.value, ours.mean) == (bootstrap.score, bootstrap.mean)
            assert (ours.low, ours.high) == expected
            assert ours.p_bootstrap == bootstrap.p_value
            assert ours.p_randomisation == trials.p_value


class FloatCHRF(CHRF):
    """sacreBLEU 2.6 gives a float where nothing matches, else a float32; no mean of both."""

    def _compute_f_score(self, statistics: list[int]) -> float:
        return float(super()._compute_f_score(statistics))


@pytest.mark.parametrize("sentences_of_a_corpus", [2, 31])
def test_resamples_are_sacrebleus_to_the_bit(sentences_of_a_corpus: int) -> None:
    texts, references = SYSTEMS[0][:sentences_of_a_corpus], REFERENCES[:sentences_of_a_corpus]
    for metric in (BLEU(), FloatCHRF()):
        counts = count_matches(metric, texts, [references])
        _, expected = _bootstrap_resample(counts.tolist(), metric, RESAMPLES)
        assert resampled(metric, counts).tolist() == [each.score for each in expected]


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


def test_the_seed_is_not_taken_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    references = [[text] for text in REFERENCES]
    monkeypatch.setattr(significance, "TRIALS", 40)
    before = score_systems(SYSTEMS, references, tokenizer="13a")
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    assert score_systems(SYSTEMS, references, tokenizer="13a") == before


def test_where_few_translations_differ_there_is_no_p_value() -> None:
    references = [[text] for text in REFERENCES]
    most, least = ([*REFERENCES[:-count], *[""] * count] for count in (30, 29))
    for metric in score_systems([REFERENCES, most, least, REFERENCES], references, tokenizer="13a"):
        assert [score.p_bootstrap is None for score in metric.systems] == [True, False, True, True]
        assert [score.p_randomisation is None for score in metric.systems] == [
            True, False, True, True,
        ]  # fmt: skip


def test_equal_scores_have_the_p_value_one() -> None:
    """sacreBLEU gives 0.001 and 0.0001, the smallest that there are."""
    spaced = [text.replace(" ", "  ") for text in SYSTEMS[0]]
    references = [[text] for text in REFERENCES]
    for metric in score_systems([SYSTEMS[0], spaced], references, tokenizer="13a"):
        assert metric.systems[1].p_bootstrap == 1.0
        assert metric.systems[1].p_randomisation == 1.0


def test_one_sentence_has_no_interval() -> None:
    found = score_systems([["le chat"], ["le chien"]], [["le chat"]], tokenizer="13a")
    assert all((score.low, score.high) == (None, None) for each in found for score in each.systems)


def test_counts_that_differ_are_refused() -> None:
    with pytest.raises(UserError, match="59 translations cannot be scored"):
        score_systems(
            [REFERENCES, REFERENCES[1:]], [[text] for text in REFERENCES], tokenizer="13a"
        )
