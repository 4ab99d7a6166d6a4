"""The corpus comes from the cache, or from its one source if the digest is right."""

import hashlib
import io
import time
from collections.abc import Callable
from http.client import HTTPMessage
from pathlib import Path
from urllib.error import HTTPError

import platformdirs
import pytest

from gru_mt.data.corpus import fra_eng
from gru_mt.data.corpus.fra_eng import find_or_fetch
from gru_mt.errors import UserError
from tests.corpora import zipped

ZIP = zipped(("fra-eng/fra.txt", b"Go.\tVa !\n"))
SHA1 = hashlib.sha1(ZIP).hexdigest()
NOT_THERE = HTTPError("", 404, "Not Found", HTTPMessage(), None)


class Response(io.BytesIO):
    """What a server sends: some bytes, then `more` at a time without an end."""

    def __init__(self, data: bytes = b"", more: int = 0) -> None:
        super().__init__(data)
        self.length, self._more = None if more else len(data), more

    def read1(self, size: int | None = -1) -> bytes:
        time.sleep(0.001)
        return super().read1(size) or bytes(self._more)


Serve = Callable[[Response | Exception], None]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Serve:
    """Return what sets the server's answer, and make the cache an empty folder."""
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / name)
    for name, value in {"SHA1": SHA1, "MAX_BYTES": 5_000, "MAX_S": 0.2}.items():
        monkeypatch.setattr(fra_eng, name, value)

    def answer(response: Response | Exception) -> None:
        def urlopen(_: str, timeout: float) -> Response:
            assert timeout == 0.2, "an answer is not waited for any longer"
            if isinstance(response, Exception):
                raise response
            return response

        monkeypatch.setattr(fra_eng, "urlopen", urlopen)

    return answer


def test_a_download_is_kept_and_the_second_call_does_not_connect(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve(Response(ZIP))
    path = find_or_fetch()
    assert path == tmp_path / "gru-mt" / "fra-eng.zip"
    assert path.read_bytes() == ZIP
    serve(NOT_THERE)
    assert find_or_fetch() == path
    assert [*path.parent.iterdir()] == [path]
    assert capsys.readouterr() == ("", ""), "a bar without a terminal"


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        (Response(ZIP[:-7]), f"cut off, or another file: the SHA-1 of {len(ZIP) - 7} bytes is not"),
        (Response(more=1_000), "it sends more than 5,000 bytes"),
        (Response(more=1), "it was not done after 0.2 seconds"),
        (TimeoutError("timed out"), "timed out"),
        (NOT_THERE, "HTTP Error 404: Not Found"),
    ],
)
def test_a_failed_download_is_quoted_and_leaves_no_file(
    serve: Serve, tmp_path: Path, response: Response | Exception, answer: str
) -> None:
    serve(response)
    with pytest.raises(UserError) as raised:
        find_or_fetch()
    cache = tmp_path / "gru-mt"
    assert f"({fra_eng.URL}: {answer}" in str(raised.value)
    assert f"put that file at {cache / 'fra-eng.zip'}" in str(raised.value)
    assert "from https://www.manythings.org/anki/ and name it with --set" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.__context__ is None, "the answer of a server would stay open"
    assert [*cache.iterdir()] == []


def test_a_cache_that_is_no_folder_is_named(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "gru-mt").touch()
    serve(Response(ZIP))
    with pytest.raises(UserError, match=r"Not a directory|File exists"):
        find_or_fetch()
