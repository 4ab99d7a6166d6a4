"""The page of a comparison: scores, where the systems differ, sentences and n-grams."""

from collections.abc import Iterator, Mapping
from typing import Any

from gru_mt.evaluation.compare import Comparison, SetComparison
from gru_mt.evaluation.overlap import TrainOverlap
from gru_mt.report import pictures
from gru_mt.report.html import render
from gru_mt.report.samples import differences
from gru_mt.report.tables import SentenceScores, tables_of


def comparison_page(
    comparison: Comparison, tokenizer: str, overlaps: Mapping[str, TrainOverlap]
) -> str:
    """Return the page; `overlaps` has the overlap of sets with the baseline's training, by name.

    `tokenizer` is sacreBLEU's name for a tokenizer.
    """
    names = [system.name for system in comparison.systems]

    def tables(found: SetComparison) -> Iterator[dict[str, Any]]:
        """Yield the tables of a set's sentences that are alike, a row's buckets of all systems."""
        overlap = overlaps.get(found.set.name)
        scores = (SentenceScores(texts, found.set.references, tokenizer) for texts in found.texts)
        tables_of_systems = [tables_of(found.set, overlap, each) for each in scores]
        for of_systems in zip(*tables_of_systems, strict=True):
            columns = {name: each.buckets for name, each in zip(names, of_systems, strict=True)}
            picture = pictures.scores(of_systems[0].title, columns)
            rows = [*zip(*columns.values(), strict=True)]
            yield {"first": of_systems[0], "rows": rows, "picture": picture}

    title = f"{' and '.join(names)}: {comparison.split or 'files'}"
    values = {"title": title, "comparison": comparison, "names": names, "tables": tables}
    return render("compare.html", values | {"differences": differences})
