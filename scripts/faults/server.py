"""What clients do to a server: they hang, cut off, flood, and send nonsense. It serves the next."""

import asyncio
import json
import os
import random
import resource
import signal
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException
from itertools import repeat
from pathlib import Path
from threading import Thread

from faults.checks import Failed, check, during
from faults.commands import gru_mt
from faults.fuzz import SIGNS, damaged, random_lines
from faults.scenarios import Scenarios
from gru_mt.corrections.store import read_corrections
from gru_mt.documents.registry import ENDINGS

VALUES = {"q": "I see cats.", "source": "en", "target": "fr"}
PATHS = ("/translate", "/detect", "/suggest", "/translate_file")
JSON, FORM = "application/json", "multipart/form-data; boundary=b"
KINDS = ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data", "\xff", FORM)
PART = '--b\r\nContent-Disposition: form-data; name="{}"{}\r\n\r\n{}\r\n'
BODY = json.dumps(VALUES)
WHOLE = "POST /translate HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}"
REQUEST = WHOLE.format(len(BODY), BODY).encode()
ODD: list[object] = [None, True, -1, 10**400, 1e308, float("nan"), [], {}, [[["a"]]], ["a", 1]]
ODD += [[""] * 5_000, "", "\0", "\ud800", "x" * 30_000, "/etc/passwd", "auto", *SIGNS]
WAIT_S = 60.0  # what a start or an answer may take on a busy machine
REQUESTS = 10_000  # at once, as far as this process may have so many connections
AT_ONCE = min(REQUESTS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100)
LARGE, GROWTH = 100 << 20, 250 << 20  # bytes of a body; by which a server may grow


def server(scenarios: Scenarios, index: int, rng: random.Random, folder: Path) -> None:
    """Attack a server, and look whether it answers, grows and ends as it should."""
    scenarios["translate"].prepare(folder)
    attack = ATTACKS[index % len(ATTACKS)]
    with during(attack.__name__), ExitStack() as held:
        if attack is not kill:
            serve(folder, partial(attack, rng, held), limit_s=5 if attack is hang else 30)
            return
        kept = list[str]()
        serve(folder, partial(kill, rng, kept), signal.SIGKILL)
        if lost := {*kept} - {each.source for each in read_corrections(folder / "run")}:
            raise Failed(f"of {len(kept)} suggestions that it took, {len(lost)} are lost")
        serve(folder, partial(cut_off, rng, held))  # it starts again


