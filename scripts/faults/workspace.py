"""What faults are injected into, and what undisturbed runs and commands give, to compare with."""

import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from faults.checks import Ended, Files, check, compare, results
from faults.commands import LIMIT_S, gru_mt

SENTENCES = ("I see cats.", "Anne want maps.", "nobody sell cars.", "they take dogs.", "", "zzz")

CONFIG = """\
data: {{corpus: {corpus}}}
tokenizer: {{kind: word, min_frequency: 1}}
model: {{embedding_size: 16, encoder_size: 16, decoder_size: 32}}
training:
  {{seed: 3, max_epochs: 2, batch_tokens: 200, warmup_steps: 3, learning_rate: 2.0e-2,
   averaging: 0.5, precision: fp32, log_steps: 1, validate_steps: 5, checkpoint_minutes: 60}}
decoding: {{beam_size: 2, max_source_tokens: 12}}
"""


@dataclass(frozen=True, slots=True)
class Suite:
    """Trials of one kind: a trial gets its number, randomness and an empty folder."""

    count: int  # of trials, usually
    trial: Callable[[int, random.Random, Path], None]  # raises Failed


@dataclass(frozen=True)
class Workspace:
    """A folder with a corpus, a configuration, and undisturbed runs, each made when first used.

    A suite must use all that it needs before its trials begin in processes of their own.
    """

    folder: Path
    times: float  # a factor of the usual counts

    @cached_property
    def config(self) -> str:
        """The configuration's path."""
        pairs = [
            f"{one} {two} {three}.\t{one.upper()} {two.upper()} {three.upper()} !\n"
            for one in ("I", "you", "we", "they", "Anne", "nobody")
            for two in ("see", "want", "like", "take", "sell", "know")
            for three in ("cats", "dogs", "books", "keys", "hats", "maps", "pens", "cars")
        ]
        corpus = self.folder / "small.tsv"
        corpus.write_text("".join(pairs), encoding="utf-8")
        path = self.folder / "small.yaml"
        path.write_text(CONFIG.format(corpus=corpus), encoding="utf-8")
        return str(path)

    @cached_property
    def run(self) -> Path:
        """A finished run."""
        check(gru_mt(*self.train(), folder=self.folder), code=0)
        return self.folder / "run"

    @property
    def exports(self) -> bool:
        """Whether exports are tested too: each takes ten seconds, and onnx need not be there."""
        return self.times >= 0.5 and all(map(find_spec, ("onnx", "onnxscript", "onnxruntime")))

    def train(self, *options: str) -> tuple[str, ...]:
        """Return the arguments of a training."""
        return ("train", "--config", self.config, "--run", "run", *options)


def copy(run: Path, folder: Path) -> Path:
    """Copy a run into `folder`; return the copy."""
    return Path(shutil.copytree(run, folder / "run", symlinks=True))


class Scenario:
    """A command, the files that it finds, and the folder that it makes."""

    def __init__(self, workspace: Workspace, name: str, output: str, *arguments: str) -> None:
        """Run the command once, undisturbed, to know what it makes."""
        self.workspace, self.name, self.output, self.arguments = workspace, name, output, arguments
        self.folder = Path(tempfile.mkdtemp(dir=workspace.folder))
        self.prepare(self.folder)
        started_s = time.perf_counter()
        self.operations: list[str] = self._count(self.folder)
        self.seconds = time.perf_counter() - started_s
        self.wanted: Files = results(self.folder / output)

    def prepare(self, folder: Path) -> None:
        """Put the files that the command finds into `folder`."""
        if self.name in ("longer", "eval", "export"):
            copy(self.workspace.run, folder)
        if self.name == "eval":
            (folder / "out").mkdir()
            (folder / "out" / "text").write_text("what was there before\n")

    def begin(self, folder: Path, **how: Any) -> Ended:
        """Run the command; `how` holds further arguments of `gru_mt`."""
        limit_s = 4 * LIMIT_S if self.name == "export" else LIMIT_S
        return gru_mt(*self.arguments, folder=folder, limit_s=limit_s, **how)

    def finish(self, folder: Path) -> None:
        """Run the command again; it must now make what it makes undisturbed."""
        check(self.begin(folder), code=0)
        compare(results(folder / self.output), self.wanted, f"{self.name}, run again")

    def _count(self, folder: Path) -> list[str]:
        """Run the command; return its operations on files."""
        notes = folder.with_suffix(".operations")
        file = os.open(notes, os.O_WRONLY | os.O_CREAT)

        def note(number: int, operation: str, path: Path) -> None:
            os.write(file, f"{operation} {path.relative_to(folder)}\n".encode())

        check(self.begin(folder, first=partial(watch_files, folder, note)), code=0)
        os.close(file)
        return notes.read_text().splitlines()


@cache
def scenario(workspace: Workspace, name: str) -> Scenario:
    """Return the scenario of this name, made once."""
    commands = {
        "fresh": ("run", *workspace.train()),
        "longer": ("run", *workspace.train("--set=training.max_epochs=3")),
        "data": ("out", "data", "--config", workspace.config, "--out", "out"),
        "eval": ("out", "eval", "--model", "run", "--output", "out/text"),
        "export": ("run/onnx", "export", "--model", "run"),
    }
    return Scenario(workspace, name, *commands[name])


def watch_files(folder: Path, act: Callable[[int, str, Path], None]) -> None:
    """Call `act`, with number, kind and path, before each operation that changes files in `folder`.

    Python's audit events tell of the operations, so those of other languages are not seen.
    """
    kinds = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.chmod"}
    kinds |= {"os.symlink", "os.link"}
    numbers = iter(range(sys.maxsize))
    start, acting = f"{folder}{os.sep}", False

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal acting
        if acting or (event != "open" and event not in kinds):
            return
        name = arguments[0]
        if event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR):
            return
        if not isinstance(name, int):
            path = os.path.abspath(os.fsdecode(name))
            if path.startswith(start):
                acting = True
                act(next(numbers), event, Path(path))
                acting = False

    sys.addaudithook(hook)


def translate(folder: Path) -> Ended:
    """Translate SENTENCES with the run in `folder`."""
    return gru_mt("translate", "--model", "run", *SENTENCES, folder=folder)
