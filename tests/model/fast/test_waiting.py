"""Waiting threads sleep while other processes want the cores."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest
import torch

from gru_mt.model.fast import waiting
from gru_mt.model.fast.waiting import (
    TASKS,
    more_threads_than_cores,
    waited_for_cores_s,
    while_computing,
)

if not TASKS.exists():
    pytest.skip("only Linux tells how long a thread waited for a core", allow_module_level=True)

COUNT_THREADS = """
import os, sys, threading, torch
from gru_mt.model.fast import waiting

def count():  # threads of OpenMP; of those that Python has just ended, the system may count some
    others = len(os.listdir("/proc/self/task")) - threading.active_count()
    return torch.get_num_threads() + others - before

before = 0
torch.ones(1 << 20)
before = count() - torch.get_num_threads()
for cores in map(int, sys.argv[1:]):
    os.sched_getaffinity = lambda process: range(cores)
    with waiting.more_threads_than_cores():
        while count() != cores + 1:
            pass
    while count() > torch.get_num_threads():
        pass
"""


def no_thread(*_: object) -> NoReturn:
    raise RuntimeError("can't start new thread")


@pytest.fixture
def threads(capfd: pytest.CaptureFixture[str]) -> Iterator[Callable[[], int]]:
    """Yield a function that counts new threads; check that a test leaves none and says nothing."""
    before = threading.active_count()
    yield lambda: threading.active_count() - before
    assert threading.active_count() == before
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_there_is_one_thread_more_than_cores_while_it_is_entered() -> None:
    subprocess.run(
        [sys.executable, "-c", COUNT_THREADS, "2", "3", "8"],
        env=os.environ | {"OMP_NUM_THREADS": "2"},
        check=True,
        timeout=300,
    )


@pytest.mark.parametrize("least", range(7))
def test_where_there_can_be_no_more_threads_there_are_none_and_nothing_waits_for_them(
    least: int, threads: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are two teams of two threads: four threads only test the limit, then two stay."""
    genuine = threading.Thread.start
    started: list[threading.Thread] = []

    def start(thread: threading.Thread) -> None:
        if len(started) == least:
            no_thread()
        started.append(thread)
        genuine(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    monkeypatch.setattr(torch, "ones", lambda size: None)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(3))
    with more_threads_than_cores():
        assert threads() == max(0, least - 4)


def test_a_crowd_is_threads_that_wait_for_more_than_two_fifths_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("1", "5 1500000000 7\n"), ("2", "5 250000000 7\n"), ("3", ""), ("4", None)):
        (tmp_path / name).mkdir()
        if text is not None:  # two threads end meanwhile
            (tmp_path / name / "schedstat").write_text(text)
    monkeypatch.setattr(waiting, "TASKS", tmp_path)
    assert waited_for_cores_s() == 1.75
    ended = threading.Event()
    monkeypatch.setattr(ended, "wait", lambda period_s: False)
    for waited_s, is_one in ((0.75, False), (0.85, True)):
        readings, clock = iter((10.0, 10.0 + waited_s)), iter((3.0, 5.0))
        monkeypatch.setattr(waiting, "waited_for_cores_s", readings.__next__)
        monkeypatch.setattr(waiting, "time", SimpleNamespace(perf_counter=clock.__next__))
        assert waiting._crowded(2.0, ended) == is_one


def test_a_crowd_is_answered_once_and_until_it_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    crowds = [False, True, True, False, False]
    told: list[str] = []
    ended = threading.Event()

    def crowded(period_s: float, ended: threading.Event) -> bool:
        told.append(f"looked {period_s}")
        if len(crowds) == 1:
            ended.set()
        return crowds.pop(0)

    @contextmanager
    def more_threads() -> Iterator[None]:
        told.append("entered")
        yield
        told.append("left")

    monkeypatch.setattr(waiting, "_crowded", crowded)
    monkeypatch.setattr(waiting, "more_threads_than_cores", more_threads)
    waiting._watch(ended)
    look, crowd = "looked 0.25", "looked 2.0"
    assert told == [look, look, "entered", crowd, crowd, "left", look]


@pytest.mark.parametrize("device_type", ["cuda", "onnxruntime", "cpu"])
def test_other_devices_are_not_watched_and_nothing_is_said_where_the_watch_cannot_start(
    device_type: str, threads: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    if device_type == "cpu":
        monkeypatch.setattr(threading.Thread, "start", no_thread)
    with while_computing(device_type):
        assert threads() == 0


def test_a_watch_that_fails_ends_without_a_word(
    threads: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = threading.Event()

    def fail() -> NoReturn:
        failed.set()
        raise OSError("Too many open files")

    monkeypatch.setattr(waiting, "waited_for_cores_s", fail)
    with while_computing("cpu"):
        assert failed.wait(60)
