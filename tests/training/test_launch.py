"""`gru-mt train --processes` and torchrun: signals, deaths, mistakes, and going on."""

import os
import resource
import signal
import sys
from pathlib import Path

import pytest

from gru_mt.config.load import load_config
from gru_mt.config.yaml_text import dump_config
from gru_mt.errors import UserError
from gru_mt.training.launch import launch
from gru_mt.training.train import train
from tests.conftest import Configure
from tests.training.processes import (
    GRU_MT,
    TORCHRUN,
    Process,
    Together,
    bits,
    end,
    metrics,
    start,
    wait_for_update,
    workers,
)

LATE = 20  # updates before something happens to a run; after its first validation
IMPATIENT = """
from datetime import timedelta
from gru_mt.__main__ import main
from gru_mt.training import distributed
distributed.SILENCE = timedelta(seconds=15)
main()
"""


@pytest.fixture(scope="module")
def config(small_config: Configure, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "small.yaml"
    settings = ("max_epochs=20", "accumulation=2", "log_steps=1", "checkpoint_minutes=0.001")
    path.write_text(dump_config(small_config(*(f"training.{each}" for each in settings))))
    return path


@pytest.fixture(scope="module")
def alone(config: Path) -> Path:
    """Return the run of a process that trained to the end."""
    train(load_config(config), config.parent / "alone")
    return config.parent / "alone"


def command(config: Path, run: Path, *more: str) -> list[str]:
    return ["train", "--no-report", "--config", str(config), "--run", str(run), *more]


def start_two(config: Path, run: Path, *more: str, update: int = LATE) -> Process:
    """Start two processes as users do, and wait until they have trained to `update`."""
    process = start([*GRU_MT, *command(config, run, "--processes", "2", *more)])
    wait_for_update(run, update, process)
    return process


def check_going_on(config: Path, run: Path, alone: Path) -> None:
    """Train a run to its end with one process, this one; compare it with what never stopped."""
    train(load_config(config), run)
    assert bits(run) == bits(alone)
    assert metrics(run) == metrics(alone)


def test_processes_share_the_cores_and_an_ignored_signal_stays_ignored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As SIGHUP is ignored under nohup."""
    found: list[tuple[str, list[str]]] = []
    for name in ("OMP_NUM_THREADS", "TORCH_CPP_LOG_LEVEL", "PYTHONWARNINGS"):
        monkeypatch.setenv(name, "")  # to have it back after the test
    monkeypatch.setattr("logging.disable", lambda: None)
    monkeypatch.setattr("gru_mt.training.launch.cores", lambda: 8)
    monkeypatch.setattr(
        "torch.distributed.launcher.api.elastic_launch",
        lambda config, program: (
            lambda: found.append(
                (os.environ["OMP_NUM_THREADS"], sorted(config.signals_to_handle.split(",")))
            )
        ),
    )
    for processes in (1, 3, 16):
        monkeypatch.delenv("OMP_NUM_THREADS")
        assert launch(processes) == 0
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    launch(2)
    signal.signal(signal.SIGHUP, before)
    signals = ["SIGHUP", "SIGINT", "SIGTERM"]
    assert found == [("8", signals), ("2", signals), ("1", signals), ("1", signals[1:])]


@pytest.mark.slow
def test_a_mistake_is_told_once(config: Path, tmp_path: Path) -> None:
    missing = ["--set", f"data.corpus={tmp_path / 'missing.tsv'}"]
    code, errors = end(start_two(config, tmp_path / "run", *missing, update=0))
    assert code == 2
    assert errors.count("missing.tsv: no such file") == 1, errors
    assert "missing.tsv: no such file" in errors.splitlines()[-1]
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "rank"),
    [
        (signal.SIGINT, None),  # Ctrl-C
        (signal.SIGTERM, 1),
        (signal.SIGHUP, 1),
    ],
)
def test_a_signal_to_the_launcher_or_to_one_process_stops_all(
    number: int, rank: int | None, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, temporary = tmp_path / "run", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    long = ["--set", "training.max_epochs=500"]
    process = start_two(config, run, *long)
    with pytest.raises(UserError, match="another training runs in it"):
        train(load_config(config, long[1:]), run)
    os.kill(process.pid if rank is None else workers(process)[rank], number)
    code, errors = end(process)
    assert code == 128 + number, errors
    assert not [*temporary.glob("torchelastic*")]
    assert errors.count("stopping: saving first") == 1
    assert errors.endswith("stopped and saved; the same command goes on\n")


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 1])
def test_a_killed_process_ends_all_in_one_line(
    rank: int, config: Path, alone: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    process = start_two(config, run)
    os.kill(workers(process)[rank], signal.SIGKILL)
    code, errors = end(process)
    assert code == 1, errors
    told = f"process {rank} of 2 was ended by SIGKILL; the same command goes on from the newest"
    assert [line for line in errors.splitlines() if "process" in line] == [f"{told} checkpoint"]
    assert "Traceback" not in errors
    check_going_on(config, run, alone)


@pytest.mark.slow
def test_a_killed_launcher_leaves_no_process_and_what_trains_saves(
    config: Path, alone: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    process = start_two(config, tmp_path / "begun", update=0)
    while len(workers(process)) < 2:
        assert process.poll() is None, process.communicate()
    process.kill()
    end(process)
    process = start_two(config, run)
    process.kill()
    errors = end(process)[1]
    assert errors.count("stopped and saved; the same command goes on\n") == 1
    assert "[c10d]" not in errors
    check_going_on(config, run, alone)


@pytest.mark.slow
def test_a_silent_process_ends_the_others_in_one_line(config: Path, tmp_path: Path) -> None:
    """As where a host loses its network, which closes no connection."""
    run = tmp_path / "run"
    group = Together([sys.executable, "-c", IMPATIENT, *command(config, run)], 3)
    wait_for_update(run, LATE, group.processes[0])
    group.processes[1].send_signal(signal.SIGSTOP)
    ends = [end(group.processes[rank]) for rank in (0, 2)]
    group.processes[1].kill()
    end(group.processes[1])
    told = "the connection to the other processes is lost; the same command goes on"
    assert [code for code, _ in ends] == [1, 1]
    assert [errors.splitlines()[-1] for _, errors in ends] == [told, told]


@pytest.mark.slow
def test_a_full_disk_of_process_0_is_told_once_and_then_the_run_goes_on(
    config: Path, alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the processes inherit that
    process = start_two(config, run)
    signal.signal(signal.SIGXFSZ, before)
    resource.prlimit(workers(process)[0], resource.RLIMIT_FSIZE, (10_000, 10_000))
    code, errors = end(process)
    assert code == 2, errors
    assert "File too large" in errors.splitlines()[-1]
    check_going_on(config, run, alone)


@pytest.mark.slow
def test_torchrun_starts_processes_on_two_hosts(config: Path, alone: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    two_hosts = ["--nnodes", "2", "--nproc-per-node", "1", "--rdzv-backend", "c10d"]
    options = ["--rdzv-endpoint", "localhost:29417", "-m", "--", "gru_mt"]
    hosts = [start([*TORCHRUN, *two_hosts, *options, *command(config, run)]) for _ in range(2)]
    ends = [end(host) for host in hosts]
    assert [code for code, _ in ends] == [0, 0], ends
    assert bits(run) == bits(alone)
    assert metrics(run) == metrics(alone)
