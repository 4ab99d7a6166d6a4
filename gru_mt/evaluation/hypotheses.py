"""What a translator made of evaluation sets, kept in a run: reports and comparisons need no model.

A run keeps what its own model translates, whole sets, as that model decodes by itself.
"""

from dataclasses import asdict, dataclass, replace
from operator import contains
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from gru_mt.config.decoding import Decoding
from gru_mt.data.evaluation_set import EvaluationSet, sets_from_json
from gru_mt.errors import UserError
from gru_mt.evaluation.score import SCORE_NAMES, Scores
from gru_mt.run import WEIGHTS, Run, bundle_of, named
from gru_mt.storage import read_checksummed_json, write_checksummed_json
from gru_mt.tensors import tensors_info


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The translations of the sentences of a set, in order."""

    set: EvaluationSet
    texts: list[str]
    scores: list[float | None]  # of a line the lowest of its sentences' scores; see `Candidate`
    confidences: list[float | None]
    warnings: list[list[str]]
    seconds: Annotated[
        float, Field(gt=0, allow_inf_nan=False)
    ]  # of translating, without loading and scoring
    corpus_scores: Scores

    @property
    def sentences_s(self) -> float:
        """Sentences translated per second."""
        return len(self.texts) / self.seconds

    @property
    def exact(self) -> int:
        """Translations that are one of their references, letter for letter."""
        return sum(map(contains, self.set.references, self.texts))


@dataclass(frozen=True, slots=True)
class RunHypotheses:
    """The hypotheses that a run keeps of its dev or test split."""

    sets: Annotated[list[Hypotheses], Field(min_length=1)]
    decoding: Decoding
    bleu_tokenizer: str  # sacreBLEU's name for it
    model: str  # SHA-256 of the weights that translated


def write_hypotheses(
    folder: Path, split: str, sets: list[Hypotheses], decoding: Decoding, bleu_tokenizer: str
) -> None:
    """Write the hypotheses of a split into the run that `folder` is or is the bundle of, if any."""
    if not (run := run_of(folder, split)):
        return
    rows = [asdict(found) for found in sets]
    contents = {
        "sets": [row.pop("set") | row for row in rows],
        "decoding": asdict(decoding),
        "bleu_tokenizer": bleu_tokenizer,
        "model": model_digest(run),
    }
    write_checksummed_json(run.hypotheses(split), contents)


def read_hypotheses(run: Run, split: str) -> RunHypotheses | None:
    """Return the hypotheses that a run keeps; None where it has none of the weights it has now.

    Raises UserError where the file is damaged.
    """
    path = run.hypotheses(split)
    if not path.is_file():
        return None
    values = read_checksummed_json(path)
    try:
        for row, one in zip(values.get("sets") or [], sets_from_json(values), strict=True):
            row["set"] = one
        found = TypeAdapter(RunHypotheses).validate_python(values)
        for index, kept in enumerate(found.sets):
            columns = kept.texts, kept.scores, kept.confidences, kept.warnings
            if any(len(column) != len(kept.set.sources) for column in columns):
                raise ValueError(f"its lists do not have {len(kept.set.sources):,} items")
            pairs = zip(kept.corpus_scores, SCORE_NAMES, strict=True)  # older runs have other names
            scores = Scores(*(replace(score, name=name) for score, name in pairs))
            found.sets[index] = replace(kept, corpus_scores=scores)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise UserError(f"{path}: damaged: {field}: {first['msg']}") from None
    except ValueError as error:
        raise UserError(f"{path}: damaged: {error}") from None
    return found if found.model == model_digest(run) else None


def model_digest(run: Run) -> str:
    """Return the SHA-256 of the weights that a run or a bundle has now."""
    return tensors_info(bundle_of(run.folder) / WEIGHTS).digest


def run_of(folder: Path, split: str) -> Run | None:
    """Return the run that `folder` is, or is the bundle of; None where it is neither."""
    folder = named(folder)
    for run in (Run(folder), Run(folder.parent)):
        if run.evaluation_sets(split).is_file() and bundle_of(folder) == run.bundle:
            return run
    return None
