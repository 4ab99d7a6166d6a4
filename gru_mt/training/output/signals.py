"""Signals that ask a run to save and stop."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from torch.multiprocessing import _prctl_pr_set_pdeathsig  # type: ignore[attr-defined]

from gru_mt.data.pool import STOPS
from gru_mt.errors import ProcessLost

AT_ONCE_S = 1.0  # in which a launcher and a terminal may send the same signal


@contextmanager
def stop_signals(*, announces: bool = True) -> Iterator[Callable[[], int | None]]:
    """Yield a function that returns the first of STOPS that came, or None; stderr says it came.

    A second one does what it did before the block: in a command of gru-mt it ends the process at
    once. An ignored signal stays ignored, as SIGINT is in a background job and SIGHUP under nohup.
    Another thread than the main one gets none. One of several processes does not announce it;
    there, what comes within AT_ONCE_S is the same signal. Where one has come and the connection to
    the other processes is lost, a launcher means to end this process, and the signal does so.
    """
    received: int | None = None
    noted_s = 0.0

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal received, noted_s
        if received is None:
            received, noted_s = number, time.monotonic()
            if announces:
                restore()  # so that a second one does not wait for a long computation
                with suppress(OSError):  # the terminal is gone
                    # Not through print: the signal may have interrupted a print.
                    os.write(2, b"\nstopping: saving first; a second signal stops at once\n")
        elif time.monotonic() - noted_s > AT_ONCE_S:
            restore()
            signal.raise_signal(number)

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    if not announces:  # Linux tells a launcher's death several times: Group.any_signal sees it once
        _prctl_pr_set_pdeathsig(0)
    before = {stop: signal.signal(stop, note) for stop in _heard()}
    try:
        yield lambda: received
    except ProcessLost:
        if received is not None:
            restore()
            signal.raise_signal(received)
        raise
    finally:
        restore()


def _heard() -> list[signal.Signals]:
    if threading.current_thread() is not threading.main_thread():
        return []
    return [stop for stop in STOPS if signal.getsignal(stop) != signal.SIG_IGN]
