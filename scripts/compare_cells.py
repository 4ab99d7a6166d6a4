"""Trains configs/compare.yaml with each cell for the same updates and prints a table.

Run it on an otherwise idle machine. Speeds are of training, medians of windows of 50 updates after
the first 100; the score is that of dev at beam 5 with its 95 % interval. A second table has each
cell's speed at the reference shape, configs/r1.yaml.
"""

import argparse
import json
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench import WARM_UP, train
from measuring import gru_mt

from gru_mt.model.cells import CELLS
from gru_mt.run import WEIGHTS, Run
from gru_mt.tensors import load_tensors

CONFIG = Path("configs/compare.yaml")
SETTINGS = {cell: [f"model.cell={cell}"] for cell in sorted(CELLS)}  # gru first: others follow it
SETTINGS["lstm-equal"] = [  # as many parameters as gru has
    "model.cell=lstm",
    "model.encoder_size=214",
    "model.decoder_size=428",
]
WINDOW = 50  # updates
RECURRENT = ("encoder.", "decoder.")


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of a cell."""

    parameters: int
    recurrent: int  # how many of them are in recurrent layers
    tokens_s: float
    bleu: float
    low: float
    high: float


def measure(settings: list[str], corpus: str, steps: int, seed: int) -> Row:
    """Train a model with these settings; return its figures."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        overrides = [*settings, f"training.seed={seed}"]
        _, speeds = train(CONFIG, run, corpus, steps, WINDOW, overrides)
        weights, _ = load_tensors(Run(run).bundle / WEIGHTS)
        evaluation = json.loads(gru_mt("eval", "--model", run, "--split", "dev", "--json").stdout)
    sizes = {name: weight.numel() for name, weight in weights.items()}
    recurrent = sum(size for name, size in sizes.items() if name.startswith(RECURRENT))
    multi = evaluation["scores"][0]
    return Row(
        sum(sizes.values()),
        recurrent,
        statistics.median(speeds),
        multi["value"],
        multi["low"],
        multi["high"],
    )


def speed_at_r1(cell: str, corpus: str) -> float:
    """Return the target tokens a second of `cell` at the reference shape, in 400 updates."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        _, speeds = train(Path("configs/r1.yaml"), run, corpus, 400, WINDOW, [f"model.cell={cell}"])
    return statistics.median(speeds)


def check(rows: dict[str, Row]) -> list[str]:
    """Return common claims about a GRU beside an LSTM, each with what was measured here."""
    gru, lstm = rows["gru"], rows["lstm"]
    fewer = 100 * (1 - gru.recurrent / lstm.recurrent)
    of_all = 100 * (1 - gru.parameters / lstm.parameters)
    faster = 100 * (gru.tokens_s / lstm.tokens_s - 1)
    apart = gru.low > lstm.high or lstm.low > gru.high
    return [
        f"25 % fewer parameters: {fewer:.0f} % in the recurrent layers, {of_all:.0f} % in all",
        f"trains 30 % faster: {faster:+.0f} %",
        f"scores about the same: {gru.bleu:.1f} and {lstm.bleu:.1f}, the intervals "
        + ("lie apart" if apart else "overlap"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default="fra-eng", help="fra-eng, or where it lies")
    parser.add_argument("--steps", type=int, default=966, help="updates; 966 are an epoch")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.steps < (least := WARM_UP + WINDOW):
        parser.error(f"--steps {arguments.steps}: at least {least}, to measure speed after warm-up")
    print("| cell | parameters | recurrent | target tokens/s | over gru | dev BLEU |")
    print("|---|---|---|---|---|---|")
    rows: dict[str, Row] = {}
    for name, settings in SETTINGS.items():
        row = measure(settings, arguments.corpus, arguments.steps, arguments.seed)
        rows[name] = row
        print(
            f"| {name} | {row.parameters:,} | {row.recurrent:,} | {row.tokens_s:,.0f} | "
            f"{row.tokens_s / rows['gru'].tokens_s:.2f} | "
            f"{row.bleu:.1f} ({row.low:.1f} to {row.high:.1f}) |",
            flush=True,
        )
    for line in check(rows):
        print(line)
    print("| cell | target tokens/s at R1 | over gru |\n|---|---|---|")
    speeds: dict[str, float] = {}
    for cell in sorted(CELLS):
        speeds[cell] = speed_at_r1(cell, arguments.corpus)
        print(f"| {cell} | {speeds[cell]:,.0f} | {speeds[cell] / speeds['gru']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
