"""A stand-in for the Hugging Face hub: as much of its HTTP interface as models need."""

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

TOKEN = "hf_may_write"


@cache
def digest(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


class Hub(ThreadingHTTPServer):
    """Repositories in memory, each with its newest commit alone."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.private: set[str] = set()
        self.address = f"http://127.0.0.1:{self.server_port}"

    def commit(self, name: str) -> str:
        files = sorted((path, digest(data)) for path, data in self.repositories[name].items())
        return digest(repr(files).encode())


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, *_: object) -> None:
        pass

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _json(self, values: Any) -> None:
        self._send(200, json.dumps(values).encode(), {"Content-Type": "application/json"})

    def _refuse(self, status: int, message: str, code: str = "") -> None:
        self._send(status, b"", {"X-Error-Message": message, "X-Error-Code": code})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = urlsplit(self.path).path
        if path == "/api/validate-yaml":
            self._json({"errors": [], "warnings": []})
        elif self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._refuse(401, "Invalid username or password.")
        elif path == "/api/repos/create":
            self._create(json.loads(body))
        elif path.endswith("/preupload/main"):
            answer = {"uploadMode": "regular", "shouldIgnore": False}
            files = json.loads(body)["files"]
            self._json({"files": [{"path": one["path"]} | answer for one in files]})
        else:
            name = path.removeprefix("/api/models/").removesuffix("/commit/main")
            self._commit(name, [json.loads(line) for line in body.splitlines()])

    def _create(self, values: dict[str, Any]) -> None:
        name = f"{values['organization']}/{values['name']}"
        if values["organization"] != "me":
            self._refuse(403, f"You may not create a model in {values['organization']}")
        elif name in self.server.repositories:
            self._send(409, json.dumps({"url": f"{self.server.address}/{name}"}).encode(), {})
        else:
            self.server.repositories[name] = {".gitattributes": b"", "picture.png": b"png"}
            # Older clients send the second.
            is_private = values.get("visibility") == "private" or values.get("private")
            self.server.private |= {name} if is_private else set()
            self._json({"url": f"{self.server.address}/{name}"})

    def _commit(self, name: str, lines: list[dict[str, Any]]) -> None:
        files = self.server.repositories[name]
        for line in lines:
            if line["key"] == "file":
                files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            elif line["key"] == "deletedFile":
                del files[line["value"]["path"]]
        address = f"{self.server.address}/{name}/commit/{self.server.commit(name)}"
        self._json({"commitOid": self.server.commit(name), "commitUrl": address})

    def do_GET(self) -> None:
        """Answer /api/models/OWNER/NAME/WHAT/REVISION and /OWNER/NAME/resolve/REVISION/FILE."""
        parts = urlsplit(self.path).path.removeprefix("/api/models").strip("/").split("/")
        name, (what, revision, *file) = "/".join(parts[:2]), [*parts[2:], "", ""][:9]
        if name not in self.server.repositories:
            return self._refuse(401, "Repository not found", "RepoNotFound")
        commit, files = self.server.commit(name), self.server.repositories[name]
        if revision not in ("", "main", commit):
            return self._refuse(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        if what == "tree":
            return self._json(
                [
                    {"type": "file", "path": path, "size": len(data), "oid": digest(data)}
                    for path, data in files.items()
                ]
            )
        if what == "resolve":
            data = files["/".join(file).strip("/")]
            return self._send(200, data, {"ETag": f'"{digest(data)}"', "X-Repo-Commit": commit})
        private = name in self.server.private
        return self._json({"id": name, "sha": commit, "private": private})

    do_HEAD = do_GET


@contextmanager
def serving() -> Iterator[Hub]:
    """Yield a hub that answers until the end of the block."""
    with Hub() as hub:
        thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield hub
        finally:
            hub.shutdown()
            thread.join()
