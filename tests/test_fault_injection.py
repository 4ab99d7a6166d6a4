"""scripts/fault_injection: what counts as passed, and a small part of its suites."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from faults.checks import Ended, Failed, check, compare, results
from faults.commands import run_trials

ROOT = Path(__file__).parents[1]
TRACEBACK = """Traceback (most recent call last):
  File "/somewhere/gru_mt/cli.py", line 7, in main
    1 / 0
ZeroDivisionError: division by zero
"""


def ended(code: int, err: str = "", out: bytes = b"", sent: tuple[int, ...] = ()) -> Ended:
    return Ended("train", code, out, err, sent)


def test_what_passes() -> None:
    for passed in (
        ended(0, "420 lines read\n", b"a translation\n"),
        ended(2, "a.yaml: cannot be read: Permission denied\n"),
        ended(130, "stopped and saved\n", sent=(signal.SIGINT,)),
        ended(-signal.SIGKILL, sent=(signal.SIGKILL,)),
        # before gru-mt began
        ended(1, TRACEBACK.replace("/gru_mt/", "/runpy/"), sent=(signal.SIGINT,)),
    ):
        assert check(passed) is passed


def test_what_does_not_pass() -> None:
    for failed, words in (
        (ended(1, TRACEBACK), "exit 1: gru_mt/cli.py:7 main: 'ZeroDivisionError"),
        (ended(0, f"{TRACEBACK}finished\n"), "exit 0"),
        (ended(0, "Exception ignored in: <stdout>\n"), "Exception ignored"),
        (ended(130, "stopped and saved\n"), "exit 130"),  # nobody asked it to stop
        (ended(-signal.SIGSEGV), f"exit -{signal.SIGSEGV:d}"),
        (ended(2), "without a word"),
        (ended(2, "a line\n" * 41), "287 characters"),
        (ended(2, "refused\n", b"half a translation\n"), "something on stdout"),
        (ended(2, "a\x1b[2Jb: no such file\n"), r"'\x1b' on stderr"),
    ):
        with pytest.raises(Failed) as failure:
            check(failed)
        assert words in str(failure.value)
    with pytest.raises(Failed, match="exit 0 was due"):
        check(ended(2, "refused\n"), code=0)


def test_runs_are_compared_without_timings_and_logs(tmp_path: Path) -> None:
    for name, elapsed_s in (("one", 1.5), ("other", 2.5)):
        (tmp_path / name / "model").mkdir(parents=True)
        line = json.dumps({"step": 1, "loss": 0.5, "elapsed_s": elapsed_s})
        (tmp_path / name / "metrics.jsonl").write_text(f"{line}\n")
        (tmp_path / name / "train.log").write_text(name)
        (tmp_path / name / "report.html").write_text(name)
        (tmp_path / name / "model" / "weights").write_bytes(b"the same")
    one, other = results(tmp_path / "one"), results(tmp_path / "other")
    assert one.keys() == {"metrics.jsonl", "model/weights", "report.html"}
    compare(one, other, "run")
    for path, content, words in (
        ("metrics.jsonl", '{"step": 1, "los', "metrics.jsonl differs"),
        ("model/weights", "others", "model/weights differs"),
        (".weights.7.part", "", ".weights.7.part is left over"),
    ):
        changed = tmp_path / path.replace("/", " ")
        shutil.copytree(tmp_path / "other", changed)
        (changed / path).write_text(content)
        with pytest.raises(Failed, match=words):
            compare(results(changed), one, "run")
    with pytest.raises(Failed, match="is missing"):
        compare({}, one, "run")


@pytest.mark.slow  # it forks a process that has threads
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_trials_go_on_though_a_process_dies() -> None:
    def trial(index: int) -> str | None:
        if index == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return "odd" if index % 2 else None

    found = dict(run_trials(trial, range(6), jobs=2))
    assert found == {0: None, 1: "odd", 2: "its process died or hung", 3: "odd", 4: None, 5: "odd"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc and Linux's devices")
def test_a_small_part_of_the_suites_passes() -> None:
    command = [sys.executable, "scripts/fault_injection.py", "--times", "0.01", "--jobs", "1"]
    suites = ["configs", "corpora", "inputs", "damage", "kills", "operations", "disks"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    result = subprocess.run(
        [*command, *suites], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    header, *rows = map(str.split, result.stdout.splitlines())
    assert header == ["suite", "trials", "passed", "seconds"]
    assert [row[0] for row in rows] == suites
    assert all(row[1] == row[2] for row in rows)
