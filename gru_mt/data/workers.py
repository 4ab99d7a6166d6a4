"""Work in processes beside this one, for which a chunk of data comes and a result goes.

A result depends on its chunk alone, so the number of processes changes nothing.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from queue import SimpleQueue
from typing import Any, TypeVar

from gru_mt.errors import UserError

STOPS = [  # signals that ask a process to stop
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # not on every system
]
FEW = 2  # chunks; for so few no process is started
AHEAD = 3  # chunks for each process that wait for it, or for those before them

A = TypeVar("A")
B = TypeVar("B")
Submit = Callable[[A], Future[B]]


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(make: Callable[[], Callable[[A], B]], chunks: Iterable[A]) -> Generator[B, None, None]:
    """Yield what the function that `make` gives makes of each chunk; each process makes its own.

    Raises what the function raises, and UserError where the system kills a process.
    """
    waiting = iter(chunks)
    first = [*islice(waiting, FEW + 1)]
    if len(first) <= FEW or cores() == 1:
        function = make()
        yield from map(function, first)
        yield from map(function, waiting)
        return
    with processes(cores(), make) as submit:
        results = deque(map(submit, first))
        while results:
            results.extend(map(submit, islice(waiting, AHEAD * cores() - len(results))))
            yield results.popleft().result()


@contextmanager
def beside(function: Callable[[A], B], item: A, *, is_small: bool) -> Iterator[Callable[[], B]]:
    """Yield what gives `function(item)`, which another process computes in the meantime.

    Where that is little work, or one core is all there is, this process does it when it is asked.
    """
    if is_small or cores() == 1:
        yield lambda: function(item)
        return
    with processes(1, partial(_identity, function)) as submit:
        future = submit(item)
        yield future.result


def _identity(item: A) -> A:
    return item


@contextmanager
def processes(
    count: int, make: Callable[[], Callable[[A], B]], *, nice: int = 0
) -> Iterator[Submit[A, B]]:
    """Yield what hands a chunk to the next free one of `count` processes.

    They end with the block, and with this process, whatever they are at. The system gives less time
    to those with a larger `nice`.
    """
    helpers = [_Helper(make, nice) for _ in range(count)]
    free = SimpleQueue[_Helper]()
    for helper in helpers:
        free.put(helper)

    def result(chunk: A) -> B:
        helper = free.get()
        try:
            found: B = helper.result(chunk)
        finally:
            free.put(helper)
        return found

    with ThreadPoolExecutor(count) as threads:
        try:
            yield lambda chunk: threads.submit(result, chunk)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            for helper in helpers:
                helper.end()


class _Helper:
    """Another process, from the side of this one.

    Unlike a process of multiprocessing it does not run the caller's main module again.
    """

    def __init__(self, make: Callable[[], Callable[[Any], Any]], nice: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from gru_mt.data.workers import help_others; help_others()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert self._process.stdin, "it is a pipe"
        assert self._process.stdout, "and so is this"
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._send((make, nice))

    def _send(self, item: object) -> None:
        pickle.dump(item, self._stdin, pickle.HIGHEST_PROTOCOL)
        self._stdin.flush()

    def result(self, chunk: object) -> Any:
        """Return what the function gives for a chunk, or raise what it raises."""
        try:
            self._send(chunk)
            is_error, result = pickle.load(self._stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise UserError(
                "a process that prepares data was killed, mostly for lack of memory; the same "
                "command starts again"
            ) from None
        if is_error:
            raise result
        return result

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._stdin, self._stdout):
            with suppress(OSError):  # what it did not read is lost
                pipe.close()


def help_others() -> None:
    """Answer each chunk from stdin on stdout, until stdin ends; what is printed goes to stderr."""
    for each in STOPS:
        signal.signal(each, signal.SIG_IGN)  # they may reach all; the first process ends us
    chunks, results = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    make, nice = pickle.load(chunks)
    if hasattr(os, "nice"):  # not on every system
        os.nice(nice)
    function = make()
    while True:
        try:
            chunk = pickle.load(chunks)
        except (EOFError, pickle.UnpicklingError):  # it ends, or was killed as it wrote
            return
        try:
            answer = False, function(chunk)
        except BaseException as error:
            answer = True, error
        try:
            pickle.dump(answer, results, pickle.HIGHEST_PROTOCOL)
            results.flush()
        except BrokenPipeError:
            os._exit(1)  # nobody is there to read it; a proper end would try once more
