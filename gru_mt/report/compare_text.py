"""Comparisons as text for a terminal."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from unicodedata import combining, east_asian_width

from gru_mt.errors import escape
from gru_mt.evaluation.compare import Change, Comparison, GroupComparison, SetComparison, Spread
from gru_mt.evaluation.score import FEW
from gru_mt.evaluation.significance import MetricScores
from gru_mt.evaluation.systems import SystemMetadata

SENTENCES = 5  # that gained most, and that lost most
NGRAMS = 10


def table(rows: Sequence[Sequence[str]], texts: Collection[int] = (0,)) -> list[str]:
    """Return rows of cells as lines: columns of `texts` begin at the left, the others end alike."""
    rows = [[escape(cell) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        gaps = [" " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        pairs = enumerate(zip(row, gaps, strict=True))
        cells = [cell + gap if column in texts else gap + cell for column, (cell, gap) in pairs]
        lines.append("  ".join(cells).rstrip())
    return lines


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes: a Chinese character takes two."""
    return sum(
        0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text
    )


def number(value: float | None, form: str) -> str:
    """Return a number as `form` says; "-" for None."""
    return "-" if value is None else format(value, form)


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """Yield what the systems are, how their configurations differ, and the scores on each set."""
    names = [system.name for system in comparison.systems]
    if comparison.split:
        yield from _facts_lines(comparison.systems)
        yield from _change_lines(comparison.changes, names)
    for found in comparison.sets:
        yield from _title(comparison.split, found.set.name, len(found.set.sources))
        for metric in found.metrics:
            yield from _metric_lines(metric, names)
        yield "p: share of resamples or trials in which chance alone made as large a difference;"
        yield "above 0.05 the difference may well be chance"
        for name, count in [*zip(names, found.differing, strict=True)][1:]:
            few = ", too few for p" if count < FEW else ""
            of = f"{count:,} of {len(found.set.sources):,} translations"
            yield escape(f"{name}: {of} are not those of {names[0]}{few}")
        if len(names) == 2:
            yield from _sentence_lines(found, names)
            yield from _ngram_lines(found, names)


def group_lines(comparison: GroupComparison) -> Iterator[str]:
    """Yield what the runs are, how their configurations differ, and the spread of the scores."""
    groups = comparison.groups
    runs = [run for group in groups.values() for run in group]
    yield from _facts_lines(runs)
    if len(runs) > 1:
        yield from _change_lines(
            [_of_groups(c, groups.values()) for c in comparison.changes], groups
        )
    for found in comparison.sets:
        yield from _title(comparison.split, found.name, found.sentences)
        for metric, spreads in found.metrics.items():
            yield from _spread_lines(metric, spreads, comparison)
    for name, group in groups.items():
        if len(group) == 1:
            yield escape(f"{name} has one run: how far its scores depend on the seed is not known")
    if len(groups) > 1:
        yield "groups are not tested: compare the change of the mean with the deviations"


def _of_groups(change: Change, groups: Iterable[Sequence[SystemMetadata]]) -> Change:
    """Return a change with the distinct values of each group."""
    rest = iter(change.values)
    values = (dict.fromkeys(islice(rest, len(group))) for group in groups)
    return Change(change.key, [", ".join(distinct) for distinct in values])


def _title(split: str, name: str, sentences: int) -> list[str]:
    title = " ".join(filter(None, (split, name))) or "files"
    return ["", escape(f"{title}: {sentences:,} sentences")]


def _facts_lines(systems: Sequence[SystemMetadata]) -> list[str]:
    rows = [
        [
            system.name,
            number(system.minutes, ".1f"),
            number(system.parameters, ","),
            number(system.sentences_s, ",.0f"),
        ]
        for system in systems
    ]
    return table([["", "minutes", "parameters", "sentences/s"], *rows])


def _change_lines(changes: Sequence[Change], names: Iterable[str]) -> Iterator[str]:
    if not changes:
        yield "the configurations do not differ"
        return
    yield ""
    yield escape(f"what differs in the configurations of {' | '.join(names)}:")
    for change in changes:
        yield escape(f"  {change.key}: {' | '.join(change.values)}")


def _metric_lines(metric: MetricScores, names: Sequence[str]) -> Iterator[str]:
    baseline = metric.systems[0]
    head = ["score", "change", "mean", "95 % interval", "p bootstrap", "p randomisation"]
    rows = [[metric.name, *head]]
    for name, score in zip(names, metric.systems, strict=True):
        change, p_bootstrap, p_randomisation = "", "", ""
        if score is not baseline:
            change = f"{score.value - baseline.value:+.2f}"
            p_bootstrap = number(score.p_bootstrap, ".4f")
            p_randomisation = number(score.p_randomisation, ".4f")
        interval = "-" if score.low is None else f"{score.low:.1f} to {score.high:.1f}"
        value, mean = f"{score.value:.2f}", f"{score.mean:.2f}"
        rows.append([name, value, change, mean, interval, p_bootstrap, p_randomisation])
    yield from table(rows)
    yield f"  bootstrap      {metric.bootstrap}"
    yield f"  randomisation  {metric.randomisation}"


def _spread_lines(
    metric: str, spreads: Sequence[Spread], comparison: GroupComparison
) -> Iterator[str]:
    rows = [[metric, "runs", "mean", "change", "deviation", "lowest", "highest"]]
    for name, spread in zip(comparison.groups, spreads, strict=True):
        change = "" if spread is spreads[0] else f"{spread.mean - spreads[0].mean:+.2f}"
        deviation = number(spread.deviation, ".2f")
        ends = [f"{min(spread.values):.2f}", f"{max(spread.values):.2f}"]
        rows.append([name, str(len(spread.values)), f"{spread.mean:.2f}", change, deviation, *ends])
    yield from table(rows)
    for group, spread in zip(comparison.groups.values(), spreads, strict=True):
        pairs = zip(group, spread.values, strict=True)
        yield escape(f"  {', '.join(f'{run.name} {value:.2f}' for run, value in pairs)}")


def _sentence_lines(found: SetComparison, names: Sequence[str]) -> Iterator[str]:
    gains = found.gains(1)
    gained = [pair for pair in gains[:SENTENCES] if pair[0] > 0]
    lost = [pair for pair in reversed(gains[-SENTENCES:]) if pair[0] < 0]
    for title, chosen in (("gained", gained), ("lost", lost)):
        if chosen:
            yield ""
            yield f"sentences that {title} most chrF:"
        for gain, row in chosen:
            before, after = (chrf[row] for chrf in found.chrf)
            yield f"  {gain:+.1f}: {before:.1f} to {after:.1f}, sentence {row + 1:,}"
            texts = {"source": found.set.sources[row]} if found.set.sources[row] else {}
            texts["reference"] = " / ".join(found.set.references[row])
            labels = [*texts, *names]
            width = max(map(len, labels))
            translations = (system[row] for system in found.texts)
            for label, text in zip(labels, [*texts.values(), *translations], strict=True):
                yield escape(f"    {label:{width}}  {text}")


def _ngram_lines(found: SetComparison, names: Sequence[str]) -> Iterator[str]:
    ngrams = found.ngrams[1]
    gained = [ngram for ngram in ngrams[:NGRAMS] if ngram.second > ngram.first]
    lost = [ngram for ngram in reversed(ngrams[-NGRAMS:]) if ngram.second < ngram.first]
    for name, chosen in ((names[1], gained), (names[0], lost)):
        if chosen:
            yield ""
            rows = [[ngram.ngram, str(ngram.first), str(ngram.second)] for ngram in chosen]
            yield from table([[f"right more often in {name}", *names], *rows])
