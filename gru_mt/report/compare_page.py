"""The page of a comparison: scores, where the systems differ, sentences and n-grams."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from gru_mt.evaluation.compare import Comparison, NgramCounts, SetComparison
from gru_mt.evaluation.overlap import TrainOverlap
from gru_mt.report.page import render, table_picture
from gru_mt.report.pictures import INSTALL, can_draw
from gru_mt.report.samples import Piece, differences
from gru_mt.report.tables import Bucket, SentenceScores, tables_of

SENTENCES = 20  # that gained most, and that lost most
NGRAMS = 20


@dataclass(frozen=True, slots=True)
class SystemsTable:
    """Sentences that are alike in one respect, and the scores of each system on them."""

    title: str
    about: str
    unit: str
    rows: list[list[Bucket]]  # a bucket of each system
    picture: Markup


@dataclass(frozen=True, slots=True)
class Difference:
    """A sentence that one system translates better than the baseline, or worse."""

    number: int  # in the set, from 1
    source: str
    reference: str
    first: list[Piece]
    second: list[Piece]
    chrf: tuple[float, float]


def comparison_page(
    comparison: Comparison, tokenizer: str, known: Mapping[str, TrainOverlap]
) -> str:
    """Return the page; `known` has what the baseline's training split has of sets, by their names.

    `tokenizer` is sacreBLEU's name for the way to cut text.
    """
    names = [each.name for each in comparison.systems]
    values = {
        "title": f"{' and '.join(names)}: {comparison.split or 'files'}",
        "comparison": comparison,
        "names": names,
        "sets": [
            _set_values(each, names, tokenizer, known.get(each.set.name))
            for each in comparison.sets
        ],
        "drawn": can_draw(),
        "install": INSTALL,
    }
    return render("compare.html", values)


def _set_values(
    found: SetComparison, names: Sequence[str], tokenizer: str, known: TrainOverlap | None
) -> dict[str, Any]:
    return {
        "name": found.set.name,
        "sentences": len(found.set.sources),
        "metrics": found.metrics,
        "differing": found.differing,
        "tables": [*_tables(found, names, tokenizer, known)],
        "others": [
            {
                "name": name,
                "gained": [*_differences(found, place, 1)],
                "lost": [*_differences(found, place, -1)],
                "more": _ngrams(found.ngrams[place], 1),
                "less": _ngrams(found.ngrams[place][::-1], -1),
            }
            for place, name in enumerate(names)
            if place
        ],
    }


def _tables(
    found: SetComparison, names: Sequence[str], tokenizer: str, known: TrainOverlap | None
) -> Iterator[SystemsTable]:
    tables_of_systems = [
        tables_of(found.set, known, SentenceScores(texts, found.set.references, tokenizer))
        for texts in found.texts
    ]
    for tables in zip(*tables_of_systems, strict=True):
        first = tables[0]
        columns = {name: table.buckets for name, table in zip(names, tables, strict=True)}
        rows = [[*row] for row in zip(*columns.values(), strict=True)]
        picture = table_picture(first.title, columns)
        yield SystemsTable(first.title, first.about, first.unit, rows, picture)


def _differences(found: SetComparison, system: int, sign: int) -> Iterator[Difference]:
    """Yield the sentences that gained most, or lost most if `sign` is -1."""
    for gain, row in found.gains(system)[::sign][:SENTENCES]:
        if sign * gain > 0:
            first, second = found.texts[0][row], found.texts[system][row]
            yield Difference(
                row + 1,
                found.set.sources[row],
                found.set.references[row][0],
                differences(first, second),
                differences(second, first),
                (found.chrf[0][row], found.chrf[system][row]),
            )


def _ngrams(sorted_by_gain: Sequence[NgramCounts], sign: int) -> list[NgramCounts]:
    return [each for each in sorted_by_gain[:NGRAMS] if sign * (each.second - each.first) > 0]
