"""The fra-eng corpus as published: found in the cache folder, else downloaded once.

manythings.org/anki packs English-French pairs of the Tatoeba project. It renews its file now and
then, so the digest changes. d2l.ai keeps the file of 2019-04-07, which published scores are for.
"""

import hashlib
import tempfile
import time
import zipfile
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

import platformdirs
from tqdm import tqdm

from gru_mt.errors import UserError, short_text

FRA_ENG_SHA256 = "0bb85dbaa1c896844649094d7eaf2e34bee34e84fe362b26ce7e8f2e12aae104"  # of fra.txt
TATOEBA_ATTRIBUTION = (
    "Sentence pairs from the Tatoeba project (tatoeba.org), packed by manythings.org/anki; "
    "CC-BY 2.0"
)
FILE_NAME = "fra-eng.zip"
MAX_BYTES = 100_000_000  # all files so far are below 10 MB
MAX_S = 600.0  # from the request to the last byte
_SILENCE_S = 30.0  # the longest wait for the next byte
NEWER_URL = "https://www.manythings.org/anki/"  # for people to download from by hand


class PublishedFile(NamedTuple):
    """Where the zip is published, and the SHA-1 of its bytes."""

    url: str
    sha1: str


D2L = PublishedFile(
    "https://d2l-data.s3-accelerate.amazonaws.com/fra-eng.zip",
    "94646ad1522d915e7b0f9296181140edcf86a4f5",
)


def find_or_fetch(
    cache: Path | None = None,
    published: PublishedFile = D2L,
    *,
    max_bytes: int = MAX_BYTES,
    max_s: float = MAX_S,
) -> Path:
    """Return the path of fra-eng.zip in the folder `cache`, by default the user's cache.

    A missing file is downloaded; a failed download leaves nothing behind. Raises UserError if the
    cached file is no zip, or if the download failed: it says why, and where to put the file.
    """
    path = (cache or platformdirs.user_cache_path("gru-mt")) / FILE_NAME
    if path.exists():
        if not zipfile.is_zipfile(path):
            raise UserError(f"{path}: not a zip file; delete it, and it is downloaded again")
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix="download-") as folder:
            partial = Path(folder) / path.name
            sha1 = _download(published.url, partial, max_bytes, time.monotonic() + max_s)
            if sha1 != published.sha1:
                raise OSError(f"its SHA-1 is {sha1}, not {published.sha1}")
            partial.replace(path)
        return path
    except (OSError, HTTPException) as error:
        answer = short_text(error)
    # Outside `except`: an HTTPError is an open response, and as the new error's context it would
    # stay open.
    raise UserError(
        f"fra-eng cannot be downloaded ({published.url}: {answer}): put that file at {path}, or "
        f"fetch a newer {FILE_NAME} from {NEWER_URL} and name it with --set data.corpus=PATH"
    )


def _download(url: str, path: Path, max_bytes: int, deadline_s: float) -> str:
    """Return the SHA-1 of what was downloaded to `path`; OSError where it is not whole in time."""
    digest, received, begun_s = hashlib.sha1(), 0, time.monotonic()
    with (
        urlopen(url, timeout=min(_SILENCE_S, deadline_s - begun_s)) as response,
        path.open("wb") as file,
        tqdm(
            total=response.length, desc=FILE_NAME, unit="B", unit_scale=True, disable=None
        ) as bar,  # `disable=None`: shown on a terminal only
    ):
        expected = response.length  # None where the server does not say
        # read1 returns what has arrived, so a slow trickle is stopped at the deadline too.
        while chunk := response.read1(1 << 16):
            received += len(chunk)
            if received > max_bytes:
                raise OSError(f"it sends more than {max_bytes:,} bytes")
            if time.monotonic() > deadline_s:
                raise OSError(f"it was not done after {deadline_s - begun_s:.1f} seconds")
            digest.update(chunk)
            file.write(chunk)
            bar.update(len(chunk))
    if expected is not None and received < expected:
        raise OSError(f"cut off after {received:,} of {expected:,} bytes")
    return digest.hexdigest()
