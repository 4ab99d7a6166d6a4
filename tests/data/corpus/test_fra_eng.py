"""The corpus comes from the cache, or from its one source if the digest is right."""

import contextlib
import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import platformdirs
import pytest

from gru_mt.data.corpus import fra_eng
from gru_mt.data.corpus.fra_eng import find_or_fetch
from gru_mt.errors import UserError
from tests.corpora import zipped

ZIP = zipped(("fra-eng/fra.txt", b"Go.\tVa !\n"))
SHA1 = hashlib.sha1(ZIP).hexdigest()
OVER = threading.Event()  # tells handlers that still send to stop


class Handler(BaseHTTPRequestHandler):
    """Sends what the path asks for: good, page, cut, missing, endless, trickle or silence."""

    def do_GET(self) -> None:
        path = self.path.removeprefix("/")
        if path == "missing":
            self.send_error(404, "Not Found")
            return
        self.send_response(200)
        if path in ("good", "cut"):
            self.send_header("Content-Length", str(len(ZIP)))
        self.end_headers()
        with contextlib.suppress(OSError):  # the client has had enough and closed
            if path in ("endless", "trickle", "silence"):
                wait_s = {"endless": 0, "trickle": 0.01, "silence": None}[path]
                while not OVER.wait(wait_s):
                    self.wfile.write(bytes(1000 if path == "endless" else 1))
            else:
                end = -7 if path == "cut" else None
                self.wfile.write(b"<html>Sign in</html>" if path == "page" else ZIP[:end])

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """Return the address of a server, and make the cache an empty folder, `tmp_path`/gru-mt."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / name)
    monkeypatch.setattr(fra_eng, "SHA1", SHA1)
    OVER.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setattr(fra_eng, "URL", f"http://127.0.0.1:{server.server_port}/good")
        yield f"http://127.0.0.1:{server.server_port}"
        OVER.set()
        server.shutdown()
        thread.join()


def test_a_download_is_kept_and_the_second_call_does_not_connect(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = find_or_fetch()
    assert path == tmp_path / "gru-mt" / "fra-eng.zip"
    assert path.read_bytes() == ZIP
    monkeypatch.setattr(fra_eng, "URL", f"{url}/missing")
    assert find_or_fetch() == path
    assert [*path.parent.iterdir()] == [path]
    assert capsys.readouterr() == ("", ""), "a bar without a terminal"


@pytest.mark.parametrize(
    ("bad", "answer"),
    [
        ("cut", f"cut off, or another file: the SHA-1 of {len(ZIP) - 7} bytes is not {SHA1}"),
        ("missing", "HTTP Error 404: Not Found"),
        ("endless", "it sends more than 5,000 bytes"),
        ("trickle", "it was not done after 0.2 seconds"),
        ("silence", "timed out"),
        ("page", "cut off, or another file: the SHA-1 of 20 bytes is not "),
    ],
)
def test_a_failed_download_is_quoted_and_leaves_no_file(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: str, answer: str
) -> None:
    limit_s = 0.2 if bad in ("trickle", "silence") else 60.0  # the others answer
    limits = {"URL": f"{url}/{bad}", "MAX_BYTES": 5_000, "MAX_S": limit_s}
    for name, value in limits.items():
        monkeypatch.setattr(fra_eng, name, value)
    with pytest.raises(UserError) as raised:
        find_or_fetch()
    cache = tmp_path / "gru-mt"
    assert f"({url}/{bad}: {answer}" in str(raised.value)
    assert f"put that file at {cache / 'fra-eng.zip'}" in str(raised.value)
    assert "from https://www.manythings.org/anki/ and name it with --set" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert [*cache.iterdir()] == []


def test_no_server_and_no_folder_are_named(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gru-mt" / "fra-eng.zip"
    path.parent.touch()
    with pytest.raises(UserError, match=r"Not a directory|File exists"):
        find_or_fetch()
    path.parent.unlink()
    monkeypatch.setattr(fra_eng, "URL", "http://127.0.0.1:1/fra-eng.zip")  # nobody listens there
    with pytest.raises(UserError, match=r"refused.*: put that file at .*fra-eng\.zip, or"):
        find_or_fetch()
