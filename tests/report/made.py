"""Hypotheses made by hand."""

from collections.abc import Sequence

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.evaluation.hypotheses import Hypotheses


def hypotheses(
    *rows: tuple[str, str, list[str]],
    confidences: Sequence[float | None] | None = None,
    warnings: list[list[str]] | None = None,
) -> Hypotheses:
    """Return a set of rows of source, translation and references."""
    sources, texts, references = zip(*rows, strict=True)
    size = len(rows)
    return Hypotheses(
        EvaluationSet([*sources], [*references], "mine"),
        [*texts],
        [0.0] * size,
        [*(confidences or [None] * size)],
        warnings or [[]] * size,
        seconds=1.0,
        bleu=0.0,
    )
