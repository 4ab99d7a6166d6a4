"""scripts/fault_injection: what counts as passed, and a small part of its suites."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from faults.checks import Ended, Failed, check, compare, results
from faults.commands import gru_mt

ROOT = Path(__file__).parents[1]
TRACEBACK = """Traceback (most recent call last):
  File "/somewhere/gru_mt/cli.py", line 7, in main
    1 / 0
ZeroDivisionError: division by zero
"""
SIGINT = (signal.SIGINT,)


@pytest.mark.parametrize(
    ("code", "err", "out", "sent"),
    [
        (0, "420 lines read\n", b"a translation\n", ()),
        (2, "a.yaml: cannot be read: Permission denied\n", b"", ()),
        (130, "stopped and saved\n", b"", SIGINT),
        (-signal.SIGKILL, "", b"", (signal.SIGKILL,)),
        (1, TRACEBACK.replace("/gru_mt/", "/runpy/"), b"", SIGINT),  # before gru-mt began
    ],
)
def test_what_passes(code: int, err: str, out: bytes, sent: tuple[int, ...]) -> None:
    check(Ended("train", code, out, err, sent))


@pytest.mark.parametrize(
    ("code", "err", "out", "words"),
    [
        (1, TRACEBACK, b"", "exit 1: gru_mt/cli.py:7 main: 'ZeroDivisionError"),
        (0, f"{TRACEBACK}finished\n", b"", "exit 0"),
        (0, "Exception ignored in: <stdout>\n", b"", "Exception ignored"),
        (130, "stopped and saved\n", b"", "exit 130"),  # nobody asked it to stop
        (-signal.SIGSEGV, "", b"", f"exit -{signal.SIGSEGV:d}"),
        (2, "", b"", "without a word"),
        (2, "a line\n" * 41, b"", "287 characters"),
        (2, "refused\n", b"half a translation\n", "something on stdout"),
        (2, "a\x1b[2Jb: no such file\n", b"", r"'\x1b' on stderr"),
    ],
)
def test_what_does_not_pass(code: int, err: str, out: bytes, words: str) -> None:
    with pytest.raises(Failed) as failure:
        check(Ended("train", code, out, err))
    assert words in str(failure.value)
    with pytest.raises(Failed, match="exit 0 was due"):
        check(Ended("train", 2, b"", "refused\n"), code=0)


def test_runs_are_compared_without_timings_and_logs(tmp_path: Path) -> None:
    for name, elapsed_s in (("one", 1.5), ("other", 2.5)):
        (tmp_path / name / "model").mkdir(parents=True)
        line = json.dumps({"step": 1, "elapsed_s": elapsed_s, "loss": 0.5})
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
def test_a_command_is_run_signalled_and_killed(tmp_path: Path) -> None:
    def wait() -> None:
        time.sleep(60)

    done = gru_mt("--version", folder=tmp_path)
    assert (done.code, done.out[:7], done.err, done.sent) == (0, b"gru-mt ", "", ())
    seen: list[str] = []
    stops = [(0.05, signal.SIGTERM)]
    stopped = gru_mt(
        "--help", folder=tmp_path, first=wait, stops=stops, on_stop=lambda: seen.append("stop")
    )
    assert (stopped.code, stopped.sent, seen) == (-signal.SIGTERM, (signal.SIGTERM,), ["stop"])
    with pytest.raises(Failed, match="--help: hangs"):
        gru_mt("--help", folder=tmp_path, first=wait, limit_s=0.05)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc and Linux's devices")
def test_a_small_part_of_the_suites_passes() -> None:
    command = [sys.executable, "scripts/fault_injection.py", "--times", "0.01", "--jobs", "1"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    header, *rows = map(str.split, result.stdout.splitlines())
    assert header == ["suite", "trials", "passed", "seconds"]
    suites = ["configs", "corpora", "inputs", "damage", "kills", "operations", "disks", "server"]
    assert [row[0] for row in rows] == suites
    assert all(row[1] == row[2] for row in rows)
