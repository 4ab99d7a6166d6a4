"""Measures a track of progress on this machine: prints a line a figure, adds a line to its file.

Run it on an otherwise idle machine. Each command is a process of its own, as a user starts it.
"""

import json
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from itertools import chain, cycle, islice
from os import wait4
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmarks.results import Figures, begin, gru_mt, print_means, record, schedule, spread, train
from gru_mt.config.load import load_config
from gru_mt.data.corpus.load import load_corpora
from gru_mt.errors import UserError
from gru_mt.evaluation.evaluate import read_sets
from gru_mt.run import Run
from gru_mt.storage import read_json

RUNS = Path("runs/bench")
CONFIG = Path("configs/fra-eng.yaml")  # of `scale`
TINY = ["model.embedding_size=8", "model.encoder_size=8", "model.decoder_size=16"]
WARM_UP, WINDOW, WINDOWS = 100, 100, 3  # updates, updates of a window, windows after the warm-up
FIRST = 50  # sentences that a translator warms up with

app = typer.Typer(
    help=__doc__, no_args_is_help=True, add_completion=False,
    rich_markup_mode=None, pretty_exceptions_enable=False,
)  # fmt: skip
SetOption = Annotated[
    list[str], typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Override a field.")
]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", exists=True)]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", exists=True)]


def shown(overrides: list[str]) -> list[str]:
    """Return overrides without the folders of this machine."""
    return [re.sub("=.*/", "=", override) for override in overrides]


@app.command()
def speed(
    config: Annotated[Path, typer.Option(exists=True)] = Path("configs/r1.yaml"),
    overrides: SetOption = [],
    processes: Annotated[int, typer.Option(min=1)] = 1,
) -> None:
    """Training's target tokens a second and peak memory, without validation and warm-up."""
    updates = WARM_UP + WINDOW * WINDOWS
    settings = {"config": config.stem, "set": shown(overrides), "updates": updates}
    line = begin("speed", settings | {"processes": processes})
    values = [*overrides, *schedule(updates), f"training.log_steps={WINDOW}"]
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder) / "run")
        finished = train(config, run.folder, values, f"--processes={processes}")
        windows = [one for one in run.read_metrics()[0] if "tokens_s" in one]
    speeds = spread([one["tokens_s"] for one in windows if one["step"] > WARM_UP])
    record(line, {"target_tokens_per_s": speeds, "peak_mb": finished.peak_mb})


@app.command()
def quality(
    config: FileArgument,
    seeds: Annotated[list[int], typer.Option("--seed", metavar="N")] = [1],
    overrides: SetOption = [],
) -> None:
    """Minutes and scores of a whole training, with each --seed.

    A run that is there already is resumed, as `gru-mt train` does; no peak memory is then recorded.
    The file has the configuration's name.
    """
    found = []
    for seed in seeds:
        line = begin("quality", {"config": config.stem, "seed": seed, "set": shown(overrides)})
        run = Run(RUNS / "-".join((config.stem, f"seed{seed}", *shown(overrides))))
        is_new = not run.folder.exists()
        finished = train(config, run.folder, [f"training.seed={seed}", *overrides])
        summary = read_json(run.summary)
        figures: Figures = {"minutes": summary["minutes"], "updates": summary["step"]}
        figures["peak_mb"] = finished.peak_mb if is_new else None
        report = gru_mt("eval", "--model", run.folder, "--json").stdout
        for test in map(json.loads, report.splitlines()):
            figures[test["set"]] = {score.pop("name"): score for score in test["scores"]}
        record(line, figures, config.stem)
        found.append(figures)
    print_means(found)


@app.command()
def real(runs: Annotated[list[Path], typer.Argument(metavar="RUN...", exists=True)]) -> None:
    """Robustness: BLEU retained on text as people type it, by `gru-mt eval --real` on test.

    Of a run with several test sets the first counts.
    """
    found = []
    for run in runs:
        line = begin("real", {"run": run.resolve().name})
        first, *_ = gru_mt("eval", "--model", run, "--real", "--json").stdout.splitlines()
        report = json.loads(first)
        found.append({**report["real"], **(report["confidence"] or {})})
        record(line, found[-1])
    print_means(found)


