"""The models that are served: one for each direction, renewed where its files are replaced."""

import asyncio
import logging
import os
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from io import StringIO
from pathlib import Path
from threading import Lock
from typing import Any

from gru_mt.data.corpus.languages import is_language, language_code, language_name
from gru_mt.data.pool import pool
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError, short_text
from gru_mt.inference.engines.onnx_engine import DECODER, ENCODER, METADATA
from gru_mt.inference.translation import Translation
from gru_mt.inference.translator import Translator
from gru_mt.run import CONFIG, PROVENANCE, WEIGHTS, Run
from gru_mt.server.detection import Profile
from gru_mt.storage import file_stamp

LONGEST_CODE = 40  # characters
IDLE = 19  # the lowest priority of a process
LOOK_S = 1.0  # how long files are not looked at again
_ALIASES = {"pb": "pt-BR", "zt": "zh-Hant"}  # codes of LibreTranslate that are no other's
log = logging.getLogger(__name__)

Load = Callable[[], Translator]
Stamp = list[tuple[int, int, int]]  # it changes where a model's files are replaced
# Direction, lines, n_best -> translations; raises what the translator does, in any thread.
Translate = Callable[["Direction", Sequence[str], int], list[Translation]]
_Item = tuple[str, Stamp, Sequence[str], int]  # the name of a direction, its files, lines, n_best
_loaded: dict[str, tuple[Stamp, Translator]] = {}  # by name, in a process that translates


class Direction:
    """A model from one language into another, in memory.

    Where its files are replaced, the new model is loaded. Where that fails, the log says so once,
    and the old one goes on.
    """

    def __init__(self, path: Path, load: Load) -> None:
        """Load the model at `path` by `load`, which raises UserError where there is none."""
        self.path, self.load, self._run = path, load, Run(path)
        self._seen, self._looked_s = _stamp(path), time.monotonic()
        # The translator that was loaded last, and its files.
        self.loaded, self.stamp = load(), self._seen
        self._lock = Lock()
        self.source = served_code(self.loaded.languages.source)
        self.target = served_code(self.loaded.languages.target)
        self._learned_ns, *_ = file_stamp(self._run.learned)

    @property
    def name(self) -> str:
        return f"{short_text(self.path)} ({self.source} to {self.target})"

    def translator(self) -> Translator:
        """Return the translator of the present files, or the last that could be loaded."""
        with self._lock:
            now_s = time.monotonic()
            if now_s - self._looked_s >= LOOK_S:
                stamp, self._looked_s = _stamp(self.path), now_s
                if stamp != self._seen:
                    self._seen = stamp
                    self._renew()
            return self.loaded

    def _renew(self) -> None:
        try:
            new = self.load()
        except (UserError, OSError) as error:
            log.error(f"{self.name}: was replaced; the old one is used, as the new fails: {error}")
            return
        if new.languages != self.loaded.languages:
            log.error(f"{self.name}: was replaced by one of other languages; the old one is used")
            return
        self.loaded, self.stamp = new, self._seen
        log.warning(f"{self.name}: was replaced; the new one is used")

    async def learn(self) -> None:
        """Train the run's model, in an idle process, if there are corrections after the last time.

        The log says what came of it. Whoever is cancelled ends the process; then nothing changes.
        """
        corrected_ns, *_ = file_stamp(self._run.corrections)
        if corrected_ns <= self._learned_ns:
            return
        command = sys.executable, "-m", "gru_mt", "learn", "--model", str(self.path)
        one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
        try:
            process = await asyncio.create_subprocess_exec(
                *command, env=one_thread, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
            )
        except OSError as error:  # no memory
            log.error(f"{self.name}: gru-mt learn cannot start: {error}; the next try is later")
            return
        self._learned_ns = corrected_ns
        try:
            with suppress(ProcessLookupError):  # it has just ended
                if sys.platform != "win32":
                    os.setpriority(os.PRIO_PROCESS, process.pid, IDLE)
            result, messages = await process.communicate()
        except asyncio.CancelledError:
            with suppress(ProcessLookupError):  # as above
                process.terminate()
            await process.communicate()
            raise
        lines = (result or messages).decode(errors="replace").splitlines()
        log.info(f"{self.name}: gru-mt learn: {lines[-1] if lines else process.returncode}")


