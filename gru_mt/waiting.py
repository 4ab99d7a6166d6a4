"""How long threads that wait for each other keep their cores busy.

The threads of GNU OpenMP, which compute torch's operations, wait in a loop for some milliseconds
before they sleep. Alone on a machine that is right: to sleep and be woken at every operation costs
up to a third of training's speed. Where something else wants the cores it makes training 4 to 40
times slower. OpenMP does stop it while it has more threads than the machine has cores (its manual,
under GOMP_SPINCOUNT), and nothing else changes it in a running process: so while others want the
cores, it gets idle threads on top. Which thread computes what stays the same, and so do all bits.
"""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CROWDED = 0.4  # cores that threads ready to run waited for, on average; alone, 0.03 at most
LOOK_S = 0.25
CROWD_S = 2.0  # before it is asked whether a crowd has gone
TASKS = Path("/proc/self/task")


@contextmanager
def cores_left_to_others() -> Iterator[None]:
    """While it is entered, waiting threads sleep as long as other processes want the cores.

    Linux alone tells how long a thread waited for a core; elsewhere this does nothing.
    """
    if not (TASKS / str(threading.get_native_id()) / "schedstat").exists():
        yield
        return
    ended = threading.Event()
    watch = threading.Thread(target=_watch, args=(ended,))
    watch.start()
    try:
        yield
    finally:
        ended.set()
        watch.join()


def _watch(ended: threading.Event) -> None:
    while not ended.is_set():
        if _crowded(LOOK_S, ended) and "torch" in sys.modules:
            with more_threads_than_cores():
                while _crowded(CROWD_S, ended):
                    pass


def _crowded(period_s: float, ended: threading.Event) -> bool:
    """Return whether this process's threads wait much for cores in the period, if it ends."""
    waited_s, started_s = waited_for_cores_s(), time.perf_counter()
    if ended.wait(period_s):
        return False
    return waited_for_cores_s() - waited_s > CROWDED * (time.perf_counter() - started_s)


def waited_for_cores_s() -> float:
    """Return the seconds that threads of this process were ready to run but had no core.

    The second field of Linux's schedstat, of threads that have not ended, added up.
    """
    waited_ns = 0
    for task in TASKS.iterdir():
        try:
            waited_ns += int((task / "schedstat").read_text().split()[1])
        except OSError:  # it has just ended
            continue
    return waited_ns / 1e9


@contextmanager
def more_threads_than_cores() -> Iterator[None]:
    """While it is entered, OpenMP has more threads than there are cores; those on top sleep."""
    import torch

    team = torch.get_num_threads()
    # Each thread that computes has a team, itself one of it.
    holders = (len(os.sched_getaffinity(0)) - 1) // (team - 1) if team > 1 else 0
    released = threading.Event()
    ready = threading.Barrier(holders + 1)

    def hold() -> None:
        torch.ones(1 << 20)  # large enough for the whole team
        ready.wait()
        released.wait()

    threads = [threading.Thread(target=hold) for _ in range(holders)]
    for thread in threads:
        thread.start()
    ready.wait()
    try:
        yield
    finally:
        released.set()
        for thread in threads:
            thread.join()
