"""Real processes that train together, for the tests of several processes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from gru_mt.tensors import load_tensors

GRU_MT = [sys.executable, "-m", "gru_mt"]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]


class Together:
    """Processes that find each other by a store in this process, as those of a launcher do."""

    def __init__(
        self,
        size: int,
        arguments: list[str],
        prepare: Callable[[int], None] | None = None,
        *,
        absent: tuple[int, ...] = (),
    ) -> None:
        """Start Python with these arguments for each rank but those that are `absent`.

        `prepare` is called in each process, with its rank.
        """
        self._store = TCPStore("localhost", 0, is_master=True, wait_for_workers=False)

        def prepare_one(rank: int) -> None:
            if prepare:
                prepare(rank)

        common = {
            "WORLD_SIZE": str(size),
            "MASTER_ADDR": "localhost",
            "MASTER_PORT": str(self._store.port),
            "TORCHELASTIC_USE_AGENT_STORE": "True",
        }
        self.processes = [
            start(
                [sys.executable, *arguments],
                common | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
                partial(prepare_one, rank),
            )
            for rank in range(size)
            if rank not in absent
        ]

    def end(self) -> tuple[list[int], list[str]]:
        """Wait for the end of all; return their exit codes, and what each wrote to stderr."""
        ends = [end(process) for process in self.processes]
        return [code for code, _ in ends], [errors for _, errors in ends]


def start(
    command: list[str],
    environment: dict[str, str] | None = None,
    prepare: Callable[[], None] | None = None,
) -> "subprocess.Popen[str]":
    """Start a command whose processes have as many threads each as this one."""
    threads = {"OMP_NUM_THREADS": str(torch.get_num_threads())}
    return subprocess.Popen(
        command,
        env=os.environ | threads | (environment or {}),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=prepare,
    )


def end(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Wait for the end of a process; return its exit code, and what it wrote to stderr.

    Where another process died, the end is to come within a minute.
    """
    errors = process.communicate(timeout=60)[1]
    return process.returncode, errors


def wait_for_update(run: Path, step: int, process: "subprocess.Popen[str]") -> None:
    """Wait until a run that `process` trains has noted an update from `step` on."""
    metrics = run / "metrics.jsonl"
    while newest_step(metrics) < step:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def newest_step(metrics: Path) -> int:
    lines = metrics.read_text().split("\n")[:-1] if metrics.is_file() else []
    return int(json.loads(lines[-1])["step"]) if lines else 0


def children(launcher: int) -> list[int]:
    """Return the processes that a launcher has started to train, by their rank."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == launcher and b"resource_tracker" not in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return sorted(found)


def bits(run: Path) -> dict[str, bytes]:
    """Return the bytes of each tensor of a run's newest checkpoint and of its translator."""
    tensors = {}
    for path in (max((run / "checkpoints").iterdir()), run / "model" / "weights.safetensors"):
        for name, value in load_tensors(path)[0].items():
            tensors[f"{path.name} {name}"] = value.reshape(-1).view(torch.uint8).numpy().tobytes()
    return tensors


def found(run: Path) -> list[dict[str, Any]]:
    """Return the metrics of a run without what depends on the clock."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    clock = {"elapsed_s", "tokens_s"}
    return [{name: line[name] for name in line.keys() - clock} for line in lines]
