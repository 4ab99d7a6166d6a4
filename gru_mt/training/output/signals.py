"""Signals that ask a run to save and stop."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

from gru_mt.data.pool import STOPS

AT_ONCE_S = 1.0  # in which Linux sends several signals to a process whose launcher dies


@dataclass(slots=True)
class StopSignals:
    """The signal that asked to stop, once one has."""

    received: int | None = None


@contextmanager
def stop_signals(*, announces: bool = True) -> Iterator[StopSignals]:
    """Inside the block, the first of STOPS is noted for the loop to see, and stderr says so.

    A second one does what it did before the block: in a command of gru-mt it ends the process at
    once. An ignored signal stays ignored, as SIGINT is in a background job and SIGHUP under nohup.
    Only the main thread can take signals; in another thread nothing is noted. One of several
    processes does not announce it; there, what comes within AT_ONCE_S is the same signal.
    """
    noted, noted_s = StopSignals(), 0.0

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal noted_s
        if announces:
            restore()  # so that a second one does not wait for a long computation
        if noted.received is None:
            noted.received, noted_s = number, time.monotonic()
            with suppress(OSError):  # the terminal is gone
                if announces:  # not through print: the signal may have interrupted a print
                    os.write(2, b"\nstopping: saving first; a second signal stops at once\n")
        elif time.monotonic() - noted_s > AT_ONCE_S:
            restore()
            signal.raise_signal(number)

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    is_main = threading.current_thread() is threading.main_thread()
    heard = [stop for stop in STOPS if is_main and signal.getsignal(stop) != signal.SIG_IGN]
    before = {stop: signal.signal(stop, note) for stop in heard}
    try:
        yield noted
    finally:
        restore()