@app.command()
def spelling(run: RunArgument, file: FileArgument) -> None:
    """Spelling correction of text without typos: how many lines it changes, and each change."""
    line = begin("spelling", {"run": run.resolve().name, "file": file.name})
    command = ("translate", "--model", run, "--beam", 1, "--input", file, "--json")
    lines = [json.loads(text) for text in gru_mt(*command).stdout.splitlines()]
    changed = [one for one in lines if "spelling" in one["warnings"]]
    figures: Figures = {"lines": len(lines), "changed_lines": len(changed)}
    figures["percent"] = 100 * len(changed) / len(lines)
    for sentence in chain.from_iterable(one["sentences"] for one in changed):
        if "spelling" in sentence["warnings"]:
            figures[f"{sentence['source']} -> {' '.join(sentence['source_tokens'])}"] = 1
    record(line, figures)


@app.command()
def translate(model: RunArgument) -> None:
    """Cold starts, sentences a second of the test set, latency of its sentences one by one.

    A run is measured as gru-mt loads it. Its folder `model` is torch, `onnx` its export.
    """
    test, *_ = read_sets(model, "test")
    line = begin("translate", {"model": "/".join(model.resolve().parts[-2:])})
    cold = [gru_mt("translate", "--model", model, "How are you?") for _ in range(5)]
    figures: Figures = {
        "cold_s": spread([finished.wall_s for finished in cold]),
        "cold_peak_mb": spread([finished.peak_mb for finished in cold]),
    }
    for name, beam in {"beam_5": 5, "greedy": 1}.items():
        command = ("eval", "--model", model, "--beam", beam, "--json")
        reports = [json.loads(gru_mt(*command).stdout.splitlines()[0]) for _ in range(3)]
        speeds = [report["sentences_s"] for report in reports]
        figures[name] = {"sentences_s": spread(speeds), **latency(model, test.sources, beam)}
    record(line, figures)


def latency(model: Path, sentences: list[str], beam_size: int | None) -> dict[str, float]:
    """Return percentiles of a warm translator's times for single lines."""
    from gru_mt import Translator

    translator, times_ms = Translator.load(model), []
    for sentence in sentences[:FIRST] + sentences:
        started_s = time.perf_counter()
        translator.translate([sentence], beam_size=beam_size)
        times_ms.append((time.perf_counter() - started_s) * 1e3)
    del times_ms[:FIRST]
    percentiles = statistics.quantiles(times_ms, n=100, method="inclusive")
    return {"p50_ms": percentiles[49], "p99_ms": percentiles[98]}


@app.command()
def serve(
    run: RunArgument,
    export: Annotated[
        str, typer.Option(help="The folder in the run that is served.")
    ] = "onnx-int8",
    sentences: Annotated[int, typer.Option(min=32)] = 1_000,
) -> None:
    """Sentences a second of 32 clients at once and of `translate --input`; latency of one client.

    That is done three times in turns, with the first sentences of the test set.
    """
    from benchmarks import serve as clients

    model = run / export
    if not model.is_dir():
        raise UserError(f"{model}: is missing; name a run, and export it by gru-mt export")
    test, *_ = read_sets(run, "test")
    texts = test.sources[:sentences]
    line = begin("serve", {"model": f"{run.resolve().name}/{export}", "sentences": len(texts)})
    figures: dict[str, list[float]] = defaultdict(list)
    with clients.server(model) as port:
        clients.ask(port, model, texts[:FIRST], 1)
        for _ in range(3):
            figures["input_sentences_s"].append(clients.translate(model, texts))
            figures["clients_sentences_s"].append(clients.ask(port, model, texts, 32)[0])
            figures["client_ms"].append(clients.ask(port, model, texts[:200], 1)[1])
            figures["translator_ms"].append(latency(model, texts[:200], None)["p50_ms"])
    record(line, {name: spread(values) for name, values in figures.items()})


