"""What scripts/bench measures in a process of its own: `bench_inside.py FUNCTION ARGUMENT ...`.

Calls the function with the arguments as strings, and prints its result as JSON.
"""

import json
import os
import resource
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from measuring import spread

import gru_mt.device
from gru_mt.config_file import load_config
from gru_mt.cpu.memory import keep_memory
from gru_mt.data.batching import plan_batches
from gru_mt.data.encoding import encode_pairs
from gru_mt.inference.translator import Translator
from gru_mt.run import Run
from gru_mt.training.journal import Journal
from gru_mt.training.preparation import prepare
from gru_mt.training.schedule import LARGEST_BATCH
from gru_mt.training.start import start_of

CONFIG = Path("configs/fra-eng.yaml")
WARM_UP = 50  # sentences
PLANS = 3  # epochs
SQUARE, PRODUCTS = 1_024, 20  # rows of a square matrix, products
CHUNK = 100_000  # pairs
WORDS = 50_000  # of each side
SYLLABLES = [[c + v for v in vowels for c in "bcdfglmnprstvz"] for vowels in ("aeiou", "aéiou")]


def machine() -> dict[str, Any]:
    """Return the facts that figures depend on.

    Processors of one name may differ in speed by half, and a shared one is slower at some hours. So
    the GFLOP/s that the CPU reaches just now are measured: no figure can be better than they allow.
    """
    return {
        **gru_mt.device.machine(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "fp32_gflops": _gflops(torch.float32),
        "bf16_gflops": _gflops(torch.bfloat16),
    }


def _gflops(kind: torch.dtype) -> int:
    """Return the most GFLOP/s at which two square matrices of a type were multiplied."""
    square = torch.ones(SQUARE, SQUARE, dtype=kind)
    times_s = []
    for _ in range(PRODUCTS):
        started_s = time.perf_counter()
        square @ square
        times_s.append(time.perf_counter() - started_s)
    return round(2 * SQUARE**3 / min(times_s) / 1e9)


def latency(model: str, sentences: str, beam_size: str) -> dict[str, float]:
    """Return `summary_ms` of a warm translator's times for a file's lines, one at a time."""
    translator = Translator.load(model)
    decoding = translator.decoding.overridden(beam_size=int(beam_size))
    lines = Path(sentences).read_text(encoding="utf-8").splitlines()
    times_ms = []
    for line in lines[:WARM_UP] + lines:
        started_s = time.perf_counter()
        translator.translate([line], decoding=decoding)
        times_ms.append((time.perf_counter() - started_s) * 1e3)
    return summary_ms(times_ms[WARM_UP:])


def summary_ms(times_ms: Sequence[float]) -> dict[str, float]:
    """Return mean and percentiles; these are interpolated linearly between two times."""
    percentiles = statistics.quantiles(times_ms, n=100, method="inclusive")
    return {
        "latency_mean_ms": statistics.fmean(times_ms),
        "latency_p50_ms": percentiles[49],
        "latency_p99_ms": percentiles[98],
    }


def preparation(corpus: str, lines: str) -> dict[str, Any]:
    """Return seconds and memory, per million lines, of what precedes the first update.

    The memory of preparation is what it adds to a process that has imported everything; that of a
    plan is the most that it allocates.
    """
    millions = int(lines) / 1e6
    config = load_config(CONFIG, [f"data.corpus={corpus}"])
    keep_memory()  # as training does
    with tempfile.TemporaryDirectory() as folder:
        before_mb, started_s = _peak_mb(), time.perf_counter()
        run = Run(Path(folder))
        data = prepare(config, start_of(run, config), Journal(run.log))
        pairs = encode_pairs(data.tokenizer, data.train)
        prepared_s, added_mb = time.perf_counter() - started_s, _peak_mb() - before_mb

    def plan_s(epoch: int) -> float:
        started_s = time.perf_counter()
        plan_batches(pairs, batch_tokens=LARGEST_BATCH, seed=1, epoch=epoch)
        return time.perf_counter() - started_s

    plans_s = [plan_s(epoch) / millions for epoch in range(PLANS)]
    tracemalloc.start()
    plan_s(0)
    _, plan_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {
        "preparation_s_per_million": prepared_s / millions,
        "preparation_mb_per_million": added_mb / millions,
        "plan_s_per_million": spread(plans_s),
        "plan_mb_per_million": plan_bytes / 1e6 / millions,
    }


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def write_pairs(path: str, count: str) -> None:
    """Write `count` synthetic pairs as a table."""
    with Path(path).open("w", encoding="utf-8") as file:
        file.writelines(synthetic_pairs(int(count), seed=1))


def synthetic_pairs(count: int, *, seed: int) -> Iterator[str]:
    """Yield lines of two made-up sentences, as long as fra-eng's; a pure function.

    The logarithm of a word's rank is uniform, so that its frequency falls as 1 / rank (Zipf's law).
    More frequent words are shorter.
    """
    rng = np.random.default_rng(seed)
    words = [[_word(rank, syllables) for rank in range(WORDS)] for syllables in SYLLABLES]
    for first in range(0, count, CHUNK):
        size = min(CHUNK, count - first)
        # Words a sentence: mean and deviation of the log and of target less source are fra-eng's.
        source_N = np.maximum(1, rng.lognormal(1.74, 0.39, size).round().astype(int))
        target_N = np.maximum(1, source_N + rng.normal(0.54, 1.55, size).round().astype(int))
        sides = []
        for vocabulary, length_N in zip(words, (source_N, target_N), strict=True):
            ranks = (WORDS ** rng.random(length_N.sum())).astype(int) - 1
            drawn = [vocabulary[rank] for rank in ranks.tolist()]
            ends = pairwise([0, *length_N.cumsum().tolist()])
            sides.append([" ".join(drawn[start:end]) for start, end in ends])
        for source, target in zip(*sides, strict=True):
            yield f"{source}.\t{target}.\n"


def _word(rank: int, syllables: list[str]) -> str:
    """Return a different word for each rank: the rank's digits, written as syllables."""
    before, last = divmod(rank, len(syllables))
    return (_word(before - 1, syllables) if before else "") + syllables[last]


if __name__ == "__main__":
    functions = {each.__name__: each for each in (machine, latency, preparation, write_pairs)}
    print(json.dumps(functions[sys.argv[1]](*sys.argv[2:])))
