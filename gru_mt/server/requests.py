"""What clients send: parameters as JSON, form, multipart or query string, and errors as JSON."""

import json
import math
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse

from gru_mt.errors import UserError, short_repr
from gru_mt.server.batcher import Busy, ModelFailed

GONE = 499  # a client that left, as nginx counts it
RETRY_S = 5  # when a client that was sent away may come again
MINUTE_NS = 60 * 10**9
MOST_CLIENTS = 10_000  # whose rates are known
Values = dict[str, Any]


def answer_error(request: Request, error: Exception) -> JSONResponse:
    """Return the answer to a request that failed: {"error": why}, with the status."""
    status, reason = 500, "the server failed; its log says why"
    match error:
        case HTTPException():
            status, reason = error.status_code, error.detail
        case UserError():  # a document or a correction that is none
            status, reason = 400, str(error)
        case ClientDisconnect():
            status, reason = GONE, "the client left"
        case Busy():
            status, reason = 503, "too many requests are waiting; try again later"
        case TimeoutError():
            status, reason = 503, "the request took too long; send less at once, or try later"
        case ModelFailed():
            reason = "the model failed; the server's log says why"
    headers = {"Retry-After": str(RETRY_S)} if status == 503 else getattr(error, "headers", None)
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
        raise HTTPException(400, f"the body cannot be read: {_why(error)}") from None


def _why(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _collected(items: list[tuple[str, Any]]) -> Values:
    """Return values by name; a name that is given several times has a list."""
    values: dict[str, list[Any]] = {}
    for name, value in items:
        values.setdefault(name, []).append(value)
    return {name: given if len(given) > 1 else given[0] for name, given in values.items()}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _limited(request: Request, most_bytes: int) -> Request:
    """Return the request, but reading a body over `most_bytes` raises HTTPException 413."""
    too_large = HTTPException(413, f"the body is larger than {most_bytes:,} bytes")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > most_bytes:
        raise too_large
    size = 0

    async def receive() -> Any:
        nonlocal size
        message = await request.receive()
        size += len(message.get("body", b""))
        if size > most_bytes:
            raise too_large
        return message

    return Request(request.scope, receive)


def text_of(values: Values, name: str, default: str | None = None) -> str:
    """Return a parameter that is a text; raises HTTPException 400 for none or another type."""
    value = values.get(name) or default
    if not isinstance(value, str):
        given = "none" if value in (None, "") else short_repr(value)
        raise HTTPException(400, f"{name} must be a text, got {given}")
    return _whole(value)


def texts_of(values: Values, name: str, most_characters: int) -> list[str]:
    """Return a parameter that is a text or a list of them.

    Raises HTTPException: 400 where it is not, 413 where they are longer than `most_characters`.
    """
    texts = _listed(values.get(name))
    for text in texts:
        if not isinstance(text, str):
            given = "none" if text is None else short_repr(text)
            raise HTTPException(400, f"{name} must be a text or a list of texts, got {given}")
    size = sum(map(len, texts))
    if size > most_characters:
        raise HTTPException(413, f"{name} has {size:,} characters; at most {most_characters:,}")
    return [*map(_whole, texts)]


def number_of(values: Values, name: str, most: int) -> int:
    """Return a whole number from 0, cut at `most`; raises HTTPException 400 for anything else."""
    value = values.get(name) or 0
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise HTTPException(400, f"{name} must be a whole number from 0, got {short_repr(value)}")
    return min(value, most)


def choice_of(values: Values, name: str, choices: tuple[str, ...]) -> str:
    """Return one of `choices`, the first for none; raises HTTPException 400 for anything else."""
    value = values.get(name) or choices[0]
    if value not in choices:
        named = " or ".join(choices)
        raise HTTPException(400, f"{name} must be {named}, got {short_repr(value)}")
    return str(value)


def _whole(text: str) -> str:
    """Return a text without half surrogate pairs, which JSON can hold and UTF-8 cannot."""
    return text.encode("utf-8", errors="replace").decode("utf-8")
