"""The corpus comes from the cache, or from its one source if the digest is right."""

import contextlib
import hashlib
import io
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import platformdirs
import pytest

from gru_mt.data.corpus import fra_eng
from gru_mt.data.corpus.fra_eng import PublishedFile, find_or_fetch
from gru_mt.errors import UserError
from tests.corpora import zipped

ZIP = zipped(("fra-eng/fra.txt", b"Go.\tVa !\n"))
SHA1 = hashlib.sha1(ZIP).hexdigest()


class Server(ThreadingHTTPServer):
    """Sends what the path asks for: good, page, cut, missing, endless, trickle or silence."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.over = threading.Event()  # tells handlers that still send to stop
        self.paths: list[str] = []

    def source(self, path: str, sha1: str = SHA1) -> PublishedFile:
        return PublishedFile(f"{self.url}/{path}", sha1)

    def body(self, path: str) -> Iterator[bytes]:
        if path == "page":
            yield b"<html>Sign in to this network</html>"
        elif path == "endless":
            while not self.over.is_set():
                yield bytes(1000)
        elif path == "trickle":
            while not self.over.wait(0.01):
                yield b"x"
        elif path == "silence":
            self.over.wait()
        else:
            yield ZIP


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        path = self.path.removeprefix("/")
        self.server.paths.append(path)
        if path == "missing":
            self.send_error(404, "Not Found")
            return
        self.send_response(200)
        if path in ("good", "cut"):
            self.send_header("Content-Length", str(len(ZIP) + 7 * (path == "cut")))
        self.end_headers()
        with contextlib.suppress(OSError):  # the client has had enough and closed
            for chunk in self.server.body(path):
                self.wfile.write(chunk)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.over.set()
        running.shutdown()
        thread.join()


def test_a_download_is_kept_and_the_second_call_does_not_connect(
    server: Server, tmp_path: Path
) -> None:
    cache = tmp_path / "made" / "on demand"
    path = find_or_fetch(cache, server.source("good"))
    assert path == cache / "fra-eng.zip"
    assert path.read_bytes() == ZIP
    assert find_or_fetch(cache, server.source("good")) == path
    assert server.paths == ["good"]
    assert [*cache.iterdir()] == [path]


@pytest.mark.parametrize(
    ("bad", "answer"),
    [
        ("cut", f"cut off after {len(ZIP)} of {len(ZIP) + 7} bytes"),
        ("missing", "HTTP Error 404: Not Found"),
        ("endless", "it sends more than 5,000 bytes"),
        ("trickle", "it was not done after 0.2 seconds"),
        ("silence", "timed out"),
        ("page", "its SHA-1 is "),
    ],
)
def test_a_failed_download_is_quoted_and_leaves_no_file(
    server: Server, tmp_path: Path, bad: str, answer: str
) -> None:
    limit_s = 0.2 if bad in ("trickle", "silence") else 60.0  # the others answer
    with pytest.raises(UserError) as raised:
        find_or_fetch(tmp_path, server.source(bad), max_bytes=5_000, max_s=limit_s)
    message = str(raised.value)
    assert f"put that file at {tmp_path / 'fra-eng.zip'}" in message
    assert "from https://www.manythings.org/anki/ and name it with --set data.corpus=P" in message
    assert f"({server.url}/{bad}: {answer}" in message
    assert "\n" not in message
    assert [*tmp_path.iterdir()] == []


def test_what_is_not_the_published_file_is_refused(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    closed = PublishedFile("http://127.0.0.1:1/fra-eng.zip", SHA1)  # nobody listens on port 1
    other = server.source("good", "0" * 40)
    with pytest.raises(UserError, match=f"its SHA-1 is {SHA1}, not {'0' * 40}"):
        find_or_fetch(tmp_path / "a", other)
    with pytest.raises(UserError, match=r"refused.*: put that file at .*fra-eng\.zip, or"):
        find_or_fetch(tmp_path / "a", closed)
    with pytest.raises(UserError, match=r"Not a directory|File exists"):
        find_or_fetch(file / "cache", server.source("good"))
    assert [*(tmp_path / "a").iterdir()] == []


def test_a_damaged_file_in_the_cache_is_named_and_not_replaced(
    server: Server, tmp_path: Path
) -> None:
    path = tmp_path / "fra-eng.zip"
    path.write_bytes(ZIP[:-30])
    with pytest.raises(UserError, match=r"fra-eng\.zip: not a zip file; delete it"):
        find_or_fetch(tmp_path, server.source("good"))
    assert path.read_bytes() == ZIP[:-30]
    assert server.paths == []


def test_the_cache_is_the_users_own_and_the_source_has_tls_by_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / name)
    (tmp_path / "gru-mt").mkdir()
    (tmp_path / "gru-mt" / "fra-eng.zip").write_bytes(ZIP)
    assert find_or_fetch() == tmp_path / "gru-mt" / "fra-eng.zip"
    assert fra_eng.D2L.url == "https://d2l-data.s3-accelerate.amazonaws.com/fra-eng.zip"
    assert fra_eng.D2L.sha1 == "94646ad1522d915e7b0f9296181140edcf86a4f5"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stderr", "shown"), [(Terminal(), True), (io.StringIO(), False)])
def test_progress_is_shown_on_a_terminal_only(
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    stderr: io.StringIO,
    shown: bool,
) -> None:
    monkeypatch.setattr(sys, "stderr", stderr)
    find_or_fetch(tmp_path, server.source("good"))
    assert ("fra-eng.zip: 100%" in stderr.getvalue()) == shown
    assert bool(stderr.getvalue()) == shown
    assert capsys.readouterr().out == ""
