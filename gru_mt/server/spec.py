"""What the server understands, as OpenAPI describes it."""

from importlib.metadata import version
from typing import Any

_TEXT, _NUMBER, _YES = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_TEXTS = {"oneOf": [_TEXT, {"type": "array", "items": _TEXT}]}
_FORMAT = {"type": "string", "enum": ["text", "html"]}
_FILE = {"type": "string", "format": "binary"}
_LANGUAGES = {"source": _TEXT, "target": _TEXT}
_KEY = {"api_key": _TEXT}
# Each route that takes parameters: what it does, what it needs, what it may have.
_POSTS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "/translate": (
        "Translate texts; source may be auto. details adds what is known of each sentence.",
        {"q": _TEXTS, **_LANGUAGES},
        {"format": _FORMAT, "alternatives": _NUMBER, "details": _YES, **_KEY},
    ),
    "/detect": ("Tell the language of a text.", {"q": _TEXT}, _KEY),
    "/translate_file": ("Translate a document.", {"file": _FILE, **_LANGUAGES}, _KEY),
    "/suggest": ("Suggest a better translation.", {"q": _TEXT, "s": _TEXT, **_LANGUAGES}, _KEY),
}
_GETS = {
    "/languages": "The languages, and into which each is translated.",
    "/download_file/{token}": "A translated document.",
    "/frontend/settings": "What the page shows.",
    "/health": "Whether the server answers.",
    "/metrics": "Counts, as Prometheus reads them.",
    "/spec": "This description.",
}
_KINDS = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
_ERRORS = {
    "400": "The request is malformed, or no model has its languages.",
    "403": "The key is none of this server's.",
    "413": "The request is too large.",
    "429": "The client asks too often; Retry-After says when to come again.",
    "500": "The model or the server failed.",
    "503": "The server is busy; Retry-After says when to come again.",
}


def _answers(errors: dict[str, str]) -> dict[str, Any]:
    return {code: {"description": about} for code, about in {"200": "Done.", **errors}.items()}


def _post(about: str, needed: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    properties = {**needed, **optional}
    schema = {"type": "object", "properties": properties, "required": [*needed]}
    kinds = _KINDS[2:] if "file" in needed else _KINDS
    body = {"required": True, "content": {kind: {"schema": schema} for kind in kinds}}
    return {"post": {"summary": about, "requestBody": body, "responses": _answers(_ERRORS)}}


def _get(path: str, about: str) -> dict[str, Any]:
    operation: dict[str, Any] = {"summary": about, "responses": _answers({})}
    if "{" in path:
        name = path[path.index("{") + 1 : -1]
        given = {"name": name, "in": "path", "required": True, "schema": _TEXT}
        operation |= {"parameters": [given], "responses": _answers({"404": "There is none."})}
    return {"get": operation}


SPEC: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "gru-mt serve", "version": version("gru-mt")},
    "paths": {
        **{path: _post(*parts) for path, parts in _POSTS.items()},
        **{path: _get(path, about) for path, about in _GETS.items()},
    },
}
