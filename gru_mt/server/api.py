"""LibreTranslate's REST API over the models that are served: what each request is answered."""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response

from gru_mt.corrections.store import Correction, add_corrections
from gru_mt.data.corpus.languages import is_language, language_name
from gru_mt.data.text.normalize import words
from gru_mt.documents.document import Document, TextFile
from gru_mt.documents.html import document_of_page
from gru_mt.documents.lines import document_of_lines
from gru_mt.documents.registry import ENDINGS, read_document
from gru_mt.errors import UserError, short_text
from gru_mt.inference.translation import Translation
from gru_mt.server.batcher import Batcher, Busy
from gru_mt.server.detection import detect
from gru_mt.server.directions import Direction, Directions, known
from gru_mt.server.downloads import Downloads
from gru_mt.server.requests import (
    AUTO,
    Detect,
    M,
    Rate,
    Suggest,
    Texts,
    Translate,
    TranslateFile,
    Values,
    parameters,
    read_values,
)
from gru_mt.server.texts import detailed, translated

MOST_DOCUMENTS = 4  # at a time
MOST_ALTERNATIVES = 10
SOME_WORDS, LEAST_SURE = 4, 20  # words of a text whose language is surely another, and % of them
T = TypeVar("T")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server takes."""

    characters: int = 20_000  # of the texts of a request
    bytes: int = 10_000_000  # of a document
    waiting: int = 1_000  # requests in the queue
    seconds: float = 60.0  # for a request to come, and to be answered
    per_minute: int | None = None  # requests of a key, where keys are asked for, or of an address

    @property
    def document_seconds(self) -> float:
        """How long a document may take once it has come."""
        return 10 * self.seconds


@dataclass(eq=False)
class Api:
    """The answers. Methods are named as their routes; they raise what `answer_error` answers."""

    directions: Directions
    limits: Limits = Limits()
    keys: Sequence[str] = ()  # a request needs one of them, if there are any
    origins: Sequence[str] = ()  # of pages elsewhere that may ask
    suggestions: bool = False  # whether anybody who may ask may correct translations, too
    learns: bool = False  # whether models are trained on corrections while nobody asks
    batcher: Batcher = field(init=False)
    downloads: Downloads = field(init=False)  # while the server runs
    threads: ThreadPoolExecutor = field(init=False)  # that translate documents
    documents: asyncio.Semaphore = field(init=False)
    rate: Rate | None = field(init=False)

    def __post_init__(self) -> None:
        self.batcher = Batcher(self.limits.waiting)
        self.threads = ThreadPoolExecutor(MOST_DOCUMENTS, "document")
        self.documents = asyncio.Semaphore(MOST_DOCUMENTS)
        self.rate = Rate(self.limits.per_minute) if self.limits.per_minute else None

    async def translate(self, request: Request) -> Response:
        asked = await self._asked(Translate, request)
        texts, is_auto = self._texts(asked.q), asked.source == AUTO
        n_best = 1 + min(asked.alternatives, MOST_ALTERNATIVES)
        if is_auto:
            self._language(" ".join(texts))  # that it is one of ours
        guesses = [self._detected(text)[0] if is_auto else (asked.source, 0) for text in texts]
        directions = [self._direction(code, asked.target) for code, _ in guesses]
        read = document_of_page if asked.format == "html" else document_of_lines
        documents = [read(TextFile("q", text)) for text in texts]
        found = await _while_connected(request, self._translations(documents, directions, n_best))
        best = [translated(*each) for each in zip(documents, found, strict=True)]
        answer: Values = {"translatedText": [first for first, *_ in best]}
        if is_auto:
            answer["detectedLanguage"] = [_guess(*guess) for guess in guesses]
        if n_best > 1:
            answer["alternatives"] = [others for _, *others in best]
        if asked.details:
            pairs = zip(texts, found, strict=True)
            is_text = asked.format == "text"
            answer["details"] = [detailed(*pair) if is_text else [] for pair in pairs]
        if not isinstance(asked.q, list):
            answer = {name: of_texts[0] for name, of_texts in answer.items()}
        return JSONResponse(answer)

    async def detect(self, request: Request) -> Response:
        texts = self._texts((await self._asked(Detect, request)).q)
        return JSONResponse([_guess(*each) for each in self._detected(" ".join(texts))])

    async def translate_file(self, request: Request) -> Response:
        asked = await self._asked(TranslateFile, request, self.limits.bytes)
        content = await _while_connected(request, self._translated_file(asked))
        token = self.downloads.add(content, asked.name, asked.target)
        url = request.url_for("download_file", token=token)
        return JSONResponse({"translatedFileUrl": str(url)})

    async def download_file(self, request: Request) -> Response:
        found = self.downloads.find(request.path_params["token"])
        if not found:
            raise HTTPException(404, "there is no such file, or its time is over")
        path, name = found
        return FileResponse(path, media_type="application/octet-stream", filename=name)

    async def suggest(self, request: Request) -> Response:
        if not self.suggestions:
            raise HTTPException(403, "this server takes no suggestions; --suggest lets it")
        origin = request.headers.get("origin")
        own = origin is None or origin.partition("://")[2] == request.headers.get("host")
        if not own and not {origin, "*"} & {*self.origins}:
            raise HTTPException(403, "pages of other sites may not suggest")
        asked = await self._asked(Suggest, request)
        source = asked.source if asked.source != AUTO else self._detected(asked.q)[0][0]
        if (direction := self._direction(source, asked.target)) is None:
            raise HTTPException(400, "source and target are one language")
        correction = Correction.of(asked.q, asked.s, "a client of the server")
        try:
            await asyncio.to_thread(add_corrections, direction.path, [correction])
        except UserError as error:
            log.error(f"/suggest: {error}")
            raise HTTPException(500, "it cannot be kept; the server's log says why") from None
        return JSONResponse({"success": True})

    def frontend_settings(self) -> Values:
        """Return what the page shows, and clients may ask for."""
        first = self.directions.all[0]
        sides = {"source": first.source, "target": first.target}
        language = {
            side: {"code": code, "name": language_name(code)} for side, code in sides.items()
        }
        return {
            "apiKeys": bool(self.keys),
            "charLimit": self.limits.characters,
            "filesTranslation": True,
            "frontendTimeout": 500,
            "keyRequired": bool(self.keys),
            "language": language,
            "suggestions": self.suggestions,
            "supportedFilesFormat": ENDINGS,
        }

    async def _asked(self, model: type[M], request: Request, most_bytes: int | None = None) -> M:
        """Return the parameters of a request that may ask; else raise HTTPException."""
        async with asyncio.timeout(self.limits.seconds):
            # Without a document: JSON may spend twelve bytes on a character.
            most_bytes = most_bytes or 12 * self.limits.characters + 10_000
            values = await read_values(request, most_bytes)
        given = str(values.get("api_key", "")).encode("utf-8", errors="replace")
        has_key = any(secrets.compare_digest(given, key.encode()) for key in self.keys)
        if self.rate:
            address = request.client.host if request.client else ""
            self.rate.count(given.decode() if has_key else address, time.monotonic_ns())
        if self.keys and not has_key:
            raise HTTPException(403, "api_key is not one of this server's keys")
        return parameters(model, values)

    def _texts(self, q: Texts) -> list[str]:
        """Return the texts of a request; HTTPException 413 where they are too long."""
        texts, most = [q] if isinstance(q, str) else q, self.limits.characters
        if (size := sum(max(1, len(text)) for text in texts)) > most:
            raise HTTPException(413, f"q has {size:,} characters; at most {most:,}")
        return texts

    def _detected(self, text: str) -> list[tuple[str, float]]:
        return detect(text, self.directions.profiles)

    def _language(self, text: str) -> str:
        """Return the language of a text; HTTPException 400 where no model knows many of its words.

        A text of fewer than SOME_WORDS has the likeliest language.
        """
        code, sure = self._detected(text)[0]
        if sure < LEAST_SURE and len(words(text)) >= SOME_WORDS:
            read = ", ".join(map(language_name, self.directions.profiles))
            raise HTTPException(400, f"this seems not to be in {read}; if it is, name its source")
        return code

    def _direction(self, source: str, target: str) -> Direction | None:
        """Return the model for two languages, None where they are one; HTTPException for none."""
        found = self.directions.find(source, target)
        is_served = any(is_language(code, known(target)) for code in self.directions.codes)
        if found is None and not (is_served and is_language(known(source), known(target))):
            pairs = ", ".join(f"{each.source} to {each.target}" for each in self.directions.all)
            wanted = f"{short_text(source)} to {short_text(target)}"
            raise HTTPException(400, f"no model translates {wanted}; there are {pairs}")
        return found

    async def _translations(
        self, documents: Sequence[Document], directions: Sequence[Direction | None], n_best: int
    ) -> list[list[Translation]]:
        """Return the translations of the texts of each document; those of a direction together."""
        left: dict[Direction | None, Iterator[Translation]] = {None: iter(())}
        for each in filter(None, dict.fromkeys(directions)):
            pairs = zip(documents, directions, strict=True)
            texts = [text for document, its in pairs if its is each for text in document.texts]
            count = min(n_best, each.loaded.decoding.beam_size)
            left[each] = iter(await self.batcher.translate(each, texts, count))
        pairs = zip(documents, directions, strict=True)
        return [[*islice(left[its], len(document.texts))] for document, its in pairs]

    async def _translated_file(self, asked: TranslateFile) -> bytes:
        """Return a document, translated; raises Busy where there is no room for one more."""
        if self.documents.locked():
            raise Busy
        source = "" if asked.source == AUTO else asked.source
        most, new = 100 * self.limits.characters, dict[str, str]()  # 20 s of parsing Markdown
        async with self.documents:
            read = partial(read_document, language=source, most_characters=most)
            document = await self._in_thread(partial(read, asked.file, asked.name))
            source = source or self._language(" ".join(document.texts[:100]))
            if (direction := self._direction(source, asked.target)) is None:
                return asked.file
            for texts in document.chunks():
                found = await self.batcher.translate(direction, texts)
                new |= zip(texts, map(str, found), strict=True)
            return await self._in_thread(partial(document.with_translations, new))

    async def _in_thread(self, function: Callable[[], T]) -> T:
        """Return what a function gives. Whoever is cancelled waits: no thread can be stopped."""
        work = asyncio.get_running_loop().run_in_executor(self.threads, function)
        try:
            return await asyncio.shield(work)
        finally:
            await asyncio.wait([work])


def _guess(code: str, confidence: float) -> Values:
    return {"language": code, "confidence": confidence}


async def _while_connected(request: Request, answer: Coroutine[Any, Any, T]) -> T:
    """Return what `answer` gives; where the client leaves before, it is cancelled."""
    work, gone = asyncio.ensure_future(answer), asyncio.ensure_future(request.receive())
    both: set[asyncio.Future[Any]] = {work, gone}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise ClientDisconnect
        return await work
    finally:
        for each in both:
            each.cancel()
