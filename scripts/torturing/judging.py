"""How commands may end, and what they may leave."""

import json
import re
import signal
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from gru_mt.errors import short_repr

TIMINGS = {"elapsed_s", "minutes", "tokens_s"}  # what differs between equal runs
HIDDEN = re.compile(  # what a terminal obeys or does not show, except the line feed
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
BUGS = re.compile("Traceback|Exception ignored|Fatal Python error|Segmentation fault")

Files = dict[str, str]  # digests by file name


class Failed(Exception):  # noqa: N818 it is what is looked for
    """gru-mt did not survive; the message is one line that says how."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    command: str
    code: int  # below 0: minus the signal that it died of
    out: bytes
    err: str
    sent: tuple[int, ...]  # the signals sent to it

    def cause(self) -> str:
        """Return the command, its exit code and its last words."""
        return f"{self.command}: exit {self.code}: {last_words(self.err)}"


def last_words(text: str) -> str:
    """Return the last line of `text`, after the last place in gru-mt that a traceback names."""
    places = re.findall(r'File "[^"]*/(gru_mt/[^"]*)", line (\d+), in (\S+)', text)
    place = "{}:{} {}: ".format(*places[-1]) if places else ""
    lines = [line for line in text.splitlines() if line.strip()]
    return place + short_repr(lines[-1] if lines else "")


def judge(ended: Ended, *, code: int | None = None) -> Ended:
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
        if not ended.err.strip():
            raise Failed(f"{ended.command}: exit 2 without a word")
        if len(ended.err) > 10_000 or ended.err.count("\n") > 40:
            raise Failed(f"{ended.command}: exit 2 with {len(ended.err):,} characters")
        if ended.out:
            raise Failed(
                f"{ended.command}: exit 2, but something on stdout: {short_repr(ended.out)}"
            )
    if code is not None and ended.code != code:
        raise Failed(f"{ended.cause()} (exit {code} was due)")
    return ended


def judge_message(message: str) -> None:
    """Raise Failed where the message of an error is empty or too long."""
    if not message.strip():
        raise Failed("an error without a word")
    if len(message) > 10_000:
        raise Failed(f"an error of {len(message):,} characters: {short_repr(message)}")


def results(run: Path) -> Files:
    """Return what equal runs share: all files without timings.

    Log, lock, checkpoints and the kept translations, whose seconds differ, are left out; of the
    report, which is full of timings, only that it is there counts.
    """
    found = {}
    for path in sorted(run.rglob("*")):
        name = str(path.relative_to(run))
        old = re.fullmatch(r"checkpoints/step-\d+\.safetensors", name)
        kept = name.endswith((".hypotheses.json", ".samples.json"))
        if not path.is_file() or old or kept or name in ("lock", "train.log"):
            continue
        content = path.read_bytes()
        if name == "report.html":
            content = b""
        elif path.name in ("metrics.jsonl", "summary.json"):
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
    """Raise Failed with the name of the first file that is missing, left over or different."""
    for name in sorted(found.keys() | wanted.keys()):
        if found.get(name) != wanted.get(name):
            state = (
                "is missing" if name not in found else
                "is left over" if name not in wanted else "is another"
            )  # fmt: skip
            raise Failed(f"{what}: {name} {state}")
