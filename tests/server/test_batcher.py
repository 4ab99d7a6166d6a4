"""Clients share batches, and none of them notices."""

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import requests

from gru_mt import Translator, UserError
from gru_mt.documents.document import Document
from gru_mt.documents.registry import read_document
from gru_mt.server.api import Limits
from gru_mt.server.batcher import _pieces
from tests.server.conftest import EN_FR, Start, post, wait_until

SENTENCES = [f"I see {n} cats." for n in range(100)]


@dataclass(eq=False)
class Gated(Translator):
    """A translator that waits until `gate` is set, fails on "bad", and notes what it got."""

    gate: threading.Event = field(default_factory=threading.Event)
    got: list[str] = field(default_factory=list)

    def translate(self, sources: Any, **keywords: Any) -> Any:
        self.got += sources
        assert self.gate.wait(20)
        if any("bad" in source for source in sources):
            raise UserError("the model computes no finite numbers")
        return super().translate(sources, **keywords)


@pytest.fixture
def gated(translator: Translator) -> Iterator[Gated]:
    own = (translator.engine, translator.tokenizer, translator.decoding, translator.languages)
    gated = Gated(*own)
    yield gated
    gated.gate.set()


def ask(address: str, q: object) -> requests.Response:
    return post(f"{address}/translate", q=q)


def send(address: str, data: bytes, timeout_s: float = 20) -> requests.Response:
    file: Any = {"file": ("a.txt", data)}
    return requests.post(f"{address}/translate_file", EN_FR, files=file, timeout=timeout_s)


def metric(address: str, name: str) -> float:
    lines = requests.get(f"{address}/metrics", timeout=20).text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"gru_mt_{name} "))


def test_64_clients_at_once_get_what_each_gets_alone(start: Start, gated: Gated) -> None:
    animals = ["cat", "dog", "Xyzzy", "książka", "猫", "12", "a@b.org", "<b>cat</b>"]
    who = ("I", "we", "they", "you", "Tom and I", "the cats", "my dogs", "all of us")
    texts = [f"{one} see {it}." for one in who for it in animals]
    address = start(gated)
    with ThreadPoolExecutor(len(texts)) as threads:
        answers = [threads.submit(ask, address, text) for text in texts]
        wait_until(lambda: metric(address, "waiting_requests") + len(gated.got) == len(texts))
        gated.gate.set()
        found = [answer.result().json()["translatedText"] for answer in answers]
    assert found == [str(Translator.translate(gated, text)) for text in texts]
    assert metric(address, "batches_total") <= 3, "the first that came, and all others"


def test_who_is_too_many_is_sent_away_and_who_leaves_is_not_translated(
    start: Start, gated: Gated
) -> None:
    address = start(gated, limits=Limits(waiting=1))
    with ThreadPoolExecutor() as threads:
        first = threads.submit(ask, address, "one")
        wait_until(lambda: gated.got == ["one"])
        body = json.dumps({"q": "two", "source": "en", "target": "fr"}).encode()
        head = f"POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n"
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as leaving:
            leaving.sendall(head.encode() + body)
            wait_until(lambda: metric(address, "waiting_requests") == 1)
            busy = ask(address, "three")
        assert (busy.status_code, busy.headers["Retry-After"]) == (503, "5")
        assert "too many" in busy.json()["error"]
        wait_until(lambda: metric(address, "waiting_requests") == 0)
        gated.gate.set()
        assert first.result().status_code == 200
        assert ask(address, "four").status_code == 200
    assert gated.got == ["one", "four"]


def test_a_document_whose_client_leaves_is_not_translated(start: Start, gated: Gated) -> None:
    address = start(gated)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(ask, address, "one")
        wait_until(lambda: gated.got)
        with pytest.raises(requests.ReadTimeout):
            send(address, b"two", timeout_s=0.5)
        wait_until(lambda: metric(address, "waiting_requests") == 0)
        gated.gate.set()
        assert first.result().status_code == 200
    assert gated.got == ["one"]


