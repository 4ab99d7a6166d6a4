"""What the report of a run says of its dev or test sets, computed once and kept in the run."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from gru_mt.config.load import load_config
from gru_mt.config.schema import Config
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.splits import Splits, load_splits
from gru_mt.errors import UserError
from gru_mt.evaluation.evaluate import choose_bleu_tokenizer, evaluate_set, find_sets
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
from gru_mt.report.failures import Analysis, analyse
from gru_mt.report.samples import Samples, read_samples, sample, write_samples
from gru_mt.run import Run
from gru_mt.storage import read_json, write_checksummed_json

MOST_COMPARED = 10**11  # sentences times training pairs: some minutes

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SetContents:
    """What is said of a dev or test set."""

    hypotheses: Hypotheses
    analysis: Analysis
    samples: Samples
    robustness: RobustnessReport | None  # None where `eval --real` did not measure it


@dataclass(frozen=True, slots=True)
class Contents:
    """What is said of a run. A run that is still training may have no sets."""

    run: Run
    config: Config
    split: str
    sets: list[SetContents]
    beam_size: int
    why_no_overlap: str  # why nothing is said of the overlap with training; "" where it is


def contents_of(run: Run, split: str, *, say: Say, translating: bool = True) -> Contents:
    """Return what a run's files say, after translating a split that it keeps no hypotheses of.

    Without `translating` nothing is translated: there are no sets. Raises UserError where the
    folder holds no run, or a file of it is damaged.
    """
    check_run(run)
    config = load_config(run.config)
    if not run.bundle.is_dir() or not translating or not find_sets(run.folder, split):
        return Contents(run, config, split, [], config.decoding.beam_size, "")
    found = read_hypotheses(run, split) or _translate(run, split, say)
    overlaps, why_none = _overlaps(
        run, split, config, [hypotheses.set for hypotheses in found.sets], say
    )
    analyses = [
        analyse(hypotheses, overlap, found.bleu_tokenizer)
        for hypotheses, overlap in zip(found.sets, overlaps, strict=True)
    ]
    samples = read_samples(run, split) or _sample(run, split, found, analyses)
    measured = read_robustness(run, split)
    reports: Sequence[RobustnessReport | None] = measured or [None] * len(found.sets)
    contents = [*map(SetContents, found.sets, analyses, samples, reports)]
    return Contents(run, config, split, contents, found.decoding.beam_size, why_none)


def check_run(run: Run) -> None:
    """Raise UserError where a folder holds no run."""
    if not run.config.is_file():
        raise UserError(f"{run.folder}: holds no run; give the folder that gru-mt train wrote")


def _translate(run: Run, split: str, say: Say) -> RunHypotheses:
    """Translate a split as `gru-mt eval` does, and keep the hypotheses."""
    translator = Translator.load(run.folder)
    sets = find_sets(run.folder, split) or []
    tokenizer = choose_bleu_tokenizer(translator, sets)
    found = []
    for one in sets:
        say(f"translating {len(one.sources):,} sentences of {split} {one.name}".rstrip())
        with while_computing(translator.engine.device_type):
            found.append(evaluate_set(translator, one, bleu_tokenizer=tokenizer).hypotheses)
    write_hypotheses(run.folder, split, found, translator.decoding, tokenizer)
    written = read_hypotheses(run, split)
    assert written, "they were just written"
    return written


def _sample(run: Run, split: str, found: RunHypotheses, analyses: list[Analysis]) -> list[Samples]:
    """Return the sentences that are shown of the sets, and keep them: loading torch takes long."""
    translator = Translator.load(run.folder)
    pairs = zip(found.sets, analyses, strict=True)
    samples = [sample(hypotheses, analysis.chrf, translator) for hypotheses, analysis in pairs]
    write_samples(run, split, samples)
    return samples


def _overlaps(
    run: Run, split: str, config: Config, sets: list[EvaluationSet], say: Say
) -> tuple[Sequence[TrainOverlap | None], str]:
    """Return the overlap of the sets with the training split, or why it is not known.

    It is kept in the run, because reading the corpora again takes seconds.
    """
    if known := read_train_overlap(run, split):
        return known, ""
    say("reading the corpora, to see what the training split has of these sentences")
    try:
        splits = load_splits(config.data, folder=run.folder)
        _check_same(splits, run, split, sets)
    except UserError as error:
        return [None] * len(sets), str(error)
    found = train_overlap(splits.train, sets)
    write_checksummed_json(run.train_overlap(split), {"sets": [*map(asdict, found)]})
    return found, ""


def _check_same(splits: Splits, run: Run, split: str, sets: Sequence[EvaluationSet]) -> None:
    """Raise UserError where `splits` are not those of a run, or are too many to be compared."""
    digests = [corpus["sha256"] for corpus in read_json(run.corpus_report)["corpora"]]
    if digests != [corpus.sha256 for corpus in splits.corpora]:
        raise UserError("the corpora are not what they were at training")
    now = splits.dev if split == "dev" else splits.test
    known = [one.sources for one in sets]
    if any(one.sources not in known for one in now):
        raise UserError(f"the {split} split is not what it was at training")
    if sum(map(len, known)) * len(splits.train) > MOST_COMPARED:
        raise UserError(
            f"{sum(map(len, known)):,} sentences and {len(splits.train):,} training pairs are too "
            "many to compare all of them"
        )
