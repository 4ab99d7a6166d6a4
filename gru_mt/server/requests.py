"""What clients send: parameters as JSON, form, multipart or query string; errors; and the spec."""

import json
import math
from importlib.metadata import version
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, BeforeValidator, NonNegativeInt, ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse

from gru_mt.errors import UserError, short_repr
from gru_mt.server.batcher import Busy, ModelFailed

RETRY_S = 5  # when a client that was sent away may come again
MINUTE_NS = 60 * 10**9
MOST_CLIENTS = 10_000  # whose rates are known
AUTO = "auto"  # a source language that is to be detected
Values = dict[str, Any]
ANSWERS: dict[type[Exception], tuple[int, str]] = {  # to what else a request may fail by
    ClientDisconnect: (499, "the client left"),  # as nginx counts it
    Busy: (503, "too many requests are waiting; try again later"),
    TimeoutError: (503, "the request took too long; send less at once, or try later"),
    ModelFailed: (500, "the model failed; the server's log says why"),
    Exception: (500, "the server failed; its log says why"),
}
M = TypeVar("M", bound=BaseModel)


def _whole(text: Any) -> Any:
    """Return a text without half surrogate pairs, which JSON can hold and UTF-8 cannot."""
    return text.encode(errors="replace").decode() if isinstance(text, str) else text


Text = Annotated[str, BeforeValidator(_whole)]
Texts = Text | list[Text]


class Pair(BaseModel):
    """Two languages."""

    source: Text = AUTO
    target: Text


class Translate(Pair):
    """Translate texts; source may be auto. details adds what is known of each sentence."""

    q: Texts
    format: Literal["text", "html"] = "text"
    alternatives: NonNegativeInt = 0
    details: bool = False


class Detect(BaseModel):
    """Tell the language of a text."""

    q: Texts


class TranslateFile(Pair):
    """Translate a document."""

    file: bytes
    name: Text = ""


class Suggest(Pair):
    """Suggest a better translation."""

    q: Text
    s: Text


def answer_error(request: Request, error: Exception) -> JSONResponse:
    """Return the answer to a request that failed: {"error": why}, with the status."""
    if isinstance(error, HTTPException):
        status, reason = error.status_code, error.detail
    elif isinstance(error, UserError):  # a document or a correction that is none
        status, reason = 400, str(error)
    else:
        status, reason = next(it for kind, it in ANSWERS.items() if isinstance(error, kind))
    headers = getattr(error, "headers", None)
    if isinstance(error, Busy):  # what takes too long would take as long again
        headers = {"Retry-After": str(RETRY_S)}
    return JSONResponse({"error": reason}, status, headers)


class Rate:
    """How often each client asks, as a token bucket: N requests a minute, or N at once.

    Of the clients that asked longest ago nothing is known: they may ask again.
    """

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._full_ns: dict[str, int] = {}  # when a client may send all N at once, the oldest first

    def count(self, client: str, now_ns: int) -> None:
        """Count a request; raises HTTPException 429 for one too many, which does not count."""
        before_ns = max(self._full_ns.pop(client, 0), now_ns)
        after_ns = before_ns + MINUTE_NS // self._per_minute
        wait_s = math.ceil((after_ns - now_ns - MINUTE_NS) / 1e9)
        self._full_ns[client] = after_ns if wait_s <= 0 else before_ns
        if len(self._full_ns) > MOST_CLIENTS:
            del self._full_ns[next(iter(self._full_ns))]
        if wait_s > 0:
            raise HTTPException(
                429,
                f"more than {self._per_minute:,} requests a minute; try again in {wait_s} s",
                {"Retry-After": str(wait_s)},
            )


async def read_values(request: Request, most_bytes: int) -> Values:
    """Return the parameters of a request; those of the body go before those of the query string.

    Raises HTTPException: 413 for a body over `most_bytes`, 400 for one that is malformed.
    """
    values: Values = _collected(request.query_params.multi_items())
    request = _limited(request, most_bytes)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        async with request.form(max_files=1, max_fields=1_000, max_part_size=most_bytes) as form:
            values |= _collected(form.multi_items())
            if isinstance(file := values.get("file"), UploadFile):
                values |= {"file": await file.read(), "name": file.filename or ""}
        return values
    body = await request.body()
    try:
        text = body.decode("utf-8-sig")
        if kind == "application/json" or text.lstrip().startswith("{"):
            found = json.loads(text)
            if not isinstance(found, dict):
                raise HTTPException(400, "the body must be a JSON object")
            return values | found
        return values | _collected(parse_qsl(text, keep_blank_values=True, max_num_fields=1_000))
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the body cannot be read: {error}") from None


def _collected(items: list[tuple[str, Any]]) -> Values:
    """Return values by name; a name that is given several times has a list."""
    values: dict[str, list[Any]] = {}
    for name, value in items:
        values.setdefault(name, []).append(value)
    return {name: given if len(given) > 1 else given[0] for name, given in values.items()}


def _limited(request: Request, most_bytes: int) -> Request:
    """Return the request, but reading a body over `most_bytes` raises HTTPException 413."""
    too_large = HTTPException(413, f"the body is larger than {most_bytes:,} bytes")
    size = 0

    async def receive() -> Any:
        nonlocal size
        message = await request.receive()
        size += len(message.get("body", b""))
        if size > most_bytes:
            raise too_large
        return message

    return Request(request.scope, receive)


def parameters(model: type[M], values: Values) -> M:
    """Return the parameters of a request; null and "" stand for none, but in q.

    Raises HTTPException 400 for one that is missing, or of another kind.
    """
    try:
        given = {name: v for name, v in values.items() if v not in (None, "") or name == "q"}
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        got = "" if first["type"] == "missing" else f", got {short_repr(first['input'])}"
        raise HTTPException(400, f"{first['loc'][0]}: {first['msg']}{got}") from None


# What the server understands, as OpenAPI describes it.

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
