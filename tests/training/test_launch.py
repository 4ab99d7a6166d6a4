"""Processes that are started by a command: signals, deaths, mistakes, and going on."""

import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gru_mt.config.load import load_config
from gru_mt.training.launch import launch
from gru_mt.training.trainer import train
from tests.training.processes import (
    GRU_MT,
    TORCHRUN,
    Together,
    bits,
    children,
    end,
    found,
    start,
    wait_for_update,
)

CONFIG = """
data: {{corpus: {corpus}}}
tokenizer: {{kind: word, min_frequency: 1}}
model: {{embedding_size: 8, encoder_size: 6, decoder_size: 12}}
training:
  {{max_epochs: 5, batch_tokens: 120, warmup_steps: 5, accumulation: 2, log_steps: 1,
    checkpoint_minutes: 0.001}}
"""
LATE = 20  # updates before something happens to a run; after its first validation


@pytest.fixture(scope="module")
def config(small_corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "small.yaml"
    path.write_text(CONFIG.format(corpus=small_corpus))
    return path


@pytest.fixture(scope="module")
def alone(config: Path) -> Path:
    """Return the run of a process that trained to the end."""
    train(load_config(config), config.parent / "alone")
    return config.parent / "alone"


def command(config: Path, run: Path, *more: str) -> list[str]:
    return ["train", "--config", str(config), "--run", str(run), *more]


def go_on(config: Path, run: Path) -> None:
    """Train a run to its end with one process, this one."""
    train(load_config(config), run)


@pytest.mark.parametrize(("processes", "threads"), [(1, "8"), (3, "2"), (16, "1")])
def test_processes_share_the_cores(
    processes: int, threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    for name in ("OMP_NUM_THREADS", "TORCH_CPP_LOG_LEVEL"):
        monkeypatch.setenv(name, "")  # to have it back after the test
        monkeypatch.delenv(name)
    monkeypatch.setattr("gru_mt.training.launch.cores", lambda: 8)
    monkeypatch.setattr(
        "torch.distributed.launcher.api.elastic_launch",
        lambda config, program: lambda *arguments: found.append(os.environ["OMP_NUM_THREADS"]),
    )
    assert launch(processes) == 0
    assert found == [threads]


def test_a_signal_that_is_ignored_stays_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """As SIGHUP is under nohup, and SIGINT in a background job."""
    found: list[str] = []
    monkeypatch.setattr(
        "torch.distributed.launcher.api.elastic_launch",
        lambda config, program: lambda *arguments: found.append(config.signals_to_handle),
    )
    for name in ("OMP_NUM_THREADS", "TORCH_CPP_LOG_LEVEL"):
        monkeypatch.setenv(name, "1")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    launch(2)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    launch(2)
    signal.signal(signal.SIGHUP, before)
    assert found == ["SIGINT,SIGTERM", "SIGINT,SIGTERM,SIGHUP"]


def test_a_signal_to_one_process_stops_all_and_one_process_goes_on(
    config: Path, alone: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    process = start([*GRU_MT, *command(config, run, "--processes", "2")])
    wait_for_update(run, LATE, process)
    os.kill(children(process.pid)[1], signal.SIGTERM)
    code, errors = end(process)
    assert code == 143, errors
    assert errors.count("stopping: saving first") == 1
    assert errors.endswith("stopped and saved; the same command goes on\n")
    go_on(config, run)
    assert bits(run) == bits(alone)
    assert found(run) == found(alone)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_stops_all_and_meanwhile_the_run_is_theirs(
    number: signal.Signals, config: Path, tmp_path: Path
) -> None:
    run, temporary = tmp_path / "run", tmp_path / "temporary"
    temporary.mkdir()
    long = ["--set", "training.max_epochs=500"]
    process = start(
        [*GRU_MT, *command(config, run, "--processes", "2", *long)], {"TMPDIR": str(temporary)}
    )
    wait_for_update(run, LATE, process)
    code, errors = end(start([*GRU_MT, *command(config, run, *long)]))
    assert code == 2
    assert "another training runs in it" in errors
    process.send_signal(number)
    code, errors = end(process)
    assert code == 128 + number, errors
    assert not [*temporary.glob("torchelastic*")]
    assert errors.count("stopping: saving first") == 1
    assert errors.endswith("stopped and saved; the same command goes on\n")


@pytest.mark.parametrize("rank", [0, 1])
def test_a_killed_process_ends_all_in_one_line_and_one_process_goes_on(
    rank: int, config: Path, alone: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    process = start([*GRU_MT, *command(config, run, "--processes", "2")])
    wait_for_update(run, LATE, process)
    os.kill(children(process.pid)[rank], signal.SIGKILL)
    code, errors = end(process)
    assert code == 1, errors
    told = f"process {rank} of 2 was ended by SIGKILL; the same command goes on"
    assert [line for line in errors.splitlines() if "process" in line] == [
        f"{told} from the newest checkpoint"
    ]
    assert "Traceback" not in errors
    if rank:
        three_go_on_without_one(config, run)
    go_on(config, run)
    assert bits(run) == bits(alone)
    assert found(run) == found(alone)


def test_a_killed_launcher_ends_all_after_saving(config: Path, alone: Path, tmp_path: Path) -> None:
    """At once while they start, and once they train after saving."""
    run, together = tmp_path / "run", [*GRU_MT, *command(config, tmp_path / "run"), "--processes=2"]
    process = start(together)
    while len(children(process.pid)) < 2:
        assert process.poll() is None, process.communicate()
    process.kill()
    end(process)  # all processes have closed stderr
    process = start(together)
    wait_for_update(run, LATE, process)
    process.kill()
    errors = end(process)[1]
    assert errors.count("stopped and saved; the same command goes on\n") == 1
    assert errors.endswith("goes on\n")
    assert "[c10d]" not in errors
    go_on(config, run)
    assert bits(run) == bits(alone)


def three_go_on_without_one(config: Path, run: Path) -> None:
    """Go on with 3 processes that no launcher of ours started, until one of them is killed."""
    group = Together(3, ["-m", "gru_mt", *command(config, run)])
    wait_for_update(run, 2 * LATE, group.processes[0])
    group.processes[1].kill()
    codes, errors = group.end()
    assert codes == [1, -signal.SIGKILL, 1]
    told = [line for text in errors for line in text.splitlines() if "gone" in line]
    assert told == ["process 1 of 3 is gone; the same command goes on"]


def test_a_mistake_is_told_once(config: Path, tmp_path: Path) -> None:
    missing = ["--set", f"data.corpus={tmp_path / 'missing.tsv'}"]
    more = ["--processes", "2", *missing]
    code, errors = end(start([*GRU_MT, *command(config, tmp_path / "run", *more)]))
    assert code == 2
    assert errors.count("\n") == 1, errors
    assert "missing.tsv: no such file" in errors
    assert not (tmp_path / "run" / "config.yaml").exists()


def test_a_full_disk_of_process_0_ends_all_in_one_line_and_then_they_go_on(
    config: Path, alone: Path, tmp_path: Path
) -> None:
    def fails_to_write(rank: int) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    run = tmp_path / "run"
    group = Together(2, ["-m", "gru_mt", *command(config, run)], fails_to_write)
    wait_for_update(run, LATE, group.processes[0])
    resource.prlimit(group.processes[0].pid, resource.RLIMIT_FSIZE, (10_000, 10_000))
    codes, errors = group.end()
    assert codes[0] == 2, errors
    assert codes[1] > 0
    assert errors[1] == ""
    assert "File too large" in errors[0].splitlines()[-1]
    go_on(config, run)
    assert bits(run) == bits(alone)
    assert found(run) == found(alone)


def test_torchrun_starts_processes_again_and_they_go_on(
    config: Path, alone: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    options = ["--nproc-per-node", "2", "--max-restarts", "1", "--monitor-interval", "0.1"]
    process = start([*TORCHRUN, *options, "-m", "--", "gru_mt", *command(config, run)])
    wait_for_update(run, LATE, process)
    os.kill(children(process.pid)[1], signal.SIGKILL)
    code, errors = end(process)
    assert code == 0, errors
    assert errors.count("process 1 of 2 is gone; the same command goes on\n") == 1
    assert "resumed at update" in errors
    assert bits(run) == bits(alone)
    assert found(run) == found(alone)


@contextmanager
def two_hosts() -> Iterator[list[str]]:
    """Yield the names of two network namespaces, 10.77.0.1 and 10.77.0.2, joined by a cable.

    Skips the test where this process may not make any.
    """
    names = [f"gru-mt-{os.getpid()}-{place}" for place in (1, 2)]
    cables = [cable_of(name) for name in names]
    try:
        _ip("link", "add", cables[0], "type", "veth", "peer", "name", cables[1])
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("network namespaces need the rights of root, and `ip`")
    try:
        for place, (name, cable) in enumerate(zip(names, cables, strict=True), 1):
            _ip("netns", "add", name)
            _ip("link", "set", cable, "netns", name)
            _ip("-n", name, "address", "add", f"10.77.0.{place}/24", "dev", cable)
            _ip("-n", name, "link", "set", cable, "up")
            _ip("-n", name, "link", "set", "lo", "up")
        yield names
    finally:
        for name in names:
            _ip("netns", "delete", name)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def cable_of(name: str) -> str:
    """Return the name of a host's end of the cable; the system takes 15 letters."""
    return name.removeprefix("gru-")


def on_hosts(names: list[str], *program: str) -> "list[subprocess.Popen[str]]":
    """Start a program on both hosts by torchrun, a process each."""
    options = ["--nnodes", "2", "--nproc-per-node", "1", "--rdzv-backend", "c10d"]
    meeting = ["--rdzv-endpoint", "10.77.0.1:29400", "--monitor-interval", "0.1"]
    return [
        start(
            [
                *["ip", "netns", "exec", name, *TORCHRUN, *options, *meeting],
                *["--local-addr", f"10.77.0.{place}", "--rdzv-conf", f"is_host={place == 1}"],
                *["-m", "--", *program],
            ],
            {"GLOO_SOCKET_IFNAME": cable_of(name)},
        )
        for place, name in enumerate(names, 1)
    ]


def test_two_hosts_train_as_one(config: Path, alone: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with two_hosts() as names:
        ends = [end(host) for host in on_hosts(names, "gru_mt", *command(config, run))]
    assert [code for code, _ in ends] == [0, 0], ends
    assert bits(run) == bits(alone)
    assert found(run) == found(alone)


def test_hosts_that_lose_their_network_end_in_one_line_each(config: Path, tmp_path: Path) -> None:
    """No connection is closed then, and what waits for the other host would wait for days."""
    run = tmp_path / "run"
    with two_hosts() as names:
        hosts = on_hosts(names, "tests.training.impatient", *command(config, run))
        wait_for_update(run, LATE, hosts[0])
        _ip("-n", names[1], "link", "set", cable_of(names[1]), "down")
        first = end(hosts[0])
        hosts[1].kill()  # torchrun itself, which waits; what it has started goes on
        ends = [first, end(hosts[1])]
    told = [line for _, errors in ends for line in errors.splitlines() if "goes on" in line]
    assert told == [
        "process 1 of 2 is gone; the same command goes on",
        "the connection to the other processes is lost; the same command goes on",
    ]
    assert first[0] == 1


def test_a_process_that_never_comes_is_named(config: Path, tmp_path: Path) -> None:
    arguments = ["-m", "tests.training.impatient", *command(config, tmp_path / "run")]
    codes, errors = Together(3, arguments, absent=(1,)).end()
    assert codes == [1, 1]
    assert {*errors} == {"process 1 of 3 has not come within 10 s\n"}
