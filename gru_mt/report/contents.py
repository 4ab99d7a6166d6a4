"""What the report of a run says of its dev or test sets, computed once and kept in the run."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

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
from gru_mt.report.failures import (
    CalibrationBin,
    Failure,
    WordAccuracy,
    calibration_bins,
    failures_of,
    word_accuracy,
)
from gru_mt.report.samples import Samples, samples_of
from gru_mt.report.tables import SentenceScores, Table, tables_of
from gru_mt.run import Run, check_path
from gru_mt.storage import read_json, write_checksummed_json

MOST_COMPARED = 10**11  # sentences times training pairs: some minutes

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SetContents:
    """What is said of a dev or test set."""

    hypotheses: Hypotheses
    chrf: list[float]  # of the sentences
    tables: list[Table]
    word_accuracy: list[WordAccuracy]  # empty where the training split is not known
    failures: list[Failure]
    calibration: list[CalibrationBin]  # empty where there are no confidences
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


def contents_of(
    run: Run, split: str, *, say: Say, translating: bool = True, splits: Splits | None = None
) -> Contents:
    """Return what a run's files say, after translating a split that it keeps no hypotheses of.

    Without `translating` nothing is translated: there are no sets. `splits` are those of the run,
    if its corpora have been read. Raises UserError where the folder holds no run, or a file of it
    is damaged.
    """
    check_run(run)
    config = load_config(run.config)
    if not run.bundle.is_dir() or not translating or not find_sets(run.folder, split):
        return Contents(run, config, split, [], config.decoding.beam_size, "")
    found = read_hypotheses(run, split) or _translate(run, split, say)
    known = [one.set for one in found.sets]
    overlaps, why_none = _overlaps(run, split, config, known, splits, say)
    scores = [
        SentenceScores(one.texts, one.set.references, found.bleu_tokenizer) for one in found.sets
    ]
    samples = samples_of(run, split, found.sets, [score.chrf for score in scores])
    robustness: Sequence[RobustnessReport | None] = read_robustness(run, split)
    robustness = robustness or [None] * len(found.sets)
    rows = zip(found.sets, scores, overlaps, samples, robustness, strict=True)
    sets = [
        SetContents(
            hypotheses,
            score.chrf,
            tables_of(hypotheses.set, overlap, score),
            word_accuracy(hypotheses, overlap) if overlap else [],
            failures_of(hypotheses),
            calibration_bins(hypotheses, score.chrf),
            shown,
            report,
        )
        for hypotheses, score, overlap, shown, report in rows
    ]
    return Contents(run, config, split, sets, found.decoding.beam_size, why_none)


def check_run(run: Run) -> None:
    """Raise UserError where a folder holds no run."""
    check_path(run.folder)
    if not run.corpus_report.is_file():  # a bundle has a config.yaml too
        raise UserError(f"{run.folder}: holds no run; give the folder that gru-mt train wrote")


def _translate(run: Run, split: str, say: Say) -> RunHypotheses:
    """Translate a split as `gru-mt eval` does, and keep the hypotheses."""
    translator = Translator.load(run.folder)
    sets = find_sets(run.folder, split) or []
    decoding, tokenizer = translator.decoding, choose_bleu_tokenizer(translator, sets)
    found = []
    for one in sets:
        say(f"translating {len(one.sources):,} sentences of {split} {one.name}".rstrip())
        with while_computing(translator.engine.device_type):
            found.append(evaluate_set(translator, one, decoding, tokenizer).hypotheses)
    write_hypotheses(run.folder, split, found, decoding, tokenizer)
    written = read_hypotheses(run, split)
    assert written, "they were just written"
    return written


def _overlaps(
    run: Run,
    split: str,
    config: Config,
    sets: list[EvaluationSet],
    splits: Splits | None,
    say: Say,
) -> tuple[Sequence[TrainOverlap | None], str]:
    """Return the overlap of the sets with the training split, or why it is not known.

    It is kept in the run, because reading the corpora again takes seconds. `splits` are those of
    the run, if they are known.
    """
    if known := read_train_overlap(run, split):
        return known, ""
    try:
        if splits is None:
            say("reading the corpora, to see what the training split has of these sentences")
            kept = {part: find_sets(run.folder, part) or [] for part in ("dev", "test")}
            for name, of_split in kept.items():  # no set of today may have the name of another
                kept[name] = [replace(one, name=f"{one.name} of {run.folder}") for one in of_split]
            splits = load_splits(config.data, kept, folder=run.folder)
        digests = [corpus["sha256"] for corpus in read_json(run.corpus_report)["corpora"]]
    except UserError as error:
        return [None] * len(sets), str(error)
    now = splits.dev if split == "dev" else splits.test
    known_sources = [one.sources for one in sets]
    sentences = sum(map(len, known_sources))
    why_none = ""
    if digests != [corpus.sha256 for corpus in splits.corpora]:
        why_none = "the corpora are not what they were at training"
    elif any(one.sources not in known_sources for one in now):
        why_none = f"the {split} split is not what it was at training"
    elif sentences * len(splits.train) > MOST_COMPARED:
        why_none = (
            f"{sentences:,} sentences and {len(splits.train):,} training pairs are too many to "
            "compare all of them"
        )
    if why_none:
        return [None] * len(sets), why_none
    found = train_overlap(splits.train, sets)
    write_checksummed_json(run.train_overlap(split), {"sets": [*map(asdict, found)]})
    return found, ""
