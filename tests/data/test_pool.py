"""A pool of processes: results in order, errors as they are, and no process that is left behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path

import pytest

from gru_mt.data import pool as pool_module
from gru_mt.data.pool import in_background, map_in_order, pool
from gru_mt.errors import UserError


def square(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


def total(numbers: Sequence[int]) -> tuple[int, int]:
    return sum(numbers), os.getpid()


def hundred_over(number: int) -> float:
    return 100 / number


def kill_self(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "cores", lambda: 2)


def test_results_come_in_order_from_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """But few chunks start no process, nor do many on one core; chunks are read a little ahead."""
    numbers = count()
    results = map_in_order(square, numbers)
    found = [*islice(results, 40)]
    results.close()
    assert [result for result, _ in found] == [number * number for number in range(40)]
    assert next(numbers) <= 40 + pool_module.AHEAD * 2
    pids = {pid for _, pid in found}
    assert os.getpid() not in pids
    assert 1 <= len(pids) <= 2
    assert {pid for _, pid in map_in_order(square, range(2))} == {os.getpid()}
    monkeypatch.setattr(pool_module, "cores", lambda: 1)
    assert {pid for _, pid in map_in_order(square, range(40))} == {os.getpid()}


def test_what_a_function_raises_is_raised_here_and_a_killed_process_is_one_line() -> None:
    with pytest.raises(ZeroDivisionError):
        [*map_in_order(hundred_over, [0])]  # in this process
    with pytest.raises(ZeroDivisionError), pool(hundred_over, 1) as submit:
        submit(0).result()
    killed = "was killed, mostly for lack of memory; the same command"
    with pool(kill_self, 1) as submit_kill:
        for _ in range(2):  # another takes its place
            with pytest.raises(UserError, match=killed):
                submit_kill(0).result()


def test_a_process_that_is_killed_while_it_waits_is_replaced() -> None:
    with pool(square, 1) as submit:
        _, pid = submit(1).result()
        [process] = multiprocessing.active_children()
        process.kill()
        process.join()
        result, other = submit(3).result()
    assert (result, other != pid) == (9, True)


def test_work_in_the_background_has_its_result_when_it_is_asked_for() -> None:
    for chunks, is_elsewhere in (([[2, 3], [1]], False), ([[2], [3], [1], [], []], True)):
        with in_background(total, iter(chunks)) as result:
            found, pid = result()
        assert (found, pid != os.getpid()) == (6, is_elsewhere)


def test_no_chunk_is_forgotten_with_a_process_that_was_killed() -> None:
    def chunks() -> Iterator[list[int]]:
        yield from ([1], [2], [3], [4], [5])
        [process] = multiprocessing.active_children()
        process.kill()
        process.join()
        yield [6]

    killed = pytest.raises(UserError, match="another process of this command was killed")
    with killed, in_background(total, chunks()) as result:
        result()


def test_processes_outlive_signals_to_all_and_end_with_the_block() -> None:
    started_s = time.monotonic()
    with pool(square, 1) as submit, pool(time.sleep, 1) as submit_sleep:
        submit_sleep(60.0)
        _, pid = submit(1).result()
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(pid, number)
            assert submit(3).result() == (9, pid)
    assert time.monotonic() - started_s < 30


PROGRAM = """
import os, time
from gru_mt.data.pool import pool
from tests.data.test_pool import square
with pool(square, 1) as idle, pool(time.sleep, 1) as busy:
    busy(60.0)
    idle(3).result()
    time.sleep(1.0)  # the other is asleep
    os.kill(os.getpid(), 9)
"""


def test_a_script_that_is_killed_leaves_no_process_and_no_message(tmp_path: Path) -> None:
    """The script has no `if __name__ == "__main__"`: a new process does not run it again."""
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    command = [sys.executable, str(script)]
    # What it started has its pipes too: they are at their end once all of them have ended.
    path = {"PYTHONPATH": str(Path(__file__).parents[2])}
    killed = subprocess.run(
        command, env=os.environ | path, capture_output=True, text=True, timeout=45, check=False
    )
    assert (killed.returncode, killed.stdout, killed.stderr) == (-signal.SIGKILL, "", "")
