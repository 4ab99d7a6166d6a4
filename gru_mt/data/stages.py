"""How long work tells what it is doing: the caller hands in a function, and may show it."""

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

EVERY = 1_000  # items between two counts
T = TypeVar("T")


class Tell(Protocol):
    """Takes the stage of the work, such as "encoding", and how much is done: a count, a share."""

    def __call__(self, stage: str, count: str = "", share: float | None = None) -> None: ...


def tell_nobody(stage: str, count: str = "", share: float | None = None) -> None:
    """Tell nobody."""


def counted(
    items: Iterable[T], tell: Tell, stage: str, unit: str, *, total: int | None = None
) -> Iterator[T]:
    """Yield `items`, and tell how many were done before every EVERY of them: "1,000 lines"."""
    of_total = "" if total is None else f" of {total:,}"
    for done, item in enumerate(items):
        if done % EVERY == 0:
            tell(stage, f"{done:,}{of_total} {unit}", total and done / total)
        yield item
