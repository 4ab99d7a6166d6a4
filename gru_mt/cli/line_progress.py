"""How many lines of a long file, or sentences of a set, are translated."""

import os
import stat
from collections.abc import Callable, Iterator
from io import BufferedReader
from typing import TYPE_CHECKING

from gru_mt.inference.preprocessing.lines import Line, read_chunks

if TYPE_CHECKING:
    from gru_mt.data.dataset.store import Ints
    from gru_mt.inference.translation import SentenceTranslation
    from gru_mt.progress import ProgressBar

DELAY_S = 2.0  # what is done by then shows nothing


class LineProgress:
    """Reads lines, and shows how many are translated whenever a batch of sentences is."""

    def __init__(self) -> None:
        self._bar: ProgressBar | None = None  # until lines are read
        self._before = 0  # lines that were translated before those that were read last
        self._reading: list[Line] = []
        self._characters = 0  # of sentences in these that are translated

    def read(self, file: BufferedReader) -> Iterator[list[Line]]:
        """Yield the lines as `read_chunks` does; whoever takes them translates them at once."""
        from gru_mt.progress import ProgressBar  # a single sentence needs none

        size = _size(file)
        with ProgressBar("", unit="lines", total=size, delay_s=DELAY_S) as self._bar:
            self._bar.set_description_str("translating", refresh=False)
            for self._reading in read_chunks(file):
                self._characters, lines = 0, self._before + len(self._reading)
                if size:
                    self._bar.total = round(lines * size / file.tell())
                yield self._reading
                self._show(lines)
                self._before = lines

    def map(
        self, function: "Callable[[Ints], list[SentenceTranslation]]", batches: "list[Ints]"
    ) -> "Iterator[list[SentenceTranslation]]":
        """Yield `function` of each batch: a `MapBatches` for the translator of the lines."""
        for results in map(function, batches):
            yield results
            self._characters += sum(len(result.source) for result in results)
            all_characters = sum(len(line.text) for line in self._reading)
            if self._characters < all_characters:
                lines = len(self._reading) * self._characters // all_characters
                self._show(self._before + lines)

    def _show(self, lines: int) -> None:
        if self._bar is not None:
            elapsed_s = self._bar.format_dict["elapsed"] or 1.0  # the first may come at once
            self._bar.set_postfix_str(f"{lines / elapsed_s:,.0f} lines/s", refresh=False)
            self._bar.update(lines - self._bar.n)


def map_with_progress(
    function: "Callable[[Ints], list[SentenceTranslation]]", batches: "list[Ints]"
) -> "Iterator[list[SentenceTranslation]]":
    """Yield `function` of each batch, and show how many sentences are done: a `MapBatches`."""
    from gru_mt.progress import ProgressBar

    size = sum(map(len, batches))
    with ProgressBar("", unit="sentences", total=size, delay_s=DELAY_S) as bar:
        bar.set_description_str("translating", refresh=False)
        for batch in batches:
            yield function(batch)
            bar.update(len(batch))


def _size(file: BufferedReader) -> int | None:
    """Return how many bytes a file on disk has; None for a pipe, which may go on for ever."""
    try:
        status = os.fstat(file.fileno())
    except OSError:  # it is no file of the system
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
