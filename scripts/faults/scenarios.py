"""What faults are injected into, and what undisturbed commands give, to compare with."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from faults.checks import TIMINGS, Ended, Failed, Files, check, compare, results
from faults.commands import gru_mt

STDIN = b"I see cats.\nAnne want maps.\nnobody sell cars.\nthey take dogs.\n\nzzz\n" * 50
SUBJECTS = ("I", "you", "we", "they", "Anne", "nobody")
VERBS = ("see", "want", "like", "take", "sell", "know")
OBJECTS = ("cats", "dogs", "books", "keys", "hats", "maps", "pens", "cars")

CONFIG = """\
data: {{corpus: {corpus}}}
tokenizer: {{kind: word, min_frequency: 1}}
model: {{embedding_size: 16, encoder_size: 16, decoder_size: 32}}
training:
  {{seed: 3, max_epochs: 2, batch_tokens: 200, warmup_steps: 3, learning_rate: 2.0e-2,
   averaging: 0.5, precision: fp32, log_steps: 1, validate_steps: 5, checkpoint_minutes: 60}}
decoding: {{beam_size: 2, max_source_tokens: 12}}
"""


@dataclass(frozen=True)
class Scenario:
    """A command, the files that it finds and makes, and how it goes undisturbed."""

    name: str
    given: Path  # a folder of the files that it finds
    output: str  # the folder that it makes, or "none"
    arguments: tuple[str, ...]
    seconds: float = 0.0
    operations: Sequence[str] = ()  # on files
    files: Files = field(default_factory=dict)  # those in `output`
    out: bytes = b""  # what it prints, without timings

    @property
    def place(self) -> Path:
        """The folder of the undisturbed command, with what it has made."""
        return self.given.with_name(self.name)

    def prepare(self, folder: Path) -> None:
        """Put the files that the command finds into `folder`."""
        shutil.copytree(self.given, folder, symlinks=True, dirs_exist_ok=True)

    def begin(self, folder: Path, **how: Any) -> Ended:
        """Run the command; `how` holds further arguments of `gru_mt`."""
        return gru_mt(*self.arguments, folder=folder, stdin=STDIN, **how)

    def finish(self, folder: Path) -> None:
        """Run the command; it must now make what it makes undisturbed."""
        check(self.begin(folder), code=0)
        compare(results(folder / self.output), self.files, f"{self.name}, run again")

    def finish_or_refuse(self, folder: Path) -> None:
        """Run the command; if it ends well it must print and make what it does undisturbed."""
        ended = check(self.begin(folder))
        if ended.code == 0:
            if TIMINGS.sub(b"", ended.out) != self.out:
                raise Failed(f"{self.name}: exit 0, but another result")
            compare(results(folder / self.output), self.files, f"{self.name}, exit 0")

    def undisturbed(self) -> "Scenario":
        """Run the command in its new folder `place`; return what is then known of it too."""
        place, notes = self.place, self.place.with_suffix(".operations")
        self.prepare(place)
        file = os.open(notes, os.O_WRONLY | os.O_CREAT)

        def note(number: int, operation: str, path: Path) -> None:
            os.write(file, f"{operation} {path.relative_to(place)}\n".encode())

        started_s = time.perf_counter()
        ended = check(self.begin(place, first=partial(watch_files, place, note)), code=0)
        seconds, out = time.perf_counter() - started_s, TIMINGS.sub(b"", ended.out)
        os.close(file)
        operations, files = notes.read_text().splitlines(), results(place / self.output)
        return replace(self, seconds=seconds, operations=operations, files=files, out=out)


Scenarios = dict[str, Scenario]  # by name


def make_scenarios(folder: Path, *, exports: bool) -> Scenarios:
    """Return the scenarios in `folder`; raises Failed where an undisturbed command fails."""
    corpus, config, empty = folder / "small.tsv", folder / "small.yaml", folder / "empty"
    texts = [" ".join(words) for words in product(SUBJECTS, VERBS, OBJECTS)]
    corpus.write_text("".join(f"{text}.\t{text.upper()} !\n" for text in texts))
    config.write_text(CONFIG.format(corpus=corpus))
    empty.mkdir()
    train = ("train", f"--config={config}", "--run=run")
    fresh = Scenario("fresh", empty, "run", train).undisturbed()
    finished = folder / "fresh"  # it has a run now
    (finished / "out").mkdir()
    (finished / "out" / "text").write_text("what was there before\n")
    others = [
        Scenario("longer", finished, "run", (*train, "--set=training.max_epochs=3")),
        Scenario("data", empty, "out", ("data", f"--config={config}", "--out=out")),
        Scenario("eval", finished, "out", ("eval", "--model=run", "--json", "--output=out/text")),
        Scenario("translate", finished, "none", ("translate", "--model=run")),
        Scenario("help", empty, "none", ("train", "--help")),
    ]
    if exports:
        others.append(Scenario("export", finished, "run/onnx", ("export", "--model=run")))
    found = {one.name: one for one in (fresh, *(other.undisturbed() for other in others))}
    assert len({*found["translate"].out.splitlines()}) > 3, "the model tells sentences apart"
    return found


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
        if event == "open":
            if not arguments[2] & (os.O_WRONLY | os.O_RDWR):
                return
            event = "create" if arguments[2] & os.O_TRUNC else "open"
        if not isinstance(name, int):
            path = os.path.abspath(os.fsdecode(name))
            if path.startswith(start):
                acting = True
                act(next(numbers), event, Path(path))
                acting = False

    sys.addaudithook(hook)
