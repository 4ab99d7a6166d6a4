"""Measures a track of progress on this machine: prints a line a figure, adds a line to its file.

Run it on an otherwise idle machine. Each command is a process of its own, as a user starts it.
"""

import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.results import RESULTS, Finished, begin, gru_mt, inside, print_means, record, spread
from gru_mt.errors import UserError
from gru_mt.evaluation.evaluate import read_sets
from gru_mt.inference.engines.onnx_engine import usable_export
from gru_mt.run import Run
from gru_mt.storage import read_json

WARM_UP, WINDOW, WINDOWS = 100, 100, 3  # updates, updates of a window, windows after the warm-up
PROCESSES = [  # how many, threads of each, microbatches of an update, how gradients are added
    *((1, 2, 2, "ordered"), (2, 1, 2, "ordered")) * 3,
    *((count, 1, count, reduce) for count in (2, 4, 8) for reduce in ("ordered", "sum")),
]
BEAMS = {"beam_5": 5, "greedy": 1}
KINDS = {"BLEU, all references": "multi", "BLEU, first reference": "single", "chrF": "chrF"}
GOAL = 33.2  # BLEU: `outcome` has the minutes until greedy dev BLEU, all references, passes it

app = typer.Typer(
    help=__doc__, no_args_is_help=True, add_completion=False,
    rich_markup_mode=None, pretty_exceptions_enable=False,
)  # fmt: skip

CorpusOption = Annotated[str, typer.Option("--corpus", help="fra-eng, or its path.")]
ResultsOption = Annotated[Path, typer.Option("--results", help="The folder of results.")]
OverridesOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Override a field.")
]


def train(
    config: Path, run: Path, corpus: str, steps: int, window: int,
    overrides: Sequence[str] = (), processes: int = 1, threads: int | None = None,
) -> tuple[Finished, list[float]]:  # fmt: skip
    """Train for `steps` updates, a whole schedule, with validation and checkpoint only at its end.

    Return the command's result, and the target tokens a second of each window after the warm-up.
    """
    settings = {
        "data.corpus": corpus,
        "training.max_epochs": steps,  # enough: an epoch has at least one update
        "training.max_steps": steps,
        "training.log_steps": window,
        "training.validate_steps": steps,
        "training.checkpoint_minutes": 60,
    }
    values = [*overrides, *(f"{name}={value}" for name, value in settings.items())]
    options = [f"--set={value}" for value in values]
    options += [f"--processes={processes}"] if processes > 1 else []
    finished = gru_mt("train", "--config", config, "--run", run, *options, threads=threads)
    lines = [line for line in Run(run).read_metrics()[0] if "tokens_s" in line]
    return finished, [line["tokens_s"] for line in lines if line["step"] > WARM_UP]


@app.command()
def speed(
    config: Annotated[Path, typer.Option(exists=True)] = Path("configs/r1.yaml"),
    overrides: OverridesOption = None,
    corpus: CorpusOption = "fra-eng",
    results: ResultsOption = RESULTS,
) -> None:
    """Training's target tokens a second and peak memory, without validation and warm-up."""
    steps = WARM_UP + WINDOW * WINDOWS
    settings = {"config": config.stem, "corpus": Path(corpus).name, "updates": steps}
    line = begin("speed", settings | {"set": overrides or []})
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        finished, speeds = train(config, run, corpus, steps, WINDOW, overrides or [])
    figures = {"target_tokens_per_s": spread(speeds), "peak_mb": finished.peak_mb}
    record(line, figures, results / "speed.jsonl")


@app.command()
def processes(corpus: CorpusOption = "fra-eng", results: ResultsOption = RESULTS) -> None:
    """Training R1 with several processes: target tokens a second."""
    line = begin("processes", {"config": "r1", "corpus": Path(corpus).name})
    figures: dict[str, list[float]] = {}
    for count, threads, microbatches, reduce in PROCESSES:
        overrides = [f"training.accumulation={microbatches}", f"training.reduce={reduce}"]
        with tempfile.TemporaryDirectory() as folder:
            run, config = Path(folder) / "run", Path("configs/r1.yaml")
            _, speeds = train(config, run, corpus, WARM_UP + 50, 50, overrides, count, threads)
        name = f"{count} x {threads}, {microbatches} {reduce}: tokens_per_s"
        figures.setdefault(name, []).extend(speeds)
    spreads = {name: spread(values) for name, values in figures.items()}
    record(line, spreads, results / "processes.jsonl")


