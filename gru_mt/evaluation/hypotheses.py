"""What a translator made of evaluation sets, kept in a run: reports and comparisons need no model.

A run keeps what its own model translates, whole sets, as that model decodes by itself.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, TypeAdapter, ValidationError

from gru_mt.data.evaluation_set import EvaluationSet, sets_from_json, sets_to_json
from gru_mt.decoding import Decoding
from gru_mt.errors import UserError
from gru_mt.evaluation.score import Score, Scores
from gru_mt.inference.translation import Translation
from gru_mt.run import WEIGHTS, Run, bundle_of
from gru_mt.storage import read_checksummed_json, write_checksummed_json
from gru_mt.tensors import tensors_digest

_LISTS = ("texts", "scores", "confidences", "warnings")  # fields with one of each a sentence
_Number = int | float
_KINDS: dict[str, Any] = {  # of the values in a file
    "texts": list[str],
    "scores": list[_Number | None],
    "confidences": list[_Number | None],
    "warnings": list[list[str]],
    "seconds": Annotated[float, Field(gt=0, allow_inf_nan=False)],
}
_SCORE_KINDS: dict[str, Any] = {
    "name": str,
    "value": _Number,
    "low": _Number | None,
    "high": _Number | None,
    "signature": str,
    "sentences": int,
}


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The translation of each sentence of a set, in its order."""

    set: EvaluationSet
    texts: list[str]
    scores: list[float | None]  # of a line the lowest of its sentences' scores; see `Candidate`
    confidences: list[float | None]
    warnings: list[list[str]]
    seconds: float  # of translating, without loading and scoring
    corpus_scores: Scores

    @property
    def sentences_s(self) -> float:
        """Sentences translated per second."""
        return len(self.texts) / self.seconds

    @classmethod
    def of(
        cls,
        evaluation_set: EvaluationSet,
        translations: Sequence[Translation],
        *,
        seconds: float,
        corpus_scores: Scores,
    ) -> Self:
        """Return what `translations` of a set's sources hold."""
        return cls(
            evaluation_set,
            [each.text for each in translations],
            [
                min((one.candidates[0].score for one in each.sentences), default=None)
                for each in translations
            ],
            [each.confidence for each in translations],
            [[*each.warnings] for each in translations],
            seconds,
            corpus_scores,
        )


@dataclass(frozen=True, slots=True)
class RunHypotheses:
    """The hypotheses that a run keeps of its dev or test split."""

    sets: list[Hypotheses]
    decoding: Decoding
    bleu_tokenizer: str  # sacreBLEU's name for it
    model: str  # SHA-256 of the weights that translated

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        sets = sets_to_json([each.set for each in self.sets])["sets"]
        for values, each in zip(sets, self.sets, strict=True):
            values |= {name: getattr(each, name) for name in (*_LISTS, "seconds")}
            values["corpus_scores"] = [asdict(score) for score in each.corpus_scores]
        return {
            "sets": sets,
            "decoding": asdict(self.decoding),
            "bleu_tokenizer": self.bleu_tokenizer,
            "model": self.model,
        }


def write_hypotheses(
    folder: Path, part: str, sets: list[Hypotheses], decoding: Decoding, bleu_tokenizer: str
) -> None:
    """Write the hypotheses of a part into the run that `folder` is, or is the bundle of.

    Nothing is written where `folder` is neither.
    """
    if run := run_of(folder, part):
        kept = RunHypotheses(sets, decoding, bleu_tokenizer, model_digest(run))
        write_checksummed_json(run.hypotheses(part), kept.to_json())


def read_hypotheses(run: Run, part: str) -> RunHypotheses | None:
    """Return the hypotheses that a run keeps; None where it has none of the weights it has now.

    Raises UserError where the file is damaged.
    """
    path = run.hypotheses(part)
    if not path.is_file():
        return None
    values = read_checksummed_json(path)
    try:
        kept = _from_json(values)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: damaged: {error}") from None
    return kept if kept.model == model_digest(run) else None


def _from_json(values: dict[str, Any]) -> RunHypotheses:
    """Return what `to_json` gave; another value raises one of several errors."""
    sets = []
    for one, each in zip(sets_from_json(values), values["sets"], strict=True):
        _check_kinds(each, _KINDS)
        lists: dict[str, Any] = {name: [*each[name]] for name in _LISTS}
        if any(len(column) != len(one.sources) for column in lists.values()):
            raise ValueError(f"not one of each for the {len(one.sources):,} sentences")
        for score in each["corpus_scores"]:
            _check_kinds(score, _SCORE_KINDS)
        scores = Scores(*(Score(**score) for score in each["corpus_scores"]))
        seconds = float(each["seconds"])
        sets.append(Hypotheses(one, **lists, seconds=seconds, corpus_scores=scores))
    decoding = Decoding(**values["decoding"])
    if not sets:
        raise ValueError("no set")
    _check_kinds(values, {"bleu_tokenizer": str, "model": str})
    return RunHypotheses(sets, decoding, values["bleu_tokenizer"], values["model"])


def _check_kinds(values: dict[str, Any], kinds: dict[str, Any]) -> None:
    """Raise ValueError where a value is not of its kind."""
    for name, kind in kinds.items():
        try:
            TypeAdapter(kind).validate_python(values[name], strict=True)
        except ValidationError as error:
            raise ValueError(f"{name}: {error.errors()[0]['msg']}") from None


def model_digest(run: Run) -> str:
    """Return the SHA-256 of the weights that a run or a bundle has now."""
    return tensors_digest(bundle_of(run.folder) / WEIGHTS)


def run_of(folder: Path, part: str) -> Run | None:
    """Return the run that `folder` is, or is the bundle of; None where it is neither."""
    for run in (Run(folder), Run(folder.parent)):
        if run.evaluation_sets(part).is_file() and bundle_of(folder) == run.bundle:
            return run
    return None
