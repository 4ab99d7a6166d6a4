"""A pool of processes for preparing data, which ends with the process that made it.

A result depends on its item only, so the number of processes changes nothing.
"""

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import chain, islice
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from threading import Lock, Thread
from types import ModuleType
from typing import Any, TypeVar

from gru_mt.errors import UserError

# Signals that ask a process to stop; not every system has SIGHUP.
STOPS = [stop for stop in signal.Signals if stop.name in ("SIGINT", "SIGTERM", "SIGHUP")]
FEW = 4  # chunks; to start processes takes longer than to work on so few
AHEAD = 3  # chunks for each process that wait for it, or for those before them
KILLED = (
    "another process of this command was killed, mostly for lack of memory; the same command "
    "starts again"
)

A = TypeVar("A")
B = TypeVar("B")


def cores() -> int:
    """Return how many cores this process may use."""
    has_affinity = hasattr(os, "sched_getaffinity")  # not on every system
    return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1


def map_in_order(function: Callable[[A], B], chunks: Iterable[A]) -> Generator[B, None, None]:
    """Yield `function(chunk)` of each chunk, in order; a process for each core computes them.

    Raises what the function raises, and UserError where the system kills a process.
    """
    waiting = iter(chunks)
    first = [*islice(waiting, FEW + 1)]
    if len(first) <= FEW or cores() == 1:
        yield from map(function, chain(first, waiting))
        return
    with pool(function, cores()) as submit:
        results = deque(map(submit, first))
        while results:
            results.extend(map(submit, islice(waiting, AHEAD * cores() - len(results))))
            yield results.popleft().result()


@contextmanager
def in_background(
    function: Callable[[list[A]], B], chunks: Iterable[Sequence[A]]
) -> Iterator[Callable[[], B]]:
    """Yield a function that returns `function` of all items, which another process computes.

    The items go there chunk by chunk, so this process need not hold them. Where there are few
    chunks, or one core, this process does it when it is asked.
    """
    waiting = iter(chunks)
    first = [*islice(waiting, FEW + 1)]
    if len(first) <= FEW or cores() == 1:
        yield lambda: function([*chain.from_iterable(chain(first, waiting))])
        return
    with pool(_OfAll(function), 1) as submit:
        count = 0
        for chunk in chain(first, waiting):
            submit((count, chunk)).result()
            count += len(chunk)
        yield submit((count, None)).result


class _OfAll:
    """A function of all items, which takes them chunk by chunk, and None after the last.

    Each comes with the number of items before it. A process that replaces a killed one lacks them.
    """

    def __init__(self, function: Callable[[list[Any]], Any]) -> None:
        self._function, self._items = function, list[Any]()

    def __call__(self, counted: tuple[int, Sequence[Any] | None]) -> Any:
        count, chunk = counted
        if count != len(self._items):
            raise UserError(KILLED)
        if chunk is None:
            return self._function(self._items)
        self._items += chunk
        return None


@contextmanager
def pool(
    function: Callable[[A], B], size: int, *, nice: int = 0
) -> Iterator[Callable[[A], Future[B]]]:
    """Yield a function that hands an item to the next free one of `size` processes.

    They end with the `with` statement, and with this process, whatever they are at; one that is
    killed is replaced. The system gives less time to those with a larger `nice`.
    """
    workers, free, lock, has_ended = [], SimpleQueue[Connection](), Lock(), False

    def start() -> Connection:
        with lock:
            if has_ended:
                raise CancelledError
            ours, theirs = get_context("spawn").Pipe()
            main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
            try:  # it needs nothing of the caller's main module, so it does not run it again
                arguments = theirs, function, nice
                worker = get_context("spawn").Process(target=_work, args=arguments, daemon=True)
                worker.start()
            finally:
                sys.modules["__main__"] = main
            theirs.close()
            workers.append(worker)
            return ours

    def result(item: A) -> B:
        connection = free.get()
        try:
            try:
                connection.send(item)
            except OSError:  # it was killed while it had nothing to do
                connection = start()
                connection.send(item)
            found, error = connection.recv()
        except (EOFError, OSError):
            connection = start()
            raise UserError(KILLED) from None
        finally:
            free.put(connection)
        if error is not None:
            raise error
        value: B = found
        return value

    for _ in range(size):
        free.put(start())
    with ThreadPoolExecutor(size) as threads:
        try:
            yield lambda item: threads.submit(result, item)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            with lock:
                has_ended = True
            for worker in workers:
                worker.kill()
                worker.join()


def _work(connection: Connection, function: Callable[[Any], Any], nice: int) -> None:
    """Answer each item with its result, or with what the function raises."""
    for stop in STOPS:
        signal.signal(stop, signal.SIG_IGN)  # they may reach all; the first process ends us
    Thread(target=_exit_with_parent, daemon=True).start()
    if hasattr(os, "nice"):  # not on every system
        os.nice(nice)
    with suppress(EOFError, OSError):  # the other end is closed: nobody waits for an answer
        while True:
            item = connection.recv()
            answer: tuple[Any, BaseException | None]
            try:
                answer = function(item), None
            except BaseException as error:
                answer = None, error
            connection.send(answer)


def _exit_with_parent() -> None:
    """End this process, whatever it is at, once the one that started it has ended."""
    parent = parent_process()
    assert parent, "a pool started this process"
    wait([parent.sentinel])
    os._exit(1)
