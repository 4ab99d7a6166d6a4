"""BLEU and chrF as sacreBLEU computes them, each with its signature and a 95 % interval, and tests.

sacreBLEU (Post 2018, "A Call for Clarity in Reporting BLEU Scores") does the arithmetic. It would
hold the n-grams of all sentences, all resamples and all trials at once, 91 MB a thousand sentences.
Here a few are in memory, and the bits are the same.

Shapes: N sentences, K counts that a metric takes of one, R resamples or trials, B a batch of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import estimate_ci

from gru_mt.data.dataset.store import Ints
from gru_mt.errors import UserError

Floats = npt.NDArray[np.float64]

FEW = 30  # sentences; with fewer, an interval means little
RESAMPLES = 1_000  # of the bootstrap
TRIALS = 10_000  # of approximate randomisation
SEED = 12_345  # sacreBLEU's default
_COUNTED = 500  # sentences at a time: the n-grams of one take up to 100 KB
_BATCH = 32  # trials at a time; numpy draws so many truth values at once


@dataclass(frozen=True, slots=True)
class Score:
    """A corpus score between 0 and 100; `str` gives it as one line.

    `low` and `high` are sacreBLEU's 95 % interval, clipped to 0 and 100: the mean over bootstrap
    resamples, plus or minus half the range that holds 95 % of them. A single sentence has none.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    signature: str  # sacreBLEU's: what anyone needs to compute the same number
    sentences: int

    def __str__(self) -> str:
        interval = ""
        if self.low is not None and self.high is not None:
            few = f", which means little: of {self.sentences} sentences"
            few = few if self.sentences < FEW else ""
            interval = f" (95 % interval {self.low:.1f} to {self.high:.1f}{few})"
        return f"{self.name} {self.value:.2f}{interval}  {self.signature}"


class Scores(NamedTuple):
    """The scores of the translations of an evaluation set."""

    multi_reference: Score  # BLEU against all references of a sentence
    single_reference: Score  # BLEU against the first reference
    chrf: Score  # chrF2 against all references


SCORE_NAMES = ("BLEU, all references", "BLEU, first reference", "chrF")  # of `Scores`


def _bleu(tokenizer: str) -> BLEU:
    # `force` changes no score. It keeps sacreBLEU from a warning of three lines for each chunk of
    # sentences: that text which ends in " ." must be detokenized.
    return BLEU(tokenize=tokenizer, force=True)


def corpus_bleu(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, tokenizer: str = "13a"
) -> float:
    """Return BLEU (0 to 100) against all references, without an interval: quick, for validation."""
    return _corpus_score(_bleu(tokenizer), hypotheses, references)


def corpus_chrf(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return chrF2 (0 to 100) against all references, without an interval."""
    return _corpus_score(CHRF(), hypotheses, references)


def _corpus_score(
    metric: Metric, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> float:
    streams = reference_streams(hypotheses, references)
    return score_of(metric, count_matches(metric, hypotheses, streams))


def sentence_chrf(hypotheses: Sequence[str], references: Sequence[Sequence[str]], /) -> list[float]:
    """Return each sentence's chrF2 (0 to 100) against the reference that fits it best."""
    metric = CHRF()
    pairs = zip(hypotheses, references, strict=True)
    return [float(metric.sentence_score(text, texts).score) for text, texts in pairs]


def score_translations(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, tokenizer: str = "13a"
) -> Scores:
    """Return the scores of detokenised `hypotheses`, which have one or more `references` each.

    `tokenizer` is sacreBLEU's name for a tokenizer. Raises UserError if there is nothing to score,
    the counts differ, or a sentence has no reference.
    """
    streams = reference_streams(hypotheses, references)
    metrics = _bleu(tokenizer), _bleu(tokenizer), CHRF()
    known = streams, streams[:1], streams
    scores = zip(SCORE_NAMES, metrics, known, strict=True)
    return Scores(*(_score(name, metric, hypotheses, some) for name, metric, some in scores))


def _score(
    name: str, metric: Metric, hypotheses: Sequence[str], streams: Sequence[Sequence[str]]
) -> Score:
    count_NK = count_matches(metric, hypotheses, streams)
    low = high = None
    if len(hypotheses) > 1:  # else every resample would be the sentence itself
        low, high = interval_of(resampled(metric, count_NK))
        metric.n_bootstrap, metric.seed = RESAMPLES, SEED  # in its signature
    signature = str(metric.get_signature())
    return Score(name, score_of(metric, count_NK), low, high, signature, len(hypotheses))


def reference_streams(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> list[Sequence[str]]:
    """Return the first references of all sentences, then the second and so on; None for a gap.

    Two sentences with the references [a, b] and [c] -> [(a, c), (b, None)]. Raises UserError as
    `score_translations` does.
    """
    if len(hypotheses) != len(references):
        raise UserError(
            f"{len(hypotheses):,} translations cannot be scored against the references of "
            f"{len(references):,} sentences: the counts must be the same"
        )
    if not hypotheses:
        raise UserError("nothing to score: there are no translations")
    for number, alternatives in enumerate(references, start=1):
        if not alternatives:
            raise UserError(f"sentence {number:,} has no reference to be scored against")
    return list(zip_longest(*references))


def count_matches(
    metric: Metric, hypotheses: Sequence[str], streams: Sequence[Sequence[str]]
) -> Ints:
    """Return what `metric` counts in each sentence, N x K; afterwards it has a signature."""
    numbers, found = set[int](), []
    for start in range(0, len(hypotheses), _COUNTED):
        rows = slice(start, start + _COUNTED)
        references = [stream[rows] for stream in streams]
        found += metric._extract_corpus_statistics(hypotheses[rows], references)
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
    return np.array([float(metric._compute_score_from_stats(total).score) for total in sums])


def interval_of(score_R: Floats) -> tuple[float, float]:
    """Return the ends of the interval that resamples give, clipped to 0 and 100; see `Score`.

    sacreBLEU may score what is perfect 100.00000000000004, so both ends are clipped on both sides.
    """
    mean, half_width = map(float, estimate_ci(score_R))
    low, high = (min(max(0.0, end), 100.0) for end in (mean - half_width, mean + half_width))
    return low, high


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

    Raises UserError as `score_translations` does.
    """
    [streams, *_] = [reference_streams(system, references) for system in texts]
    found = []
    for name, metric in (("BLEU", _bleu(tokenizer)), ("chrF", CHRF())):
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
        signatures = []
        for test, count in (("bs", RESAMPLES), ("ar", TRIALS)):
            signature = metric.get_signature()
            signature.update("seed", SEED)
            signature.update(test, count)
            signatures.append(str(signature))
        found.append(MetricScores(name, scores, *signatures))
    return found


def _p_values(
    metric: Metric, first_NK: Ints, first_R: Floats, second_NK: Ints, second_R: Floats
) -> list[float]:
    """Return the p-values of the paired bootstrap (Koehn 2004) and of approximate randomisation.

    The second is by Riezler and Maxwell (2005).
    """
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


def differing(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many sentences two systems translate differently."""
    return sum(one != other for one, other in zip(first, second, strict=True))
