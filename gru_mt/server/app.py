"""The application: routes, errors, counts, the page; and how it listens."""

import asyncio
import math
import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gru_mt.errors import UserError, short_text
from gru_mt.server.api import Api
from gru_mt.server.batcher import Batcher, Busy, ModelFailed
from gru_mt.server.page.routes import page_routes
from gru_mt.server.requests import answer_error
from gru_mt.server.spec import SPEC

Handler = Callable[[Request], Awaitable[Response]]


def application(api: Api) -> Starlette:
    """Return the ASGI application; while it lives, its queue is worked on."""
    statuses: Counter[int] = Counter()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            _ = api.directions.profiles  # now, not while the first client waits
            async with api.batcher.running():
                yield
        finally:
            api.downloads.close()

    def timed(handler: Handler, times: int = 1) -> Handler:
        async def within_limit(request: Request) -> Response:
            try:
                async with asyncio.timeout(times * api.limits.seconds):
                    return await handler(request)
            except asyncio.CancelledError:  # the server has waited long enough for it to end
                raise TimeoutError from None

        return within_limit

    async def metrics(request: Request) -> Response:
        text = _exposition(api.batcher, statuses)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def spec(request: Request) -> Response:
        return JSONResponse(SPEC)

    routes = [
        Route("/translate", timed(api.translate), methods=["POST"]),
        Route("/detect", timed(api.detect), methods=["POST"]),
        Route("/translate_file", timed(api.translate_file, 10), methods=["POST"]),
        Route("/download_file/{token}", api.download_file, name="download_file"),
        Route("/suggest", timed(api.suggest), methods=["POST"]),
        Route("/languages", api.languages),
        Route("/frontend/settings", api.frontend_settings),
        Route("/health", api.health),
        Route("/metrics", metrics),
        Route("/spec", spec),
        *page_routes(),
    ]
    middleware = [Middleware(_Statuses, counts=statuses)]
    if api.origins:
        methods, origins = ["GET", "POST"], [*api.origins]
        middleware.append(
            Middleware(
                CORSMiddleware, allow_origins=origins, allow_methods=methods, allow_headers=["*"]
            )
        )
    errors = (
        HTTPException,
        ClientDisconnect,
        UserError,
        Busy,
        ModelFailed,
        TimeoutError,
        Exception,
    )
    handlers: Any = dict.fromkeys(errors, answer_error)
    return Starlette(
        routes=routes, middleware=middleware, exception_handlers=handlers, lifespan=lifespan
    )


class _Statuses:
    """ASGI middleware that counts the answers by their status."""

    def __init__(self, app: ASGIApp, counts: Counter[int]) -> None:
        self._app, self._counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._counts[message["status"]] += 1
            await send(message)

        with suppress(asyncio.CancelledError):  # it did not end within the grace of a stop
            await self._app(scope, receive, counted)


def _exposition(batcher: Batcher, statuses: Counter[int]) -> str:
    """Return the counts in Prometheus's text format."""
    kinds = {"_total": "counter"}
    metrics: dict[str, tuple[str, dict[str, float]]] = {
        "requests_total": (
            "Answers by status.", {f'{{status="{s}"}}': n for s, n in sorted(statuses.items())},
        ),
        "lines_total": ("Translated lines.", {"": batcher.lines}),
        "batches_total": ("Batches of lines.", {"": batcher.batches}),
        "translation_seconds_total": ("Seconds spent on batches.", {"": batcher.seconds}),
        "waiting_requests": ("Requests in the queue.", {"": len(batcher.jobs)}),
    }  # fmt: skip
    lines = []
    for name, (about, values) in metrics.items():
        kind = kinds.get(name[-6:], "gauge")
        lines += [f"# HELP gru_mt_{name} {about}", f"# TYPE gru_mt_{name} {kind}"]
        lines += [f"gru_mt_{name}{label} {value}" for label, value in values.items()]
    return "".join(f"{line}\n" for line in lines)


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 is any that is free.

    Raises UserError where the address is in use, or none of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family)
        # Connections inherit it. Else a client waits 40 ms for the second packet of an answer.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return bound
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        where = f"--host {short_text(host)} --port {port}"
        raise UserError(f"{where}: {reason}; choose another address or port") from None


def address_of(bound: socket.socket) -> str:
    """Return the address of a socket for a browser: http://127.0.0.1:5000."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def server(api: Api) -> uvicorn.Server:
    """Return what answers on a socket until a signal: it finishes what is under way, no more."""
    config = uvicorn.Config(
        application(api),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        ws="none",
        timeout_graceful_shutdown=math.ceil(api.limits.seconds),
    )
    return uvicorn.Server(config)
