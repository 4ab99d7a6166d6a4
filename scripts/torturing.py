"""Runs gru-mt's commands where they can be killed, and judges how they end. Linux alone.

A command is a fork of a process that has imported everything and computed nothing, so that it takes
a tenth of a second and not three.
"""

import json
import os
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from gru_mt.cli import main
from gru_mt.errors import quoted

LIMIT_S = 30.0  # what a command may take
MEMORY = 4 << 30  # bytes that it may ask for
STOPS = (signal.SIGINT, signal.SIGTERM)
TIMINGS = {"elapsed_s", "minutes", "tokens_s"}  # what differs between runs that are the same
HIDDEN = re.compile(  # what a terminal obeys or does not show, but for the line feed
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
BUGS = re.compile("Traceback|Exception ignored|Fatal Python error|Segmentation fault")

CONFIG = """\
data: {{corpus: {corpus}}}
tokenizer: {{kind: word, min_frequency: 1}}
model: {{embedding_size: 16, encoder_size: 16, decoder_size: 32}}
training:
  {{max_epochs: 2, batch_tokens: 200, warmup_steps: 3, learning_rate: 2.0e-2, averaging: 0.5,
   precision: fp32, log_steps: 1, validate_steps: 5, checkpoint_minutes: 60}}
decoding: {{beam_size: 2, max_source_tokens: 12}}
"""
LONGER = "--set=training.max_epochs=3"


class Failed(Exception):  # noqa: N818 it is what is looked for
    """gru-mt did not survive; the message is one line that says how."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    command: str
    code: int  # below 0: minus the signal that it died of
    out: bytes
    err: str
    sent: tuple[int, ...]  # the signals that it got

    def cause(self) -> str:
        """Return what it was, and its last words."""
        return f"{self.command}: exit {self.code}: {last_words(self.err)}"


def last_words(text: str) -> str:
    """Return the last line of what was said, and where in gru-mt its traceback comes from."""
    places = re.findall(r'File "[^"]*/(gru_mt/[^"]*)", line (\d+), in (\S+)', text)
    place = "{}:{} {}: ".format(*places[-1]) if places else ""
    lines = [line for line in text.splitlines() if line.strip()]
    return place + quoted(lines[-1] if lines else "")


# Commands


def gru_mt(
    *arguments: str,
    folder: Path,
    stdin: bytes = b"",
    first: Callable[[], None] | None = None,
    stops: Sequence[tuple[float, int]] = (),
    on_stop: Callable[[], object] = int,
    limit_s: float = LIMIT_S,
) -> Ended:
    """Run a command in `folder` to its end; `first` prepares its process.

    `stops` are seconds and the signals to send after them, `on_stop` is called before each. Raises
    Failed where it hangs.
    """
    (out, its_out), (err, its_err) = os.pipe(), os.pipe()
    with tempfile.TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        child = os.fork()
        if not child:
            _live(arguments, folder, (file.fileno(), its_out, its_err), first)
    os.close(its_out)
    os.close(its_err)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    return _collect(child, (out, err), arguments, stops, on_stop, limit_s)


def started_gru_mt(
    *arguments: str, folder: Path, stdin: bytes = b"", stops: Sequence[tuple[float, int]] = ()
) -> Ended:
    """Run a command as users start it, Python's own start included; see `gru_mt`."""
    command = [sys.executable, "-m", "gru_mt", *arguments]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    with tempfile.TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=folder, env=environment, stdin=file, stdout=pipe, stderr=pipe
        ) as process:
            assert process.stdout, "it is a pipe"
            assert process.stderr, "it is a pipe"
            ends = (os.dup(process.stdout.fileno()), os.dup(process.stderr.fileno()))
            ended = _collect(process.pid, ends, arguments, stops, int, LIMIT_S)
            process.returncode = ended.code  # it has been waited for
            return ended


def _live(
    arguments: Sequence[str],
    folder: Path,
    streams: tuple[int, int, int],
    first: Callable[[], None] | None,
) -> NoReturn:
    """Be the command, as Python begins and ends it."""
    code = 1
    try:
        os.chdir(folder)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        sys.argv = ["gru-mt", *arguments]
        limit_memory()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if first:
            first()
        code = _called()
    finally:
        os._exit(code)


def _called() -> int:
    """Return the exit code that Python would end with after `main`."""
    code = 1
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except (OSError, ValueError) as error:
            with suppress(OSError, ValueError):
                print(f"Exception ignored in: {stream!r}\n{error!r}", file=sys.stderr)
            code = 120
    return code


