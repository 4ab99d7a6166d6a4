"""How long threads that wait for each other keep their cores busy.

The threads of GNU OpenMP, which compute torch's operations, wait in a loop for some milliseconds
before they sleep. Alone on a machine that is right: to sleep and be woken at every operation costs
up to a third of training's speed. Where something else wants the cores it makes training 4 to 40
times slower. OpenMP does stop it while it has more threads than the machine has cores (its manual,
under GOMP_SPINCOUNT), and nothing else changes it in a running process: so while others want the
cores, it gets idle threads on top. Which thread computes what stays the same, and so do all bits.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

CROWDED = 0.4  # cores that threads ready to run waited for, on average; alone, 0.03 at most
LOOK_S = 0.25
CROWD_S = 2.0  # before it is asked whether a crowd has gone
TASKS = Path("/proc/self/task")


@contextmanager
def while_computing(device_type: str) -> Iterator[None]:
    """While torch computes on a CPU, let waiting threads sleep as long as others want the cores.

    Linux alone tells how long a thread waited for a core; elsewhere, and on other devices, this
    does nothing. It is a help alone: whatever goes wrong with it is passed over in silence, and
    nothing of it is left when this is.
    """
    ended = threading.Event()
    watch = None
    if device_type == "cpu" and (TASKS / str(threading.get_native_id()) / "schedstat").exists():
        watch = _started(_watch, ended)
    try:
        yield
    finally:
        ended.set()
        if watch:
            watch.join()


def _started(target: Callable[..., object], *arguments: object) -> threading.Thread | None:
    """Return a thread that runs `target`; None where there can be no more."""
    thread = threading.Thread(target=target, args=arguments, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return None
    return thread


def _watch(ended: threading.Event) -> None:
    with suppress(Exception):
        while not ended.is_set():
            if _crowded(LOOK_S, ended):
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

    The second field of Linux's schedstat, of threads that have not ended, added up. Raises OSError
    where the threads cannot be listed.
    """
    waited_ns = 0
    for task in TASKS.iterdir():
        with suppress(OSError, IndexError):  # it has just ended
            waited_ns += int((task / "schedstat").read_text().split()[1])
    return waited_ns / 1e9


@contextmanager
def more_threads_than_cores() -> Iterator[None]:
    """While it is entered, OpenMP has more threads than there are cores; those on top sleep."""
    import torch

    team = torch.get_num_threads()
    # Each thread that computes has a team, itself one of it.
    holders = (len(os.sched_getaffinity(0)) - 1) // (team - 1) if team > 1 else 0
    released = threading.Event()

    def hold() -> None:
        with suppress(Exception):
            torch.ones(1 << 20)  # large enough for the whole team
            released.wait()

    threads = []
    try:
        if _can_start(holders * team):
            threads = [_started(hold) for _ in range(holders)]
        yield
    finally:
        released.set()
        for thread in filter(None, threads):
            thread.join()


def _can_start(count: int) -> bool:
    """Return whether there can be `count` more threads: OpenMP ends the process that has none."""
    released = threading.Event()
    threads = [_started(released.wait) for _ in range(count)]
    released.set()
    for thread in filter(None, threads):
        thread.join()
    return all(threads)
