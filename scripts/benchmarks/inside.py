"""What scripts/bench measures in a process of its own: `inside FUNCTION ARGUMENT ...`.

Calls the function with the arguments as strings, and prints its result as JSON.
"""

import json
import os
import random
import re
import resource
import statistics
import sys
import tempfile
import time
import timeit
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

import gru_mt.model.device
from gru_mt.config.load import load_config
from gru_mt.data.corpus.load import load_corpora
from gru_mt.data.prepare import prepare
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.inference.translator import Translator
from gru_mt.model.fast import keep_memory
from gru_mt.run import Run, bundle_of
from gru_mt.training.output.run_writer import write_inputs
from gru_mt.training.resume import choose_start

CONFIG = Path("configs/fra-eng.yaml")
WARM_UP = 50  # sentences
SQUARE = 1_024  # rows of a matrix


def machine() -> dict[str, Any]:
    """Return what figures depend on.

    Processors of one name may differ in speed by half, and a shared one is slower at some hours. So
    the GFLOP/s at which the CPU multiplies just now are measured: no figure can be better.
    """
    gflops = {}
    for name, kind in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        square = torch.ones(SQUARE, SQUARE, dtype=kind)
        best_s = min(timeit.repeat(partial(torch.mm, square, square), number=1, repeat=20))
        gflops[f"{name}_gflops"] = round(2 * SQUARE**3 / best_s / 1e9)
    memory_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return {**gru_mt.model.device.machine(), "memory_gb": round(memory_gb, 1), **gflops}


def latency(model: str, sentences: str, beam_size: str) -> dict[str, float]:
    """Return mean and percentiles of a warm translator's times for single lines of a file."""
    translator = Translator.load(model)
    lines = Path(sentences).read_text(encoding="utf-8").splitlines()
    times_ms = []
    for line in lines[:WARM_UP] + lines:
        started_s = time.perf_counter()
        translator.translate([line], beam_size=int(beam_size))
        times_ms.append((time.perf_counter() - started_s) * 1e3)
    del times_ms[:WARM_UP]
    percentiles = statistics.quantiles(times_ms, n=100, method="inclusive")
    return {
        "latency_mean_ms": statistics.fmean(times_ms),
        "latency_p50_ms": percentiles[49],
        "latency_p99_ms": percentiles[98],
    }


def preparation(corpus: str, lines: str) -> dict[str, Any]:
    """Return what the preparation of a run takes.

    The memory is the most that this process held, and the most of another that helped it.
    """
    config = load_config(CONFIG, [f"data.corpus={corpus}"])
    keep_memory()  # as training does
    with tempfile.TemporaryDirectory(dir=".") as folder:
        run = Run(Path(folder))
        started_s = time.perf_counter()
        data = prepare(choose_start(config, run), run)
        prepared_s = time.perf_counter() - started_s
        write_inputs(config, data, run)
        disk_mb = sum(path.stat().st_size for path in run.data.iterdir()) / 1e6
        size = len(data.pairs)
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    peaks_mb = [resource.getrusage(kind).ru_maxrss * 1024 / 1e6 for kind in kinds]
    return {
        "training_pairs": size,
        "prepared_s": prepared_s,
        "prepared_s_per_million": prepared_s / int(lines) * 1e6,
        "peak_mb": peaks_mb[0],
        "peak_mb_of_a_helper": peaks_mb[1],
        "disk_mb": disk_mb,
    }


def spelling(run: str, file: str) -> dict[str, float]:
    """Return how many lines of a correctly spelt text are changed, and how often each change is.

    Raises UserError where `run` holds no translator.
    """
    bundle = bundle_of(Path(run))
    language = load_config(bundle / "config.yaml").data.source
    reader = Reader(Tokenizer.load(bundle).truecaser, language, lambda *_: True)
    lines = [line for line in Path(file).read_text(encoding="utf-8").splitlines() if line.strip()]
    changes, changed = Counter[str](), 0
    for line in lines:
        corrected = [one for one in reader.sentences(line) if one.spelling_corrected]
        changed += bool(corrected)
        for sentence in corrected:
            texts = (sentence.source, sentence.finished(sentence.text))
            before, after = ({*re.findall(r"[\w'’]+", text.lower())} for text in texts)
            old, new = (" ".join(sorted(words)) for words in (before - after, after - before))
            changes[f"{old} -> {new}"] += 1
    share = {"lines": len(lines), "changed_lines": changed, "percent": 100 * changed / len(lines)}
    return {**share, **dict(changes.most_common())}


def write_pairs(path: str, count: str, corpus: str) -> None:
    """Write a table of `count` pairs: those of a corpus again and again, changed.

    A word of each side is exchanged for another of the corpus, and one more is put in.
    """
    rng = random.Random(1)
    [loaded] = load_corpora(load_config(CONFIG, [f"data.corpus={corpus}"]).data)
    pairs = loaded.pairs.read(np.arange(len(loaded.pairs)))
    sides_of = [(pair.first.split(" "), pair.second.split(" ")) for pair in pairs]
    with Path(path).open("w", encoding="utf-8") as file:
        for number in range(int(count)):
            texts = []
            for side, words in enumerate(sides_of[number % len(sides_of)]):
                other, another = (rng.choice(rng.choice(sides_of)[side]) for _ in range(2))
                index, between = rng.randrange(len(words)), rng.randrange(len(words) + 1)
                changed = [*words[:index], other, *words[index + 1 :]]
                texts.append(" ".join([*changed[:between], another, *changed[between:]]))
            file.write("\t".join(texts) + "\n")


if __name__ == "__main__":
    measures: list[Callable[..., Any]] = [machine, latency, preparation, write_pairs, spelling]
    functions = {measure.__name__: measure for measure in measures}
    try:
        print(json.dumps(functions[sys.argv[1]](*sys.argv[2:])))
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