@app.command()
def page(run: RunArgument, sentences: Annotated[int, typer.Option(min=1)] = 500) -> None:
    """The page that translates, in Chromium: its size, start and latency.

    Latency is that of the test set's first sentences, typed one by one, as the page shows it.
    """
    from screenshot import chromium

    test, *_ = read_sets(run, "test")
    texts = test.sources[:sentences]
    line = begin("page", {"model": run.resolve().name, "sentences": len(texts)})
    ready_s, times_ms = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        gru_mt("export", "--format", "page", "--model", run, "--out", path)
        size = path.stat().st_size
        for _ in range(4):
            with chromium() as browser:
                opened = browser.new_page()
                started_s = time.perf_counter()
                opened.goto(path.resolve().as_uri())
                opened.locator("#footer", has_text="ready").wait_for()
                ready_s.append(time.perf_counter() - started_s)
                for sentence in texts:
                    opened.fill("#source", sentence)
                    opened.locator("#target:not(.old)").wait_for()
                    times_ms.append(float(opened.inner_text("#speed").removesuffix(" ms")))
    ms = statistics.median(times_ms)
    record(line, {"bytes": size, "ready_s": spread(ready_s), "sentence_ms": ms})


@app.command()
def scale(
    pairs: Annotated[list[int], typer.Option(min=1_000, metavar="N")] = [
        200_000,
        1_000_000,
        10_000_000,
    ],
    corpus: Annotated[str, typer.Option(help="It is repeated with changes.")] = "fra-eng",
) -> None:
    """Seconds and memory of preparing pairs by the million, and of resuming a run of them.

    Both end with an update of a model so small that it takes no time.
    """
    for count in pairs:
        line = begin("scale", {"pairs": count, "repeated": Path(corpus).name})
        with tempfile.TemporaryDirectory() as folder:
            table, run = Path(folder) / "pairs.tsv", Run(Path(folder) / "run")
            write_pairs(table, count, corpus)
            prepared_s, peak_mb = next_update(table, run)
            disk_mb = sum(path.stat().st_size for path in run.data.iterdir()) / 1e6
            resumed_s, _ = next_update(table, run)
        figures = {"prepared_s": prepared_s, "peak_mb": peak_mb, "disk_mb": disk_mb}
        record(line, figures | {"resumed_s": resumed_s})


def write_pairs(path: Path, count: int, corpus: str) -> None:
    """Write a table of `count` pairs: those of a corpus again and again, changed.

    A word of each side is exchanged for another of the corpus, and one more is put in.
    """
    rng = random.Random(1)
    [loaded] = load_corpora(load_config(CONFIG, [f"data.corpus={corpus}"]).data)
    read = loaded.pairs.read(np.arange(len(loaded.pairs)))
    pairs = [(pair.first.split(" "), pair.second.split(" ")) for pair in read]
    with path.open("w", encoding="utf-8") as file:
        for pair in islice(cycle(pairs), count):
            texts = []
            for side, words in enumerate(pair):
                other, another = (rng.choice(rng.choice(pairs)[side]) for _ in range(2))
                changed = [*words]
                changed[rng.randrange(len(words))] = other
                changed.insert(rng.randrange(len(words) + 1), another)
                texts.append(" ".join(changed))
            file.write("\t".join(texts) + "\n")


def next_update(corpus: Path, run: Run) -> tuple[float, float]:
    """Begin or resume a run, and stop it; return the seconds to its next update, and peak MB."""
    done = len(run.read_metrics()[0])
    settings = [f"data.corpus={corpus}", "training.log_steps=1", *TINY]
    command = [sys.executable, "-m", "gru_mt", "train", f"--config={CONFIG}", f"--run={run.folder}"]
    started_s = time.perf_counter()
    with subprocess.Popen([*command, *(f"--set={one}" for one in settings)]) as process:
        while len(run.read_metrics()[0]) == done:
            if process.poll() is not None:
                raise subprocess.CalledProcessError(process.returncode, process.args)
            time.sleep(0.02)
        seconds = time.perf_counter() - started_s
        process.send_signal(signal.SIGTERM)
        _, status, usage = wait4(process.pid, 0)
        process.returncode = status
    return seconds, usage.ru_maxrss * 1024 / 1e6


if __name__ == "__main__":
    try:
        app(prog_name="scripts/bench")
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except subprocess.CalledProcessError as error:
        sys.exit(2 if error.returncode == 2 else str(error))  # at 2 the command has printed why
