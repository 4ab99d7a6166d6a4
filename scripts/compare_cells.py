"""Trains configs/compare/*.yaml for the same updates and prints a table.

Run it on an otherwise idle machine. A row has the parameters, the median speed of training after
its first 100 updates, and the score on dev at beam 5 with its 95 % interval.
"""

import argparse
import json
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench import WARM_UP, gru_mt

from gru_mt.storage import load_tensors

CONFIGS = Path("configs/compare")
RECURRENT = ("encoder.", "decoder.")


@dataclass(frozen=True, slots=True)
class Row:
    """What a cell came to."""

    parameters: int
    recurrent: int  # of them, those of recurrent layers
    tokens_s: float
    bleu: float
    low: float
    high: float


def measure(config: Path, corpus: str, steps: int, seed: int) -> Row:
    """Train `config` for `steps` updates, a whole schedule, and score it."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        settings = {
            "data.corpus": corpus,
            "training.seed": seed,
            "training.max_steps": steps,
            "training.validate_steps": steps,
            "training.log_steps": 50,
            "training.checkpoint_minutes": 60,
        }
        gru_mt("train", "--config", config, "--run", run,
               *(f"--set={name}={value}" for name, value in settings.items()))  # fmt: skip
        lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        weights, _ = load_tensors(run / "model" / "weights.safetensors")
        scores = json.loads(gru_mt("eval", "--model", run, "--split", "dev", "--json").stdout)
    sizes = {name: weight.numel() for name, weight in weights.items()}
    multi = scores["scores"][0]
    return Row(
        sum(sizes.values()),
        sum(size for name, size in sizes.items() if name.startswith(RECURRENT)),
        statistics.median(
            line["tokens_s"] for line in lines if line["step"] > WARM_UP and "tokens_s" in line
        ),
        multi["value"],
        multi["low"],
        multi["high"],
    )


def check(rows: dict[str, Row]) -> list[str]:
    """Return what is commonly said of a GRU beside an LSTM, and what it was here."""
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
    print("| cell | parameters | recurrent | target tokens/s | over gru | dev BLEU |")
    print("|---|---|---|---|---|---|")
    rows: dict[str, Row] = {}
    for config in sorted(CONFIGS.glob("*.yaml")):  # gru comes first
        row = measure(config, arguments.corpus, arguments.steps, arguments.seed)
        rows[config.stem] = row
        print(
            f"| {config.stem} | {row.parameters:,} | {row.recurrent:,} | {row.tokens_s:,.0f} | "
            f"{row.tokens_s / rows['gru'].tokens_s:.2f} | "
            f"{row.bleu:.1f} ({row.low:.1f} to {row.high:.1f}) |",
            flush=True,
        )
    for line in check(rows):
        print(line)


if __name__ == "__main__":
    main()
