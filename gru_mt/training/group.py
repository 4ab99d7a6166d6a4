"""The processes that train one model together, and what they tell each other.

Shapes: W weights, N processes, K of them that give something, S weights of one process's slice.
"""

import itertools
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from gru_mt.training.presence import (
    MEETING,
    ProcessLost,
    group_rank,
    group_size,
    launcher,
    let_stop,
    meeting_store,
    noticing_loss,
    speaks,
    watching,
)

if TYPE_CHECKING:
    import torch
    from torch import Tensor
    from torch.distributed import ProcessGroup

PATIENCE = timedelta(days=30)  # to wait while another process prepares data, measures or writes
_JOINED = itertools.count()  # a process may train one run after the other

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Group:
    """The processes that train together, as one of them sees them; by default it is alone.

    All call `wait` and the methods after it in the same order. These raise ProcessLost where a
    process is gone: at once where its connections close, else after MEETING where gradients are
    exchanged. Where all that is left waits for something else, `watching` ends this process.
    """

    rank: int = 0
    size: int = 1
    _patient: "ProcessGroup | None" = None  # for all but gradients: on the CPU, with PATIENCE
    _parent: int = field(default_factory=launcher)

    @property
    def leads(self) -> bool:
        """Whether this is process 0, which alone writes and speaks."""
        return self.rank == 0

    def share(self, items: Sequence[A]) -> Sequence[A]:
        """Return what this process has of the work: each `size`-th item, from `rank` on."""
        return items[self.rank :: self.size]

    def wait(self) -> None:
        """Wait until all processes are here."""
        if self.size > 1:
            from torch import distributed

            with noticing_loss():
                distributed.barrier(self._patient)

    def give(self, value: object) -> None:
        """Give a value to the others, which call `take`; only process 0 does."""
        from torch import distributed

        with noticing_loss():
            distributed.broadcast_object_list([value], 0, self._patient)

    def take(self) -> Any:
        """Wait for the value that process 0 gives, and return it."""
        from torch import distributed

        values = [None]
        with noticing_loss():
            distributed.broadcast_object_list(values, 0, self._patient)
        return values[0]

    def map(self, function: Callable[[A], B], items: Sequence[A]) -> list[B]:
        """Return `function` of each item, in order; each process computes its share."""
        results = [function(item) for item in self.share(items)]
        if self.size == 1:
            return results
        from torch import distributed

        shares: list[list[B]] = [[] for _ in range(self.size)]
        with noticing_loss():
            distributed.all_gather_object(shares, results, self._patient)
        return [shares[place % self.size][place // self.size] for place in range(len(items))]

    def stopped_by(self, received: int | None) -> int | None:
        """Return a signal that some process has `received`, to all the same; None without one.

        The death of a launcher is SIGTERM for its processes: nobody else would end them.
        """
        if self.size == 1:
            return received
        import torch
        from torch import distributed

        orphaned = os.getppid() != self._parent
        number = torch.tensor(received or (signal.SIGTERM if orphaned else 0))
        with noticing_loss():
            distributed.all_reduce(number, distributed.ReduceOp.MAX, self._patient)
        if number:
            let_stop()
        return int(number) or None

    def exchange(self, given_W: "Tensor", flat_W: "Tensor", count: int) -> "Tensor":
        """Return this process's slice of what each of the first `count` processes gives, in order.

        Each of them gives as much as flat_W has, a multiple of N; the others give nothing.
        """
        from torch import distributed

        slice_size = len(flat_W) // self.size
        received_KS = flat_W.new_empty(count, slice_size)
        with noticing_loss():
            distributed.all_to_all_single(
                received_KS.view(-1),
                given_W,
                [slice_size if rank < count else 0 for rank in range(self.size)],
                [len(given_W) // self.size] * self.size,
            )
        return received_KS

    def gather(self, own_S: "Tensor", flat_W: "Tensor") -> None:
        """Fill flat_W with the slices of all processes, in order."""
        from torch import distributed

        with noticing_loss():
            distributed.all_gather_single(flat_W, own_S)

    def add(self, flat_W: "Tensor") -> None:
        """Add up flat_W over all processes, in an order that depends on their number."""
        from torch import distributed

        with noticing_loss():
            distributed.all_reduce(flat_W)


ALONE = Group()


@contextmanager
def joined(device: "torch.device") -> Iterator[Group]:
    """Yield the group that a launcher has started this process in, or one of this process alone.

    It computes on `device`. Raises ProcessLost where not all processes come.
    """
    size = group_size()
    if size == 1:
        yield Group()
        return
    from torch import distributed

    rank = group_rank()
    backend = "gloo" if device.type == "cpu" else f"cpu:gloo,{device.type}:nccl"
    with noticing_loss():
        own = distributed.PrefixStore(f"group {next(_JOINED)}", meeting_store())  # type: ignore[attr-defined]
        distributed.init_process_group(
            backend, store=own, rank=rank, world_size=size, timeout=MEETING
        )
        patient = distributed.new_group(backend="gloo", timeout=PATIENCE)
    try:
        with watching():
            yield Group(rank, size, patient)
    except ProcessLost:
        raise  # what is left of the group ends with this process
    except Exception:
        speaks()  # before the others lose this process, and would say so
        distributed.destroy_process_group()
        raise
    distributed.destroy_process_group()
