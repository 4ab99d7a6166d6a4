"""How commands may end, what they may leave on disk, and what code that reads files may raise."""

import json
import re
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import FrameType

from gru_mt.errors import UserError, short_repr

TIMINGS = {"elapsed_s", "minutes", "tokens_s"}  # what differs between equal runs
NOT_COMPARED = re.compile(  # files whose content differs between equal runs
    r"checkpoints/step-\d+\.safetensors|.*\.(hypotheses|samples)\.json|lock|train\.log"
)
HIDDEN = re.compile(  # what a terminal obeys or does not show, except the line feed
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
BUGS = re.compile("Traceback|Exception ignored|Fatal Python error|Segmentation fault")

Files = dict[str, str]  # SHA-256 by file name


class Failed(Exception):  # noqa: N818 it is what is looked for
    """A trial did not pass; the message is one line that says how."""


class Overtime(BaseException):
    """The block takes too long; a BaseException, because tested code catches none."""


@contextmanager
def during(what: str) -> Iterator[None]:
    """Put `what` before the message of a failure in the block."""
    try:
        yield
    except Failed as failure:
        raise Failed(f"{what}: {failure}") from None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    command: str
    code: int  # below 0: minus the signal that it died of
    out: bytes
    err: str
    sent: tuple[int, ...] = ()  # the signals sent to it

    def cause(self) -> str:
        """Return the command, its exit code and its last words."""
        return f"{self.command}: exit {self.code}: {last_words(self.err)}"


def last_words(text: str) -> str:
    """Return the last line of `text`, after the last line of gru-mt that a traceback names."""
    frames = re.findall(r'File "[^"]*/(gru_mt/[^"]*)", line (\d+), in (\S+)', text)
    frame = "{}:{} {}: ".format(*frames[-1]) if frames else ""
    lines = [line for line in text.splitlines() if line.strip()]
    return frame + short_repr(lines[-1] if lines else "")


def check(ended: Ended, *, code: int | None = None) -> Ended:
    """Return `ended`; raise Failed unless it ended as commands may, and with `code` if given.

    They may end with 0, with 2 and a few lines on stderr alone, or by a signal sent to them.
    """
    allowed = {0, 2}.union(*({128 + number, -number} for number in ended.sent))
    interrupted = ended.code in (1, -signal.SIGINT) and signal.SIGINT in ended.sent
    if interrupted and "gru_mt/" not in ended.err:
        return ended  # it came before gru-mt began, and Python reports it in its own way
    if ended.code not in allowed or BUGS.search(ended.err):
        raise Failed(ended.cause())
    if hidden := HIDDEN.search(ended.err):
        raise Failed(f"{ended.command}: {hidden[0]!r} on stderr: {short_repr(ended.err)}")
    if ended.code == 2:
        with during(f"{ended.command}: exit 2"):
            check_message(ended.err, most_lines=40)
            if ended.out:
                raise Failed(f"something on stdout: {short_repr(ended.out)}")
    if code is not None and ended.code != code:
        raise Failed(f"{ended.cause()} (exit {code} was due)")
    return ended


def check_message(message: str, most_lines: int = 10_000) -> None:
    """Raise Failed where the message of an error is empty or too long."""
    if not message.strip():
        raise Failed("an error without a word")
    if len(message) > 10_000 or message.count("\n") > most_lines:
        raise Failed(f"an error of {len(message):,} characters: {short_repr(message)}")


@contextmanager
def user_errors(seconds: float) -> Iterator[None]:
    """Check that the block ends in time, or raises UserError with a fitting message."""

    def end(number: int, frame: FrameType | None) -> None:
        raise Overtime

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except UserError as error:
        check_message(str(error))
    except Overtime:
        raise Failed(f"takes more than {seconds} s") from None
    except Exception as error:
        if isinstance(error, Failed):
            raise
        raise Failed(last_words("".join(traceback.format_exception(error)))) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def results(run: Path) -> Files:
    """Return what equal runs share: the digests of all files, without timings.

    The report is full of timings, so only that it is there counts.
    """
    found = {}
    for path in sorted(run.rglob("*")):
        name = path.relative_to(run).as_posix()
        if not path.is_file() or NOT_COMPARED.fullmatch(name):
            continue
        content = b"" if name == "report.html" else path.read_bytes()
        if path.name in ("metrics.jsonl", "summary.json"):
            content = _without_timings(content, lines=path.suffix == ".jsonl")
        found[name] = sha256(content).hexdigest()
    return found


def _without_timings(content: bytes, *, lines: bool) -> bytes:
    try:
        values = [json.loads(text) for text in (content.splitlines() if lines else [content])]
    except ValueError:
        return b"unreadable"
    timeless = [{key: item[key] for key in item.keys() - TIMINGS} for item in values]
    return json.dumps(timeless, sort_keys=True).encode()


def compare(found: Files, wanted: Files, what: str) -> None:
    """Raise Failed with the name of the first file that is missing, left over or different."""
    for name in sorted(found.keys() | wanted.keys()):
        if name not in found:
            raise Failed(f"{what}: {name} is missing")
        if name not in wanted:
            raise Failed(f"{what}: {name} is left over")
        if found[name] != wanted[name]:
            raise Failed(f"{what}: {name} differs")
