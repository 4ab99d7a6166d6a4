"""Commands in processes of their own, where they can be killed.

A command is a fork of this process, which has imported everything and computed nothing. So it need
not wait for imports.
"""

import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from gru_mt.cli import main
from torturing.judging import Ended, Failed

LIMIT_S = 30.0  # what a command may take
HANG_S = 300.0  # what a trial may take, all its commands together
MEMORY = 4 << 30  # bytes that a command may ask for
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ROOT = Path(__file__).parents[2]

Attempt = Callable[[int], str | None]  # a trial's number -> how it failed


def gru_mt(
    *arguments: str,
    folder: Path,
    stdin: bytes = b"",
    first: Callable[[], None] | None = None,
    stops: Sequence[tuple[float, int]] = (),
    on_stop: Callable[[], object] = int,
    limit_s: float = LIMIT_S,
) -> Ended:
    """Run a command in `folder` to its end; its process calls `first` before it.

    `stops` are pairs (seconds, signal): each signal is sent so long after the start, and `on_stop`
    is called before it. Raises Failed where the command takes longer than `limit_s`.
    """
    (out, its_out), (err, its_err) = os.pipe(), os.pipe()
    with tempfile.TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        child = os.fork()
        if not child:
            _live(arguments, folder, (file.fileno(), its_out, its_err), first)
    os.close(its_out)
    os.close(its_err)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    return _collect(child, (out, err), arguments, stops, on_stop, limit_s)


def started_gru_mt(
    *arguments: str, folder: Path, stdin: bytes = b"", stops: Sequence[tuple[float, int]] = ()
) -> Ended:
    """Run a command as users start it, Python's own start included; see `gru_mt`."""
    command = [sys.executable, "-m", "gru_mt", *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with tempfile.TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=folder, env=environment, stdin=file, stdout=pipe, stderr=pipe
        ) as process:
            assert process.stdout, "it is a pipe"
            assert process.stderr, "it is a pipe"
            ends = (os.dup(process.stdout.fileno()), os.dup(process.stderr.fileno()))
            ended = _collect(process.pid, ends, arguments, stops, int, LIMIT_S)
            process.returncode = ended.code  # it has been waited for
            return ended


def _live(
    arguments: Sequence[str],
    folder: Path,
    streams: tuple[int, int, int],
    first: Callable[[], None] | None,
) -> NoReturn:
    """Run the command in this process, with the start and the end that Python gives it."""
    code = 1
    try:
        os.chdir(folder)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        sys.argv = ["gru-mt", *arguments]
        limit_memory()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        if first:
            first()
        code = _called()
    finally:
        os._exit(code)


def _called() -> int:
    """Call `main`; return the exit code with which Python would end after it."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # as gru_mt.__main__ has it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except (OSError, ValueError) as error:
            with suppress(OSError, ValueError):
                print(f"Exception ignored in: {stream!r}\n{error!r}", file=sys.stderr)
            code = 120
    return code


def limit_memory() -> None:
    """Let this process have no more than `MEMORY` above what it has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    size = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))


def _collect(
    child: int,
    ends: tuple[int, int],
    arguments: Sequence[str],
    stops: Sequence[tuple[float, int]],
    on_stop: Callable[[], object],
    limit_s: float,
) -> Ended:
    """Return how a process ended; send it its signals, and kill it where it hangs."""
    name = " ".join(arguments[:1])
    read: dict[int, bytearray] = {end: bytearray() for end in ends}
    to_send, sent, open_ends = sorted(stops), [], set(ends)
    started_s = time.perf_counter()
    try:
        while open_ends:
            passed_s = time.perf_counter() - started_s
            while to_send and to_send[0][0] <= passed_s:
                on_stop()
                sent.append(to_send.pop(0)[1])
                os.kill(child, sent[-1])
            if passed_s > limit_s:
                raise Failed(f"{name}: hangs: killed after {limit_s:.0f} s")
            next_s = min([limit_s + 0.1, *(seconds for seconds, _ in to_send)])
            for end in select.select(open_ends, [], [], max(0.0, next_s - passed_s))[0]:
                data = os.read(end, 1 << 16)
                read[end] += data
                if not data:
                    open_ends.discard(end)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        for end in ends:
            os.close(end)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    out, err = read.values()
    return Ended(name, code, bytes(out), err.decode("utf-8", "replace"), tuple(sent))


# Trials


class Worker:
    """A process that makes trials, one after the other."""

    def __init__(self, attempt: Attempt, indexes: list[int]) -> None:
        self.attempt = attempt
        self.indexes = indexes  # of trials to come, the one under way first
        self.ended = False
        self.heard_s = time.perf_counter()
        self.pipe, end = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            self._work(end)
        os.close(end)

    def _work(self, end: int) -> NoReturn:
        try:
            os.setpgid(0, 0)
            for index in self.indexes:
                os.write(end, json.dumps(self.attempt(index)).encode() + b"\n")
        finally:
            os._exit(0)

    def read(self) -> list[tuple[int, str | None]]:
        """Return the results since the last call: each a trial's number and how it failed."""
        data = os.read(self.pipe, 1 << 20)
        self.heard_s = time.perf_counter()
        if data:
            return [(self.indexes.pop(0), json.loads(line)) for line in data.splitlines()]
        self.end()
        self.ended = True
        return [(self.indexes.pop(0), "its process died or hung")] if self.indexes else []

    def end(self) -> None:
        """Kill it, and the command that it runs."""
        for number in (self.pid, -self.pid):  # its group exists only once it has begun
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def side_by_side(
    attempt: Attempt, indexes: Sequence[int], jobs: int
) -> Iterator[tuple[int, str | None]]:
    """Yield each index and what `attempt` returns for it, from `jobs` processes at a time."""
    shares = [list(indexes[rank::jobs]) for rank in range(jobs)]
    begun = [Worker(attempt, share) for share in shares if share]
    workers = {worker.pipe: worker for worker in begun}
    try:
        while workers:
            ready = select.select([*workers], [], [], 1.0)[0]
            for pipe in ready:
                worker = workers[pipe]
                yield from worker.read()
                if worker.ended:
                    del workers[pipe]
                    os.close(pipe)
                    if worker.indexes:  # a new process takes the rest
                        worker = Worker(attempt, worker.indexes)
                        workers[worker.pipe] = worker
            for worker in workers.values():
                if time.perf_counter() - worker.heard_s > HANG_S:
                    worker.end()  # the next read finds its pipe's end
    finally:
        for worker in workers.values():
            worker.end()
