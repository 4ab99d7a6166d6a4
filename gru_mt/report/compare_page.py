"""The page of a comparison: scores, where the systems differ, sentences and n-grams."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gru_mt.evaluation.compare import Comparison, SetComparison
from gru_mt.evaluation.overlap import TrainOverlap
from gru_mt.report import pictures
from gru_mt.report.html import render
from gru_mt.report.samples import differences
from gru_mt.report.tables import SentenceScores, tables_of

SENTENCES = 20  # that gained most, and that lost most
NGRAMS = 20


def comparison_page(
    comparison: Comparison, tokenizer: str, overlaps: Mapping[str, TrainOverlap]
) -> str:
    """Return the page; `overlaps` has the overlap of sets with the baseline's training, by name.

    `tokenizer` is sacreBLEU's name for a tokenizer.
    """
    names = [system.name for system in comparison.systems]
    sets = [
        {
            "comparison": found,
            "tables": [*_tables(found, names, tokenizer, overlaps.get(found.set.name))],
            "others": [_against_baseline(found, system) for system in range(1, len(names))],
        }
        for found in comparison.sets
    ]
    title = f"{' and '.join(names)}: {comparison.split or 'files'}"
    values = {"title": title, "comparison": comparison, "names": names, "sets": sets}
    return render("compare.html", values)


def _tables(
    found: SetComparison, names: Sequence[str], tokenizer: str, overlap: TrainOverlap | None
) -> Iterator[dict[str, Any]]:
    """Yield the tables of sentences that are alike, with a row's buckets of all systems."""
    scores = (SentenceScores(texts, found.set.references, tokenizer) for texts in found.texts)
    tables_of_systems = [tables_of(found.set, overlap, each) for each in scores]
    for tables in zip(*tables_of_systems, strict=True):
        columns = {name: table.buckets for name, table in zip(names, tables, strict=True)}
        yield {
            "first": tables[0],
            "rows": [*zip(*columns.values(), strict=True)],
            "picture": pictures.scores(tables[0].title, columns),
        }


def _against_baseline(found: SetComparison, system: int) -> dict[str, Any]:
    """Return the sentences and n-grams that differ most from the baseline's."""

    def shown(row: int) -> dict[str, Any]:
        first, second = found.texts[0][row], found.texts[system][row]
        return {
            "number": row + 1,
            "source": found.set.sources[row],
            "reference": found.set.references[row][0],
            "first": differences(first, second),
            "second": differences(second, first),
            "chrf": (found.chrf[0][row], found.chrf[system][row]),
        }

    gained, lost = found.most_changed(system, SENTENCES)
    more, less = found.most_changed_ngrams(system, NGRAMS)
    changed = {"gained": [shown(row) for _, row in gained], "lost": [shown(row) for _, row in lost]}
    return changed | {"more": more, "less": less}
