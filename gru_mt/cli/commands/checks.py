"""`gru-mt checks`."""

import logging
import math
import os
import platform
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from operator import itemgetter
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from gru_mt.cli.app import Command, JsonOption, app
from gru_mt.cli.streams import (
    flush_results,
    print_json,
    print_messages,
    print_result,
    require_stdout,
    table,
)
from gru_mt.model.fast.waiting import CROWDED, waited_for_cores_s, while_computing

if TYPE_CHECKING:
    import torch

EXAMPLES = """\b
Examples:
  gru-mt checks
  gru-mt checks --json
"""
PACKAGES = ("numpy", "sentencepiece", "sacrebleu")
EXTRAS = ("onnxruntime", "tensorboard", "pyarrow", "huggingface_hub", "starlette", "polib")
VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "GRU_MT_PLAIN")
CGROUPS, MEMINFO = Path("/sys/fs/cgroup"), Path("/proc/meminfo")
MEMORY = {"memory_gb": "", "free_gb": " free", "container_gb": " allowed in this container"}
SPEED_RECIPE = "r1"
OTHER_S = 0.02  # an update: preparation and validations of the recipes, on two cores


@app.command(cls=Command, epilog=EXAMPLES)
def checks(as_json: JsonOption = False) -> None:
    """Show versions, the machine, and each recipe's minutes on it."""
    require_stdout()
    print_messages(logging.INFO)
    from gru_mt.model.device import resolve_device
    from gru_mt.model.fast import keep_memory

    keep_memory()
    device = resolve_device("auto")
    facts = _facts(device)
    if as_json:
        print_json(facts | _speeds(device))
        return
    print_result("\n".join(_fact_lines(facts)))
    flush_results()
    print_result("\n".join(_speed_lines(_speeds(device))))


def _facts(device: "torch.device") -> dict[str, Any]:
    import torch

    from gru_mt import __version__
    from gru_mt.data.pool import cores
    from gru_mt.model.device import machine, memory_bytes, resolve_precision

    precisions = {torch.float32: "fp32", torch.bfloat16: "bf16", torch.float16: "fp16"}
    cuda, hip = torch.version.cuda, torch.version.hip
    container_cores, container_gb = container_limits(CGROUPS)
    return {
        "gru-mt": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "torch_built_for": f"CUDA {cuda}" if cuda else f"ROCm {hip}" if hip else "CPUs",
        "packages": {name: _version(name) for name in PACKAGES},
        "extras": {name: _version(name) for name in EXTRAS},
        "system": platform.platform(),
        "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ},
        **machine(),
        "usable_cores": cores(),
        "container_cores": container_cores,
        "memory_gb": size / 1e9 if (size := memory_bytes()) else None,
        "free_gb": _free_gb(),
        "container_gb": container_gb,
        "device": device.type,
        "precision": precisions[resolve_precision("auto", device)],
    }


def _version(name: str) -> str | None:
    with suppress(PackageNotFoundError):
        return version(name)
    return None


def container_limits(folder: Path) -> tuple[float | None, float | None]:
    """Return the cores and the GB that Linux's control groups in `folder` allow; None: no limit."""

    def number(name: str, index: int = 0) -> float:
        with suppress(OSError, ValueError):  # it is not there, or "max"
            return float((folder / name).read_text(encoding="utf-8").split()[index])
        return 0.0

    quota_us = number("cpu.max") or number("cpu/cpu.cfs_quota_us")  # version 2, or version 1
    period_us = number("cpu.max", 1) or number("cpu/cpu.cfs_period_us")
    size = number("memory.max") or number("memory/memory.limit_in_bytes")
    return (
        quota_us / period_us if quota_us > 0 and period_us else None,  # version 1: -1 is no limit
        size / 1e9 if 0 < size < 1 << 60 else None,  # and nearly 2 ** 63 is none
    )


