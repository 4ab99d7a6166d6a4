"""BLEU and chrF as sacreBLEU computes them, each with its signature and a 95 % interval.

sacreBLEU (Post 2018, "A Call for Clarity in Reporting BLEU Scores") does all of the arithmetic;
it loads where it is first needed, so that importing this module costs nothing.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from gru_mt.errors import UserError

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

RESAMPLES = 1_000  # of the bootstrap


@dataclass(frozen=True, slots=True)
class Score:
    """A corpus score between 0 and 100; `str` gives it as one line.

    `low` and `high` are sacreBLEU's 95 % interval, kept within 0 to 100: the mean over bootstrap
    resamples, plus and minus half the width that holds 95 % of them.
    """

    name: str
    value: float
    low: float
    high: float
    signature: str  # what anyone needs to compute the same number

    def __str__(self) -> str:
        interval = f"95 % interval {self.low:.1f} to {self.high:.1f}"
        return f"{self.name} {self.value:.2f} ({interval})  {self.signature}"


class Scores(NamedTuple):
    """What one set of translations scores."""

    multi: Score  # BLEU against every reference of a sentence
    single: Score  # BLEU against the first
    chrf: Score  # chrF2 against every reference


def corpus_bleu(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return BLEU (0 to 100) against all references, without an interval: quick, for validation.

    Raises UserError as `score_translations` does.
    """
    from sacrebleu import BLEU

    return float(BLEU().corpus_score(hypotheses, _reference_streams(hypotheses, references)).score)


def score_translations(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Scores:
    """Return the scores of detokenised `hypotheses`; each has one or more `references`.

    Raises UserError if there is nothing to score, the counts differ or a reference is missing.
    """
    from sacrebleu import BLEU

    every = _reference_streams(hypotheses, references)
    first = every[:1]
    return Scores(
        multi=_score("BLEU multi", BLEU(), hypotheses, every),
        single=_score("BLEU single", BLEU(), hypotheses, first),
        chrf=_score("chrF", _chrf_metric(), hypotheses, every),
    )


def _reference_streams(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> list[Sequence[str]]:
    """Return the first reference of every sentence, then the second, and so on; None where none.

    Two sentences with the references [a, b] and [c] -> [(a, c), (b, None)].
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


def _chrf_metric() -> "Metric":
    """Return chrF2 whose resamples are all Python floats.

    sacreBLEU 2.6 gives float32 for most resamples but a float where nothing matches, and cannot
    take the mean of both.
    """
    from sacrebleu import CHRF

    class FloatCHRF(CHRF):
        def _compute_f_score(self, statistics: list[int]) -> float:
            return float(super()._compute_f_score(statistics))

    return FloatCHRF()


def _score(
    name: str, metric: "Metric", hypotheses: Sequence[str], streams: Sequence[Sequence[str]]
) -> Score:
    with _default_seed():
        result = metric.corpus_score(hypotheses, streams, n_bootstrap=RESAMPLES)
    mean, half_width = float(result._mean), float(result._ci)  # public only as rounded text
    return Score(
        name=name,
        value=float(result.score),
        low=max(0.0, mean - half_width),
        high=min(100.0, mean + half_width),
        signature=str(metric.get_signature()),
    )


@contextmanager
def _default_seed() -> Iterator[None]:
    """Make sacreBLEU resample with its own seed, 12345, whatever SACREBLEU_SEED says outside."""
    outside = os.environ.pop("SACREBLEU_SEED", None)
    try:
        yield
    finally:
        if outside is not None:
            os.environ["SACREBLEU_SEED"] = outside
