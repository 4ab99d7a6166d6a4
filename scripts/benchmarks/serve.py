"""Clients of `gru-mt serve`, beside `gru-mt translate` of the same lines."""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.results import gru_mt
from gru_mt.inference.translator import Translator


@contextmanager
def server(model: Path) -> Iterator[int]:
    """Serve a model; yield the port. Raises CalledProcessError where it does not start."""
    command = [sys.executable, "-m", "gru_mt", "serve", "--model", str(model), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr, "it is a pipe"
        for said in process.stderr:
            if said.startswith("serving"):
                try:
                    yield int(said.split(";")[0].rsplit(":", 1)[1])
                finally:
                    process.terminate()
                return
            print(said, end="", file=sys.stderr)  # why it does not
    raise subprocess.CalledProcessError(process.returncode, command)


def ask(port: int, model: Path, sentences: Sequence[str], clients: int) -> tuple[float, float]:
    """Return sentences a second of clients with one sentence each, and their median ms.

    They share a thread and write their requests before, to leave the cores to the server.
    """
    languages = Translator.load(model).languages
    times_ms = []
    direction = {"source": languages.source, "target": languages.target}
    requests = [_request(json.dumps({"q": text, **direction}).encode()) for text in sentences]

    async def client(part: Sequence[bytes]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for request in part:
            started_s = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split()[0])
            assert (await reader.readexactly(length)).startswith(b'{"translatedText"')
            times_ms.append((time.perf_counter() - started_s) * 1e3)
        writer.close()

    async def all_clients() -> None:
        await asyncio.gather(*(client(requests[number::clients]) for number in range(clients)))

    started_s = time.perf_counter()
    asyncio.run(all_clients())
    return len(sentences) / (time.perf_counter() - started_s), statistics.median(times_ms)


def _request(body: bytes) -> bytes:
    head = f"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    return f"{head}Content-Type: application/json\r\n\r\n".encode() + body


def translate(model: Path, sentences: Sequence[str]) -> float:
    """Return sentences a second of `gru-mt translate --input`, without its start."""
    walls_s = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lines.txt"
        for lines in (sentences[:1], sentences):
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            walls_s.append(gru_mt("translate", "--model", model, "--input", file).wall_s)
    return (len(sentences) - 1) / (walls_s[1] - walls_s[0])
