"""Comparisons as lines for people."""

from collections.abc import Iterator, Sequence

from gru_mt.errors import escape
from gru_mt.evaluation.compare import Change, Comparison, Facts, SetComparison
from gru_mt.evaluation.groups import GroupComparison, Spread, divided
from gru_mt.evaluation.score import FEW
from gru_mt.evaluation.significance import MetricScores
from gru_mt.evaluation.table import number, table

SENTENCES = 5  # that gained most, and that lost most
NGRAMS = 10


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """Yield what the systems are, how their configurations differ, and the scores on each set."""
    names = [each.name for each in comparison.systems]
    if comparison.part:
        yield from _facts_lines(comparison.systems)
        yield from _change_lines(comparison.changes, names)
    for each in comparison.sets:
        yield from _title(comparison.part, each.set.name, len(each.set.sources))
        for metric in each.metrics:
            yield from _metric_lines(metric, names)
        yield "p: share of resamples or trials in which chance alone made as large a difference;"
        yield "above 0.05 the difference may well be chance"
        for name, count in [*zip(names, each.differing, strict=True)][1:]:
            few = ", too few for p" if count < FEW else ""
            of = f"{count:,} of {len(each.set.sources):,} translations"
            yield escape(f"{name}: {of} are not those of {names[0]}{few}")
        if len(names) == 2:
            yield from _sentence_lines(each, names)
            yield from _ngram_lines(each, names)


def group_lines(comparison: GroupComparison) -> Iterator[str]:
    """Yield what the runs are, how their configurations differ, and the spread of the scores."""
    groups = comparison.groups
    runs = [run for group in groups.values() for run in group]
    yield from _facts_lines(runs)
    sizes = [*map(len, groups.values())]
    of_groups = [
        Change(each.key, [_distinct(part) for part in divided(each.values, sizes)])
        for each in comparison.changes
    ]
    if len(runs) > 1:
        yield from _change_lines(of_groups, [*groups])
    for each in comparison.sets:
        yield from _title(comparison.part, each.name, each.sentences)
        for metric, spreads in each.metrics.items():
            yield from _spread_lines(metric, spreads, comparison)
    for name, group in groups.items():
        if len(group) == 1:
            yield escape(f"{name} has one run: how far its scores depend on the seed is not known")
    if len(groups) > 1:
        yield "groups are not tested: compare the change of the mean with the deviations"


def _distinct(values: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(values))


def _title(part: str, name: str, sentences: int) -> Iterator[str]:
    yield ""
    yield escape(f"{' '.join(filter(None, (part, name))) or 'files'}: {sentences:,} sentences")


def _facts_lines(systems: Sequence[Facts]) -> Iterator[str]:
    head = ["", "minutes", "parameters", "sentences/s"]
    rows = [
        [
            each.name,
            number(each.minutes, ".1f"),
            number(each.parameters, ","),
            number(each.sentences_s, ",.0f"),
        ]
        for each in systems
    ]
    yield from table([head, *rows])


def _change_lines(changes: Sequence[Change], names: Sequence[str]) -> Iterator[str]:
    if not changes:
        yield "the configurations do not differ"
        return
    yield ""
    yield escape(f"what differs in the configurations of {' | '.join(names)}:")
    for change in changes:
        yield escape(f"  {change.key}: {' | '.join(change.values)}")


def _metric_lines(metric: MetricScores, names: Sequence[str]) -> Iterator[str]:
    first = metric.systems[0]
    rows = [
        [metric.name, "score", "change", "mean", "95 % interval", "p bootstrap", "p randomisation"]
    ]
    for name, score in zip(names, metric.systems, strict=True):
        interval = "-" if score.low is None else f"{score.low:.1f} to {score.high:.1f}"
        rows.append(
            [
                name,
                f"{score.value:.2f}",
                "" if score is first else f"{score.value - first.value:+.2f}",
                f"{score.mean:.2f}",
                interval,
                "" if score is first else number(score.p_bootstrap, ".4f"),
                "" if score is first else number(score.p_randomisation, ".4f"),
            ]
        )
    yield from table(rows)
    yield f"  bootstrap      {metric.bootstrap}"
    yield f"  randomisation  {metric.randomisation}"


def _spread_lines(
    metric: str, spreads: Sequence[Spread], comparison: GroupComparison
) -> Iterator[str]:
    rows = [[metric, "runs", "mean", "change", "deviation", "lowest", "highest"]]
    for name, spread in zip(comparison.groups, spreads, strict=True):
        rows.append(
            [
                name,
                str(len(spread.values)),
                f"{spread.mean:.2f}",
                "" if spread is spreads[0] else f"{spread.mean - spreads[0].mean:+.2f}",
                number(spread.deviation, ".2f"),
                f"{min(spread.values):.2f}",
                f"{max(spread.values):.2f}",
            ]
        )
    yield from table(rows)
    for group, spread in zip(comparison.groups.values(), spreads, strict=True):
        pairs = zip(group, spread.values, strict=True)
        yield escape(f"  {', '.join(f'{run.name} {value:.2f}' for run, value in pairs)}")


def _sentence_lines(found: SetComparison, names: Sequence[str]) -> Iterator[str]:
    gains, places = found.gains(1), found.by_gain(1)
    gained = [place for place in places[:SENTENCES] if gains[place] > 0]
    lost = [place for place in reversed(places[-SENTENCES:]) if gains[place] < 0]
    for title, chosen in (("gained", gained), ("lost", lost)):
        if chosen:
            yield ""
            yield f"sentences that {title} most chrF:"
        for place in chosen:
            before, after = (each[place] for each in found.chrf)
            yield f"  {gains[place]:+.1f}: {before:.1f} to {after:.1f}, sentence {place + 1:,}"
            labels = ["reference", *names]
            texts = [
                " / ".join(found.set.references[place]),
                *(each[place] for each in found.texts),
            ]
            if found.set.sources[place]:
                labels, texts = ["source", *labels], [found.set.sources[place], *texts]
            width = max(map(len, labels))
            for label, text in zip(labels, texts, strict=True):
                yield escape(f"    {label:{width}}  {text}")


def _ngram_lines(found: SetComparison, names: Sequence[str]) -> Iterator[str]:
    ngrams = found.ngrams[1]
    gained = [each for each in ngrams[:NGRAMS] if each.gained > 0]
    lost = [each for each in reversed(ngrams[-NGRAMS:]) if each.gained < 0]
    for name, chosen in ((names[1], gained), (names[0], lost)):
        if chosen:
            yield ""
            rows = [[each.ngram, str(each.first), str(each.second)] for each in chosen]
            yield from table([[f"right more often in {name}", *names], *rows])
