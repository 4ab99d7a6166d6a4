"""Trains each step of the ablation from cho2014-as-written.yaml to fra-eng.yaml.

A step is the one before it and a few settings more. Each training adds a line to
scripts/results/ablation.jsonl. At the end the tables of configs/ABLATION.md are printed, from all
lines of that file.
"""

import argparse
import json
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.results import RESULTS, begin, gru_mt, record, schedule, train

from gru_mt.run import Run
from gru_mt.storage import read_json

START = Path("configs/cho2014-as-written.yaml")
LINES = RESULTS / "ablation.jsonl"
UPDATES = 966  # an epoch of fra-eng without augmentation
# The notebook's cosine climbs again every second epoch, and ends at its peak. In so few updates it
# falls and climbs once.
SHORT = ["training.cosine_periods=1"]
SENTENCES = [  # of test; ABLATION.md shows what each step makes of them
    "He dropped the cup and broke it.",
    "My friend asked me if I was feeling all right.",
]


@dataclass(frozen=True, slots=True)
class Step:
    """A correction: its name, the settings that make it, and the updates of the training."""

    name: str
    settings: list[str]
    updates: int = UPDATES


STEPS = [
    Step("as written", []),
    Step(
        "rates of learning",
        [
            "training.learning_rate=2.5e-3",
            "training.embedding_rate=8",
            "training.adam_betas=[0.9, 0.98]",
        ],
    ),
    Step(
        "subwords with their case",
        ["tokenizer.kind=unigram", "tokenizer.vocabulary_size=4000", "tokenizer.joint=true"],
    ),
    Step(
        "wider layers",
        ["model.embedding_size=256", "model.encoder_size=512", "model.decoder_size=512"],
    ),
    Step("warm-up, and one cosine", ["training.warmup_steps=auto", "training.cosine_periods=0.5"]),
    Step("whole sentences", ["training.cut_tokens=null"]),
    Step("the mean loss is clipped", ["training.max_grad_norm=1"]),
    Step("batches of tokens", ["training.batch_sentences=null", "training.batch_tokens=auto"]),
    Step("a tied output", ["model.output=tied"]),
    Step("attention", ["model.attention=dot", "model.context=none"]),
    Step("both directions", ["model.bidirectional=true", "model.encoder_size=256"]),
    Step("torch's GRU", ["model.cell=gru", "model.recurrent_init=orthogonal"]),
    Step("a second decoder layer", ["model.decoder_layers=2"]),
    Step("averaged weights", ["training.averaging=0.999"]),
    Step("smoothed labels", ["training.label_smoothing=0.1"]),
    Step("a straight line down", ["training.schedule=linear"]),
    Step("three epochs", [], updates=3 * UPDATES),
    Step("noise as people type", ["data.augment={}"], updates=3 * UPDATES),
]


def settings_of(steps: list[Step]) -> list[str]:
    """Return the settings of a step and of all before it."""
    return [setting for step in steps for setting in step.settings]


def measure(settings: list[str], updates: int, corpus: str) -> dict[str, Any]:
    """Train with these settings; return minutes, BLEU on test at beam 5, and translations."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        train(START, run, [*settings, f"data.corpus={corpus}", *schedule(updates)])
        summary = read_json(Run(run).summary)
        report = json.loads(gru_mt("eval", "--model", run, "--json").stdout)
        texts = gru_mt("translate", "--model", run, *SENTENCES).stdout.splitlines()
    of_all = report["scores"][0]
    return {"minutes": summary["minutes"], "test_beam_5": of_all, "translations": texts}


def read(lines: Iterable[str]) -> dict[str, dict[int, dict[str, Any]]]:
    """Return the figures of each step and seed; of several trainings the last one counts."""
    of_steps: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    for line in map(json.loads, lines):
        settings = line["settings"]
        of_steps[settings["step"]][settings["seed"]] = line["figures"]
    return of_steps


def tables(lines: Iterable[str]) -> str:
    """Return in Markdown the tables of scores and of translations."""
    of_steps = read(lines)
    return "\n\n".join("\n".join(table) for table in (scores(of_steps), translations(of_steps)))


def scores(of_steps: dict[str, dict[int, dict[str, Any]]]) -> Iterator[str]:
    """Yield the lines of the table of scores. A step that was not trained has no row."""
    yield "| | Step | What is set | BLEU | Gain | |"
    yield "|---|---|---|---|---|---|"
    before = None
    for number, step in enumerate(STEPS):
        values = [figures["test_beam_5"]["value"] for figures in of_steps[step.name].values()]
        if not values:
            continue
        mean = statistics.mean(values)
        settings = "<br>".join(f"`{setting}`" for setting in step.settings)
        gain = "" if before is None else f"{mean - before:+.1f}"
        span = f"<br>{min(values):.1f}\xa0to\xa0{max(values):.1f}" if len(values) > 1 else ""
        bar = "█" * round(mean / 2)
        yield f"| {number} | {step.name} | {settings} | {mean:.1f}{span} | {gain} | {bar} |"
        before = mean


def translations(of_steps: dict[str, dict[int, dict[str, Any]]]) -> Iterator[str]:
    """Yield the lines of the table of translations, by the first seed that kept any."""
    yield f"| | {' | '.join(SENTENCES)} |"
    yield "|---|---|---|"
    for number, step in enumerate(STEPS):
        for _, figures in sorted(of_steps[step.name].items()):
            if "translations" in figures:
                yield f"| {number} | {' | '.join(figures['translations'])} |"
                break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default="fra-eng", help="fra-eng, or where it lies")
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    numbers = range(len(STEPS))
    parser.add_argument("--step", type=int, nargs="+", default=[*numbers], choices=numbers)
    arguments = parser.parse_args()
    for seed in arguments.seed:
        for number in arguments.step:
            step = STEPS[number]
            line = begin("ablation", {"step": step.name, "updates": step.updates, "seed": seed})
            settings = [*SHORT, *settings_of(STEPS[: number + 1]), f"training.seed={seed}"]
            figures = measure(settings, step.updates, arguments.corpus)
            record(line, figures)
    print(tables(LINES.read_text(encoding="utf-8").splitlines()))


if __name__ == "__main__":
    main()
