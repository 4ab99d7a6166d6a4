"""Run the commands in this process, as a user types them."""

import fcntl
import logging
import os
import pty
import struct
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import pytest

from gru_mt.cli import main
from gru_mt.corrections.store import Correction, add_corrections

CONFIG = """
data: {{corpus: {corpus}}}
tokenizer: {{kind: word, min_frequency: 1}}
model: {{embedding_size: 16, encoder_size: 16, decoder_size: 32}}
training: {{max_epochs: 3, batch_tokens: 120, warmup_steps: 5, averaging: 0, learning_rate: 1e-2}}
decoding: {{beam_size: 3, max_source_tokens: 12}}
"""


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Run = Callable[..., Result]


def run_main(*arguments: object, **streams: object) -> int:
    """Run a command line in this process and return its exit code; `streams` replace sys's."""
    streams = {"stdout": sys.stdout, "stderr": sys.stderr} | streams
    logger = logging.getLogger("gru_mt")
    level = logger.level
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["gru-mt", *map(str, arguments)])
        for name, stream in streams.items():
            patch.setattr(f"sys.{name}", stream)
        with pytest.raises(SystemExit) as end:
            main()
    logger.setLevel(level)  # else a later test would not see what is logged below it
    assert end.value.code is None or isinstance(end.value.code, int)
    return end.value.code or 0


def assert_one_line(result: Result, *parts: str) -> None:
    assert result.code == 2
    assert result.out == ""
    assert result.err.count("\n") == 1
    assert all(part in result.err for part in parts), result.err


def add_correction(run: Path, source: str, target: str, by: str = "") -> None:
    add_corrections(run, [Correction.of(source, target, by)])


@contextmanager
def terminal() -> Iterator[tuple[TextIO, list[str]]]:
    """Yield a terminal of 70 columns to write on, and what is drawn there once the block ends.

    That are texts, each drawn over the one before. A terminal holds 4,000 characters.
    """
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
    drawn: list[str] = []
    with os.fdopen(writer, "w") as written:
        yield written, drawn
    text = b""
    with suppress(OSError):  # all is read
        while True:
            text += os.read(reader, 10_000)
    os.close(reader)
    drawn += text.decode().replace("\r\n", "\n").split("\r")
