"""What scripts/bench measures in a process of its own: `bench_inside.py FUNCTION ARGUMENT ...`.

Prints as JSON what the function returns.
"""

import json
import os
import platform
import re
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from gru_mt.inference.translator import Translator

WARM_UP = 50  # sentences


def machine() -> dict[str, Any]:
    """Return what figures depend on, without what tells one machine from its twins."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="utf-8") if cpuinfo.exists() else ""
    names = re.findall(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return {
        "cpu": names[0] if names else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "isa": torch.backends.cpu.get_cpu_capability(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
    }


def latency(model: str, sentences: str, beam_size: str) -> dict[str, float]:
    """Return how long a warm translator takes for each line of a file, one at a time."""
    translator = Translator.load(model)
    lines = Path(sentences).read_text(encoding="utf-8").splitlines()
    times_ms = []
    for line in lines[:WARM_UP] + lines:
        started_s = time.perf_counter()
        translator.translate([line], beam_size=int(beam_size))
        times_ms.append((time.perf_counter() - started_s) * 1e3)
    return summary_ms(times_ms[WARM_UP:])


def summary_ms(times_ms: Sequence[float]) -> dict[str, float]:
    """Return mean and percentiles, the latter between neighbours in proportion."""
    percentiles = statistics.quantiles(times_ms, n=100, method="inclusive")
    return {
        "latency_mean_ms": statistics.fmean(times_ms),
        "latency_p50_ms": percentiles[49],
        "latency_p99_ms": percentiles[98],
    }


if __name__ == "__main__":
    functions = {each.__name__: each for each in (machine, latency)}
    print(json.dumps(functions[sys.argv[1]](*sys.argv[2:])))
