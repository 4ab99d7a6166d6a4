"""Translates the lines of all clients together: one queue, one thread, batches that clients share.

A translation does not depend on its batch, so nobody sees whom he shared it with.
"""

import asyncio
import logging
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from gru_mt.data.text.sentences import split_sentences
from gru_mt.errors import UserError
from gru_mt.inference.translation import SentenceTranslation, Translation
from gru_mt.server.directions import Direction

COLLECT_S = 0.005  # how long a batch waits for as many lines as were there during the last one
MOST_LINES, MOST_CHARACTERS = 64, 4_000  # of a batch; others wait for no longer than it takes
LONG_LINE, LONG_SENTENCE = 1_000, 2_000  # characters
# The parts of a sentence without an end, cut at spaces or commas; no address is cut.
_PART = re.compile(rf".{{1,{LONG_SENTENCE}}}(?:(?<=[、，；：])|\s+|\Z)|\S+\s*", re.DOTALL)
log = logging.getLogger(__name__)


class Busy(Exception):  # noqa: N818 the client may come again
    """The queue is full."""


class ModelFailed(Exception):  # noqa: N818 as above
    """The model could not translate; the log says why."""


@dataclass(eq=False, slots=True)
class _Job:
    """Lines that a client waits for."""

    direction: Direction
    n_best: int
    lines: Sequence[str]
    done: asyncio.Future[list[Translation]]
    taken: int = 0  # lines that are in a batch or translated
    found: list[Translation] = field(default_factory=list)

    def shares_with(self, other: "_Job") -> bool:
        return (self.direction, self.n_best) == (other.direction, other.n_best)


class Batcher:
    """The queue. `jobs` wait in it, `lines`, `batches` and `seconds` of translating are counted."""

    def __init__(self, most_jobs: int) -> None:
        self.most_jobs, self.lines, self.batches, self.seconds = most_jobs, 0, 0, 0.0
        self.jobs: dict[_Job, None] = {}  # in order; those whose lines are all taken are none
        self._arrived = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Translate until the block ends."""
        with ThreadPoolExecutor(1, "translate") as thread:
            async with while_running(self._run(thread)):
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
        done = asyncio.get_running_loop().create_future()
        job = _Job(direction, n_best, [*chain.from_iterable(pieces)], done)
        self.jobs[job] = None
        self._arrived.set()
        try:
            found = iter(await done)
        finally:
            self.jobs.pop(job, None)
        return [_joined(line, its, found) for line, its in zip(lines, pieces, strict=True)]

    async def _run(self, thread: ThreadPoolExecutor) -> None:
        loop, expected = asyncio.get_running_loop(), 1
        while True:
            await self._arrived.wait()
            until_s = loop.time() + COLLECT_S
            while self._waiting() < expected and loop.time() < until_s:
                await asyncio.sleep(COLLECT_S / 10)
            if jobs := self._next_batch():
                started_s = time.perf_counter()
                lines = [job.lines[number] for job, number in jobs]
                first = jobs[0][0]
                results = await loop.run_in_executor(
                    thread, _translated, first.direction, lines, first.n_best
                )
                self.lines, self.batches = self.lines + len(lines), self.batches + 1
                self.seconds += time.perf_counter() - started_s
                expected = min(len(lines) + self._waiting(), MOST_LINES)
                for (job, _), result in zip(jobs, results, strict=True):
                    _keep(job, result)
            if not self.jobs:
                self._arrived.clear()

    def _waiting(self) -> int:
        return sum(len(job.lines) - job.taken for job in self.jobs)

    def _next_batch(self) -> list[tuple[_Job, int]]:
        """Return jobs and the numbers of their lines to translate next; each job has its turn.

        The job that waits longest decides on the model. One with many lines goes to the end.
        """
        batch: list[tuple[_Job, int]] = []
        characters = 0
        alike = deque(job for job in self.jobs if job.shares_with(next(iter(self.jobs))))
        while alike and len(batch) < MOST_LINES and characters < MOST_CHARACTERS:
            job = alike.popleft()
            self.jobs.pop(job, None)
            characters += len(job.lines[job.taken])
            batch.append((job, job.taken))
            job.taken += 1
            if job.taken < len(job.lines):
                alike.append(job)
        for job, _ in batch:
            if job.taken < len(job.lines):
                self.jobs[job] = None
        return batch


@asynccontextmanager
async def while_running(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do `work` beside the block, until the block ends."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


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
        sentences[-1] = replace(sentences[-1], gap=piece[len(piece.rstrip()) :])
    return Translation(line, sentences)


def _translated(
    direction: Direction, lines: list[str], n_best: int
) -> list[Translation | ModelFailed]:
    """Return translations; where they fail together, each line alone, or why not."""
    try:
        return [*direction.translator().translate(lines, n_best=n_best)]
    except Exception as error:
        if len(lines) > 1:
            return [_translated(direction, [line], n_best)[0] for line in lines]
        if isinstance(error, UserError):
            log.error(f"{direction.name}: {error}")
        else:
            log.exception(f"{direction.name}: a line could not be translated")
        return [ModelFailed()]


def _keep(job: _Job, result: Translation | ModelFailed) -> None:
    """Give a job one of its lines, in order, and with the last one wake the client."""
    if job.done.done():  # the client left, or another of its lines failed
        return
    if isinstance(result, ModelFailed):
        job.done.set_exception(result)
        return
    job.found.append(result)
    if len(job.found) == len(job.lines):
        job.done.set_result(job.found)