@dataclass(frozen=True)
class Directions:
    """All that are served, and how a request names their languages."""

    all: Sequence[Direction]

    def __post_init__(self) -> None:
        """Raise UserError where two models have the same languages."""
        seen: dict[tuple[str, str], Direction] = {}
        for each in self.all:
            other = seen.setdefault((each.source, each.target), each)
            if other is not each:
                raise UserError(f"{each.name}: {other.name} is served too; name one of them")

    @cached_property
    def profiles(self) -> dict[str, Profile]:
        """What tells the source languages."""
        first: dict[str, Direction] = {}
        for each in self.all:
            first.setdefault(each.source, each)
        return {
            code: Profile(each.loaded.tokenizer.truecaser.ranked) for code, each in first.items()
        }

    def find(self, source: str, target: str) -> Direction | None:
        """Return the model for two languages, the one of just these codes first."""
        fitting = [
            each
            for each in self.all
            if is_language(each.source, known(source)) and is_language(each.target, known(target))
        ]
        return max(
            fitting,
            key=lambda each: (each.source == source) + (each.target == target),
            default=None,
        )

    @property
    def codes(self) -> list[str]:
        """The codes of all languages, in the order of the models."""
        sides = (code for each in self.all for code in (each.source, each.target))
        return [*dict.fromkeys(sides)]

    def to_json(self) -> list[dict[str, Any]]:
        """Return each source language with the targets there are for it."""
        return [
            {
                "code": code,
                "name": language_name(code),
                "targets": [each.target for each in self.all if each.source == code],
            }
            for code in self.codes
        ]


def known(code: str) -> str:
    """Return a language as our tables know it: "pb" -> "pt-BR", "zh-Hans-CN" -> "zh-Hans"."""
    code = _ALIASES.get(code.lower(), code)[:LONGEST_CODE]
    return "-".join(code.replace("_", "-").split("-")[:2])


def served_code(name: str) -> str:
    """Return the code under which a language of a configuration is served: "English" -> "en"."""
    code, _, region = known(name.strip()).partition("-")
    return f"{language_code(code)}-{region}" if region else language_code(code)


def _stamp(path: Path) -> Stamp:
    run = Run(path)
    names = WEIGHTS, CONFIG, PROVENANCE, METADATA, ENCODER, DECODER, *Tokenizer.ALL_FILES
    files = [folder / name for folder in (path, run.bundle, run.export("fp32")) for name in names]
    return [*map(file_stamp, (*files, *([path] if path.is_file() else ())))]


@contextmanager
def translators(directions: Sequence[Direction]) -> Iterator[tuple[int, Translate]]:
    """Yield how many batches can be translated at the same time, and what translates one.

    That is in processes with a batch each, if the engine gains from several, else in a thread.
    Threads share Python's lock with the one that answers requests; processes do not.
    """
    count = max(each.loaded.engine.threads for each in directions)
    if count == 1:
        yield 1, _in_this_process
        return
    loads = {each.name: each.load for each in directions}
    with pool(partial(_in_another_process, loads), count) as submit:

        def translate(direction: Direction, lines: Sequence[str], n_best: int) -> list[Translation]:
            direction.translator()  # it renews the model, or says why not
            return submit((direction.name, direction.stamp, lines, n_best)).result()

        items: list[_Item] = [
            (each.name, each.stamp, [], 1) for each in directions for _ in range(count)
        ]
        for loading in [submit(item) for item in items]:  # in each process, as all are free
            loading.result()
        yield count, translate


def _in_this_process(direction: Direction, lines: Sequence[str], n_best: int) -> list[Translation]:
    return direction.translator().translate(lines, n_best=n_best)


def _in_another_process(loads: Mapping[str, Load], item: _Item) -> list[Translation]:
    name, stamp, lines, n_best = item
    if name not in _loaded or _loaded[name][0] != stamp:
        with redirect_stderr(StringIO()):  # the first process has said it
            _loaded[name] = stamp, replace(loads[name](), threads=1)
    return _loaded[name][1].translate(lines, n_best=n_best)
