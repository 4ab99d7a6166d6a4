"""The set-up scripts parse, and say in one line what a machine lacks."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMES = ("setup.sh", "quickstart", "test", "bench", "ablation", "compare_cells", "fault_injection")
SCRIPTS = [ROOT / "scripts" / name for name in NAMES]
SCRIPTS.append(ROOT / ".ci" / "run")
PYTHON_NAMES = ("python3.11", "python3.12", "python3.13", "python3")

BROKEN_SHIM = "echo 'pyenv: command not found' >&2; exit 127"
# Runs `-c CODE` as Python 3.10 would.
TOO_OLD = (
    f"exec {shlex.quote(sys.executable)} -c "
    "'import sys; sys.version_info = (3, 10, 14); exec(sys.argv[2])' \"$@\""
)
GOOD = f'exec {shlex.quote(sys.executable)} "$@"'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of what set-up reads, without an environment, in a folder with a space."""
    folder = tmp_path / "a checkout"
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def run(
    script: Path, pythons: dict[str, str], **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `script` where the Pythons on PATH are these shell commands, from another folder."""
    folder = script.parents[2] / "bin"
    folder.mkdir()
    for name, command in pythons.items():
        (folder / name).write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    return subprocess.run(
        [script],
        cwd=folder,
        env={"PATH": path, "HOME": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_script_can_be_run_and_is_sound_bash() -> None:
    for script in SCRIPTS:
        subprocess.run(["bash", "-n", script], check=True)
        assert os.access(script, os.X_OK) or script.suffix


def test_without_a_python_that_is_new_enough_one_line_says_so(checkout: Path) -> None:
    pythons = dict.fromkeys(PYTHON_NAMES, BROKEN_SHIM) | {"python3.12": TOO_OLD, "python3": TOO_OLD}
    result = run(checkout / "scripts" / "quickstart", pythons)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == (
        "quickstart: needs Python 3.11 or newer with its venv module, and found none on PATH\n"
    )
    assert not (checkout / ".venv").exists()


@pytest.mark.slow  # it makes an environment
def test_without_a_package_registry_the_last_line_says_so(checkout: Path) -> None:
    pythons = dict.fromkeys(PYTHON_NAMES, BROKEN_SHIM) | {"python3.13": TOO_OLD, "python3": GOOD}
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # not listening: a connection is refused
        result = run(
            checkout / "scripts" / "quickstart",
            pythons,
            PIP_INDEX_URL=f"http://127.0.0.1:{closed.getsockname()[1]}/simple",
            PIP_CONFIG_FILE=os.devnull,
            PIP_RETRIES="1",
        )
    assert result.returncode == 1
    assert result.stdout == ""
    version = ".".join(map(str, sys.version_info[:3]))
    assert result.stderr == (
        f"quickstart: making .venv with Python {version}\n"
        "quickstart: installing gru-mt into .venv (PyTorch takes a minute or more)\n"
        "quickstart: no package registry can be reached: "
        "check the network and pip's settings\n"
    )


@pytest.fixture
def calls(checkout: Path) -> Path:
    """Give the checkout a .venv whose Python only notes its calls; return the file it writes."""
    python = checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$*" >>calls\n[ "$2" != pytest ] || cat report\n')
    python.chmod(0o755)
    (checkout / "report").touch()
    return checkout / "calls"


def test_quickstart_trains_and_translates_and_new_requirements_are_installed(
    checkout: Path, calls: Path
) -> None:
    def run_again(name: str) -> tuple[bool, list[str]]:
        """Return whether a script installed anything, and what else it called."""
        calls.write_text("")
        subprocess.run([checkout / "scripts" / name], check=True, capture_output=True)
        called = calls.read_text().splitlines()
        return "pip install" in " ".join(called), called[-2:]

    installs, (train, translate) = run_again("quickstart")
    assert installs
    assert train == "-m gru_mt train --config configs/quickstart.yaml"
    assert translate.startswith("-m gru_mt translate --model runs/quickstart ")
    assert run_again("quickstart") == (False, [train, translate])
    with (checkout / "scripts" / "constraints.txt").open("a") as constraints:
        constraints.write("another==1.0\n")
    assert run_again("test")[0]
    assert not run_again("quickstart")[0], "the test tools hold the package too"


def test_nothing_is_built_on_a_pytorch_that_could_not_be_installed(
    checkout: Path, calls: Path
) -> None:
    python = checkout / ".venv" / "bin" / "python"
    fails = 'case "$*" in *"--no-deps torch") sleep 0.5; echo no room; exit 1;; esac'
    python.write_text(python.read_text().replace("\n", f"\n{fails}\n", 1))
    result = run(checkout / "scripts" / "quickstart", dict.fromkeys(PYTHON_NAMES, GOOD))
    assert result.returncode == 1
    assert result.stderr.splitlines()[-2:] == [
        "no room",
        "quickstart: pip could not install gru-mt, for the reason above",
    ]
    assert "--no-build-isolation" not in calls.read_text()


def test_a_check_that_fails_or_skips_the_corpus_fails_the_script(
    checkout: Path, calls: Path
) -> None:
    def checked(*options: str) -> subprocess.CompletedProcess[str]:
        calls.write_text("")
        command = [str(checkout / "scripts" / "test"), *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    python = checkout / ".venv" / "bin" / "python"
    whole = python.read_text()
    for failing in ("ruff check", "ruff format", "mypy", "pytest"):
        mistake = f'case "$2 $3" in "{failing}"*) echo "a mistake"; exit 1 ;; esac\n'
        python.write_text(whole + mistake)
        result = checked()
        assert (result.returncode, result.stdout) == (1, "a mistake\n")
        assert ("-m mypy" in calls.read_text().splitlines()) == ("ruff" not in failing)
    python.write_text(whole)
    (checkout / "report").write_text("SKIPPED [3] tests/a.py:1: no fra-eng corpus\n")
    for options in ([], ["--all"]):
        assert checked(*options).returncode == 0
        assert ("not slow" in calls.read_text()) != bool(options)
    corpus = checkout.parent / "shared" / "data" / "fra-eng.zip"
    corpus.parent.mkdir(parents=True)
    corpus.touch()
    result = checked()
    assert result.returncode == 1
    assert "tests of the fra-eng corpus were skipped" in result.stderr


def test_every_requirement_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    requirements = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *chain.from_iterable(project["project"]["optional-dependencies"].values()),
    ]
    constraints = (ROOT / "scripts" / "constraints.txt").read_text(encoding="utf-8")
    pinned = set(re.findall(r"^([\w-]+)==[\d.]+$", constraints.lower(), re.MULTILINE))
    wanted = {re.split(r"[^\w-]", requirement.lower())[0] for requirement in requirements}
    assert wanted - pinned == set()