def limit_memory() -> None:
    """Let this process have no more than `MEMORY` above what it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    size = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))


def _collect(
    child: int,
    ends: tuple[int, int],
    arguments: Sequence[str],
    stops: Sequence[tuple[float, int]],
    on_stop: Callable[[], object],
    limit_s: float,
) -> Ended:
    """Return what a process came to; it is sent its signals, and killed where it hangs."""
    name = " ".join(arguments[:1])
    read: dict[int, bytearray] = {end: bytearray() for end in ends}
    to_send, sent, open_ends = sorted(stops), [], set(ends)
    started_s = time.perf_counter()
    try:
        while open_ends:
            passed_s = time.perf_counter() - started_s
            while to_send and to_send[0][0] <= passed_s:
                on_stop()
                sent.append(to_send.pop(0)[1])
                os.kill(child, sent[-1])
            if passed_s > limit_s:
                raise Failed(f"{name}: hangs: killed after {limit_s:.0f} s")
            next_s = min([limit_s + 0.1, *(seconds for seconds, _ in to_send)])
            for end in select.select(open_ends, [], [], max(0.0, next_s - passed_s))[0]:
                data = os.read(end, 1 << 16)
                read[end] += data
                if not data:
                    open_ends.discard(end)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        for end in ends:
            os.close(end)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    out, err = read.values()
    return Ended(name, code, bytes(out), err.decode("utf-8", "replace"), tuple(sent))


# Judgement


def judge(ended: Ended, *, code: int | None = None) -> Ended:
    """Return a command that ended as commands may, with `code` where one is wanted.

    That is with 0, with 2 and a few lines on stderr alone, or by a signal that it was sent.
    """
    allowed = {0, 2}.union(*({128 + number, -number} for number in ended.sent))
    if signal.SIGINT in ended.sent and ended.code in (1, 130) and "gru_mt/" not in ended.err:
        return ended  # Python itself had only begun, and says so in its way
    if ended.code not in allowed or BUGS.search(ended.err):
        raise Failed(ended.cause())
    if hidden := HIDDEN.search(ended.err):
        raise Failed(f"{ended.command}: {hidden[0]!r} on stderr: {quoted(ended.err)}")
    if ended.code == 2:
        if not ended.err.strip():
            raise Failed(f"{ended.command}: exit 2 without a word")
        if len(ended.err) > 10_000 or ended.err.count("\n") > 40:
            raise Failed(f"{ended.command}: exit 2 with {len(ended.err):,} characters")
        if ended.out:
            raise Failed(f"{ended.command}: exit 2, but something on stdout: {quoted(ended.out)}")
    if code is not None and ended.code != code:
        raise Failed(f"{ended.cause()} (exit {code} was due)")
    return ended


def judge_message(message: str) -> None:
    """Raise Failed where the words of an error are none, too many or unfit for a terminal."""
    if not message.strip():
        raise Failed("an error without a word")
    if len(message) > 10_000:
        raise Failed(f"an error of {len(message):,} characters: {quoted(message)}")
    if hidden := HIDDEN.search(message):
        raise Failed(f"{hidden[0]!r} in an error: {quoted(message)}")


Files = dict[str, str]  # digests by name


def results(run: Path) -> Files:
    """Return what two runs of the same configuration share: all files, less timings and logs."""
    found = {}
    for path in sorted(run.rglob("*")):
        name = str(path.relative_to(run))
        old = re.fullmatch(r"checkpoints/step-\d+\.safetensors", name)
        if path.is_dir() or old or name in ("lock", "train.log"):
            continue
        content = path.read_bytes()
        if path.name in ("metrics.jsonl", "summary.json"):
            content = _without_timings(content, lines=path.suffix == ".jsonl")
        found[name] = sha256(content).hexdigest()
    return found


def _without_timings(content: bytes, *, lines: bool) -> bytes:
    try:
        values = [json.loads(text) for text in (content.splitlines() if lines else [content])]
    except ValueError:
        return b"unreadable"
    kept = [{key: item[key] for key in item.keys() - TIMINGS} for item in values]
    return json.dumps(kept, sort_keys=True).encode()


def compare(found: Files, wanted: Files, what: str) -> None:
    """Raise Failed that names the first file which is missing, left over or another."""
    for name in sorted(found.keys() | wanted.keys()):
        if found.get(name) != wanted.get(name):
            state = (
                "is missing" if name not in found else
                "is left over" if name not in wanted else "is another"
            )  # fmt: skip
            raise Failed(f"{what}: {name} {state}")


# What is attacked


@dataclass(frozen=True, slots=True)
class Campaign:
    """Attacks of one kind."""

    count: int
    trial: Callable[[int, random.Random, Path], None]
    """One of them, in an empty folder; raises Failed."""


@dataclass(frozen=True)
class Place:
    """A folder with a corpus, a configuration, and undisturbed runs, each made when asked for.

    What a campaign needs of it must be there before its trials begin in processes of their own.
    """

    folder: Path
    times: float  # of the default counts

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
        judge(gru_mt(*self.train(), folder=self.folder), code=0)
        return self.folder / "run"

    @property
    def exports(self) -> bool:
        """Whether exports are attacked too: each takes ten seconds, and onnx need not be there."""
        return self.times >= 0.5 and all(map(find_spec, ("onnx", "onnxscript", "onnxruntime")))

    def train(self, *options: str) -> tuple[str, ...]:
        """Return the arguments of a training."""
        return ("train", "--config", self.config, "--run", "run", *options)


def copy(run: Path, folder: Path) -> Path:
    """Return a copy of a run, in `folder`."""
    return Path(shutil.copytree(run, folder / "run", symlinks=True))
