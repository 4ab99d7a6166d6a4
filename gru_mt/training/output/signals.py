"""Signals that ask a run to save and stop."""

import os
import signal
import threading
from contextlib import suppress
from types import FrameType
from typing import Self

from gru_mt.data.pool import STOPS


class StopSignals:
    """Inside the block, the first of STOPS is noted in `received` for the loop to see.

    A second one does what it did before the block: in a command of gru-mt it ends the process at
    once. An ignored signal stays ignored, as SIGINT is in a background job and SIGHUP under nohup.
    Only the main thread can take signals; in another thread nothing is noted. stderr says that one
    was noted, unless `announces` is false.
    """

    def __init__(self, *, announces: bool = True) -> None:
        self.received: int | None = None
        self._announces = announces

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
        self._restore()
        self.received = number
        if self._announces:  # not through print: the signal may have interrupted a print
            with suppress(OSError):  # the terminal is gone
                os.write(2, b"\nstopping: saving first; a second signal stops at once\n")

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
