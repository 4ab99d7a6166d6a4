"""Signals that ask a run to stop."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from gru_mt.errors import ProcessLost
from gru_mt.training.output.signals import stop_signals


def test_a_second_signal_is_not_waited_for() -> None:
    received: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    try:
        with stop_signals() as noted:
            os.kill(os.getpid(), signal.SIGINT)
            assert (noted(), received) == (signal.SIGINT, [])
            os.kill(os.getpid(), signal.SIGINT)
            assert received == [signal.SIGINT]  # whoever had it before has it again
        with stop_signals(announces=False) as noted:
            for _ in range(3):  # at once, as a launcher and a terminal send them: they are one
                os.kill(os.getpid(), signal.SIGINT)
            assert (noted(), received) == (signal.SIGINT, [signal.SIGINT])
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_ignored_signal_stays_ignored_and_a_thread_takes_none() -> None:
    """As SIGHUP is under nohup."""

    def received() -> int | None:
        with stop_signals() as noted:
            os.kill(os.getpid(), signal.SIGHUP)
            return noted()

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ThreadPoolExecutor(1) as pool:
            assert received() is pool.submit(received).result() is None
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("asked", [False, True])
def test_a_launcher_ends_a_process_that_then_finds_itself_alone(asked: bool) -> None:
    """The launcher may see first that another one was killed."""
    received: list[int] = []

    def lose_the_others() -> None:
        with stop_signals(announces=False):
            if asked:
                os.kill(os.getpid(), signal.SIGTERM)
            assert received == []
            raise ProcessLost("the connection is lost")

    before = signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
    try:
        with pytest.raises(ProcessLost):
            lose_the_others()
        assert received == [signal.SIGTERM] * asked
    finally:
        signal.signal(signal.SIGTERM, before)
