"""The page of a comparison: scores, where the systems differ, sentences and n-grams."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gru_mt.evaluation.compare import Comparison, SetComparison
from gru_mt.evaluation.overlap import TrainOverlap
from gru_mt.report.html import render
from gru_mt.report.page import scores_picture
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
    values = {
        "title": f"{' and '.join(names)}: {comparison.split or 'files'}",
        "comparison": comparison,
        "names": names,
        "sets": sets,
    }
    return render("compare.html", values)


def _against_baseline(found: SetComparison, system: int) -> dict[str, Any]:
    """Return the sentences and n-grams that differ most from the baseline's."""
    ngrams = found.ngrams[system]
    return {
        "gained": [*_differences(found, system, 1)],
        "lost": [*_differences(found, system, -1)],
        "more": [ngram for ngram in ngrams[:NGRAMS] if ngram.second > ngram.first],
        "less": [ngram for ngram in ngrams[::-1][:NGRAMS] if ngram.second < ngram.first],
    }


def _tables(
    found: SetComparison, names: Sequence[str], tokenizer: str, overlap: TrainOverlap | None
) -> Iterator[dict[str, Any]]:
    """Yield the tables of sentences that are alike, with a row's buckets of all systems."""
    references = found.set.references
    tables_of_systems = [
        tables_of(found.set, overlap, SentenceScores(texts, references, tokenizer))
        for texts in found.texts
    ]
    for tables in zip(*tables_of_systems, strict=True):
        columns = {name: table.buckets for name, table in zip(names, tables, strict=True)}
        yield {
            "first": tables[0],
            "rows": [*zip(*columns.values(), strict=True)],
            "picture": scores_picture(tables[0].title, columns),
        }


def _differences(found: SetComparison, system: int, sign: int) -> Iterator[dict[str, Any]]:
    """Yield the sentences that gained most, or lost most if `sign` is -1."""
    for gain, row in found.gains(system)[::sign][:SENTENCES]:
        if sign * gain > 0:
            first, second = found.texts[0][row], found.texts[system][row]
            yield {
                "number": row + 1,
                "source": found.set.sources[row],
                "reference": found.set.references[row][0],
                "first": differences(first, second),
                "second": differences(second, first),
                "chrf": (found.chrf[0][row], found.chrf[system][row]),
            }