@app.command()
def quality(
    config: Annotated[Path, typer.Argument(exists=True)],
    seeds: Annotated[
        list[int] | None, typer.Option("--seed", metavar="N", help="May be given several times.")
    ] = None,
    overrides: OverridesOption = None,
    runs: Annotated[Path, typer.Option(help="The folder of the runs.")] = Path("runs/bench"),
    corpus: Annotated[str | None, typer.Option(help="Another corpus, or its path.")] = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Minutes and scores of a whole training.

    A run that is there already is resumed, as `gru-mt train` does; no peak memory is then recorded.
    The file has the configuration's name.
    """
    overrides = overrides or []
    shown = [re.sub("=.*/", "=", override) for override in overrides]  # no folder of this machine
    found = []
    for seed in seeds or [1]:
        settings = {"config": config.stem, "seed": seed, "set": shown}
        line = begin("quality", settings | ({"corpus": Path(corpus).name} if corpus else {}))
        run = runs / "-".join((config.stem, f"seed{seed}", *shown))
        whole = not run.exists()
        values = [f"training.seed={seed}", *overrides]
        values += [f"data.corpus={corpus}"] if corpus else []
        options = [f"--set={value}" for value in values]
        finished = gru_mt("train", "--config", config, "--run", run, *options)
        figures = {**outcome(run), "peak_mb": finished.peak_mb if whole else None, **scores(run)}
        record(line, figures, results / f"{config.stem}.jsonl")
        found.append(figures)
    print_means(found)


def outcome(run: Path) -> dict[str, Any]:
    """Return from a finished run's folder its time, updates, and greedy BLEU on dev."""
    summary = read_json(Run(run).summary)
    dev = [
        {"step": line["step"], "minutes": line["elapsed_s"] / 60, "bleu": line["dev_bleu"]}
        for line in Run(run).read_metrics()[0]
        if "dev_bleu" in line
    ]
    return {
        "minutes": summary["minutes"],
        "updates": summary["step"],
        f"minutes_to_dev_{GOAL}": next((at["minutes"] for at in dev if at["bleu"] > GOAL), None),
        "dev_greedy_multi": dev,
    }


def scores(run: Path) -> dict[str, Any]:
    """Return BLEU on test against all references ("multi") and against the first ("single").

    Of several test sets each has its name in front.
    """
    figures = {}
    for name, beam in BEAMS.items():
        output = gru_mt("eval", "--model", run, "--beam", beam, "--json").stdout
        sets = [json.loads(line) for line in output.splitlines()]
        for test in sets:
            prefix = f"{test['set']}_" if len(sets) > 1 else ""
            for score in test["scores"]:
                figures[f"{prefix}test_{name}_{KINDS[score.pop('name')]}"] = score
    return figures


@app.command()
def real(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", exists=True)],
    results: ResultsOption = RESULTS,
) -> None:
    """Robustness: BLEU retained on text as people type it, by `gru-mt eval --real` on test."""
    found = []
    for run in runs:
        line = begin("real", {"run": run.resolve().name})
        report = json.loads(gru_mt("eval", "--model", run, "--real", "--json").stdout)
        found.append({**report["real"], **(report["confidence"] or {})})
        record(line, found[-1], results / "real.jsonl")
    print_means(found)


@app.command()
def spelling(
    run: Annotated[Path, typer.Argument(exists=True)],
    file: Annotated[
        Path, typer.Argument(exists=True, help="Correctly spelt text in its source language.")
    ],
    results: ResultsOption = RESULTS,
) -> None:
    """Spelling correction of text without typos: how many lines it changes, and each change."""
    line = begin("spelling", {"run": run.resolve().name, "file": file.name})
    record(line, inside("spelling", run, file), results / "spelling.jsonl")


@app.command()
def translate(
    model: Annotated[Path, typer.Option(help="A run, or in its folder an export or model.")],
    results: ResultsOption = RESULTS,
) -> None:
    """Speed, memory, latency and cold starts.

    Latency is that of the test set's sentences one by one, in a warm process. Of a run it is its
    export that is measured, where gru-mt prefers that; its folder model is measured with torch.
    """
    model = model.resolve()
    model = usable_export(model, warn=print) or model
    run = model if Run(model).evaluation_sets("test").is_file() else model.parent
    [test] = read_sets(run, "test")
    line = begin("translate", {"model": str(model.relative_to(run.parent))})
    cold = [gru_mt("translate", "--model", model, "How are you?") for _ in range(5)]
    figures: dict[str, Any] = {
        "help_s": spread([gru_mt("--help").wall_s for _ in range(9)]),
        "cold_s": spread([finished.wall_s for finished in cold]),
        "cold_peak_mb": spread([finished.peak_mb for finished in cold]),
    }
    with tempfile.TemporaryDirectory() as folder:
        sentences = Path(folder) / "test.txt"
        sentences.write_text("".join(f"{source}\n" for source in test.sources), encoding="utf-8")
        for name, beam in BEAMS.items():
            options = ("--model", model, "--beam", beam)
            reports = [json.loads(gru_mt("eval", *options, "--json").stdout) for _ in range(3)]
            speeds = [report["sentences_s"] for report in reports]
            figures[f"{name}_sentences_per_s"] = spread(speeds)
            finished = gru_mt("translate", *options, "--input", sentences)
            figures[f"{name}_peak_mb"] = finished.peak_mb
            for key, figure in inside("latency", model, sentences, beam).items():
                figures[f"{name}_{key}"] = figure
    record(line, figures, results / "translate.jsonl")


@app.command()
def page(
    model: Annotated[Path, typer.Option(help="A run.")],
    sentences: Annotated[int, typer.Option(min=1, help="Of the test set.")] = 500,
    results: ResultsOption = RESULTS,
) -> None:
    """The page that translates, in Chromium: its size, start and latency.

    Latency is that of the test set's first sentences, typed one by one. Greedy search is measured
    on a copy of the page that has a beam of 1.
    """
    from benchmarks.page import measure

    [test] = read_sets(model, "test")
    line = begin("page", {"model": model.name, "sentences": sentences})
    record(line, measure(model, test.sources[:sentences], BEAMS), results / "page.jsonl")


@app.command()
def scale(
    pairs: Annotated[
        list[int] | None, typer.Option(min=1_000, metavar="N", help="May be given several times.")
    ] = None,
    repeat: Annotated[str, typer.Option(help="The corpus to repeat with changes.")] = "fra-eng",
    results: ResultsOption = RESULTS,
) -> None:
    """Seconds and memory of preparing pairs by the million, and of resuming a run of them."""
    config = Path("configs/fra-eng.yaml")
    for count in pairs or [200_000, 1_000_000, 10_000_000]:
        line = begin("scale", {"pairs": count, "repeated": Path(repeat).name})
        with tempfile.TemporaryDirectory() as folder:
            corpus, run = Path(folder) / "pairs.tsv", Run(Path(folder) / "run")
            inside("write_pairs", corpus, count, repeat)
            figures = inside("preparation", corpus, count)
            for moment in ("first_update_s", "going_on_s"):
                figures[moment] = seconds_to_update(config, run, corpus)
        record(line, figures, results / "scale.jsonl")


def seconds_to_update(config: Path, run: Run, corpus: Path) -> float:
    """Begin or resume a run, and stop it; return how long it took to its next update."""
    done = len(run.read_metrics()[0])
    settings = [f"--set=data.corpus={corpus}", "--set=training.log_steps=1"]
    command = ["train", "--config", config, "--run", run.folder, *settings]
    started_s = time.perf_counter()
    with subprocess.Popen([sys.executable, "-m", "gru_mt", *map(str, command)]) as process:
        while len(run.read_metrics()[0]) == done:
            if process.poll() is not None:
                raise subprocess.CalledProcessError(process.returncode, process.args)
            time.sleep(0.02)
        seconds = time.perf_counter() - started_s
        process.send_signal(signal.SIGTERM)
    return seconds


if __name__ == "__main__":
    try:
        app(prog_name="scripts/bench")
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except subprocess.CalledProcessError as error:
        sys.exit(2 if error.returncode == 2 else str(error))  # at 2 the command has printed why
