"""Waiting threads sleep while other processes want the cores."""

import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gru_mt import waiting
from gru_mt.waiting import TASKS, waited_for_cores_s

if not TASKS.exists():
    pytest.skip("only Linux tells how long a thread waited for a core", allow_module_level=True)

CORES = len(os.sched_getaffinity(0))

COUNT_THREADS = """
import os, sys, threading, torch
from gru_mt.waiting import more_threads_than_cores

def count_others():
    return len(os.listdir("/proc/self/task")) - threading.active_count()

cores = range(int(sys.argv[1]))
os.sched_getaffinity = lambda process: cores
torch.ones(1 << 20)
before = count_others()
with more_threads_than_cores():
    print(torch.get_num_threads() + count_others() - before)
while count_others() > before:
    pass
print(count_others() - before)
"""

NOTICE_A_CROWD = """
import threading, torch
from gru_mt.waiting import cores_left_to_others

matrix = torch.ones(500, 500)
with cores_left_to_others():
    while threading.active_count() < 3:
        matrix @ matrix
print(threading.active_count())
"""


def run(program: str, *arguments: str, **environment: str) -> list[int]:
    """Return the numbers that a program in a process of its own prints before a minute is over."""
    finished = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return [int(word) for word in finished.stdout.split()]


@pytest.mark.parametrize("cores", [2, 3, 8])
def test_there_is_one_thread_more_than_cores_while_it_is_entered(cores: int) -> None:
    assert run(COUNT_THREADS, str(cores), OMP_NUM_THREADS="2") == [cores + 1, 0]


def test_a_thread_that_waits_for_no_other_stays_alone() -> None:
    assert run(COUNT_THREADS, "8", OMP_NUM_THREADS="1") == [1, 0]


def test_threads_on_one_core_wait_for_it_while_they_do_not_compute() -> None:
    core, block = min(os.sched_getaffinity(0)), bytes(1 << 20)
    begun, done, read = (threading.Barrier(4) for _ in range(3))
    without_core_s: list[float] = []

    def compute() -> None:
        os.sched_setaffinity(0, {core})
        begun.wait()
        began_s = time.perf_counter() - time.thread_time()
        while time.thread_time() < 0.3:
            hashlib.sha256(block)  # without the lock that lets one thread of Python run
        without_core_s.append(time.perf_counter() - time.thread_time() - began_s)
        done.wait()
        read.wait()

    threads = [threading.Thread(target=compute) for _ in range(3)]
    for thread in threads:
        thread.start()
    before_s = waited_for_cores_s()
    begun.wait()
    done.wait()
    waited_s = waited_for_cores_s() - before_s
    read.wait()
    for thread in threads:
        thread.join()
    assert waited_s == pytest.approx(sum(without_core_s), rel=0.25)  # twice what they compute


def test_a_crowd_is_answered_once_and_until_it_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    crowds = [False, True, True, False, False]
    told: list[str] = []
    ended = threading.Event()

    def crowded(period_s: float, ended: threading.Event) -> bool:
        told.append(f"looked {period_s}")
        if len(crowds) == 1:
            ended.set()
        return crowds.pop(0)

    @contextmanager
    def more_threads() -> Iterator[None]:
        told.append("entered")
        yield
        told.append("left")

    monkeypatch.setitem(sys.modules, "torch", sys)  # loaded
    monkeypatch.setattr(waiting, "_crowded", crowded)
    monkeypatch.setattr(waiting, "more_threads_than_cores", more_threads)
    waiting._watch(ended)
    look, crowd = "looked 0.25", "looked 2.0"
    assert told == [look, look, "entered", crowd, crowd, "left", look]


def test_a_crowd_is_noticed() -> None:
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(CORES)]
    try:
        # The program goes on when there is a thread beside the one that watches.
        assert run(NOTICE_A_CROWD) == [1]
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
