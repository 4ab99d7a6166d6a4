"""What distinguishes systems that translated the same sentences: scores, settings, sentences."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from gru_mt.config.yaml_text import yaml_inline
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.evaluation.calibration import sentence_chrf
from gru_mt.evaluation.ngrams import NgramCounts, compare_ngrams
from gru_mt.evaluation.significance import MetricScores, differing, score_systems
from gru_mt.evaluation.systems import Output, System, common_outputs


@dataclass(frozen=True, slots=True)
class Change:
    """A key of the configuration that is not the same in all systems."""

    key: str
    values: list[str]  # of each system, as YAML; "-" where it has no such key


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a system beside its translations; None where nobody knows."""

    name: str
    minutes: float | None  # of training
    parameters: int | None
    sentences_s: float | None  # translated per second

    @classmethod
    def of(cls, system: System) -> Self:
        """Return the facts of a system."""
        seconds = [each.seconds for each in system.outputs if each.seconds]
        sentences = sum(len(each.texts) for each in system.outputs)
        speed = sentences / sum(seconds) if len(seconds) == len(system.outputs) else None
        return cls(system.name, system.minutes, system.parameters, speed)


@dataclass(frozen=True, slots=True)
class SetComparison:
    """What systems made of one set. Each list has an item for each system, the baseline first."""

    set: EvaluationSet
    texts: list[list[str]]
    differing: list[int]  # sentences that are not as the baseline translates them
    metrics: list[MetricScores]  # BLEU and chrF
    chrf: list[list[float]]  # of each sentence
    ngrams: list[list[NgramCounts]]  # of each system against the baseline; see `compare_ngrams`

    def by_gain(self, system: int) -> list[int]:
        """Return the places of the sentences whose chrF differs from the baseline's.

        They go from the greatest gain to the greatest loss.
        """
        gains = self.gains(system)
        places = (place for place, gain in enumerate(gains) if gain)
        return sorted(places, key=lambda place: -gains[place])

    def gains(self, system: int) -> list[float]:
        """Return how much more chrF a system has than the baseline, for each sentence."""
        pairs = zip(self.chrf[0], self.chrf[system], strict=True)
        return [second - first for first, second in pairs]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems that translated the same sentences; the first is the baseline."""

    part: str  # dev or test; "" for files
    systems: list[Facts]
    changes: list[Change]
    sets: list[SetComparison]
    left_out: list[str]  # names of sets that not all systems have


def compare(systems: Sequence[System], part: str = "", *, say: Callable[[str], None]) -> Comparison:
    """Return how two or more systems differ on the sets that all of them have.

    `say` tells what takes seconds. Raises UserError as `common_outputs` does.
    """
    tokenizer = systems[0].bleu_tokenizer
    common = common_outputs(systems, part)
    first, *others = (each.name for each in systems)
    say(f"comparing {', '.join(others)} with {first}")
    return Comparison(
        part,
        [*map(Facts.of, systems)],
        changes([each.config for each in systems]),
        [_compare_set(outputs, tokenizer) for outputs in common],
        left_out(systems, common),
    )


def _compare_set(outputs: Sequence[Output], tokenizer: str) -> SetComparison:
    texts, references = [each.texts for each in outputs], outputs[0].set.references
    return SetComparison(
        outputs[0].set,
        texts,
        [differing(texts[0], each) for each in texts],
        score_systems(texts, references, tokenizer=tokenizer),
        [sentence_chrf(each, references) for each in texts],
        [compare_ngrams(texts[0], each, references, tokenizer=tokenizer) for each in texts],
    )


def changes(configs: Sequence[dict[str, object]]) -> list[Change]:
    """Return the keys whose values are not the same in all configurations, in their order."""
    keys = dict.fromkeys(key for config in configs for key in config)
    rows = ([_shown(config, key) for config in configs] for key in keys)
    return [Change(key, row) for key, row in zip(keys, rows, strict=True) if len({*row}) > 1]


def _shown(config: dict[str, object], key: str) -> str:
    return yaml_inline(config[key]) if key in config else "-"


def left_out(systems: Sequence[System], common: Iterable[Sequence[Output]]) -> list[str]:
    """Return the names of the sets that are not among the common ones of `systems`."""
    compared = [output for outputs in common for output in outputs]
    return sorted(
        {
            output.set.name
            for system in systems
            for output in system.outputs
            if not any(output is each for each in compared)
        }
    )