def serve(
    folder: Path, act: Callable[[int], None], stop: int = signal.SIGTERM, limit_s: int = 60
) -> None:
    """Start a server of the run in `folder`, call `act` with its port, and stop it.

    Raises Failed where it then answers otherwise, has grown too much, or ends badly.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    failures, memory = list[str](), folder / f"memory-{port}"

    def on_stop() -> None:
        try:
            before, pages = answer_at_last(port), int(memory.read_text().split()[1])
            act(port)
            growth = (int(memory.read_text().split()[1]) - pages) * os.sysconf("SC_PAGE_SIZE")
            if stop != signal.SIGKILL and ask(port) != before:
                failures.append("another answer than before")
            if growth > GROWTH:
                failures.append(f"it grew by {growth >> 20} MiB")
        except (Failed, OSError) as failure:
            failures.append(str(failure) or "no answer in time")

    ended = gru_mt(
        *("serve", "--model=run", f"--port={port}", "--suggest", f"--timeout={limit_s}"),
        folder=folder,
        first=lambda: memory.symlink_to(f"/proc/{os.getpid()}/statm"),
        stops=[(0.0, stop)],
        on_stop=on_stop,
    )
    if failures:
        raise Failed(f"{failures[0]}; {ended.cause()}")
    check(ended)


def answer_at_last(port: int) -> object:
    """Return the answer to VALUES of a server that is starting."""
    for _ in range(round(WAIT_S / 0.05)):
        with suppress(ConnectionRefusedError):
            return ask(port)
        time.sleep(0.05)
    raise Failed("it does not start")


def ask(
    port: int,
    path: str = "/translate",
    body: bytes | Iterable[bytes] = BODY.encode(),
    kind: str = JSON,
    due: Callable[[int], bool] = (200).__eq__,
) -> object:
    """Return the answer, of a status that is `due`: JSON, and with an error where it refuses."""
    client = HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    try:
        client.request("POST", path, body, {"Content-Type": kind})
        response = client.getresponse()
        values = json.loads(response.read())
    except (TimeoutError, HTTPException, ValueError) as error:
        raise Failed(f"{path}: no answer: {error!r}") from None
    finally:
        client.close()
    has_reason = response.status == 200 or isinstance(values["error"], str)
    if not has_reason or not due(response.status):
        raise Failed(f"{path}: {response.status}: {values}")
    return values


def hang(rng: random.Random, held: ExitStack, port: int) -> None:
    """Clients begin a request and wait, also while the server ends."""
    for _ in range(200):
        path = rng.choice(PATHS).encode()
        client = held.enter_context(socket.create_connection(("127.0.0.1", port)))
        client.sendall(REQUEST[: rng.randrange(len(REQUEST))].replace(b"/translate", path))


def cut_off(rng: random.Random, held: ExitStack, port: int) -> None:
    """Clients leave in the middle of a request, or before the answer."""
    for _ in range(300):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(REQUEST[: rng.choice([None, rng.randrange(len(REQUEST))])])


def large(rng: random.Random, held: ExitStack, port: int) -> None:
    """Clients send 100 MB: as one text, in chunks of no stated length, and as a file."""
    file = PART.format("file", '; filename="a.txt"', "a b. " * (LARGE // 5)).encode()
    chunks = repeat(b"x" * (1 << 20), LARGE >> 20)
    for path, body, kind in (
        (PATHS[0], b'"' + b"x" * LARGE, JSON), (PATHS[0], chunks, JSON), (PATHS[-1], file, FORM),
    ):  # fmt: skip
        with suppress(ConnectionError):  # it may close before it has read all
            ask(port, path, body, kind, due=(413).__eq__)


def nonsense(rng: random.Random, held: ExitStack, port: int) -> None:
    """Clients send broken JSON, values of other types, deep nesting, odd forms and documents."""
    names = (*VALUES, "format", "alternatives", "s", "api_key", "details")
    for _ in range(150):
        values = (
            VALUES | {"q": "you want hats.", "s": "HATS"} | {rng.choice(names): rng.choice(ODD)}
        )
        body, path, kind = json.dumps(values).encode(), rng.choice(PATHS), JSON
        lines = random_lines(rng)[:50_000]
        if rng.random() < 0.4:
            file = f'; filename="../a{rng.choice(ENDINGS)}"'
            parts = [PART.format(name, "", value) for name, value in values.items()]
            form = "".join(
                [*parts, PART.format("file", file, lines.decode("latin-1")), "--b--\r\n"]
            )
            body, path, kind = form.encode("utf-8", "replace"), PATHS[-1], FORM
        deep = rng.choice([b"[", b'{"q":', b'{"q":[']) * 100_000
        body = rng.choice([body, body, body, damaged(rng, body), deep, lines])
        kind = rng.choice([kind, kind, rng.choice(KINDS)])
        with during(f"{kind}: {body[:100]!r}"):
            ask(port, path, body, kind, due=lambda status: status in range(200, 500))


def headers(rng: random.Random, held: ExitStack, port: int) -> None:
    """Clients send floods of headers, and what is no HTTP."""
    for old, new in (
        (b"Host", b"X: y\r\n" * 20_000 + b"Host"),
        (b"Host", b"X: " + b"y" * 5_000_000 + b"\r\nHost"),
        (b"/translate", b"/translate?" + b"q=a&" * 500_000),
        (b"POST /translate", b"GET /download_file/../../../../etc/passwd"),
        (b"Content-Length: ", b"Content-Length: -"),
        (b"Host", b"Content-Length: 1\r\nHost"),
        *((REQUEST[:150], damaged(rng, REQUEST[:150])) for _ in range(50)),
        *((REQUEST, rng.randbytes(1_000) + b"\r\n\r\n") for _ in range(50)),
    ):
        with during(f"{new[:100]!r}"), socket.create_connection(("127.0.0.1", port)) as client:
            client.settimeout(0.5)  # it may wait for more
            with suppress(ConnectionError, TimeoutError):
                client.sendall(REQUEST.replace(old, new))
                received = client.recv(1 << 16)
                if received.startswith(b"HTTP/1.1 5") or b"root:" in received:
                    raise Failed(f"{received[:200]!r}")


def flood(rng: random.Random, held: ExitStack, port: int) -> None:
    """Clients send 10,000 requests at once: each is served, or told to come again."""
    statuses = list[bytes]()

    async def one(gate: asyncio.Semaphore) -> None:
        async with gate, asyncio.timeout(WAIT_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(REQUEST)
            statuses.append((await reader.read())[9:12])
            writer.close()

    async def everyone() -> None:
        gate = asyncio.Semaphore(AT_ONCE)
        await asyncio.gather(*(one(gate) for _ in range(REQUESTS)))

    asyncio.run(everyone())
    if b"200" not in statuses or {*statuses} - {b"200", b"503"}:
        raise Failed(f"answers were {sorted({*statuses})}")


def kill(rng: random.Random, kept: list[str], port: int) -> None:
    """The server is killed by SIGKILL while it takes suggestions; `kept` are those it took."""

    def suggest() -> None:
        with suppress(Failed, OSError):
            while True:
                text = f"they see {''.join(rng.choices('abcdefgh', k=9))}."
                body = json.dumps(VALUES | {"q": text, "s": text.upper()}).encode()
                ask(port, "/suggest", body)
                kept.append(text)

    Thread(target=suggest, daemon=True).start()
    time.sleep(rng.random())


ATTACKS: tuple[Callable[..., None], ...] = (kill, hang, cut_off, large, nonsense, headers, flood)