def _free_gb() -> float | None:
    with suppress(OSError):  # Linux alone has this file
        for line in MEMINFO.read_text(encoding="utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1_024 / 1e9
    return None


def _speeds(device: "torch.device") -> dict[str, Any]:
    from gru_mt.config.load import load_config
    from gru_mt.config.recipes import list_recipes
    from gru_mt.training.optim.speed import measure_speeds

    recipes = [one for one in list_recipes() if one.updates or one.name == SPEED_RECIPE]
    configs = [load_config(recipe.path) for recipe in recipes]
    started_s, waited_s = time.perf_counter(), waited_for_cores_s()
    with while_computing(device.type):
        speeds = dict(zip(recipes, measure_speeds(configs, device), strict=True))
    waited_s, elapsed_s = waited_for_cores_s() - waited_s, time.perf_counter() - started_s
    rows = [
        {
            "recipe": recipe.name,
            "bleu": float(recipe.bleu),
            "minutes": round(recipe.updates * (speed.update_s + OTHER_S) / 60, 2),
            "minutes_when_scored": recipe.minutes,
            "memory": recipe.memory,
        }
        for recipe, speed in speeds.items()
        if recipe.updates
    ]
    return {
        "tokens_s": next(speeds[one].tokens_s for one in recipes if one.name == SPEED_RECIPE),
        "others_compute": waited_s > CROWDED * elapsed_s,
        "recipes": sorted(rows, key=itemgetter("minutes")),
    }


def _fact_lines(facts: dict[str, Any]) -> Iterator[str]:
    allowed = min(facts["usable_cores"], facts["container_cores"] or math.inf)
    cores = f"{facts['cores']}, of which {allowed:g} may be used; threads: {facts['threads']}"
    if facts["threads"] > (most := math.ceil(allowed)):
        cores += f", too many: set OMP_NUM_THREADS={most}"
    gpu = facts["gpu"] or "none that torch can use"
    if facts["gpu"] and facts["device"] == "cpu":
        gpu += ", unusable: training.device=cuda says why"
    memory = [f"{facts[key]:.1f} GB{what}" for key, what in MEMORY.items() if facts[key]]
    rows = {
        "gru-mt": f"{facts['gru-mt']}, Python {facts['python']}",
        "torch": f"{facts['torch']}, built for {facts['torch_built_for']}",
        "packages": _named(facts["packages"]),
        "extras": _named(facts["extras"]),
        "system": ", ".join([facts["system"], *map("=".join, facts["variables"].items())]),
        "CPU": f"{facts['cpu']}, {facts['isa']}",
        "cores": cores,
        "memory": ", ".join(memory) or "unknown",
        "GPU": gpu,
        "precision": f"{facts['precision']}, which auto takes on this {facts['device']}",
    }
    for name, text in rows.items():
        yield from wrap(f"{name:<11}{text}", 100, subsequent_indent=" " * 11)


def _named(versions: dict[str, str | None]) -> str:
    return ", ".join(f"{name} {number or 'absent'}" for name, number in versions.items())


def _speed_lines(speeds: dict[str, Any]) -> Iterator[str]:
    tokens_s = float(f"{speeds['tokens_s']:.2g}")  # two digits: it is no exact figure
    of = f"target tokens a second of training (recipe {SPEED_RECIPE})"
    yield f"{'speed':<11}about {tokens_s:,.0f} {of}"
    if speeds["others_compute"]:
        yield f"{'':<11}other programs compute too: without them training is faster"
    yield ""
    rows = [["recipe", "test BLEU", "minutes here, about", "when scored", "memory"]]
    for one in speeds["recipes"]:
        minutes = f"{one['minutes']:,.{int(one['minutes'] < 9.95)}f}"
        bleu, scored = f"{one['bleu']:.1f}", one["minutes_when_scored"]
        rows.append([one["recipe"], bleu, minutes, scored, one["memory"]])
    yield from table(rows)
