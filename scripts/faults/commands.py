"""Commands in processes of their own, where they can be killed.

A process is a fork of this one, which has imported everything and computed nothing. So a command
need not wait for imports.
"""

import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.context import ForkProcess
from pathlib import Path

from faults.checks import Ended, Failed
from gru_mt.cli import main

FORK = multiprocessing.get_context("fork")
LIMIT_S = 120.0  # what a command may take; an export takes ten seconds, and a machine may be busy
MEMORY = 4 << 30  # bytes that a command may ask for
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def nothing() -> None:
    pass


def gru_mt(
    *arguments: str,
    folder: Path,
    stdin: bytes = b"",
    first: Callable[[], object] = nothing,
    stops: Sequence[tuple[float, int]] = (),
    on_stop: Callable[[], object] = nothing,
    limit_s: float = LIMIT_S,
) -> Ended:
    """Run a command in `folder` to its end; its process calls `first` before it.

    `stops` are pairs (seconds, signal) in order: each signal is sent so long after the start, and
    `on_stop` is called before it. Raises Failed where the command takes longer than `limit_s`.
    """
    (out, its_out), (err, its_err) = os.pipe(), os.pipe()
    with tempfile.TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        streams = (file.fileno(), its_out, its_err)
        process = FORK.Process(target=_run, args=(arguments, folder, streams, first))
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)  # until it is ready for them
        process.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    assert process.pid, "it has been started"
    started_s, sent = time.perf_counter(), []
    os.close(its_out)
    os.close(its_err)
    with ThreadPoolExecutor(2) as readers:
        out_bytes, err_bytes = readers.submit(_read, out), readers.submit(_read, err)
        for seconds, number in stops:
            if not _ends(process, started_s + seconds):
                on_stop()
                os.kill(process.pid, number)
                sent.append(number)
        if not _ends(process, started_s + limit_s):
            process.kill()
            raise Failed(f"{arguments[0]}: hangs: killed after {limit_s:.0f} s")
    text = err_bytes.result().decode("utf-8", "replace")
    return Ended(arguments[0], process.exitcode or 0, out_bytes.result(), text, tuple(sent))


def _read(end: int) -> bytes:
    with open(end, "rb") as file:
        return file.read()


def _ends(process: ForkProcess, until_s: float) -> bool:
    """Return whether a process ends before `time.perf_counter` is `until_s`."""
    while process.exitcode is None and time.perf_counter() < until_s:
        time.sleep(0.003)
    return process.exitcode is not None


def _run(
    arguments: Sequence[str],
    folder: Path,
    streams: tuple[int, int, int],
    first: Callable[[], object],
) -> None:
    """Run the command in this process, with the start that Python gives it."""
    os.chdir(folder)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = ["gru-mt", *arguments]
    limit_memory()
    for number in STOPS:
        signal.signal(number, signal.SIG_DFL)  # of SIGINT too: see gru_mt.__main__
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    first()
    main()


def limit_memory() -> None:
    """Let this process have no more than `MEMORY` above what it has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    size = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))
