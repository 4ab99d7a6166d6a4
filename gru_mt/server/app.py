"""The application: routes, errors, counts, the page; and how it listens."""

import asyncio
import gc
import logging
import math
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from gru_mt.errors import UserError, short_text
from gru_mt.server.api import Api
from gru_mt.server.batcher import Batcher, while_running
from gru_mt.server.directions import translators
from gru_mt.server.downloads import Downloads
from gru_mt.server.page.routes import page_routes
from gru_mt.server.requests import ANSWERS, SPEC, answer_error

QUIET_S = 60.0  # in which nobody asks
BUSY_S = 3_600.0  # after which models learn though somebody asks
MOST_HEAD = 65_536  # bytes of a request's first line and headers, and one packet more
Handler = Callable[[Request], Awaitable[Response]]
log = logging.getLogger(__name__)


def application(api: Api) -> Starlette:
    """Return the ASGI application; while it lives, its queue is worked on."""
    statuses: Counter[int] = Counter()
    middleware = [Middleware(_counting, counts=statuses)]
    if api.origins:
        cors: dict[str, Any] = {"allow_methods": ["GET", "POST"], "allow_headers": ["*"]}
        middleware.append(Middleware(CORSMiddleware, allow_origins=[*api.origins], **cors))
    return Starlette(
        routes=_routes(api, statuses),
        middleware=middleware,
        exception_handlers=dict.fromkeys([HTTPException, UserError, *ANSWERS], answer_error),
        lifespan=partial(_lifespan, api),
    )


@asynccontextmanager
async def _lifespan(api: Api, app: Starlette) -> AsyncIterator[None]:
    _ = api.directions.profiles  # now, not while the first client waits
    with TemporaryDirectory(prefix="gru-mt-", ignore_cleanup_errors=True) as folder:
        api.downloads = Downloads(Path(folder))
        with translators(api.directions.all) as (count, translate):
            running = api.batcher.running(count, translate)
            async with running, while_running(_learn_when_quiet(api)):
                gc.freeze()  # the models stay: the collector need not visit them
                yield


async def _learn_when_quiet(api: Api) -> None:
    """Where models may learn, let them after QUIET_S without a translation, or after BUSY_S."""
    busy_s = 0.0
    while api.learns:
        lines = api.batcher.lines
        await asyncio.sleep(QUIET_S)
        busy_s += QUIET_S
        if (api.batcher.lines == lines and not api.batcher.jobs) or busy_s >= BUSY_S:
            busy_s = 0.0
            for direction in api.directions.all:
                await direction.learn()


def _routes(api: Api, statuses: Counter[int]) -> list[Route]:
    async def metrics(request: Request) -> Response:
        text = _exposition(api.batcher, statuses)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    def fixed(path: str, content: Any) -> Route:
        return Route(path, JSONResponse(content), methods=["GET"])

    def timed(path: str, handler: Handler, limit_s: float = api.limits.seconds) -> Route:
        async def within_limit(request: Request) -> Response:
            try:
                async with asyncio.timeout(limit_s):
                    return await handler(request)
            except asyncio.CancelledError:  # the server has waited long enough for it to end
                raise TimeoutError from None

        return Route(path, within_limit, methods=["POST"])

    return [
        timed("/translate", api.translate),
        timed("/detect", api.detect),
        timed("/translate_file", api.translate_file, api.limits.document_seconds),
        timed("/suggest", api.suggest),
        Route("/download_file/{token}", api.download_file, name="download_file"),
        Route("/metrics", metrics),
        fixed("/languages", api.directions.to_json()),
        fixed("/frontend/settings", api.frontend_settings()),
        fixed("/health", {"status": "ok"}),
        fixed("/spec", SPEC),
        *page_routes(),
    ]


def _counting(app: ASGIApp, counts: Counter[int]) -> ASGIApp:
    """Return ASGI middleware that counts the answers by their status."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                counts[message["status"]] += 1
            await send(message)

        with suppress(asyncio.CancelledError):  # it did not end within the grace of a stop
            await app(scope, receive, counted)

    return answer


def _exposition(batcher: Batcher, statuses: Counter[int]) -> str:
    """Return the counts in Prometheus's text format."""
    answers = {f'{{status="{status}"}}': count for status, count in sorted(statuses.items())}
    metrics: list[tuple[str, str, Mapping[str, float]]] = [
        ("requests_total", "Answers by status.", answers),
        ("lines_total", "Translated lines.", {"": batcher.lines}),
        ("batches_total", "Batches of lines.", {"": batcher.batches}),
        ("translation_seconds_total", "Seconds spent on batches.", {"": batcher.seconds}),
        ("waiting_requests", "Requests in the queue.", {"": len(batcher.jobs)}),
    ]
    lines = []
    for name, about, values in metrics:
        kind = "counter" if name.endswith("_total") else "gauge"
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


class Protocol(HttpToolsProtocol):
    """HTTP/1.1 as httptools reads it, with at most MOST_HEAD bytes beside bodies."""

    _size = 0  # bytes since headers, or a part of a body, ended

    def data_received(self, data: bytes) -> None:
        if self._size > MOST_HEAD:
            self.send_400_response("The headers are too long.")
            return
        self._size += len(data)
        super().data_received(data)

    def on_headers_complete(self) -> None:
        self._size = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._size = 0
        super().on_body(body)


class Server(uvicorn.Server):
    """Answers on a socket until a signal: it finishes what is under way, unless a second one comes.

    It ends connections over which a request, or its answer, does not come in time.
    """

    def __init__(self, api: Api) -> None:
        config = uvicorn.Config(
            application(api),
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="on",
            http=Protocol,
            ws="none",
            timeout_graceful_shutdown=math.ceil(api.limits.document_seconds),
        )
        super().__init__(config)
        self._limits = api.limits
        # Since when a connection, with the same last request, waits for a next one or answers it.
        self._since_s: dict[tuple[Any, Any, bool], float] = {}

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:  # a second
            self._end_slow_connections(time.monotonic())
        return await super().on_tick(counter)

    def _end_slow_connections(self, now_s: float) -> None:
        connections: Any = self.server_state.connections
        stages = [
            (each, each.cycle, each.cycle is None or each.cycle.response_complete)
            for each in connections
        ]
        self._since_s = {stage: self._since_s.get(stage, now_s) for stage in stages}
        answer_s = self._limits.document_seconds + self._limits.seconds
        for (connection, _, is_awaited), since_s in self._since_s.items():
            if now_s - since_s > (self._limits.seconds if is_awaited else answer_s):
                connection.transport.abort()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if count := len(self.server_state.tasks):
            log.info(f"requests to answer before the end: {count:,}; a second signal ends it now")
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:
            logging.disable()  # else uvicorn logs the traceback of all that ends now
            raise SystemExit(128 + sig)
        super().handle_exit(sig, frame)
