"""Translates the lines of all clients together: one queue, and batches that clients share.

A translation does not depend on its batch, so nobody sees whom he shared it with.
"""

import asyncio
import logging
import math
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from gru_mt.data.text.sentences import split_sentences
from gru_mt.errors import UserError
from gru_mt.inference.translation import SentenceTranslation, Translation
from gru_mt.server.directions import Direction, Translate

COLLECT_S = 0.015  # how long a batch waits for the next lines of those who have just got theirs
MOST_LINES, MOST_CHARACTERS = 64, 4_000  # of a batch; others wait for no longer than it takes
LONG_LINE, LONG_SENTENCE, LONG_WORD = 1_000, 2_000, 20_000  # characters
# The parts of a sentence without an end, cut at spaces or commas; no address is cut.
_PART = re.compile(
    rf".{{1,{LONG_SENTENCE}}}(?:(?<=[、，；：])|\s+|\Z)|\S{{1,{LONG_WORD}}}\s*", re.DOTALL
)
log = logging.getLogger(__name__)


class Busy(Exception):  # noqa: N818 the client may come again
    """The queue is full."""


class ModelFailed(Exception):  # noqa: N818 as above
    """The model could not translate; the log says why."""


_Line = tuple[str, asyncio.Future[Translation]]  # and what is to become of it


@dataclass(eq=False, slots=True)
class _Job:
    """Lines that a client waits for."""

    direction: Direction
    n_best: int
    left: deque[_Line]  # that are in no batch yet


class Batcher:
    """The queue. `jobs` wait in it, `lines`, `batches` and `seconds` of translating are counted."""

    def __init__(self, most_jobs: int) -> None:
        self.most_jobs, self.lines, self.batches, self.seconds = most_jobs, 0, 0, 0.0
        self.jobs: dict[_Job, None] = {}  # in order; those whose lines are all taken are none
        self._arrived = asyncio.Event()
        self._under_way = 0  # lines that are in batches

    @asynccontextmanager
    async def running(self, count: int, translate: Translate) -> AsyncIterator[None]:
        """Translate until the block ends, `count` batches at a time."""
        with ThreadPoolExecutor(count, "translate") as threads:
            async with while_running(*(self._run(threads, count, translate) for _ in range(count))):
                yield

    async def translate(
        self, direction: Direction, lines: Sequence[str], n_best: int = 1
    ) -> list[Translation]:
        """Return the translations of lines; whoever is cancelled leaves the queue.

        The sentences of a long line take turns with others. Raises Busy where the queue is full,
        and ModelFailed.
        """
        if not lines:
            return []
        if len(self.jobs) >= self.most_jobs:
            raise Busy
        pieces = [_pieces(line, direction.source) for line in lines]
        loop = asyncio.get_running_loop()
        waiting = [(piece, loop.create_future()) for piece in chain.from_iterable(pieces)]
        job = _Job(direction, n_best, deque(waiting))
        self.jobs[job] = None
        self._arrived.set()
        try:
            found = iter(await asyncio.gather(*(future for _, future in waiting)))
        finally:
            self.jobs.pop(job, None)
        return [_joined(line, its, found) for line, its in zip(lines, pieces, strict=True)]

    async def _run(self, threads: ThreadPoolExecutor, count: int, translate: Translate) -> None:
        loop, expected = asyncio.get_running_loop(), 1
        while True:
            await self._arrived.wait()
            until_s = loop.time() + COLLECT_S
            while self._waiting() < expected and loop.time() < until_s:
                await asyncio.sleep(COLLECT_S / 10)
            if self.jobs:
                started_s, first = time.perf_counter(), next(iter(self.jobs))
                most = self._share(count)
                lines, futures = zip(*self._next_batch(first, most), strict=True)
                self._under_way += len(lines)
                results = await loop.run_in_executor(
                    threads, _translated, translate, first.direction, lines, first.n_best
                )
                self.lines, self.batches = self.lines + len(lines), self.batches + 1
                self.seconds += time.perf_counter() - started_s
                expected = self._share(count)
                self._under_way -= len(lines)
                for future, result in zip(futures, results, strict=True):
                    if future.done():  # the client left, or another of its lines failed
                        continue
                    if isinstance(result, ModelFailed):
                        future.set_exception(result)
                    else:
                        future.set_result(result)
            if not self.jobs:
                self._arrived.clear()

    def _waiting(self) -> int:
        return sum(len(job.left) for job in self.jobs)

    def _share(self, count: int) -> int:
        """Return how many lines each of `count` batches has of those that wait or are under way."""
        return min(math.ceil((self._waiting() + self._under_way) / count), MOST_LINES)

    def _next_batch(self, first: _Job, most: int) -> Iterator[_Line]:
        """Yield the lines to translate next, `most` of jobs that share the model of the first.

        Each has its turn; one with more lines goes to the end.
        """
        characters, size, model = 0, 0, (first.direction, first.n_best)
        alike = deque(job for job in self.jobs if (job.direction, job.n_best) == model)
        while alike and size < most and characters < MOST_CHARACTERS:
            job = alike.popleft()
            line, future = job.left.popleft()
            yield line, future
            size, characters = size + 1, characters + len(line)
            del self.jobs[job]
            if job.left:
                alike.append(job)
                self.jobs[job] = None


@asynccontextmanager
async def while_running(*work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do `work` beside the block, until the block ends."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def _pieces(line: str, language: str) -> list[str]:
    """Return the sentences of a long line, or parts of them, with the spaces after; else it."""
    if len(line) <= LONG_LINE:
        return [line]
    return [*chain.from_iterable(map(_PART.findall, split_sentences(line, language)))]


def _joined(line: str, pieces: Sequence[str], found: Iterator[Translation]) -> Translation:
    """Return the translation of a line from those of its pieces, which come next."""
    if len(pieces) == 1:
        return next(found)
    sentences: list[SentenceTranslation] = []
    for piece, translation in zip(pieces, found, strict=False):
        sentences += translation.sentences
        if sentences:  # there is none of unseen characters alone
            sentences[-1] = replace(sentences[-1], gap=piece[len(piece.rstrip()) :])
    return Translation(line, sentences)


def _translated(
    translate: Translate, direction: Direction, lines: Sequence[str], n_best: int
) -> list[Translation | ModelFailed]:
    """Return translations; where they fail together, each line alone, or why not."""
    try:
        return [*translate(direction, lines, n_best)]
    except Exception as error:
        if len(lines) > 1:
            return [_translated(translate, direction, [line], n_best)[0] for line in lines]
        if isinstance(error, UserError):
            log.error(f"{direction.name}: {error}")
        else:
            log.exception(f"{direction.name}: a line could not be translated")
        return [ModelFailed()]
