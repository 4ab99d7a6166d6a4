"""Where lines are translated: in processes with a batch each, if the engine gains from several.

Else a thread does it. Threads share Python's lock with the one that answers requests; processes do
not.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import replace
from functools import partial
from io import StringIO

from gru_mt.data.pool import pool
from gru_mt.inference.translation import Translation
from gru_mt.inference.translator import Translator
from gru_mt.server.directions import Direction, Load, Stamp

# Direction, lines, n_best -> translations; raises what the translator does, in any thread.
Translate = Callable[[Direction, Sequence[str], int], list[Translation]]
_Item = tuple[str, Stamp, Sequence[str], int]  # the name of a direction, its files, lines, n_best
_loaded: dict[str, tuple[Stamp, Translator]] = {}  # by name, in a process that translates


@contextmanager
def translators(directions: Sequence[Direction]) -> Iterator[tuple[int, Translate]]:
    """Yield how many batches can be translated at the same time, and what translates one."""
    count = max(each.loaded.engine.threads for each in directions)
    if count == 1:
        yield 1, _in_this_process
        return
    loads = {each.name: each.load for each in directions}
    with pool(partial(_in_another_process, loads), count) as submit:

        def translate(direction: Direction, lines: Sequence[str], n_best: int) -> list[Translation]:
            direction.translator()  # it renews the model, or says why not
            return submit((direction.name, direction.stamp, lines, n_best)).result()

        items: list[_Item] = [
            (each.name, each.stamp, [], 1) for each in directions for _ in range(count)
        ]
        for loading in [submit(item) for item in items]:  # in each process, as all are free
            loading.result()
        yield count, translate


def _in_this_process(direction: Direction, lines: Sequence[str], n_best: int) -> list[Translation]:
    return direction.translator().translate(lines, n_best=n_best)


def _in_another_process(loads: Mapping[str, Load], item: _Item) -> list[Translation]:
    name, stamp, lines, n_best = item
    if name not in _loaded or _loaded[name][0] != stamp:
        with redirect_stderr(StringIO()):  # the first process has said it
            _loaded[name] = stamp, replace(loads[name](), threads=1)
    return _loaded[name][1].translate(lines, n_best=n_best)
