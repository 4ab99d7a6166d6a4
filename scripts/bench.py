"""Measures a track of progress on this machine: prints a line a figure, adds a line to its file.

Run it on an otherwise idle machine. Each command is a process of its own, as a user starts it.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from measuring import RESULTS, Finished, begin, gru_mt, inside, record, spread

WARM_UP, WINDOW, WINDOWS = 100, 100, 3  # updates; windows of them after the warm-up
BEAMS = {"beam_5": 5, "greedy": 1}

app = typer.Typer(
    help=__doc__,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

CorpusOption = Annotated[str, typer.Option("--corpus", help="fra-eng, or where it lies.")]
ResultsOption = Annotated[Path, typer.Option("--results", help="The folder of results.")]


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file with one on each line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def train(
    config: Path, run: Path, corpus: str, steps: int, window: int, **settings: str | int
) -> tuple[Finished, list[float]]:
    """Train for `steps` updates, a whole schedule, without a checkpoint or validation before.

    Returns also the target tokens a second of each window of updates after the warm-up.
    """
    settings |= {
        "data.corpus": corpus,
        "training.max_epochs": steps,  # an epoch has one update at least
        "training.max_steps": steps,
        "training.log_steps": window,
        "training.validate_steps": steps,
        "training.checkpoint_minutes": 60,
    }
    overrides = [f"--set={name}={value}" for name, value in settings.items()]
    finished = gru_mt("train", "--config", config, "--run", run, *overrides)
    lines = read_lines(run / "metrics.jsonl")
    speeds = [line["tokens_s"] for line in lines if line["step"] > WARM_UP and "tokens_s" in line]
    return finished, speeds


@app.command()
def speed(
    config: Annotated[Path, typer.Option(exists=True)] = Path("configs/r1.yaml"),
    corpus: CorpusOption = "fra-eng",
    results: ResultsOption = RESULTS,
) -> None:
    """Training's target tokens a second, validation and warm-up left out, and peak memory."""
    steps = WARM_UP + WINDOW * WINDOWS
    line = begin("speed", {"config": config.stem, "corpus": Path(corpus).name, "updates": steps})
    with tempfile.TemporaryDirectory() as folder:
        finished, speeds = train(config, Path(folder) / "run", corpus, steps, WINDOW)
    figures = {"target_tokens_per_s": spread(speeds), "peak_mb": finished.peak_mb}
    record(line, figures, results / "speed.jsonl")


@app.command()
def translate(
    model: Annotated[Path, typer.Option(help="The folder of a run.")],
    results: ResultsOption = RESULTS,
) -> None:
    """Speed and memory of the test set, latency of its sentences one by one, cold starts."""
    test = model / "test.json"
    if not test.is_file():
        raise typer.BadParameter(f"{model} is no run: there is no {test}")
    line = begin("translate", {"model": model.resolve().name})
    cold = [gru_mt("translate", "--model", model, "How are you?") for _ in range(5)]
    figures = {
        "help_s": spread([gru_mt("--help").wall_s for _ in range(9)]),
        "cold_s": spread([finished.wall_s for finished in cold]),
        "cold_peak_mb": spread([finished.peak_mb for finished in cold]),
    }
    with tempfile.TemporaryDirectory() as folder:
        sentences = Path(folder) / "test.txt"
        sources = json.loads(test.read_text(encoding="utf-8"))["sources"]
        sentences.write_text("".join(f"{source}\n" for source in sources), encoding="utf-8")
        for name, beam in BEAMS.items():
            of_beam = measure_beam(model, sentences, beam)
            figures |= {f"{name}_{key}": figure for key, figure in of_beam.items()}
    record(line, figures, results / "translate.jsonl")


def measure_beam(model: Path, sentences: Path, beam: int) -> dict[str, Any]:
    """Return the test set's speed, loading and scoring left out, its peak memory, and latency."""
    options = ("--model", model, "--beam", beam)
    evaluations = [json.loads(gru_mt("eval", *options, "--json").stdout) for _ in range(3)]
    return {
        "sentences_per_s": spread([evaluation["sentences_s"] for evaluation in evaluations]),
        "peak_mb": gru_mt("translate", *options, "--input", sentences).peak_mb,
        **inside("latency", model, sentences, beam),
    }


if __name__ == "__main__":
    try:
        app(prog_name="scripts/bench")
    except subprocess.CalledProcessError as error:
        sys.exit(2 if error.returncode == 2 else str(error))  # at 2 it has said why itself
