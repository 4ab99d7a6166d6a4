"""The routes: LibreTranslate's REST API over the models that are served."""

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from gru_mt.documents.document import Document
from gru_mt.inference.translation import Translation
from gru_mt.server.batcher import Batcher, Busy, ModelFailed
from gru_mt.server.directions import Direction, Directions
from gru_mt.server.metrics import Statuses, exposition
from gru_mt.server.page.routes import page_routes
from gru_mt.server.requests import (
    Values,
    answer_error,
    choice_of,
    number_of,
    read_values,
    text_of,
    texts_of,
)
from gru_mt.server.texts import TextLines, detailed, translated

GONE = 499  # a client that left, as nginx counts it
Handler = Callable[[Request], Awaitable[Response]]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server takes."""

    characters: int = 20_000  # of the texts of a request
    bytes: int = 10_000_000  # of a body
    waiting: int = 1_000  # requests in the queue
    seconds: float = 60.0  # for a request


@dataclass(frozen=True)
class Api:
    """The answers to requests."""

    directions: Directions
    limits: Limits = Limits()
    keys: Sequence[str] = ()  # a request needs one of them, if there are any
    origins: Sequence[str] = ()  # of pages elsewhere that may ask
    batcher: Batcher = field(init=False)
    statuses: Counter[int] = field(default_factory=Counter, init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "batcher", Batcher(self.limits.waiting))

    def app(self) -> Starlette:
        """Return the ASGI application; while it lives, its queue is worked on."""

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            async with self.batcher.running():
                yield

        routes = [
            Route("/translate", self._timed(self.translate), methods=["POST"]),
            Route("/languages", self.languages),
            Route("/health", self.health),
            Route("/metrics", self.metrics),
            *page_routes(),
        ]
        middleware = [Middleware(Statuses, counts=self.statuses)]
        if self.origins:
            middleware.append(
                Middleware(
                    CORSMiddleware,
                    allow_origins=[*self.origins],
                    allow_methods=["GET", "POST"],
                    allow_headers=["*"],
                )
            )
        errors = (HTTPException, Busy, ModelFailed, TimeoutError, Exception)
        handlers: Any = dict.fromkeys(errors, answer_error)
        return Starlette(
            routes=routes, middleware=middleware, exception_handlers=handlers, lifespan=lifespan
        )

    def _timed(self, handler: Handler) -> Handler:
        """Return the handler; it raises TimeoutError at the limit, and leaves the queue."""

        async def timed(request: Request) -> Response:
            async with asyncio.timeout(self.limits.seconds):
                return await handler(request)

        return timed

    async def translate(self, request: Request) -> Response:
        values = await self._values(request)
        texts = texts_of(values, "q", self.limits.characters)
        source, target = text_of(values, "source", "auto"), text_of(values, "target")
        choice_of(values, "format", ("text", "html"))
        n_best = 1 + number_of(values, "alternatives", 10)
        direction = self._direction(source, target)
        documents: list[Document] = [TextLines(text) for text in texts]
        work = asyncio.ensure_future(self._translated(direction, documents, n_best))
        lines = await _while_connected(request, work)
        found = [*map(translated, documents, lines)]
        answer: Values = {"translatedText": [best for best, *_ in found]}
        if n_best > 1:
            answer["alternatives"] = [others for _, *others in found]
        if str(values.get("details", "")).lower() in ("true", "1"):
            answer["details"] = [*map(detailed, documents, lines)]
        if not isinstance(values["q"], list):
            answer = {name: of_texts[0] for name, of_texts in answer.items()}
        return JSONResponse(answer)

    async def languages(self, request: Request) -> Response:
        return JSONResponse(self.directions.to_json())

    async def health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def metrics(self, request: Request) -> Response:
        batcher = self.batcher
        by_status: dict[str, float] = {
            f'{{status="{status}"}}': count for status, count in sorted(self.statuses.items())
        }
        text = exposition(
            {
                "gru_mt_requests_total": ("counter", "Answers by status.", by_status),
                "gru_mt_lines_total": ("counter", "Translated lines.", {"": batcher.lines}),
                "gru_mt_batches_total": ("counter", "Translated batches.", {"": batcher.batches}),
                "gru_mt_translation_seconds_total": (
                    "counter", "Seconds spent on batches.", {"": batcher.seconds},
                ),
                "gru_mt_waiting_requests": (
                    "gauge", "Requests in the queue.", {"": len(batcher.jobs)},
                ),
            }
        )  # fmt: skip
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def _values(self, request: Request) -> Values:
        """Return the parameters of a request that may ask; else raise HTTPException 403."""
        values = await read_values(request, self.limits.bytes)
        given = str(values.get("api_key", "")).encode("utf-8", errors="replace")
        if self.keys and not any(secrets.compare_digest(given, key.encode()) for key in self.keys):
            raise HTTPException(403, "api_key is not one of this server's keys")
        return values

    def _direction(self, source: str, target: str) -> Direction:
        found = self.directions.find(source, target)
        if found is None:
            pairs = ", ".join(f"{each.source} to {each.target}" for each in self.directions.all)
            raise HTTPException(400, f"no model translates {source} to {target}; there are {pairs}")
        return found

    async def _translated(
        self, direction: Direction, documents: Sequence[Document], n_best: int
    ) -> list[list[Translation]]:
        """Return the translations of each document's texts."""
        n_best = min(n_best, direction.loaded.decoding.beam_size)
        texts = [text for document in documents for text in document.texts]
        left = iter(await self.batcher.translate(direction, texts, n_best))
        return [[*islice(left, len(document.texts))] for document in documents]


async def _while_connected(request: Request, work: asyncio.Future[T]) -> T:
    """Return what `work` gives; where the client leaves before, the work is cancelled."""
    gone = asyncio.ensure_future(request.receive())
    both: set[asyncio.Future[Any]] = {work, gone}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise HTTPException(GONE, "the client left")
        return await work
    finally:
        work.cancel()
        gone.cancel()
