"""Whether one system is better than another on the same sentences, or only lucky.

sacreBLEU's paired tests do all of the arithmetic: the paired bootstrap (Koehn 2004) and approximate
randomisation (Riezler and Maxwell 2005). It is imported where it is first needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gru_mt.evaluation.score import (
    FEW,
    RESAMPLES,
    chrf_metric,
    default_seed,
    interval,
    reference_streams,
)

if TYPE_CHECKING:
    from sacrebleu.significance import Result

TRIALS = 10_000  # of approximate randomisation


@dataclass(frozen=True, slots=True)
class SystemScore:
    """A system's score by one metric, and how sure its difference from the first system is.

    A p-value is the share of resamples, or of trials, in which chance alone made a difference as
    large. The first system has none, and nobody has where fewer than FEW translations differ:
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
    from sacrebleu import BLEU
    from sacrebleu.significance import PairedTest

    [streams, *_] = [reference_streams(each, references) for each in texts]
    systems = [(str(place), each) for place, each in enumerate(texts)]
    enough = [differing(texts[0], each) >= FEW for each in texts]
    found = []
    for name, metric in (("BLEU", BLEU(tokenize=tokenizer)), ("chrF", chrf_metric())):
        with default_seed():
            bootstrap, randomisation = (
                PairedTest(systems, {name: metric}, streams, test, count)()
                for test, count in (("bs", RESAMPLES), ("ar", TRIALS))
            )
        # Each is the signatures and, after the names of the systems, the results of the one metric.
        columns = [[*results.values()][1] for _, results in (bootstrap, randomisation)]
        scores = [_system_score(*row) for row in zip(*columns, strict=True)]
        scores = [
            _without_doubtful(score, scores[0].value, known, len(references))
            for score, known in zip(scores, enough, strict=True)
        ]
        signatures = (str(*marks.values()) for marks, _ in (bootstrap, randomisation))
        found.append(MetricScores(name, scores, *signatures))
    return found


def _system_score(bootstrap: "Result", randomisation: "Result") -> SystemScore:
    mean, half_width = float(bootstrap.mean or 0), float(bootstrap.ci or 0)
    return SystemScore(
        float(bootstrap.score),
        mean,
        *interval(mean, half_width),
        bootstrap.p_value,
        randomisation.p_value,
    )


def _without_doubtful(
    score: SystemScore, first: float, enough: bool, sentences: int
) -> SystemScore:
    """Return `score` without what sacreBLEU gives, but cannot know; see `SystemScore`."""
    if sentences == 1:
        score = replace(score, low=None, high=None)
    if not enough:
        return replace(score, p_bootstrap=None, p_randomisation=None)
    if score.value == first:  # sacreBLEU's p-value would be the smallest that there is
        return replace(score, p_bootstrap=1.0, p_randomisation=1.0)
    return score


def differing(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many sentences two systems translate differently."""
    return sum(one != other for one, other in zip(first, second, strict=True))
