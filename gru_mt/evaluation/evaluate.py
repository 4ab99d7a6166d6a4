"""How good a translator is, and how fast."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gru_mt.config.decoding import Decoding
from gru_mt.data.evaluation_set import EvaluationSet, load_sets
from gru_mt.errors import UserError, as_path, as_texts, short_repr
from gru_mt.evaluation.bleu_tokenizer import resolve_bleu_tokenizer
from gru_mt.evaluation.calibration import ConfidenceStats, measure_confidence
from gru_mt.evaluation.hypotheses import Hypotheses
from gru_mt.evaluation.score import Scores, score_translations
from gru_mt.inference.preprocessing.lines import read_lines
from gru_mt.inference.published import local_folder
from gru_mt.inference.translator import Translator
from gru_mt.run import Run, named


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of a translator on an evaluation set; `str` gives them as lines."""

    hypotheses: Hypotheses
    decoding: Decoding
    confidence: ConfidenceStats | None  # how far confidences can be relied on; None without them

    @property
    def scores(self) -> Scores:
        """The scores of all translations together."""
        return self.hypotheses.corpus_scores

    def __str__(self) -> str:
        found = self.hypotheses
        speed = (
            f"{len(found.texts):,} sentences in {found.seconds:.1f} s: "
            f"{found.sentences_s:,.0f} a second, beam {self.decoding.beam_size}, "
            f"length penalty {self.decoding.length_penalty}"
        )
        return "\n".join(map(str, filter(None, (*self.scores, speed, self.confidence))))

    def to_json(self) -> dict[str, Any]:
        """Return scores, speed, beam size and length penalty as JSON values."""
        return {
            "scores": [asdict(score) for score in self.scores],
            "sentences": len(self.hypotheses.texts),
            "seconds": self.hypotheses.seconds,
            "sentences_s": self.hypotheses.sentences_s,
            "beam_size": self.decoding.beam_size,
            "length_penalty": self.decoding.length_penalty,
            "confidence": self.confidence and asdict(self.confidence),
        }


def evaluate(
    translator: Translator,
    sources: str | Path | Iterable[str],
    references: str | Path | Iterable[str | Iterable[str]],
    *,
    beam_size: int | None = None,
    length_penalty: float | None = None,
    bleu_tokenizer: str | None = None,
) -> Evaluation:
    """Translate sentences, and score the translations by BLEU and chrF.

    Corrections by people are not used: the scores are the model's.

    Args:
        translator: What translates.
        sources: The path of a text file with one sentence per line, or an iterable of sentences.
        references: The path of a text file with one reference per line, or an iterable with the
            reference of each sentence, or with an iterable of its references.
        beam_size: Hypotheses that the search keeps; the model's own setting by default.
        length_penalty: Exponent of the length by which hypotheses are ranked; the model's own by
            default.
        bleu_tokenizer: One of sacreBLEU's tokenizers, or "auto" for the one that fits the target
            language; the model's own setting by default.

    Returns:
        An Evaluation. Its `scores` are BLEU against all references, BLEU against the first
        reference, and chrF, with `value`, 95 % interval (`low`, `high`) and sacreBLEU's
        `signature`; `hypotheses.texts` are the translations.

    Raises:
        UserError: An argument is of another type or out of its range, a file cannot be read, there
            are no sentences, or a sentence has no reference.

    Example:
        >>> from gru_mt import Translator, evaluate
        >>> translator = Translator.load("runs/small")
        >>> references = [["Je vois un chien.", "Je vois le chien."]]
        >>> result = evaluate(translator, ["I see a dog."], references, beam_size=1)
        >>> [f"{score.name} {score.value:.0f}" for score in result.scores]
        ['BLEU, all references 100', 'BLEU, first reference 100', 'chrF 100']
    """
    if not hasattr(translator, "languages"):
        raise UserError(f"translator must be a Translator, got {short_repr(translator)}")
    if isinstance(sources, str | Path):
        sources = read_lines(as_path(sources, "sources"))
    if isinstance(references, str | Path):
        references = read_lines(as_path(references, "references"))
    if not isinstance(references, Iterable):
        raise UserError(f"references must be a list of texts, got {short_repr(references)}")
    of_sentences = [
        [texts] if isinstance(texts, str) else as_texts(texts, f"references[{index}]")
        for index, texts in enumerate(references)
    ]
    evaluation_set = EvaluationSet(as_texts(sources, "sources"), of_sentences)
    decoding = translator.decoding.overridden(beam_size=beam_size, length_penalty=length_penalty)
    tokenizer = choose_bleu_tokenizer(translator, [evaluation_set], bleu_tokenizer)
    return evaluate_set(translator, evaluation_set, decoding, tokenizer)


def evaluate_set(
    translator: Translator, evaluation_set: EvaluationSet, decoding: Decoding, tokenizer: str
) -> Evaluation:
    """Translate the sources of a set, without corrections by people, and score the translations.

    `tokenizer` is sacreBLEU's name for a tokenizer. Raises UserError as `score_translations` does.
    """
    if isinstance(translator, Translator):
        translator = replace(translator, corrections=None)
    references = evaluation_set.references
    started_s = time.perf_counter()
    beam_size, length_penalty = decoding.beam_size, decoding.length_penalty
    lines = translator.translate(
        evaluation_set.sources, beam_size=beam_size, length_penalty=length_penalty
    )
    seconds = time.perf_counter() - started_s
    texts = [line.text for line in lines]
    hypotheses = Hypotheses(
        evaluation_set,
        texts,
        [min((one.candidates[0].score for one in line.sentences), default=None) for line in lines],
        [line.confidence for line in lines],
        [[*line.warnings] for line in lines],
        seconds,
        score_translations(texts, references, tokenizer=tokenizer),
    )
    confidence = measure_confidence(hypotheses.confidences, texts, references)
    return Evaluation(hypotheses, decoding, confidence)


def choose_bleu_tokenizer(
    translator: Translator, sets: Sequence[EvaluationSet], setting: str | None = None
) -> str:
    """Return the tokenizer of BLEU for some sets; `setting` is the translator's own by default."""
    languages = translator.languages
    references = [texts for one in sets for texts in one.references]
    return resolve_bleu_tokenizer(languages.target, setting or languages.bleu_tokenizer, references)


def read_sets(folder: Path, split: str) -> list[EvaluationSet]:
    """Return the dev or test sets that a run keeps; `folder` is the run's, or its bundle's.

    Raises UserError if there is none, or they are damaged: a bundle that was moved has none.
    """
    sets = find_sets(folder, split)
    if sets is None:
        local_folder(folder)  # which says where no model is there at all
        raise UserError(f"{folder}: no {split} split is kept there; give --source and --reference")
    if not sets:
        raise UserError(
            f"{folder}: the corpus was too small for a {split} split, or data.{split} named none"
        )
    return sets


def find_sets(folder: Path, split: str) -> list[EvaluationSet] | None:
    """Return what `read_sets` does, or none; None where no file of them is there."""
    for run in (Run(folder), Run(named(folder).parent)):
        if (path := run.evaluation_sets(split)).is_file():
            return load_sets(path)
    return None


def read_evaluation_set(source: Path, references: list[Path]) -> EvaluationSet:
    """Return the set of a source file and its reference files, as `EvaluationSet.from_files`."""
    return EvaluationSet.from_files([(path, read_lines(path)) for path in (source, *references)])
