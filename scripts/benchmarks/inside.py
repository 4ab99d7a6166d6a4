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
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

import gru_mt.model.device
from benchmarks.results import spread
from gru_mt.config.load import load_config
from gru_mt.data.batching import plan_batches
from gru_mt.data.corpus.load import load_corpora
from gru_mt.data.loader import PairLoader
from gru_mt.data.prepare import load_data, prepare
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.inference.translator import Translator
from gru_mt.model.fast import keep_memory
from gru_mt.run import Run, bundle_of
from gru_mt.training.optim.lr_schedule import LARGEST_BATCH
from gru_mt.training.output.run_writer import write_inputs
from gru_mt.training.resume import choose_start

CONFIG = Path("configs/fra-eng.yaml")
WARM_UP = 50  # sentences
PLANS = 3  # epochs
SQUARE, PRODUCTS = 1_024, 20  # rows of a square matrix, products


def machine() -> dict[str, Any]:
    """Return what figures depend on.

    Processors of one name may differ in speed by half, and a shared one is slower at some hours. So
    the GFLOP/s that the CPU reaches just now are measured: no figure can be better than they allow.
    """
    return {
        **gru_mt.model.device.machine(),
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
        translator.translate([line], beam_size=decoding.beam_size)
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
    """Return what precedes the first update of a run, and of one that goes on.

    The memory is the most that this process held, and the most of another that helped it. A plan's
    seconds are for a million pairs of a block, whose pairs are there already.
    """
    config = load_config(CONFIG, [f"data.corpus={corpus}"])
    keep_memory()  # as training does
    with tempfile.TemporaryDirectory(dir=".") as folder:
        run = Run(Path(folder))
        started_s = time.perf_counter()
        data = prepare(choose_start(config, run), run)
        prepared_s = time.perf_counter() - started_s
        kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
        peaks_mb = [resource.getrusage(kind).ru_maxrss * 1024 / 1e6 for kind in kinds]
        write_inputs(config, data, run)
        disk_mb = sum(path.stat().st_size for path in run.data.iterdir()) / 1e6
        started_s = time.perf_counter()
        data = load_data(config, run)
        loader = PairLoader(config, data.tokenizer, data.pairs)
        block = loader.load((0, 0))
        first_block_s = time.perf_counter() - started_s
        size = len(data.pairs)
    plans_s = []
    for epoch in range(PLANS):
        started_s = time.perf_counter()
        plan_batches(block, batch_tokens=LARGEST_BATCH, seed=config.training.seed, epoch=epoch)
        plans_s.append((time.perf_counter() - started_s) / len(block.row_N) * 1e6)
    return {
        "training_pairs": size,
        "prepared_s": prepared_s,
        "prepared_s_per_million": prepared_s / int(lines) * 1e6,
        "peak_mb": peaks_mb[0],
        "peak_mb_of_a_helper": peaks_mb[1],
        "disk_mb": disk_mb,
        "first_block_s": first_block_s,
        "blocks": loader.buffers,
        "plan_s_per_million": spread(plans_s),
    }


def spelling(run: str, file: str) -> dict[str, float]:
    """Return how many lines of a correctly spelt text are changed, and how often each change is.

    Raises UserError where `run` holds no translator.
    """
    bundle = bundle_of(Path(run))
    language = load_config(bundle / "config.yaml").data.source
    reader = Reader(Tokenizer.load(bundle).truecaser, language, lambda *_: True)
    changes: Counter[str] = Counter()
    lines = [line for line in Path(file).read_text(encoding="utf-8").splitlines() if line.strip()]
    changed = 0
    for line in lines:
        read = [sent for sent in reader.sentences(line) if sent.spelling_corrected]
        changed += bool(read)
        for sentence in read:
            texts = (sentence.source, sentence.finished(sentence.text))
            before, after = (set(re.findall(r"[\w'’]+", text.lower())) for text in texts)
            old, new = (" ".join(sorted(words)) for words in (before - after, after - before))
            changes[f"{old} -> {new}"] += 1
    share = {"lines": len(lines), "changed_lines": changed, "percent": 100 * changed / len(lines)}
    return {**share, **dict(changes.most_common())}


def write_pairs(path: str, count: str, corpus: str) -> None:
    """Write a table of `count` pairs: those of a corpus again and again, changed."""
    with Path(path).open("w", encoding="utf-8") as file:
        file.writelines(repeated_pairs(int(count), corpus, seed=1))


def repeated_pairs(count: int, corpus: str, *, seed: int) -> Iterator[str]:
    """Yield the lines of a corpus again and again, changed; a pure function.

    A word of each side is exchanged for another of the corpus, and one more is put in.
    """
    rng = random.Random(seed)
    [loaded] = load_corpora(load_config(CONFIG, [f"data.corpus={corpus}"]).data)
    pairs = loaded.pairs.read(np.arange(len(loaded.pairs)))
    sides_of = [(pair.first.split(" "), pair.second.split(" ")) for pair in pairs]
    for number in range(count):
        texts = []
        for side, words in enumerate(sides_of[number % len(sides_of)]):
            other, another = (rng.choice(rng.choice(sides_of)[side]) for _ in range(2))
            index, between = rng.randrange(len(words)), rng.randrange(len(words) + 1)
            changed = [*words[:index], other, *words[index + 1 :]]
            texts.append(" ".join([*changed[:between], another, *changed[between:]]))
        yield "\t".join(texts) + "\n"


if __name__ == "__main__":
    measures = (machine, latency, preparation, write_pairs, spelling)
    functions: dict[str, Callable[..., Any]] = {measure.__name__: measure for measure in measures}
    try:
        print(json.dumps(functions[sys.argv[1]](*sys.argv[2:])))
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
