"""Signals that ask a run to save and stop."""

import os
import signal
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import Self

from gru_mt.data.pool import STOPS


class StopSignals:
    """Inside the block, the first of STOPS is noted in `received` for the loop to see.

    A second one does what it did before the block: in a command of gru-mt it ends the process at
    once. An ignored signal stays ignored, as SIGINT is in a background job and SIGHUP under nohup.
    Only the main thread can take signals; in another thread nothing is noted. stderr says that one
    was noted, unless `announces` is false, as in one of several processes. There, what comes within
    a second counts as the same signal.
    """

    def __init__(self, *, announces: bool = True) -> None:
        self.received: int | None = None
        self._announces = announces
        self._noted_s = 0.0  # on the clock of time.monotonic

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {
                number: signal.signal(number, self._note)
                for number in STOPS
                if signal.getsignal(number) != signal.SIG_IGN
            }
        else:
            self._before = {}
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if not self._announces:
            self._note_in_group(number)
            return
        self._restore()
        self.received = number
        with suppress(OSError):  # the terminal is gone
            # Not through print: the signal may have interrupted a print.
            os.write(2, b"\nstopping: saving first; a second signal stops at once\n")

    def _note_in_group(self, number: int) -> None:
        """Note a signal; Linux sends several at once to a process whose launcher dies."""
        now_s = time.monotonic()
        if self.received is None:
            self.received, self._noted_s = number, now_s
        elif now_s - self._noted_s > 1:
            self._restore()
            os.kill(os.getpid(), number)

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
