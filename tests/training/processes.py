"""Trainings that tests start, stop and compare, in this process or in several."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from gru_mt.config.schema import Config
from gru_mt.errors import Interrupted
from gru_mt.progress import ProgressBar
from gru_mt.run import Run
from gru_mt.tensors import load_tensors
from gru_mt.training.train import train

GRU_MT = [sys.executable, "-m", "gru_mt"]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--monitor-interval", "0.1"]
Process = subprocess.Popen[str]


class Together:
    """Processes with the environment that a launcher such as srun or mpirun gives them."""

    def __init__(self, command: list[str], size: int = 2) -> None:
        """Start a command so many times; PORT in it becomes the port at which they meet."""
        self._store = TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
        common = {
            "WORLD_SIZE": str(size),
            "MASTER_ADDR": "localhost",
            "MASTER_PORT": str(self._store.port),
            "TORCHELASTIC_USE_AGENT_STORE": "True",
        }
        command = [part.replace("PORT", common["MASTER_PORT"]) for part in command]
        self.processes = [start(command, common | {"RANK": str(rank)}) for rank in range(size)]

    def end(self) -> tuple[list[int], list[str]]:
        """Wait for the end of all; return their exit codes, and what each wrote to stderr."""
        ends = [end(process) for process in self.processes]
        return [code for code, _ in ends], [errors for _, errors in ends]


def start(command: list[str], environment: dict[str, str] | None = None) -> Process:
    """Start a command whose processes have as many threads each as this one."""
    threads = {"OMP_NUM_THREADS": str(torch.get_num_threads())}
    return subprocess.Popen(
        command, env=os.environ | threads | (environment or {}), stderr=subprocess.PIPE, text=True
    )


def end(process: Process) -> tuple[int, str]:
    """Wait for the end of a process; return its exit code, and what it wrote to stderr.

    All that it has started has ended then, or stderr would still be open.
    """
    try:
        errors = process.communicate(timeout=120)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, errors


def wait_for_update(run: Path, step: int, process: Process) -> None:
    """Wait until a run that `process` trains has noted an update from `step` on."""
    while newest_step(run) < step:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def newest_step(run: Path) -> int:
    lines, _ = Run(run).read_metrics()
    return int(lines[-1]["step"]) if lines else 0


def workers(launcher: Process) -> list[int]:
    """Return the ids of the processes that a launcher has started to train, by their rank."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            is_tracker = b"multiprocessing.resource_tracker" in (folder / "cmdline").read_bytes()
            if parent == launcher.pid and not is_tracker:
                found.append(int(folder.name))
    return sorted(found)


def bits(run: Path) -> dict[str, bytes]:
    """Return the bytes of each tensor of a run's newest checkpoint and of its translator."""
    tensors = {}
    for path in (max((run / "checkpoints").iterdir()), run / "model" / "weights.safetensors"):
        for name, value in load_tensors(path)[0].items():
            tensors[f"{path.name} {name}"] = value.reshape(-1).view(torch.uint8).numpy().tobytes()
    return tensors


def metrics(run: Path) -> list[dict[str, Any]]:
    """Return the metrics of a run without what depends on the clock."""
    clock = {"elapsed_s", "tokens_s"}
    lines, _ = Run(run).read_metrics()
    return [{name: line[name] for name in line.keys() - clock} for line in lines]


def train_until(config: Config, folder: Path, step: int, number: int) -> Interrupted:
    """Train until this process gets a signal when update `step` ends; return what that raises."""

    def update(self: ProgressBar, n: int = 1) -> None:
        self.n += n
        if self.unit == "updates" and self.n == step:
            os.kill(os.getpid(), number)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProgressBar, "update", update)
        with pytest.raises(Interrupted) as stopped:
            train(config, folder)
    return stopped.value
