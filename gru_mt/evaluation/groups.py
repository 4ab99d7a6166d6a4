"""How far scores spread over the runs of a group: the same configuration with several seeds.

No test of significance is made between groups. sacreBLEU's tests tell how far a score depends on
the sentences; how far it depends on the seed, only the spread tells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Self, TypeVar

from gru_mt.evaluation.compare import Change, Facts, changes, left_out
from gru_mt.evaluation.score import corpus_bleu, corpus_chrf
from gru_mt.evaluation.systems import Output, System, common_outputs

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spread:
    """The scores of a group's runs by one metric."""

    values: list[float]  # of each run
    mean: float
    deviation: float | None  # sample standard deviation; a single run has none

    @classmethod
    def of(cls, values: list[float]) -> Self:
        """Return the spread of `values`: of 1, 2 and 3 the mean is 2, and the deviation 1."""
        return cls(values, mean(values), stdev(values) if len(values) > 1 else None)


@dataclass(frozen=True, slots=True)
class SetSpreads:
    """The scores of groups on one set: by metric, one spread for each group."""

    name: str
    sentences: int
    metrics: dict[str, list[Spread]]


@dataclass(frozen=True, slots=True)
class GroupComparison:
    """Groups of runs that translated the same sentences."""

    part: str
    groups: dict[str, list[Facts]]  # the runs of each group by its name
    changes: list[Change]  # with a value for each run, group after group
    sets: list[SetSpreads]
    left_out: list[str]  # names of sets that not all runs have


def compare_groups(groups: Mapping[str, Sequence[System]], part: str) -> GroupComparison:
    """Return how the scores of one or more groups of runs spread, on the sets that all runs have.

    Raises UserError as `common_outputs` does.
    """
    systems = [system for group in groups.values() for system in group]
    common = common_outputs(systems, part)
    sizes = [len(group) for group in groups.values()]
    return GroupComparison(
        part,
        {name: [*map(Facts.of, group)] for name, group in groups.items()},
        changes([each.config for each in systems]),
        [_spreads(outputs, sizes, systems[0].bleu_tokenizer) for outputs in common],
        left_out(systems, common),
    )


def _spreads(outputs: Sequence[Output], sizes: Sequence[int], tokenizer: str) -> SetSpreads:
    known = outputs[0].set
    texts = [each.texts for each in outputs]
    scores = {
        "BLEU": [corpus_bleu(each, known.references, tokenizer=tokenizer) for each in texts],
        "chrF": [corpus_chrf(each, known.references) for each in texts],
    }
    metrics = {name: [*map(Spread.of, divided(of_runs, sizes))] for name, of_runs in scores.items()}
    return SetSpreads(known.name, len(known.sources), metrics)


def divided(items: Sequence[T], sizes: Sequence[int]) -> list[list[T]]:
    """Return `items` in lists of these sizes: [1, 2, 3] in sizes 1 and 2 -> [[1], [2, 3]]."""
    rest = iter(items)
    return [[next(rest) for _ in range(size)] for size in sizes]