def test_a_document_counts_until_its_thread_has_ended(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_read = threading.Event()

    def read_slowly(*arguments: Any, **keywords: Any) -> Document:
        may_read.wait(20)
        return read_document(*arguments, **keywords)

    monkeypatch.setattr("gru_mt.server.api.MOST_DOCUMENTS", 1)
    monkeypatch.setattr("gru_mt.server.api.read_document", read_slowly)
    address = start(limits=Limits(characters=1))
    with pytest.raises(requests.ReadTimeout):
        send(address, b"12", timeout_s=0.3)
    refused = send(address, b"12")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    may_read.set()
    wait_until(lambda: send(address, b"12").ok)
    assert "101 characters, more than 100" in send(address, b"1" * 101).json()["error"]


def test_a_sentence_without_an_end_is_cut_where_no_word_or_address_is() -> None:
    words, address = "I see you and " * 1_000, f"https://a.org/{'x' * 5_000}"
    parts = _pieces(f"{words}{address} {'猫が好きで、' * 1_000}", "en")
    assert "".join(parts) == f"{words}{address} {'猫が好きで、' * 1_000}"
    assert [part for part in parts if len(part) > 2_001] == [f"{address} "]
    assert all(part.endswith((" ", "、")) for part in parts)


def test_a_part_of_characters_that_nobody_sees_has_no_translation(start: Start) -> None:
    assert send(start(), b"\\u200b" * 1_999 + b" I see you").ok


def test_a_request_has_a_time_limit(start: Start, gated: Gated) -> None:
    address = start(gated, limits=Limits(seconds=0.2))
    answer = ask(address, "one")
    assert answer.status_code == 503
    assert "too long" in answer.json()["error"]
    assert "Retry-After" not in answer.headers, "it would take as long again"
    gated.gate.set()
    wait_until(lambda: ask(address, "one").status_code == 200)


def test_a_client_that_sends_a_byte_at_a_time_is_cut_off(start: Start) -> None:
    host, port = start(limits=Limits(seconds=0.2)).removeprefix("http://").split(":")
    whole = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
    headers = b"POST /detect HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n"

    def is_cut_off(client: socket.socket) -> bool:
        with suppress(ConnectionError):
            client.sendall(b"a")
            return False
        return True

    with ExitStack() as stack:
        clients = []
        for begun in (headers, whole + headers, headers + b"\r\n"):
            clients.append(stack.enter_context(socket.create_connection((host, int(port)))))
            clients[-1].sendall(begun)
        wait_until(lambda: sum(map(is_cut_off, clients)) == len(clients))


def test_what_cannot_be_translated_is_the_error_of_its_client_alone(
    start: Start, gated: Gated, caplog: pytest.LogCaptureFixture
) -> None:
    address = start(gated)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(ask, address, "one")
        wait_until(lambda: gated.got)
        others = [threads.submit(ask, address, q) for q in ("two", ["a", "bad"])]
        wait_until(lambda: metric(address, "waiting_requests") == 2)
        gated.gate.set()
        assert [each.result().status_code for each in (first, *others)] == [200, 200, 500]
    assert "runs" not in others[1].result().json()["error"], "no path of the server"
    assert "no finite numbers" in caplog.text


@pytest.mark.parametrize("q", [SENTENCES, "  ".join(SENTENCES)], ids=["texts", "line"])
def test_a_long_request_leaves_room_for_short_ones(start: Start, gated: Gated, q: object) -> None:
    address = start(gated)
    with ThreadPoolExecutor() as threads:
        long = threads.submit(ask, address, q)
        wait_until(lambda: gated.got)
        short = threads.submit(ask, address, "I see a dog.")
        wait_until(lambda: metric(address, "waiting_requests") == 2)
        gated.gate.set()
        assert {short.result().status_code, long.result().status_code} == {200}
    assert gated.got.index("I see a dog.") < 67, "early in the second batch of 64"
    found = [str(each) for each in Translator.translate(gated, SENTENCES)]
    assert long.result().json()["translatedText"] == (found if q is SENTENCES else "  ".join(found))


@pytest.mark.slow
@pytest.mark.parametrize("signals", [1, 2])
def test_a_signal_lets_a_document_end_that_takes_long_and_a_second_one_does_not(
    workplace: Path, signals: int
) -> None:
    command = [sys.executable, "-m", "gru_mt", "serve", "--model", "runs/small", "--port", "0"]
    command += ["--timeout", "2"]  # a document has 20
    with subprocess.Popen(command, cwd=workplace, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        line = next(line for line in process.stderr if line.startswith("serving"))
        address = line.split(" at ")[1].split(";")[0]
        lines = "".join(f"I see {n} cats and two dogs.\n" for n in range(3_000)).encode()
        with ThreadPoolExecutor() as threads:
            long = threads.submit(send, address, lines, timeout_s=60)
            wait_until(lambda: metric(address, "batches_total") >= 1)
            for _ in range(signals):
                process.send_signal(signal.SIGTERM)
                wait_until(lambda: _is_refused(address))
            assert not long.done()
            assert long.result().status_code == (200 if signals == 1 else 503)
        assert process.wait(20) == (-signal.SIGTERM if signals == 1 else 128 + signal.SIGTERM)
        [said] = process.stderr
        assert "second signal" in said


def _is_refused(address: str) -> bool:
    try:
        requests.get(f"{address}/health", timeout=20)
    except requests.ConnectionError:
        return True
    return False
