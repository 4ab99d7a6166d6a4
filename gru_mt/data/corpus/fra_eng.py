"""The fra-eng corpus as published: found in the cache folder, else downloaded once.

manythings.org/anki renews its file now and then; d2l.ai keeps that of published scores.
"""

import hashlib
import tempfile
import time
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

import platformdirs
from tqdm import tqdm

from gru_mt.errors import UserError, short_text

FRA_ENG_SHA256 = "0bb85dbaa1c896844649094d7eaf2e34bee34e84fe362b26ce7e8f2e12aae104"  # of fra.txt
TATOEBA_ATTRIBUTION = (
    "Sentence pairs from the Tatoeba project (tatoeba.org), packed by manythings.org/anki; "
    "CC-BY 2.0"
)
URL = "https://d2l-data.s3-accelerate.amazonaws.com/fra-eng.zip"
SHA1 = "94646ad1522d915e7b0f9296181140edcf86a4f5"  # of the zip
MAX_BYTES = 100_000_000  # all files so far are below 10 MB
MAX_S = 600.0  # from the request to the last byte
_SILENCE_S = 30.0  # the longest wait for the next byte


def find_or_fetch() -> Path:
    """Return the path of fra-eng.zip in the user's cache folder.

    A missing file is downloaded; a failed download leaves nothing behind. Raises UserError if that
    failed: it says why, and where to put the file.
    """
    path = platformdirs.user_cache_path("gru-mt") / "fra-eng.zip"
    if path.exists():
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix="download-") as folder:
            partial = Path(folder) / path.name
            _download(partial)
            partial.replace(path)
        return path
    except (OSError, HTTPException) as error:
        answer = short_text(error)
    # Outside `except`: an HTTPError is an open response, and as the new error's context it would
    # stay open.
    raise UserError(
        f"fra-eng cannot be downloaded ({URL}: {answer}): put that file at {path}, or fetch a "
        f"newer {path.name} from https://www.manythings.org/anki/ and name it with "
        "--set data.corpus=PATH"
    )


def _download(path: Path) -> None:
    """Write the published file to `path`; OSError where it is another, or not whole in time."""
    digest, received, begun_s = hashlib.sha1(), 0, time.monotonic()
    with (
        urlopen(URL, timeout=min(_SILENCE_S, MAX_S)) as response,
        path.open("wb") as file,
        tqdm(total=response.length, desc=path.name, unit="B", unit_scale=True, disable=None) as bar,
    ):  # `disable=None`: shown on a terminal only
        # read1 returns what has arrived, so a slow trickle is stopped at the deadline too.
        while chunk := response.read1(1 << 16):
            received += len(chunk)
            if received > MAX_BYTES:
                raise OSError(f"it sends more than {MAX_BYTES:,} bytes")
            if time.monotonic() > begun_s + MAX_S:
                raise OSError(f"it was not done after {MAX_S:.1f} seconds")
            digest.update(chunk)
            file.write(chunk)
            bar.update(len(chunk))
    if digest.hexdigest() != SHA1:
        raise OSError(f"cut off, or another file: the SHA-1 of {received:,} bytes is not {SHA1}")
