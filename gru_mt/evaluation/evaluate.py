"""How good a translator is, and how fast."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gru_mt.data.evaluation_set import EvaluationSet, load_sets, sets_from_json, sets_to_json
from gru_mt.decoding import Decoding
from gru_mt.errors import UserError, check_type, short_repr
from gru_mt.evaluation.calibration import Trust, measure_trust
from gru_mt.evaluation.hypotheses import Hypotheses
from gru_mt.evaluation.score import Scores, resolve_bleu_tokenizer, score_translations
from gru_mt.inference.preprocessing.lines import read_lines
from gru_mt.inference.translator import Translator
from gru_mt.run import Run


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of a translator on an evaluation set."""

    hypotheses: Hypotheses
    decoding: Decoding
    trust: Trust | None  # how far confidences can be relied on; None without them

    @property
    def scores(self) -> Scores:
        """The scores of all translations together."""
        return self.hypotheses.corpus_scores

    def lines(self) -> list[str]:
        """Return the scores, the speed and how far confidences can be relied on, for people."""
        speed = (
            f"{len(self.hypotheses.texts):,} sentences in {self.hypotheses.seconds:.1f} s: "
            f"{self.hypotheses.sentences_s:,.0f} a second, beam {self.decoding.beam_size}, "
            f"length penalty {self.decoding.length_penalty}"
        )
        return [*map(str, self.scores), speed, *([str(self.trust)] if self.trust else [])]

    def to_json(self) -> dict[str, Any]:
        """Return scores, speed, beam size and length penalty as JSON values."""
        return {
            "scores": [asdict(score) for score in self.scores],
            "sentences": len(self.hypotheses.texts),
            "seconds": self.hypotheses.seconds,
            "sentences_s": self.hypotheses.sentences_s,
            "beam_size": self.decoding.beam_size,
            "length_penalty": self.decoding.length_penalty,
            "confidence": self.trust and asdict(self.trust),
        }


def evaluate(
    translator: Translator,
    evaluation_set: EvaluationSet,
    *,
    decoding: Decoding | None = None,
    bleu_tokenizer: str | None = None,
) -> Evaluation:
    """Translate the sources of a set, and score the translations.

    `decoding` and `bleu_tokenizer` are the translator's own if none is given. The latter is a
    `setting` of `resolve_bleu_tokenizer`. Raises UserError as that and `score_translations` do, and
    for an argument of another type.

    >>> from gru_mt import Translator, evaluate
    >>> from gru_mt.data.evaluation_set import EvaluationSet, load_sets
    >>> one = EvaluationSet(["I see a dog."], [["Je vois un chien.", "Je vois le chien."]])
    >>> translator = Translator.load("runs/small")
    >>> greedy = translator.decoding.overridden(beam_size=1)
    >>> result = evaluate(translator, one, decoding=greedy)
    >>> [f"{score.name} {score.value:.0f}" for score in result.scores]
    ['BLEU, all references 100', 'BLEU, first reference 100', 'chrF 100']
    """
    if not hasattr(translator, "target_language"):
        raise UserError(f"translator must be a Translator, got {short_repr(translator)}")
    check_type(evaluation_set, EvaluationSet, "evaluation_set")
    try:
        sets_from_json(sets_to_json([evaluation_set]))
    except ValueError as error:  # such as a text in place of a list of references
        raise UserError(f"evaluation_set: {error}") from None
    decoding = translator.decoding if decoding is None else decoding
    setting = translator.bleu_tokenizer if bleu_tokenizer is None else bleu_tokenizer
    tokenizer = resolve_bleu_tokenizer(
        translator.target_language, setting, evaluation_set.references
    )
    started_s = time.perf_counter()
    translations = translator.translate(evaluation_set.sources, decoding=decoding)
    seconds = time.perf_counter() - started_s
    texts, references = [each.text for each in translations], evaluation_set.references
    scores = score_translations(texts, references, tokenizer=tokenizer)
    hypotheses = Hypotheses.of(evaluation_set, translations, seconds=seconds, corpus_scores=scores)
    trust = measure_trust(hypotheses.confidences, texts, references)
    return Evaluation(hypotheses, decoding, trust)


def read_sets(folder: Path, part: str) -> list[EvaluationSet]:
    """Return the sets of dev or test that a run keeps; `folder` is the run's, or its bundle's.

    Raises UserError if there is none, or they are damaged: a bundle that was moved has none.
    """
    sets = find_sets(folder, part)
    if sets is None:
        raise UserError(f"{folder}: no {part} part is kept there; give --source and --reference")
    if not sets:
        raise UserError(f"{folder}: the corpus was too small for a {part} part")
    return sets


def find_sets(folder: Path, part: str) -> list[EvaluationSet] | None:
    """Return what `read_sets` does, or none; None where no file of them is there."""
    for run in (Run(folder), Run(folder.parent)):
        if (path := run.evaluation_sets(part)).is_file():
            return load_sets(path)
    return None


def read_evaluation_set(source: Path, references: list[Path]) -> EvaluationSet:
    """Return the set of a source file and its reference files: line N of each is for sentence N.

    An empty reference line means that the sentence has fewer references. Raises UserError if a file
    cannot be read or is not plain text, the files differ in length, or a sentence has no reference.
    """
    return EvaluationSet.from_files([(path, read_lines(path)) for path in (source, *references)])
