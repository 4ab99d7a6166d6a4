"""Signals that ask a run to stop."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from gru_mt.config.schema import Config
from gru_mt.training.output.signals import StopSignals

Configure = Callable[..., Config]


def test_a_second_signal_is_not_waited_for(tmp_path: Path) -> None:
    received: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    try:
        with StopSignals() as signals:
            os.kill(os.getpid(), signal.SIGINT)
            assert (signals.received, received) == (signal.SIGINT, [])
            os.kill(os.getpid(), signal.SIGINT)
            assert received == [signal.SIGINT]  # whoever had it before has it again
        with StopSignals(announces=False) as signals:
            for _ in range(3):  # at once, as Linux sends them when a launcher dies: they are one
                os.kill(os.getpid(), signal.SIGINT)
            assert (signals.received, received) == (signal.SIGINT, [signal.SIGINT])
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_ignored_signal_stays_ignored() -> None:
    """As SIGHUP is under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with StopSignals() as signals:
            os.kill(os.getpid(), signal.SIGHUP)
            assert signals.received is None
    finally:
        signal.signal(signal.SIGHUP, before)
