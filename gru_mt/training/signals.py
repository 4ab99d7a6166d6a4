"""Signals that ask a run to save and stop."""

import signal
from types import FrameType, TracebackType
from typing import Self


class StopSignals:
    """While it is entered, SIGINT and SIGTERM are noted for the loop to see; twice is at once."""

    def __init__(self) -> None:
        self.received: int | None = None

    def __enter__(self) -> Self:
        self._before = {
            number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)
        }
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.received is not None:
            raise KeyboardInterrupt
        self.received = number
