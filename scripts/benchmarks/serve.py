"""Clients of `gru-mt serve`, beside `gru-mt translate` of the same lines."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
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
                yield int(said.split(";")[0].rsplit(":", 1)[1])
                process.terminate()
                return
            print(said, end="", file=sys.stderr)  # why it does not
    raise subprocess.CalledProcessError(process.returncode, command)


def ask(port: int, model: Path, sentences: Sequence[str], clients: int) -> tuple[float, float]:
    """Return sentences a second of clients with one sentence each, and their median ms."""
    languages = Translator.load(model).languages
    times_ms = []

    def client(part: Sequence[str]) -> None:
        connection = HTTPConnection("127.0.0.1", port)
        for text in part:
            body = {"q": text, "source": languages.source, "target": languages.target}
            started_s = time.perf_counter()
            connection.request("POST", "/translate", json.dumps(body).encode())
            assert connection.getresponse().read().startswith(b'{"translatedText"')
            times_ms.append((time.perf_counter() - started_s) * 1e3)

    started_s = time.perf_counter()
    with ThreadPoolExecutor(clients) as threads:
        [*threads.map(client, (sentences[number::clients] for number in range(clients)))]
    return len(sentences) / (time.perf_counter() - started_s), statistics.median(times_ms)


def translate(model: Path, sentences: Sequence[str]) -> float:
    """Return sentences a second of `gru-mt translate --input`, without its start."""
    walls_s = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lines.txt"
        for lines in (sentences[:1], sentences):
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            walls_s.append(gru_mt("translate", "--model", model, "--input", file).wall_s)
    return (len(sentences) - 1) / (walls_s[1] - walls_s[0])
