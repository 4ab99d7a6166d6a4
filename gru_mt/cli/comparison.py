"""Comparisons as text for a terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from gru_mt.cli.streams import number, table
from gru_mt.evaluation.compare import Change, Comparison, GroupComparison, SetComparison, Spread
from gru_mt.evaluation.score import FEW, MetricScores
from gru_mt.evaluation.systems import SystemMetadata

SENTENCES = 5  # that gained most, and that lost most
NGRAMS = 10


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """Yield what the systems are, how their configurations differ, and the scores on each set."""
    names = [system.name for system in comparison.systems]
    if comparison.split:
        yield from _systems_lines(comparison.systems)
        yield from _change_lines(comparison.changes, names)
    for found in comparison.sets:
        sentences = f"{len(found.set.sources):,}"
        yield from _title(comparison.split, found.set.name, sentences)
        for metric in found.metrics:
            yield from _metric_lines(metric, names)
        yield "p: share of resamples or trials in which chance alone made as large a difference, p"
        yield "bootstrap in this direction alone (as sacreBLEU has it), p randomisation in both;"
        yield "above 0.05 the difference may well be chance"
        for name, count in [*zip(names, found.differing, strict=True)][1:]:
            few = ", too few for p" if count < FEW else ""
            yield f"{name}: {count:,} of {sentences} translations are not those of {names[0]}{few}"
        if len(names) == 2:
            yield from _sentence_lines(found, names)
            ngrams = found.most_changed_ngrams(1, NGRAMS)
            for name, chosen in zip(reversed(names), ngrams, strict=True):
                if chosen:
                    rows = [[each.ngram, str(each.first), str(each.second)] for each in chosen]
                    yield from ["", *table([[f"right more often in {name}", *names], *rows])]


def group_lines(comparison: GroupComparison) -> Iterator[str]:
    """Yield what the runs are, how their configurations differ, and the spread of the scores."""
    groups = comparison.groups
    runs = [*chain(*groups.values())]
    yield from _systems_lines(runs)
    if len(runs) > 1:
        changes = []
        for change in comparison.changes:
            values = iter(change.values)
            distinct = (dict.fromkeys(islice(values, len(group))) for group in groups.values())
            changes.append(Change(change.key, [*map(", ".join, distinct)]))
        yield from _change_lines(changes, groups)
    for found in comparison.sets:
        yield from _title(comparison.split, found.name, f"{found.sentences:,}")
        for metric, spreads in found.metrics.items():
            yield from _spread_lines(metric, spreads, groups)
    for name, group in groups.items():
        if len(group) == 1:
            yield f"{name} has one run: how far its scores depend on the seed is not known"
    if len(groups) > 1:
        yield "groups are not tested: compare the change of the mean with the deviations"


def _title(split: str, name: str, sentences: str) -> list[str]:
    return ["", f"{' '.join(filter(None, (split, name))) or 'files'}: {sentences} sentences"]


def _systems_lines(systems: Sequence[SystemMetadata]) -> list[str]:
    rows = [["", "minutes", "parameters", "sentences/s"]]
    for one in systems:
        minutes, speed = number(one.minutes, ".1f"), number(one.sentences_s, ",.0f")
        rows.append([one.name, minutes, number(one.parameters, ","), speed])
    return table(rows)


def _change_lines(changes: Sequence[Change], names: Iterable[str]) -> list[str]:
    if not changes:
        return ["the configurations do not differ"]
    lines = [f"  {change.key}: {' | '.join(change.values)}" for change in changes]
    return ["", f"what differs in the configurations of {' | '.join(names)}:", *lines]


def _metric_lines(metric: MetricScores, names: Sequence[str]) -> list[str]:
    head = ["score", "change", "mean", "95 % interval", "p bootstrap", "p randomisation"]
    rows = [[metric.name, *head]]
    for name, score in zip(names, metric.systems, strict=True):
        interval = "-" if score.low is None else f"{score.low:.1f} to {score.high:.1f}"
        change = f"{score.value - metric.systems[0].value:+.2f}"
        p_values = [number(p, ".4f") for p in (score.p_bootstrap, score.p_randomisation)]
        if score is metric.systems[0]:
            change, p_values = "", ["", ""]
        rows.append([name, f"{score.value:.2f}", change, f"{score.mean:.2f}", interval, *p_values])
    tests = f"  bootstrap      {metric.bootstrap}", f"  randomisation  {metric.randomisation}"
    return [*table(rows), *tests]


def _spread_lines(
    metric: str, spreads: Sequence[Spread], groups: Mapping[str, Sequence[SystemMetadata]]
) -> Iterator[str]:
    rows = [[metric, "runs", "mean", "change", "deviation", "lowest", "highest"]]
    for name, spread in zip(groups, spreads, strict=True):
        change = "" if len(rows) == 1 else f"{spread.mean - spreads[0].mean:+.2f}"
        deviation = number(spread.deviation, ".2f")
        ends = [f"{min(spread.values):.2f}", f"{max(spread.values):.2f}"]
        rows.append([name, str(len(spread.values)), f"{spread.mean:.2f}", change, deviation, *ends])
    yield from table(rows)
    for group, spread in zip(groups.values(), spreads, strict=True):
        pairs = zip(group, spread.values, strict=True)
        yield f"  {', '.join(f'{run.name} {value:.2f}' for run, value in pairs)}"


def _sentence_lines(found: SetComparison, names: Sequence[str]) -> Iterator[str]:
    for title, rows in zip(("gained", "lost"), found.most_changed(1, SENTENCES), strict=True):
        if rows:
            yield from ["", f"sentences that {title} most chrF:"]
        for row in rows:
            before, after = (chrf[row] for chrf in found.chrf)
            yield f"  {after - before:+.1f}: {before:.1f} to {after:.1f}, sentence {row + 1:,}"
            source, references = found.set.sources[row], " / ".join(found.set.references[row])
            shown = [("source", source)] if source else []
            translations = (texts[row] for texts in found.texts)
            shown += [("reference", references), *zip(names, translations, strict=True)]
            yield from (f"    {line}" for line in table(shown, texts=(0, 1)))
