"""The fra-eng corpus as published: found in the cache folder, else downloaded once.

manythings.org/anki packs English-French pairs of the Tatoeba project and renews its file now and
then; d2l.ai keeps the pack of 2019-04-07, on which published scores rest, so it is asked first.
"""

import hashlib
import tempfile
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.request import Request, urlopen

import platformdirs
from tqdm import tqdm

from gru_mt.errors import UserError

FILE_NAME = "fra-eng.zip"
MAX_BYTES = 100_000_000  # the packs so far are below 10 MB
MAX_S = 600.0  # one source, from the request to its last byte
_SILENCE_S = 30.0  # between two bytes
_USER_AGENT = "Mozilla/5.0 (compatible; gru-mt)"  # manythings.org turns away urllib's own


@dataclass(frozen=True, slots=True)
class Source:
    """Where the zip is published; `sha1` is that of its bytes, or None where they change."""

    url: str
    sha1: str | None


SOURCES = (
    Source(
        "http://d2l-data.s3-accelerate.amazonaws.com/fra-eng.zip",
        "94646ad1522d915e7b0f9296181140edcf86a4f5",
    ),
    Source("http://www.manythings.org/anki/fra-eng.zip", None),
)


class _RefusedError(Exception):
    """What a source sent is not what was asked for."""


def find_or_fetch(
    cache: Path | None = None,
    sources: Sequence[Source] = SOURCES,
    *,
    max_bytes: int = MAX_BYTES,
    max_s: float = MAX_S,
) -> Path:
    """Return the path of fra-eng.zip in the folder `cache`, by default the user's own.

    A missing file is downloaded from the first of `sources` that sends a good one; a failed
    download leaves nothing behind. Raises UserError where the cached file is no zip, or where no
    source helped: it quotes each one's answer and says where to put the file.
    """
    path = (cache or platformdirs.user_cache_path("gru-mt")) / FILE_NAME
    if path.exists():
        if not zipfile.is_zipfile(path):
            raise UserError(f"{path}: not a zip file; delete it, and it is downloaded again")
        return path
    answers = []
    for source in sources:
        try:
            _fetch(source, path, max_bytes=max_bytes, max_s=max_s)
        except (OSError, HTTPException, _RefusedError) as error:
            answers.append(f"{source.url}: {error}")
        else:
            return path
    raise UserError(
        f"fra-eng cannot be downloaded: put {FILE_NAME} at {path}, or name another place with "
        f"--set data.corpus=PATH ({'; '.join(answers)})"
    )


def _fetch(source: Source, path: Path, *, max_bytes: int, max_s: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="download-") as folder:
        partial = Path(folder) / path.name
        _download(source.url, partial, max_bytes=max_bytes, max_s=max_s)
        sha1 = hashlib.sha1(partial.read_bytes()).hexdigest()
        if source.sha1 not in (None, sha1):
            raise _RefusedError(f"its SHA-1 is {sha1}, not {source.sha1}")
        if not zipfile.is_zipfile(partial):
            raise _RefusedError("what it sent is not a zip file")
        partial.replace(path)


def _download(url: str, path: Path, *, max_bytes: int, max_s: float) -> None:
    deadline_s = time.monotonic() + max_s
    request = Request(url, headers={"User-Agent": _USER_AGENT})
    received = 0
    with (
        urlopen(request, timeout=min(_SILENCE_S, max_s)) as response,
        path.open("wb") as file,
        tqdm(
            total=response.length, desc=FILE_NAME, unit="B", unit_scale=True, disable=None
        ) as bar,  # `disable=None`: shown on a terminal only
    ):
        expected = response.length  # None where the server does not say
        # read1 returns what has come, so that a trickle meets the deadline too.
        while chunk := response.read1(1 << 16):
            received += len(chunk)
            if received > max_bytes:
                raise _RefusedError(f"it sends more than {max_bytes:,} bytes")
            if time.monotonic() > deadline_s:
                raise _RefusedError(f"it was not done after {max_s:g} seconds")
            file.write(chunk)
            bar.update(len(chunk))
    if expected is not None and received < expected:
        raise _RefusedError(f"cut off after {received:,} of {expected:,} bytes")
