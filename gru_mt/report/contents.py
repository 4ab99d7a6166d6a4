"""What the report of a run says: its files, and what its hypotheses tell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gru_mt.config.load import load_config
from gru_mt.config.schema import Config
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.splits import Splits, load_splits
from gru_mt.errors import UserError
from gru_mt.evaluation.bleu_tokenizer import resolve_bleu_tokenizer
from gru_mt.evaluation.evaluate import evaluate_set, find_sets
from gru_mt.evaluation.hypotheses import (
    Hypotheses,
    RunHypotheses,
    read_hypotheses,
    write_hypotheses,
)
from gru_mt.evaluation.overlap import TrainOverlap, read_train_overlap, train_overlap
from gru_mt.evaluation.robustness.measure import RobustnessReport, read_robustness
from gru_mt.inference.translator import Translator
from gru_mt.model.fast.waiting import while_computing
from gru_mt.provenance import PROVENANCE, read_provenance
from gru_mt.report.failures import Analysis, analyse
from gru_mt.report.samples import Samples, read_samples, sample, write_samples
from gru_mt.run import Run
from gru_mt.storage import read_json, write_checksummed_json

MOST_COMPARED = 10**11  # sentences times training pairs: some minutes

Say = Callable[[str], None]
VERSIONS = {"gru-mt": "gru_mt", "torch": "torch", "Python": "python"}  # keys of a provenance


@dataclass(frozen=True, slots=True)
class SetContents:
    """What is said of a set of dev or test."""

    hypotheses: Hypotheses
    analysis: Analysis
    samples: Samples
    real: RobustnessReport | None  # None where `eval --real` did not measure it
    why_unknown: str  # why nothing is said of what the training split knows; "" where it is


@dataclass(frozen=True, slots=True)
class Contents:
    """What is said of a run. A run that is still training may have no sets."""

    run: Run
    config: Config
    part: str
    metrics: list[dict[str, Any]]
    summary: dict[str, Any]  # empty until the run is finished
    corpus: dict[str, Any]
    provenance: dict[str, Any]  # empty until there are weights
    sets: list[SetContents]
    beam_size: int


def contents_of(run: Run, part: str, *, say: Say, translating: bool = True) -> Contents:
    """Return what a run's files say, after translating a part that it keeps no hypotheses of.

    Without `translating` nothing is translated: there are no sets. Raises UserError where the
    folder holds no run, or a file of it is damaged.
    """
    check_run(run)
    config = load_config(run.config)
    bundle = run.bundle.is_dir()
    summary = read_json(run.summary) if run.summary.is_file() else {}
    contents = Contents(
        run,
        config,
        part,
        run.read_metrics()[0],
        summary,
        read_json(run.corpus_report),
        _whole_provenance(run) if bundle else {},
        [],
        config.decoding.beam_size,
    )
    if not bundle or not translating or not find_sets(run.folder, part):
        return contents
    kept = read_hypotheses(run, part) or _translated(run, part, say)
    known, why_unknown = _known(run, part, config, kept, say)
    pairs = zip(kept.sets, known, strict=True)
    analyses = [analyse(each, familiar, kept.bleu_tokenizer) for each, familiar in pairs]
    samples = read_samples(run, part) or _sampled(run, part, kept, analyses)
    real: Sequence[RobustnessReport | None] = read_robustness(run, part) or [None] * len(kept.sets)
    sets = [
        SetContents(*each, why_unknown)
        for each in zip(kept.sets, analyses, samples, real, strict=True)
    ]
    return replace(contents, sets=sets, beam_size=kept.decoding.beam_size)


def _whole_provenance(run: Run) -> dict[str, Any]:
    provenance = read_provenance(run.bundle)
    if missing := sorted({"training_pairs", "sentences", *VERSIONS.values()} - provenance.keys()):
        raise UserError(f"{run.bundle / PROVENANCE}: damaged: it has no {missing[0]}")
    return provenance


def check_run(run: Run) -> None:
    """Raise UserError where a folder holds no run."""
    if not run.config.is_file():
        raise UserError(f"{run.folder}: holds no run; give the folder that gru-mt train wrote")


def _translated(run: Run, part: str, say: Say) -> RunHypotheses:
    """Translate a part as `gru-mt eval` does, and keep the hypotheses."""
    translator = Translator.load(run.folder)
    sets = find_sets(run.folder, part) or []
    tokenizer = resolve_bleu_tokenizer(
        translator.languages.target,
        translator.languages.bleu_tokenizer,
        [texts for each in sets for texts in each.references],
    )
    found = []
    for each in sets:
        say(f"translating {len(each.sources):,} sentences of {part} {each.name}".rstrip())
        with while_computing(translator.engine.device_type):
            result = evaluate_set(translator, each, bleu_tokenizer=tokenizer)
            found.append(result.hypotheses)
    write_hypotheses(run.folder, part, found, translator.decoding, tokenizer)
    kept = read_hypotheses(run, part)
    assert kept, "they were just written"
    return kept


def _sampled(run: Run, part: str, kept: RunHypotheses, analyses: list[Analysis]) -> list[Samples]:
    """Return the sentences of each set that are shown, and keep them: loading torch takes long."""
    translator = Translator.load(run.folder)
    pairs = zip(kept.sets, analyses, strict=True)
    found = [sample(each, analysis.chrf, translator) for each, analysis in pairs]
    write_samples(run, part, found)
    return found


def _known(
    run: Run, part: str, config: Config, kept: RunHypotheses, say: Say
) -> tuple[Sequence[TrainOverlap | None], str]:
    """Return what the training split has of each set, or why that is not known.

    It is kept in the run, because reading the corpora again takes seconds.
    """
    if kept_before := read_train_overlap(run, part):
        return kept_before, ""
    say("reading the corpora, to see what the training split has of these sentences")
    sets = [each.set for each in kept.sets]
    try:
        splits = load_splits(config.data, folder=run.folder)
        _check_same(splits, run, part, sets)
    except UserError as error:
        return [None] * len(sets), str(error)
    found = train_overlap(splits.train, sets)
    write_checksummed_json(run.train_overlap(part), {"sets": [each.to_json() for each in found]})
    return found, ""


def _check_same(splits: Splits, run: Run, part: str, sets: Sequence[EvaluationSet]) -> None:
    """Raise UserError where `splits` are not those of a run, or are too many to be compared."""
    digests = [each["sha256"] for each in read_json(run.corpus_report)["corpora"]]
    if digests != [each.sha256 for each in splits.corpora]:
        raise UserError("the corpora are not what they were at training")
    measured, known = splits.dev if part == "dev" else splits.test, [each.sources for each in sets]
    if any(each.sources not in known for each in measured):
        raise UserError(f"the {part} part is not what it was at training")
    if sum(map(len, known)) * len(splits.train) > MOST_COMPARED:
        raise UserError(
            f"{sum(map(len, known)):,} sentences and {len(splits.train):,} training pairs are too "
            "many to compare each with each"
        )
