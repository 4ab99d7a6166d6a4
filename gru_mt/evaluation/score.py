"""BLEU and chrF as sacreBLEU computes them, each with its signature and a 95 % interval.

sacreBLEU (Post 2018, "A Call for Clarity in Reporting BLEU Scores") does the arithmetic. It would
hold the n-grams of all sentences and all bootstrap resamples at once. Here a few are in memory, and
the bits are the same.

Shapes: N sentences, K counts that a metric takes of a sentence, R resamples.
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
SEED = 12_345  # sacreBLEU's default
_COUNTED = 500  # sentences at a time: the n-grams of one take up to 100 KB


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


def corpus_bleu(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, tokenizer: str = "13a"
) -> float:
    """Return BLEU (0 to 100) against all references, without an interval: quick, for validation."""
    # `force` changes no score. It keeps sacreBLEU from a warning of three lines: that text which
    # ends in " ." must be detokenized. A model that has just begun to learn writes such text.
    return _corpus_score(BLEU(tokenize=tokenizer, force=True), hypotheses, references)


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
    metrics = BLEU(tokenize=tokenizer), BLEU(tokenize=tokenizer), CHRF()
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
