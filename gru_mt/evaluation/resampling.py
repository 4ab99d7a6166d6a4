"""What BLEU and chrF count in each sentence, and the scores of resamples of them.

sacreBLEU does the arithmetic, but it would hold the n-grams of all sentences and all resamples at
once. Here a few are in memory, and the bits are the same.

Shapes: N sentences, K counts that a metric takes of each, R resamples.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sacrebleu.metrics.base import Metric
from sacrebleu.significance import estimate_ci

from gru_mt.data.dataset.store import Ints

Floats = npt.NDArray[np.float64]

RESAMPLES = 1_000  # of the bootstrap
SEED = 12_345  # sacreBLEU's default
_COUNTED = 500  # sentences at a time: the n-grams of one take up to 100 KB


def count_matches(
    metric: Metric, hypotheses: Sequence[str], streams: Sequence[Sequence[str]]
) -> Ints:
    """Return what `metric` counts in each sentence, N x K; afterwards it has a signature."""
    numbers, found = set[int](), []
    for start in range(0, len(hypotheses), _COUNTED):
        part = slice(start, start + _COUNTED)
        references = [stream[part] for stream in streams]
        found += metric._extract_corpus_statistics(hypotheses[part], references)
        numbers.add(metric.num_refs)
    metric.num_refs = numbers.pop() if len(numbers) == 1 else -1  # sacreBLEU's for a number varies
    return np.array(found, np.int64)


def score_of(metric: Metric, count_NK: Ints) -> float:
    """Return the score of sentences, 0 to 100, by what `count_matches` found in them."""
    return float(metric._compute_score_from_stats(count_NK.sum(0).tolist()).score)


def resampled(metric: Metric, count_NK: Ints) -> Floats:
    """Return the scores of RESAMPLES bootstrap resamples of sentences, to the bit as sacreBLEU has.

    Each draws as many sentences with replacement (Koehn 2004). Calls with equally many sentences
    draw the same ones, so systems can be compared pair by pair.
    """
    rng, size = np.random.default_rng(SEED), len(count_NK)
    exact_NK = count_NK.astype(np.float32)  # as sacreBLEU adds them up
    sums = (exact_NK[rng.choice(size, size)].sum(0) for _ in range(RESAMPLES))
    return np.array([float(metric._compute_score_from_stats(each).score) for each in sums])


def interval_of(score_R: Floats) -> tuple[float, float]:
    """Return the ends of the interval that resamples give; see `Score`."""
    return interval(*map(float, estimate_ci(score_R)))


def interval(mean: float, half_width: float) -> tuple[float, float]:
    """Return the ends of an interval of scores, cut at 0 and 100: interval(1, 2) -> (0, 3).

    sacreBLEU may score what is perfect 100.00000000000004, so that both ends are cut at both.
    """
    low, high = (min(max(0.0, end), 100.0) for end in (mean - half_width, mean + half_width))
    return low, high
