"""Other processes help, and nobody notices but by the clock."""

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from gru_mt.data import workers
from gru_mt.data.workers import beside, in_order, processes
from gru_mt.errors import UserError


def square_of() -> Callable[[int], tuple[int, int]]:
    return lambda number: (number * number, os.getpid())


def hundred_over() -> Callable[[int], float]:
    return lambda number: 100 / number


def killing() -> Callable[[int], None]:
    return lambda number: os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "cores", lambda: 2)


def test_results_come_in_order_from_other_processes() -> None:
    found = [*in_order(square_of, range(40))]
    assert [square for square, _ in found] == [number * number for number in range(40)]
    pids = {pid for _, pid in found}
    assert os.getpid() not in pids
    assert 1 <= len(pids) <= 2


def test_few_chunks_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {pid for _, pid in in_order(square_of, range(2))} == {os.getpid()}
    monkeypatch.setattr(workers, "cores", lambda: 1)
    assert {pid for _, pid in in_order(square_of, range(40))} == {os.getpid()}


def test_chunks_are_read_only_a_little_ahead() -> None:
    read = []

    def numbers() -> Iterator[int]:
        for number in range(1_000):
            read.append(number)
            yield number

    results = in_order(square_of, numbers())
    next(results)
    results.close()
    assert len(read) <= workers.AHEAD * 2


@pytest.mark.parametrize("count", [1, 40])
def test_what_a_function_raises_is_raised_here(count: int) -> None:
    with pytest.raises(ZeroDivisionError):
        [*in_order(hundred_over, reversed(range(count)))]


def test_a_process_that_was_killed_is_one_line() -> None:
    with pytest.raises(UserError, match="was killed, mostly for lack of memory; the same command"):
        [*in_order(killing, range(9))]


def test_work_beside_has_its_result_when_it_is_asked_for() -> None:
    for is_small in (True, False):
        with beside(partial(sorted, reverse=True), [2, 3, 1], is_small=is_small) as result:
            assert result() == [3, 2, 1]


def test_processes_end_with_the_block_whatever_they_do() -> None:
    started_s = time.monotonic()
    with processes(2, sleeping) as submit:
        submit(60.0)
    assert time.monotonic() - started_s < 30


def sleeping() -> Callable[[float], None]:
    return time.sleep


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_all_processes_ends_only_the_first(number: signal.Signals) -> None:
    with processes(1, square_of) as submit:
        _, pid = submit(1).result()
        os.kill(pid, number)
        assert submit(3).result() == (9, pid)


def test_processes_say_nothing_when_the_one_they_work_for_is_killed() -> None:
    program = (
        "import os, time; from tests.data.test_workers import *;"
        "manager = processes(1, sleeping); submit = manager.__enter__();"
        "submit(2.0); time.sleep(1.5); os.kill(os.getpid(), 9)"  # nobody reads the answer
    )
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True)  # and its process
    assert (killed.returncode, killed.stderr) == (-signal.SIGKILL, b"")
    half_a_chunk = pickle.dumps((square_of, 0)) + pickle.dumps(b"x" * 1_000)[:500]
    program = "from gru_mt.data.workers import help_others; help_others()"
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, capture_output=True, input=half_a_chunk)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_processes_end_with_a_process_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import os; from tests.data.test_workers import *;"
        "manager = processes(1, square_of); submit = manager.__enter__();"
        "print(submit(3).result()[1], flush=True); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert killed.stderr == ""
    pid = int(killed.stdout)
    deadline_s = time.monotonic() + 20
    while Path(f"/proc/{pid}/status").exists() and time.monotonic() < deadline_s:
        time.sleep(0.05)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
