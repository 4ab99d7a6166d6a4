"""What the server understands, as OpenAPI describes it."""

from importlib.metadata import version
from typing import Any

from pydantic import BaseModel

from gru_mt.server.requests import Detect, Suggest, Translate, TranslateFile

_POSTS: dict[str, type[BaseModel]] = {
    "/translate": Translate,
    "/detect": Detect,
    "/translate_file": TranslateFile,
    "/suggest": Suggest,
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


def _post(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema()
    schema["properties"]["api_key"] = {"type": "string"}
    kinds = _KINDS[2:] if "file" in schema["properties"] else _KINDS
    body = {"required": True, "content": {kind: {"schema": schema} for kind in kinds}}
    return {"post": {"summary": model.__doc__, "requestBody": body, "responses": _answers(_ERRORS)}}


def _get(path: str, about: str) -> dict[str, Any]:
    operation: dict[str, Any] = {"summary": about, "responses": _answers({})}
    if "{" in path:
        name = path[path.index("{") + 1 : -1]
        given = {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        operation |= {"parameters": [given], "responses": _answers({"404": "There is none."})}
    return {"get": operation}


SPEC: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "gru-mt serve", "version": version("gru-mt")},
    "paths": {
        **{path: _post(model) for path, model in _POSTS.items()},
        **{path: _get(path, about) for path, about in _GETS.items()},
    },
}
