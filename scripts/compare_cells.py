"""Measures the recurrent cells beside each other: quality, little data, a long memory, speed.

Each measurement adds a line to scripts/results/cells.jsonl. At the end the tables of
scripts/results/CELLS.md are printed, from all lines of that file.

epoch: BLEU on test of configs/compare.yaml with each cell, after an epoch of fra-eng.
little: the same of GRU and LSTM on 1, 5 and 25 % of the training split.
copy: how many of eight letters a cell still knows after a gap.
layer: milliseconds of a layer over ten steps; run it on an otherwise idle machine.
"""

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.results import RESULTS, Figures, begin, gru_mt, record, train

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
PARTS = ("epoch", "little", "copy", "layer")

Scores = dict[int, float]  # by seed


def trained(settings: list[str], corpus: str, seed: int) -> Figures:
    """Train with these settings; return parameters, minutes, and BLEU on test at beam 5."""
    values = [f"data.corpus.path={corpus}", *settings, f"training.seed={seed}"]
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder) / "run")
        train(CONFIG, run.folder, values)
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


def measured(part: str, corpus: str, seed: int) -> Iterator[tuple[dict[str, Any], Figures]]:
    """Yield the settings and the figures of each training or measurement of a part."""
    from benchmarks.cells import COPIERS, copied, layer_ms

    match part:
        case "epoch":
            for cell, settings in SETTINGS.items():
                yield {"cell": cell}, trained(settings, corpus, seed)
        case "little":
            for (share, (pairs, epochs)), cell in product(SHARES.items(), LEARNERS):
                less = [f"data.corpus.limit={pairs}", f"training.max_epochs={epochs}"]
                settings = [*SETTINGS[cell], *less, "model.dropout=0.2"]
                yield {"cell": cell, "share": share}, trained(settings, corpus, seed)
        case "copy":
            for cell, distance in product(COPIERS, DISTANCES):
                right = copied(cell, distance, seed)
                yield {"cell": cell, "distance": distance}, {"right": right}
        case "layer":
            for units in UNITS:
                for cell, figures in layer_ms(units, seed).items():
                    yield {"cell": cell, "units": units}, figures


class Results:
    """The lines of a file of results. Of several with the same settings the last one counts."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._by_seed: dict[tuple[Any, ...], dict[int, Figures]] = defaultdict(dict)
        for line in map(json.loads, lines):
            settings = dict(line["settings"])
            part, seed, cell = (settings.pop(name) for name in ("part", "seed", "cell"))
            [other] = [*settings.values()] or [None]  # a share, a distance, units, or nothing
            self._by_seed[part, cell, other][seed] = line["figures"]

    def of(self, part: str, cell: str, other: Any = None) -> list[Figures]:
        """Return the figures of a cell in a part, one for each seed."""
        return [*self._by_seed[part, cell, other].values()]

    def bleu(self, part: str, cell: str, other: Any = None) -> Scores:
        """Return a cell's score of each seed."""
        by_seed = self._by_seed[part, cell, other]
        return {seed: figures["test_beam_5"]["value"] for seed, figures in by_seed.items()}


def span(values: Collection[float]) -> str:
    """Return as text a mean, with the least and the most."""
    return f"{mean(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def difference(scores: Scores, others: Scores) -> str:
    """Return as text how much more `scores` are, with a 95 % interval: Student's t, by seed."""
    from scipy import stats  # it takes a while

    more = [score - others[seed] for seed, score in scores.items() if seed in others]
    found = stats.ttest_1samp(more, 0).confidence_interval()
    return f"{mean(more):+.1f} ({found.low:+.1f} to {found.high:+.1f})"


def tables(results: Results) -> str:
    """Return in Markdown the tables of the guide."""
    from benchmarks.cells import COPIERS, LAYERS

    epoch, gru = [], results.bleu("epoch", "gru")
    for cell in SETTINGS:
        [size, *_], scores = results.of("epoch", cell), results.bleu("epoch", cell)
        name = "`lstm` as large as `gru`" if cell == "lstm-equal" else f"`{cell}`"
        sizes = [f"{size[key]:,}" for key in ("parameters", "recurrent")]
        more = "" if cell == "gru" else difference(scores, gru)
        epoch.append([name, *sizes, span(scores.values()), more])
    little = []
    for share, (pairs, _) in SHARES.items():
        first, *others = (results.bleu("little", cell, share) for cell in LEARNERS)
        spans = [span(scores.values()) for scores in (first, *others)]
        more = "; ".join(difference(first, scores) for scores in others)
        little.append([f"{pairs:,} ({share})", *spans, more])
    kinds = [*product(("training", "inference"), UNITS)]
    layer = []
    for cell in LAYERS:
        times = [mean(f[kind] for f in results.of("layer", cell, units)) for kind, units in kinds]
        layer.append([f"`{cell}`", *(f"{time_ms:.1f}" for time_ms in times)])
    copy = []
    for cell in COPIERS:
        of_cell = [results.of("copy", cell, distance) for distance in DISTANCES]
        shares = [span([100 * f["right"] for f in figures]) for figures in of_cell]
        copy.append([f"`{cell}`", *shares])
    heads = {
        "| Cell | Parameters | in recurrent layers | BLEU | more than `gru` |": epoch,
        "| Training pairs | `gru` | `lstm` | `lstm` as large | `gru` more than each |": little,
        f"| ms of a layer | {' | '.join(f'{kind}, {units}' for kind, units in kinds)} |": layer,
        f"| Right letters, % | {' | '.join(f'gap {gap}' for gap in DISTANCES)} |": copy,
    }
    return "\n\n".join(
        "\n".join([head, f"|{'---|' * len(rows[0])}", *(f"| {' | '.join(row)} |" for row in rows)])
        for head, rows in heads.items()
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="fra-eng", help="fra-eng, or its path")
    parser.add_argument("--seed", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--part", choices=PARTS, nargs="+", default=[*PARTS])
    arguments = parser.parse_args()
    for part, seed in product(arguments.part, arguments.seed):
        line = begin("cells", {})
        for settings, figures in measured(part, arguments.corpus, seed):
            line["settings"] = {"part": part, **settings, "seed": seed}
            record(line, figures)
    print(tables(Results(LINES.read_text(encoding="utf-8").splitlines())))


if __name__ == "__main__":
    main()
