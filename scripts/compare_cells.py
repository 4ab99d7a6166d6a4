"""Measures the recurrent cells beside each other: quality, little data, a long memory, speed.

Each measurement adds a line to scripts/results/cells.jsonl. At the end the tables of
scripts/examples/README.md are printed, from all lines of that file.

epoch: BLEU on test of configs/compare.yaml with each cell, after an epoch of fra-eng.
little: the same of GRU and LSTM on 1, 5 and 25 % of the training split.
copy: how many of eight letters a cell still knows after a gap.
layer: milliseconds of a layer over ten steps; run it on an otherwise idle machine.
"""

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.results import RESULTS, begin, gru_mt, record
from scipy import stats

from gru_mt.run import WEIGHTS, Run
from gru_mt.storage import read_json
from gru_mt.tensors import load_tensors

CONFIG = Path("configs/compare.yaml")
LINES = RESULTS / "cells.jsonl"
SETTINGS = {
    cell: [f"model.cell={cell}"]
    for cell in ("gru", "gru_reset_before", "gru_update", "lstm", "rnn", "rnn_relu")
}
SETTINGS["lstm-equal"] = [  # as many parameters as gru has
    "model.cell=lstm",
    "model.encoder_size=214",
    "model.decoder_size=428",
]
LEARNERS = ("gru", "lstm", "lstm-equal")  # of little data
SHARES = {"1 %": (1_620, 20), "5 %": (8_099, 10), "25 %": (40_493, 5)}  # pairs, epochs
DISTANCES = (10, 30, 100, 200)  # steps between the last letter and the first answer
UNITS = (64, 256, 512)  # of a layer
RECURRENT = ("encoder.", "decoder.")

Settings = dict[str, Any]
Figures = dict[str, Any]
Scores = dict[int, float]  # by seed


def trained(settings: list[str], corpus: str, seed: int) -> Figures:
    """Train with these settings; return parameters, minutes, and BLEU on test at beam 5."""
    values = [f"data.corpus.path={corpus}", *settings, f"training.seed={seed}"]
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder) / "run")
        options = [f"--set={value}" for value in values]
        gru_mt("train", "--config", CONFIG, "--run", run.folder, *options)
        report = json.loads(gru_mt("eval", "--model", run.folder, "--json").stdout)
        weights, _ = load_tensors(run.bundle / WEIGHTS)
        minutes = read_json(run.summary)["minutes"]
    sizes = {name: weight.numel() for name, weight in weights.items()}
    return {
        "parameters": sum(sizes.values()),
        "recurrent": sum(size for name, size in sizes.items() if name.startswith(RECURRENT)),
        "minutes": minutes,
        "test_beam_5": report["scores"][0],
    }


def epoch(corpus: str, seed: int) -> Iterator[tuple[Settings, Figures]]:
    """Yield the settings and the figures of each training."""
    for name, settings in SETTINGS.items():
        yield {"cell": name}, trained(settings, corpus, seed)


def little(corpus: str, seed: int) -> Iterator[tuple[Settings, Figures]]:
    """Yield the settings and the figures of each training."""
    for share, (pairs, epochs) in SHARES.items():
        less = [f"data.corpus.limit={pairs}", f"training.max_epochs={epochs}", "model.dropout=0.2"]
        for name in LEARNERS:
            figures = trained([*SETTINGS[name], *less], corpus, seed)
            yield {"cell": name, "share": share}, figures


def copy(corpus: str, seed: int) -> Iterator[tuple[Settings, Figures]]:
    """Yield the settings and the share of right letters of each cell and distance."""
    from benchmarks.cells import COPIERS, copied

    for name in COPIERS:
        for distance in DISTANCES:
            yield {"cell": name, "distance": distance}, {"right": copied(name, distance, seed)}


def layer(corpus: str, seed: int) -> Iterator[tuple[Settings, Figures]]:
    """Yield the settings and the milliseconds of each layer and size."""
    from benchmarks.cells import layer_ms

    for units in UNITS:
        for name, figures in layer_ms(units, seed).items():
            yield {"cell": name, "units": units}, figures


PARTS: dict[str, Callable[[str, int], Iterator[tuple[Settings, Figures]]]] = {
    each.__name__: each for each in (epoch, little, copy, layer)
}


