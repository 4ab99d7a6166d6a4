"""Let threads that wait for each other sleep while other processes want the cores.

A waiting thread of OpenMP, with which torch computes, looks for work for some milliseconds before
it sleeps, and holds a core that another process may want. It sleeps almost at once only while
threads are more than cores (OpenMP's manual, under GOMP_SPINCOUNT), and nothing else changes this
in a running process. So while cores are wanted, OpenMP gets more threads, which do nothing. Results
stay the same to the last bit, because each thread still computes the same part.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gru_mt.model.fast import tuned

CROWDED = 0.4  # seconds of waiting for a core in each second; without other processes it is 0.03
LOOK_S = 0.25  # how long to look for a crowd
CROWD_S = 2.0  # how long to look before a crowd can be called over
TASKS = Path("/proc/self/task")


@contextmanager
def while_computing(device_type: str) -> Iterator[None]:
    """While torch computes on a CPU, let waiting threads sleep when others want the cores.

    This does nothing on other devices, and nothing outside Linux: only Linux tells how long a
    thread waited for a core. If it fails, computing goes on without it, and nothing is said. The
    threads that it starts end with the block.
    """
    schedstat = TASKS / str(threading.get_native_id()) / "schedstat"
    if device_type == "cpu" and tuned() and schedstat.exists():
        with _threads(1, _watch):
            yield
    else:
        yield


@contextmanager
def _threads(count: int, target: Callable[[threading.Event], object]) -> Iterator[bool]:
    """Run `target` in threads until the block ends; yield whether the system allows so many."""
    ended = threading.Event()
    threads = [threading.Thread(target=target, args=(ended,), daemon=True) for _ in range(count)]
    started = []
    try:
        with suppress(RuntimeError):  # no more threads
            for thread in threads:
                thread.start()
                started.append(thread)
        yield len(started) == count
    finally:
        ended.set()
        for thread in started:
            thread.join()


def _watch(ended: threading.Event) -> None:
    with suppress(Exception):
        while not ended.is_set():
            if _crowded(LOOK_S, ended):
                with more_threads_than_cores():
                    while _crowded(CROWD_S, ended):
                        pass


def _crowded(period_s: float, ended: threading.Event) -> bool:
    """Return whether threads waited much for cores in the period; False where `ended` ends it."""
    waited_s, started_s = waited_for_cores_s(), time.perf_counter()
    if ended.wait(period_s):
        return False
    return waited_for_cores_s() - waited_s > CROWDED * (time.perf_counter() - started_s)


def waited_for_cores_s() -> float:
    """Return for how many seconds living threads of this process were ready to run but had no core.

    That is the second field of Linux's schedstat; other systems do not tell, and it is 0.
    """
    waited_ns = 0
    for task in TASKS.iterdir() if TASKS.exists() else []:
        with suppress(OSError, IndexError):  # it has just ended
            waited_ns += int((task / "schedstat").read_text().split()[1])
    return waited_ns / 1e9


@contextmanager
def more_threads_than_cores() -> Iterator[None]:
    """For the length of the block give OpenMP more threads than there are cores; they sleep."""
    import torch

    def hold(ended: threading.Event) -> None:
        with suppress(Exception):
            torch.ones(1 << 20)  # large enough to need the whole team
            ended.wait()

    team = torch.get_num_threads()
    # Each thread that computes gets a team of its own, and is itself a member of it.
    holders = (len(os.sched_getaffinity(0)) - 1) // (team - 1) if team > 1 else 0
    with _threads(holders * team, threading.Event.wait) as can_start:
        pass  # where OpenMP cannot start a thread, it ends the process: so try before
    with _threads(holders if can_start else 0, hold):
        yield
