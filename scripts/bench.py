"""Measures a track of progress on this machine: prints a line a figure, adds a line to its file.

Run it on an otherwise idle machine. Each command is a process of its own, as a user starts it.
"""

import json
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from measuring import (
    RESULTS,
    Finished,
    begin,
    gru_mt,
    inside,
    readable,
    record,
    run_python,
    show,
    span,
    spread,
)

from gru_mt.errors import UserError
from gru_mt.evaluation.evaluate import read_sets
from gru_mt.inference.engines.exported import usable_export
from gru_mt.run import Run
from gru_mt.storage import read_json

WARM_UP, WINDOW, WINDOWS = 100, 100, 3  # updates, updates of a window, windows after the warm-up
SEEDS = [1]
PAIRS = [200_000, 1_000_000, 10_000_000]
TOGETHER = [  # processes, threads of each, microbatches of an update, how gradients are added
    *((1, 2, 2, "ordered"), (2, 1, 2, "ordered")) * 3,
    *((count, 1, count, reduce) for count in (2, 4, 8) for reduce in ("ordered", "sum")),
    *((2, 1, 8, reduce) for reduce in ("ordered", "sum")),
]
BEAMS = {"beam_5": 5, "greedy": 1}
GOAL = 33.2  # BLEU: `outcome` has the minutes until greedy dev BLEU, all references, passes it

