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
    interval,
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
    tested = [differing(texts[0], system) >= FEW for system in texts]
    found = []
    for name, metric in (("BLEU", BLEU(tokenize=tokenizer)), ("chrF", CHRF())):
        counts = [count_matches(metric, system, streams) for system in texts]
        baseline_R = resampled(metric, counts[0])
        scores = [
            _score(metric, counts[0], baseline_R, count_NK, tested=is_tested)
            for count_NK, is_tested in zip(counts, tested, strict=True)
        ]
        signatures = _signature(metric, "bs", RESAMPLES), _signature(metric, "ar", TRIALS)
        found.append(MetricScores(name, scores, *signatures))
    return found


def _score(
    metric: Metric, baseline_NK: Ints, baseline_R: Floats, count_NK: Ints, *, tested: bool
) -> SystemScore:
    """Return the score of a system, with p-values if enough translations differ."""
    value, score_R = score_of(metric, count_NK), resampled(metric, count_NK)
    mean, half_width = map(float, estimate_ci(score_R))
    difference = abs(score_of(metric, baseline_NK) - value)
    low, high = interval(mean, half_width) if len(count_NK) > 1 else (None, None)
    bootstrap = randomisation = None
    if tested and not difference:  # sacreBLEU's p-value would be the smallest that there is
        bootstrap = randomisation = 1.0
    elif tested:
        spread_R = np.abs(score_R - baseline_R)
        bootstrap = _p_value(spread_R - spread_R.mean(), difference)
        randomisation = _p_value(_randomised(metric, baseline_NK, count_NK), difference)
    return SystemScore(value, mean, low, high, bootstrap, randomisation)


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


def _p_value(chance_R: Floats, difference: float) -> float:
    """Return the share of differences by chance that are larger, with one more on both sides."""
    return (int(np.sum(chance_R > difference)) + 1) / (len(chance_R) + 1)


def _signature(metric: Metric, test: str, count: int) -> str:
    """Return sacreBLEU's signature of the bootstrap, bs, or of randomisation, ar."""
    signature = metric.get_signature()
    signature.update("seed", SEED)
    signature.update(test, count)
    return str(signature)


def differing(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many sentences two systems translate differently."""
    return sum(one != other for one, other in zip(first, second, strict=True))
