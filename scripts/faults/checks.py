"""How commands may end, and what they may leave on disk."""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from gru_mt.errors import short_repr

TIMINGS = re.compile(  # what differs between equal runs
    rb'"(elapsed_s|minutes|seconds|sentences_s|tokens_s)": [\d.]+'
)
NOT_COMPARED = re.compile(  # files whose content differs between equal runs
    r"checkpoints/step-\d+\.safetensors|.*\.(hypotheses|samples)\.json|lock|train\.log"
)
HIDDEN = re.compile(  # what a terminal obeys or does not show, except the line feed
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
BEGUN = re.compile(r"gru_mt/(?!__(?:init|main)__\.py)")  # files of ours, after the first two
BUGS = re.compile("Traceback|Exception ignored|Fatal Python error|Segmentation fault")

Files = dict[str, str]  # SHA-256 by file name


class Failed(Exception):  # noqa: N818 it is what is looked for
    """A trial did not pass; the message is one line that says how."""


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
    if interrupted and not BEGUN.search(ended.err):
        return ended  # it came before gru-mt began, and Python reports it in its own way
    if ended.code not in allowed or BUGS.search(ended.err):
        raise Failed(ended.cause())
    if hidden := HIDDEN.search(ended.err):
        raise Failed(f"{ended.command}: {hidden[0]!r} on stderr: {short_repr(ended.err)}")
    if ended.code == 2:
        with during(f"{ended.command}: exit 2"):
            if not ended.err.strip():
                raise Failed("an error without a word")
            if len(ended.err) > 10_000 or ended.err.count("\n") > 40:
                text = short_repr(ended.err)
                raise Failed(f"an error of {len(ended.err):,} characters: {text}")
            if ended.out:
                raise Failed(f"something on stdout: {short_repr(ended.out)}")
    if code is not None and ended.code != code:
        raise Failed(f"{ended.cause()} (exit {code} was due)")
    return ended


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
            content = TIMINGS.sub(b"", content)
        found[name] = sha256(content).hexdigest()
    return found


def compare(found: Files, wanted: Files, what: str) -> None:
    """Raise Failed with the name of the first file that is missing, left over or different."""
    for name in sorted(found.keys() | wanted.keys()):
        if name not in found:
            raise Failed(f"{what}: {name} is missing")
        if found[name] != wanted.get(name):
            raise Failed(f"{what}: {name} {'differs' if name in wanted else 'is left over'}")