app = typer.Typer(
    help=__doc__,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

CorpusOption = Annotated[str, typer.Option("--corpus", help="fra-eng, or where it lies.")]
ResultsOption = Annotated[Path, typer.Option("--results", help="The folder of results.")]
OverridesOption = Annotated[
    list[str], typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Override a field.")
]


def train(
    config: Path, run: Path, corpus: str, steps: int, window: int, overrides: Sequence[str] = ()
) -> tuple[Finished, list[float]]:
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
    finished = gru_mt("train", "--config", config, "--run", run, *options)
    lines, _ = Run(run).read_metrics()
    speeds = [line["tokens_s"] for line in lines if line["step"] > WARM_UP and "tokens_s" in line]
    return finished, speeds


@app.command()
def speed(
    config: Annotated[Path, typer.Option(exists=True)] = Path("configs/r1.yaml"),
    overrides: OverridesOption = [],  # noqa: B006 typer wants a list, and nobody changes it
    corpus: CorpusOption = "fra-eng",
    results: ResultsOption = RESULTS,
) -> None:
    """Training's target tokens a second and peak memory.

    Validation and warm-up are left out of the speed.
    """
    steps = WARM_UP + WINDOW * WINDOWS
    settings = {"config": config.stem, "corpus": Path(corpus).name, "updates": steps}
    line = begin("speed", settings | {"set": overrides})
    with tempfile.TemporaryDirectory() as folder:
        finished, speeds = train(config, Path(folder) / "run", corpus, steps, WINDOW, overrides)
    figures = {"target_tokens_per_s": spread(speeds), "peak_mb": finished.peak_mb}
    record(line, figures, results / "speed.jsonl")


@app.command()
def quality(
    config: Annotated[Path, typer.Argument(exists=True)],
    seed: Annotated[
        list[int], typer.Option(metavar="N", help="May be given several times.")
    ] = SEEDS,
    overrides: OverridesOption = [],  # noqa: B006 as above
    runs: Annotated[Path, typer.Option(help="The folder of the runs.")] = Path("runs/bench"),
    corpus: Annotated[
        str | None, typer.Option(help="Another corpus than the configuration's, or its place.")
    ] = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Minutes and scores of a whole training.

    A run that is there already is gone on with, as `gru-mt train` does; no peak memory is then
    recorded. The file has the configuration's name.
    """
    shown = [re.sub("=.*/", "=", override) for override in overrides]  # no folder of this machine
    several = []
    for each in seed:
        settings = {"config": config.stem, "seed": each, "set": shown}
        settings |= {"corpus": Path(corpus).name} if corpus else {}
        line = begin("quality", settings)
        run = runs / "-".join((config.stem, f"seed{each}", *shown))
        whole = not run.exists()
        values = [f"training.seed={each}", *overrides]
        values += [f"data.corpus={corpus}"] if corpus else []
        command = ("train", "--config", config, "--run", run)
        finished = gru_mt(*command, *(f"--set={value}" for value in values))
        figures = {**outcome(run), "peak_mb": finished.peak_mb if whole else None, **scores(run)}
        record(line, figures, results / f"{config.stem}.jsonl")
        several.append(figures)
    if len(seed) > 1:
        print_means(several)


def outcome(run: Path) -> dict[str, Any]:
    """Return from a finished run's folder its time, updates, and greedy BLEU on dev."""
    summary = read_json(Run(run).summary)
    lines, _ = Run(run).read_metrics()
    dev = [
        {"step": line["step"], "minutes": line["elapsed_s"] / 60, "bleu": line["dev_bleu"]}
        for line in lines
        if "dev_bleu" in line
    ]
    passed = [validation["minutes"] for validation in dev if validation["bleu"] > GOAL]
    return {
        "minutes": summary["minutes"],
        "updates": summary["step"],
        f"minutes_to_dev_{GOAL}": passed[0] if passed else None,
        "dev_greedy_multi": dev,
    }


def scores(run: Path) -> dict[str, Any]:
    """Return BLEU on test against all references (multi) and against the first (single).

    Of several sets of test each has its name in front.
    """
    figures = {}
    for name, beam in BEAMS.items():
        output = gru_mt("eval", "--model", run, "--beam", beam, "--json").stdout
        sets = [json.loads(line) for line in output.splitlines()]
        for each in sets:
            of_set = f"{each['set']}_" if len(sets) > 1 else ""
            for score in each["scores"]:
                kind = score.pop("name").removeprefix("BLEU ")
                figures[f"{of_set}test_{name}_{kind}"] = score
    return figures


def print_means(several: Sequence[dict[str, Any]]) -> None:
    """Print the means over seeds, each with the least and the most."""
    print(f"means over {len(several)} seeds")
    columns = {"minutes": [figures["minutes"] for figures in several]}
    for name in several[0]:
        if "test_" in name:
            columns[name] = [figures[name]["value"] for figures in several]
    for name, values in columns.items():
        show(name, f"{readable(statistics.fmean(values))} ({span(values)})")


@app.command()
def real(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", exists=True)],
    results: ResultsOption = RESULTS,
) -> None:
    """What is kept of the quality on what people really write.

    `gru-mt eval --real` of each run on its test split, and means over the runs.
    """
    several = []
    for run in runs:
        line = begin("real", {"run": run.resolve().name})
        report = json.loads(gru_mt("eval", "--model", run, "--real", "--json").stdout)
        figures = {**report["real"], **(report["confidence"] or {})}
        record(line, figures, results / "real.jsonl")
        several.append(figures)
    if len(runs) > 1:
        print(f"means over {len(runs)} runs")
        for name in several[0]:
            show(name, mean_of([figures[name] for figures in several if name in figures]))


@app.command()
def spelling(
    run: Annotated[Path, typer.Argument(exists=True)],
    file: Annotated[
        Path, typer.Argument(exists=True, help="Correctly spelt text in its source language.")
    ],
    results: ResultsOption = RESULTS,
) -> None:
    """What spelling correction changes in text without typos: how many lines, and each change.

    It reads no weights of the run, only its words. Names at the start of lines should stay, too.
    """
    from measuring_spelling import spelling

    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    figures = spelling(run, lines)
    line = begin("spelling", {"run": run.resolve().name, "file": file.name})
    record(line, figures, results / "spelling.jsonl")


def mean_of(figures: Sequence[Any]) -> str:
    """Return as text the mean of rows of `real`: what was kept, and BLEU; or of plain numbers."""
    words = []
    for key, unit in {"kept": " %", "bleu": " BLEU"}.items():
        values = [each[key] for each in figures if isinstance(each, dict) and each[key] is not None]
        if values:
            words.append(f"{readable(statistics.fmean(values))}{unit} ({span(values)})")
    numbers = [each for each in figures if isinstance(each, float)]
    if numbers:
        words.append(f"{readable(statistics.fmean(numbers))} ({span(numbers)})")
    return ", ".join(words) or "none"


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
    figures = {
        "help_s": spread([gru_mt("--help").wall_s for _ in range(9)]),
        "cold_s": spread([finished.wall_s for finished in cold]),
        "cold_peak_mb": spread([finished.peak_mb for finished in cold]),
    }
    with tempfile.TemporaryDirectory() as folder:
        sentences = Path(folder) / "test.txt"
        sentences.write_text("".join(f"{each}\n" for each in test.sources), encoding="utf-8")
        for name, beam in BEAMS.items():
            of_beam = measure_beam(model, sentences, beam)
            figures |= {f"{name}_{key}": figure for key, figure in of_beam.items()}
    record(line, figures, results / "translate.jsonl")


def measure_beam(model: Path, sentences: Path, beam: int) -> dict[str, Any]:
    """Return speed on the test set without loading and scoring, peak memory, and latency."""
    options = ("--model", model, "--beam", beam)
    evaluations = [json.loads(gru_mt("eval", *options, "--json").stdout) for _ in range(3)]
    return {
        "sentences_per_s": spread([evaluation["sentences_s"] for evaluation in evaluations]),
        "peak_mb": gru_mt("translate", *options, "--input", sentences).peak_mb,
        **inside("latency", model, sentences, beam),
    }


@app.command()
def page(
    model: Annotated[Path, typer.Option(help="A run.")],
    sentences: Annotated[int, typer.Option(min=1, help="Of the test set.")] = 500,
    results: ResultsOption = RESULTS,
) -> None:
    """The page that translates, in Chromium: its size, its start, its memory, its latency.

    Latency is that of the test set's first sentences, typed one by one. Greedy search is measured
    on a copy of the page that has a beam of 1.
    """
    from measuring_page import milliseconds, opened, renderer_mb

    [test] = read_sets(model, "test")
    line = begin("page", {"model": model.name, "sentences": sentences})
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        gru_mt("export", "--format", "page", "--model", model, "--out", path)
        figures["bytes"] = path.stat().st_size
        beams = {}
        starts = []
        for name, beam in BEAMS.items():
            content = path.read_text("utf-8")
            path.write_text(re.sub('"beam_size":\\d+', f'"beam_size":{beam}', content), "utf-8")
            for _ in range(4):
                with opened(path) as (_, ready_s):
                    starts.append(ready_s)
            with opened(path) as (browser, _):
                beams[name] = milliseconds(browser, test.sources[:sentences])
                figures[f"{name}_renderer_mb"] = renderer_mb()
            figures[f"{name}_ms"] = statistics.median(beams[name])
            figures[f"{name}_ms_of_95_in_100"] = statistics.quantiles(beams[name], n=20)[-1]
        figures["ready_s"] = spread(starts)
    record(line, figures, results / "page.jsonl")


@app.command()
def scale(
    pairs: Annotated[
        list[int], typer.Option(min=1_000, metavar="N", help="May be given several times.")
    ] = PAIRS,
    repeat: Annotated[
        str, typer.Option(help="A corpus to repeat with changes, in the place of synthetic pairs.")
    ] = "",
    results: ResultsOption = RESULTS,
) -> None:
    """What preparing pairs by the million takes, and going on with a run of them.

    Seconds and memory per million pairs, of preparation and of an epoch's plan.
    """
    kind = {"repeated": Path(repeat).name} if repeat else {}
    config = Path("configs/fra-eng.yaml")
    for count in pairs:
        line = begin("scale", {"pairs": count} | kind)
        with tempfile.TemporaryDirectory() as folder:
            corpus, run = Path(folder) / "pairs.tsv", Run(Path(folder) / "run")
            inside("write_pairs", corpus, count, repeat)
            figures = inside("preparation", corpus, count)
            for moment in ("first_update_s", "going_on_s"):
                figures[moment] = seconds_to_update(config, run, corpus)
        record(line, figures, results / "scale.jsonl")


def seconds_to_update(config: Path, run: Run, corpus: Path) -> float:
    """Begin a run or go on with it, and stop it; return how long it took to its next update."""
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


@app.command()
def processes(corpus: CorpusOption = "fra-eng", results: ResultsOption = RESULTS) -> None:
    """Training R1 with several processes: its speed, and what gathering gradients takes."""
    line = begin("processes", {"config": "r1", "corpus": Path(corpus).name})
    together = Path(__file__).with_name("bench_together.py")
    figures: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        inside("prepare_run", "configs/r1.yaml", corpus, folder)
        for count, threads, microbatches, reduce in TOGETHER:
            options = (f"--nproc-per-node={count}", "--standalone", together)
            arguments = (folder, threads, microbatches, reduce)
            output = run_python("-m", "torch.distributed.run", *options, *arguments).stdout
            name = f"{count} x {threads}, {microbatches} {reduce}"
            for figure, value in json.loads(output).items():
                figures.setdefault(f"{name}: {figure}", []).append(value)
    spreads = {name: spread(values) for name, values in figures.items()}
    record(line, spreads, results / "processes.jsonl")


if __name__ == "__main__":
    try:
        app(prog_name="scripts/bench")
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except subprocess.CalledProcessError as error:
        sys.exit(2 if error.returncode == 2 else str(error))  # at 2 the command has said why
