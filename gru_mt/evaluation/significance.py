"""Whether one system is better than another on the same sentences, or only lucky.

The paired bootstrap (Koehn 2004) and approximate randomisation (Riezler and Maxwell 2005) give what
sacreBLEU's give, to the bit. Its own hold all resamples and trials at once: 91 MB a thousand
sentences.

Shapes: N sentences, K counts that a metric takes of a sentence, R resamples or trials, B of them a
batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import estimate_ci

from gru_mt.data.dataset.store import Ints
from gru_mt.evaluation.score import (
    FEW,
    RESAMPLES,
    SEED,
    Floats,
    count_matches,
    interval_of,
    reference_streams,
    resampled,
    score_of,
)

TRIALS = 10_000  # of approximate randomisation
_BATCH = 32  # trials at a time; numpy draws so many truth values at once


@dataclass(frozen=True, slots=True)
class SystemScore:
    """A system's score by one metric, and how sure its difference from the baseline is.

    A p-value is the share of resamples, or of trials, in which chance alone made a difference as
    large. The baseline has none, and no system has where fewer than FEW translations differ:
    sacreBLEU takes a trial that gives the same difference for a smaller one, which matters then.
    Equal scores have 1.
    """

    value: float
    mean: float  # over bootstrap resamples
    low: float | None  # 95 % interval; a single sentence has none
    high: float | None
    p_bootstrap: float | None
    p_randomisation: float | None


@dataclass(frozen=True, slots=True)
class MetricScores:
    """The scores of several systems by one metric, the baseline first."""

    name: str
    systems: list[SystemScore]
    bootstrap: str  # sacreBLEU's signatures of the two tests
    randomisation: str


def score_systems(
    texts: Sequence[Sequence[str]], references: Sequence[Sequence[str]], *, tokenizer: str
) -> list[MetricScores]:
    """Return BLEU and chrF against all references, for the texts of two or more systems.

    Raises UserError as `score_translations` does. The seed is sacreBLEU's default, 12345.
    """
    [streams, *_] = [reference_streams(system, references) for system in texts]
    found = []
    for name, metric in (("BLEU", BLEU(tokenize=tokenizer)), ("chrF", CHRF())):
        counts = [count_matches(metric, system, streams) for system in texts]
        baseline_R = resampled(metric, counts[0])
        scores = []
        for system, count_NK in zip(texts, counts, strict=True):
            score_R = resampled(metric, count_NK)
            value, mean = score_of(metric, count_NK), float(estimate_ci(score_R)[0])
            low, high = interval_of(score_R) if len(system) > 1 else (None, None)
            p_values: list[float] | list[None] = [None, None]
            if differing(texts[0], system) >= FEW:
                p_values = _p_values(metric, counts[0], baseline_R, count_NK, score_R)
            scores.append(SystemScore(value, mean, low, high, *p_values))
        signatures = _signature(metric, "bs", RESAMPLES), _signature(metric, "ar", TRIALS)
        found.append(MetricScores(name, scores, *signatures))
    return found


def _p_values(
    metric: Metric, first_NK: Ints, first_R: Floats, second_NK: Ints, second_R: Floats
) -> list[float]:
    """Return the p-values of the paired bootstrap and of approximate randomisation."""
    difference = abs(score_of(metric, first_NK) - score_of(metric, second_NK))
    if not difference:  # sacreBLEU's p-value would be the smallest that there is
        return [1.0, 1.0]
    spread_R = np.abs(second_R - first_R)
    chance = spread_R - spread_R.mean(), _randomised(metric, first_NK, second_NK)
    # One more on both sides of the share: the difference that was found counts as well.
    return [(int(np.sum(one > difference)) + 1) / (len(one) + 1) for one in chance]


def _randomised(metric: Metric, first_NK: Ints, second_NK: Ints) -> Floats:
    """Return the differences of two systems in TRIALS that exchange half of their sentences."""
    rng, size = np.random.default_rng(SEED), len(first_NK)
    first_K, second_K = first_NK.sum(0), second_NK.sum(0)
    difference_NK = (first_NK - second_NK).astype(float)  # whole numbers, so the sums are exact
    found = []
    for done in range(0, TRIALS, _BATCH):
        is_first_BN = rng.integers(2, size=(min(_BATCH, TRIALS - done), size), dtype=bool)
        for moved_K in (is_first_BN @ difference_NK).astype(np.int64):
            one, other = (second_K + moved_K)[None], (first_K - moved_K)[None]
            found.append(abs(score_of(metric, one) - score_of(metric, other)))
    return np.array(found)


def _signature(metric: Metric, test: str, count: int) -> str:
    signature = metric.get_signature()
    signature.update("seed", SEED)
    signature.update(test, count)
    return str(signature)


def differing(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many sentences two systems translate differently."""
    return sum(one != other for one, other in zip(first, second, strict=True))
