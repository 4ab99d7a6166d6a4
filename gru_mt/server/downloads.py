"""Translated documents until they are fetched: in a folder of the server's, for some minutes."""

import asyncio
import secrets
from pathlib import Path, PurePath

from gru_mt.server.directions import LONGEST_CODE

KEPT_S = 600.0
MOST_FILES = 100  # the oldest gives way


class Downloads:
    """The files in a folder, by names that cannot be guessed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = dict[str, tuple[Path, str]]()  # a file, and the name under which it is saved

    def add(self, content: bytes, name: str, target: str) -> str:
        """Keep a translation of the file `name` into `target`; return its name for `find`.

        The event loop that runs deletes it after KEPT_S.
        """
        path = PurePath(name.replace("\\", "/"))
        token = f"{secrets.token_urlsafe(24)}{path.suffix.lower()}"
        file = self._folder / secrets.token_hex(16)
        file.write_bytes(content)
        while len(self._files) >= MOST_FILES:
            self._delete(next(iter(self._files)))
        self._files[token] = file, f"{path.stem}.{target[:LONGEST_CODE]}{path.suffix}"
        asyncio.get_running_loop().call_later(KEPT_S, self._delete, token)
        return token

    def find(self, token: str) -> tuple[Path, str] | None:
        """Return a file, and the name under which it is saved; None where its time is over."""
        return self._files.get(token)

    def _delete(self, token: str) -> None:
        if found := self._files.pop(token, None):
            found[0].unlink(missing_ok=True)
