"""Commands and trials in processes of their own, where they can be killed.

A command is a fork of this process, which has imported everything and computed nothing. So it need
not wait for imports.
"""

import multiprocessing
import os
import resource
import select
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import NoReturn

from faults.checks import Ended, Failed
from gru_mt.cli import main

LIMIT_S = 30.0  # what a command may take
HANG_S = 300.0  # what a trial may take, all its commands together
MEMORY = 4 << 30  # bytes that a command may ask for
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ROOT = Path(__file__).parents[2]

Trial = Callable[[int], str | None]  # its number -> how it failed


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
            _run_command(arguments, folder, (file.fileno(), its_out, its_err), first)
    os.close(its_out)
    os.close(its_err)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    return _collect(child, (out, err), arguments[0], stops, on_stop, limit_s)


def start_python(arguments: Sequence[str]) -> NoReturn:
    """Have this process run a command as users start it, Python's own start included."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    os.execve(sys.executable, [sys.executable, "-m", "gru_mt", *arguments], environment)


def _run_command(
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
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if first:
            first()
        code = _call_main()
    finally:
        os._exit(code)


def _call_main() -> int:
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
    name: str,
    stops: Sequence[tuple[float, int]],
    on_stop: Callable[[], object],
    limit_s: float,
) -> Ended:
    """Return how a process ended; send it its signals, and kill it where it hangs."""
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


def run_trials(trial: Trial, indexes: Sequence[int], jobs: int) -> Iterator[tuple[int, str | None]]:
    """Yield each index and what `trial` returns for it; each runs in a fork, `jobs` at a time."""
    context = multiprocessing.get_context("fork")
    left = [*reversed(indexes)]
    running: dict[Connection, tuple[int, int, float]] = {}  # index, process id, when it hangs
    try:
        while left or running:
            while left and len(running) < jobs:
                index = left.pop()
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_run_trial, args=(trial, index, sender))
                process.start()
                sender.close()
                assert process.pid, "it has been started"
                running[receiver] = (index, process.pid, time.monotonic() + HANG_S)
            ready = wait([*running], timeout=1.0)
            for pipe in [pipe for pipe in running if pipe in ready]:
                index, pid, _ = running.pop(pipe)
                try:
                    failure = pipe.recv()
                except EOFError:
                    failure = "its process died or hung"
                _kill(pid)
                yield index, failure
            for _, pid, hangs_s in running.values():
                if time.monotonic() > hangs_s:
                    _kill(pid)  # then its pipe is at its end
    finally:
        for _, pid, _ in running.values():
            _kill(pid)


def _run_trial(trial: Trial, index: int, sender: Connection) -> None:
    os.setpgid(0, 0)
    sender.send(trial(index))


def _kill(pid: int) -> None:
    """Kill a trial's process and the command that it runs; its group is there once it has begun."""
    for number in (pid, -pid):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
