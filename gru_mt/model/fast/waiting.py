"""How long threads that wait for each other keep their cores busy.

torch computes with threads of GNU OpenMP. A thread that waits for the others looks for work in a
loop, for some milliseconds, before it sleeps. Where nothing else wants the cores, this is right:
sleeping and waking at every operation takes longer. Beside another process it is wrong: the loop
holds a core that the other threads need to go on.

OpenMP's threads sleep almost at once while they are more than the machine's cores (its manual,
under GOMP_SPINCOUNT). Nothing else changes this in a running process. So while other processes want
the cores, this module gives OpenMP more threads, which do nothing. Results stay the same to the
last bit, because each thread still computes the same part.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gru_mt.model.fast.switch import tuned

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
    ended = threading.Event()
    watch = None
    schedstat = TASKS / str(threading.get_native_id()) / "schedstat"
    if device_type == "cpu" and tuned() and schedstat.exists():
        watch = _started(_watch, ended)
    try:
        yield
    finally:
        ended.set()
        if watch:
            watch.join()


def _started(target: Callable[..., object], *arguments: object) -> threading.Thread | None:
    """Return a thread that runs `target`; None where the system allows no more threads."""
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
    """Return whether threads waited much for cores in the period; False where `ended` ends it."""
    waited_s, started_s = waited_for_cores_s(), time.perf_counter()
    if ended.wait(period_s):
        return False
    return waited_for_cores_s() - waited_s > CROWDED * (time.perf_counter() - started_s)


def waited_for_cores_s() -> float:
    """Return for how many seconds threads of this process were ready to run but had no core.

    It is the sum, over living threads, of the second field of Linux's schedstat. Raises OSError
    where the threads cannot be listed.
    """
    waited_ns = 0
    for task in TASKS.iterdir():
        with suppress(OSError, IndexError):  # it has just ended
            waited_ns += int((task / "schedstat").read_text().split()[1])
    return waited_ns / 1e9


@contextmanager
def more_threads_than_cores() -> Iterator[None]:
    """For the length of the block give OpenMP more threads than there are cores; they sleep."""
    import torch

    team = torch.get_num_threads()
    # Each thread that computes gets a team of its own, and is itself a member of it.
    holders = (len(os.sched_getaffinity(0)) - 1) // (team - 1) if team > 1 else 0
    released = threading.Event()

    def hold() -> None:
        with suppress(Exception):
            torch.ones(1 << 20)  # large enough to need the whole team
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
    """Return whether `count` more threads can start; where they cannot, OpenMP ends the process."""
    released = threading.Event()
    threads = [_started(released.wait) for _ in range(count)]
    released.set()
    for thread in filter(None, threads):
        thread.join()
    return all(threads)