class Results:
    """The lines of a file of results. Of several with the same settings the last one counts."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._figures: dict[str, dict[tuple[str, Any], dict[int, Figures]]] = {}
        for line in map(json.loads, lines):
            settings = dict(line["settings"])
            part, seed, cell = (settings.pop(name) for name in ("part", "seed", "cell"))
            [other] = [*settings.values()] or [None]  # a share, a distance, units, or nothing
            of_part = self._figures.setdefault(part, defaultdict(dict))
            of_part[cell, other][seed] = line["figures"]

    def of(self, part: str, cell: str, other: Any = None) -> list[Figures]:
        """Return the figures of a cell in a part, one for each seed."""
        return [*self._by_seed(part, cell, other).values()]

    def bleu(self, part: str, cell: str, other: Any = None) -> Scores:
        """Return a cell's score of each seed."""
        by_seed = self._by_seed(part, cell, other)
        return {seed: figures["test_beam_5"]["value"] for seed, figures in by_seed.items()}

    def _by_seed(self, part: str, cell: str, other: Any) -> dict[int, Figures]:
        return self._figures.get(part, {}).get((cell, other), {})


def span(values: Collection[float]) -> str:
    """Return as text a mean, with the least and the most."""
    return f"{mean(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def difference(scores: Scores, others: Scores) -> str:
    """Return as text how much more `scores` are, with a 95 % interval: Student's t, by seed."""
    more = [score - others[seed] for seed, score in scores.items() if seed in others]
    found = stats.ttest_1samp(more, 0).confidence_interval()
    return f"{mean(more):+.1f} ({found.low:+.1f} to {found.high:+.1f})"


def tables(results: Results) -> str:
    """Return in Markdown the tables of the guide."""
    return "\n\n".join(
        "\n".join(table(results)) for table in (table_epoch, table_little, table_layer, table_copy)
    )


def table_epoch(results: Results) -> Iterator[str]:
    """Yield the lines of the table of quality after an epoch."""
    yield "| Cell | Parameters | in recurrent layers | BLEU | more than `gru` |"
    yield "|---|---|---|---|---|"
    gru = results.bleu("epoch", "gru")
    for cell in SETTINGS:
        [size, *_], scores = results.of("epoch", cell), results.bleu("epoch", cell)
        more = "" if cell == "gru" else difference(scores, gru)
        name = "`lstm` as large as `gru`" if cell == "lstm-equal" else f"`{cell}`"
        sizes = f"{size['parameters']:,} | {size['recurrent']:,}"
        yield f"| {name} | {sizes} | {span(scores.values())} | {more} |"


def table_little(results: Results) -> Iterator[str]:
    """Yield the lines of the table of quality on little data."""
    yield "| Training pairs | `gru` | `lstm` | `lstm` as large | `gru` more than each |"
    yield "|---|---|---|---|---|"
    for share, (pairs, _) in SHARES.items():
        gru, *others = (results.bleu("little", cell, share) for cell in LEARNERS)
        more = "; ".join(difference(gru, each) for each in others)
        cells = [f"{pairs:,} ({share})", *(span(each.values()) for each in (gru, *others)), more]
        yield f"| {' | '.join(cells)} |"


def table_layer(results: Results) -> Iterator[str]:
    """Yield the lines of the table of speed."""
    from benchmarks.cells import LAYERS

    heads = [f"{kind}, {units}" for kind in ("training", "inference") for units in UNITS]
    yield f"| ms of a layer | {' | '.join(heads)} |"
    yield f"|---|{'---|' * len(heads)}"
    for name in LAYERS:
        cells = [
            f"{mean(figures[kind] for figures in results.of('layer', name, units)):.1f}"
            for kind in ("training", "inference")
            for units in UNITS
        ]
        yield f"| `{name}` | {' | '.join(cells)} |"


def table_copy(results: Results) -> Iterator[str]:
    """Yield the lines of the table of a long memory."""
    from benchmarks.cells import COPIERS

    yield f"| Right letters, % | {' | '.join(f'gap {each}' for each in DISTANCES)} |"
    yield f"|---|{'---|' * len(DISTANCES)}"
    for name in COPIERS:
        rights = ([each["right"] for each in results.of("copy", name, d)] for d in DISTANCES)
        cells = [span([100 * right for right in values]) for values in rights]
        yield f"| `{name}` | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="fra-eng", help="fra-eng, or where it lies")
    parser.add_argument("--seed", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--part", choices=PARTS, nargs="+", default=[*PARTS])
    arguments = parser.parse_args()
    for part in arguments.part:
        for seed in arguments.seed:
            line = begin("cells", {})
            for settings, figures in PARTS[part](arguments.corpus, seed):
                line["settings"] = {"part": part, **settings, "seed": seed}
                record(line, figures, LINES)
    print(tables(Results(LINES.read_text(encoding="utf-8").splitlines())))


if __name__ == "__main__":
    main()
