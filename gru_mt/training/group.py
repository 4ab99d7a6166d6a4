"""The processes that train one model together.

Only this module knows torch.distributed, and a process that trains alone never imports it. The
processes find each other by the environment that torch's launchers set.

Shapes: W weights, N processes, K of them that give something, S weights of one process's slice.
"""

import itertools
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import torch
    from torch import Tensor
    from torch.distributed import ProcessGroup
    from torch.distributed.distributed_c10d import Store

MEETING = timedelta(seconds=60)  # to wait for all to start, and for each exchange of gradients
PATIENCE = timedelta(days=30)  # to wait while another process prepares data, measures or writes
ROLL_CALL_S = 5.0  # for those who live to answer, when another process is gone
LISTENING_S = 0.5  # between two looks for a roll call
LAUNCHED = "gru-mt"  # the name of a run of torch's launcher that this program started itself

_JOINED = itertools.count()  # a process may train one run after the other

A = TypeVar("A")
B = TypeVar("B")


class ProcessLost(Exception):  # noqa: N818 it is no error of this process
    """Another process of the group is gone; the message names its rank."""


def group_size() -> int:
    """Return how many processes a launcher has started to train together; 1 without one."""
    return int(os.environ["WORLD_SIZE"]) if "RANK" in os.environ else 1


def group_rank() -> int:
    """Return the rank of this process among them; 0 without a launcher."""
    return int(os.environ["RANK"]) if group_size() > 1 else 0


def is_launched() -> bool:
    """Return whether `gru-mt train --processes` started this process. It tells who is gone."""
    return os.environ.get("TORCHELASTIC_RUN_ID") == LAUNCHED


@dataclass(frozen=True, slots=True)
class Group:
    """The processes that train together, as one of them sees them; by default it is alone.

    All call `wait` and the methods after it in the same order. These raise ProcessLost where a
    process is gone: at once where its connections close, else after MEETING.
    """

    rank: int = 0
    size: int = 1
    _patient: "ProcessGroup | None" = None  # for all but gradients: on the CPU, with PATIENCE
    _parent: int = field(default_factory=os.getppid)

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

            with _noticing_loss():
                distributed.barrier(self._patient)

    def give(self, value: object) -> None:
        """Give a value to the others, which call `take`; only process 0 does."""
        from torch import distributed

        with _noticing_loss():
            distributed.broadcast_object_list([value], 0, self._patient)

    def take(self) -> Any:
        """Wait for the value that process 0 gives, and return it."""
        from torch import distributed

        values = [None]
        with _noticing_loss():
            distributed.broadcast_object_list(values, 0, self._patient)
        return values[0]

    def map(self, function: Callable[[A], B], items: Sequence[A]) -> list[B]:
        """Return `function` of each item, in order; each process computes its share."""
        results = [function(item) for item in self.share(items)]
        if self.size == 1:
            return results
        from torch import distributed

        shares: list[list[B]] = [[] for _ in range(self.size)]
        with _noticing_loss():
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
        with _noticing_loss():
            distributed.all_reduce(number, distributed.ReduceOp.MAX, self._patient)
        return int(number) or None

    def exchange(self, given_W: "Tensor", flat_W: "Tensor", count: int) -> "Tensor":
        """Return this process's slice of what each of the first `count` processes gives, in order.

        Each of them gives as much as flat_W has, a multiple of N; the others give nothing.
        """
        from torch import distributed

        slice_size = len(flat_W) // self.size
        received_KS = flat_W.new_empty(count, slice_size)
        with _noticing_loss():
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

        with _noticing_loss():
            distributed.all_gather_single(flat_W, own_S)

    def add(self, flat_W: "Tensor") -> None:
        """Add up flat_W over all processes, in an order that depends on their number."""
        from torch import distributed

        with _noticing_loss():
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
    with _noticing_loss():
        own = distributed.PrefixStore(f"group {next(_JOINED)}", _store())  # type: ignore[attr-defined]
        distributed.init_process_group(
            backend, store=own, rank=rank, world_size=size, timeout=MEETING
        )
        patient = distributed.new_group(backend="gloo", timeout=PATIENCE)
    try:
        with _answering():
            yield Group(rank, size, patient)
    except ProcessLost:
        raise  # what is left of the group ends with this process
    except Exception:
        speaks()  # before the others lose this process, and would say so
        distributed.destroy_process_group()
        raise
    distributed.destroy_process_group()


@cache
def speaks() -> bool:
    """Return whether this is the first process of its group that has to tell why it ends."""
    if group_size() == 1:
        return True
    with suppress(RuntimeError):  # the store is gone, and the others are too
        return _store().add("said", 1) == 1
    return True


@cache
def _store() -> "Store":
    """Return values that all processes of the group see, once all have come.

    A launcher that starts processes again leaves the values of those before them. So each process
    gives itself a new name, and all names together are the name of the group. Raises RuntimeError
    where not all processes come.
    """
    from torch.distributed import PrefixStore  # type: ignore[attr-defined]
    from torch.distributed.rendezvous import rendezvous

    store: Store = next(rendezvous("env://", timeout=MEETING))[0]
    ranks = range(group_size())
    store.set(f"name/{group_rank()}", secrets.token_hex(8))
    until_s = time.monotonic() + MEETING.total_seconds()
    while time.monotonic() < until_s:
        if store.check([f"name/{rank}" for rank in ranks]):
            group = b" ".join(store.get(f"name/{rank}") for rank in ranks).decode()
            store.set(f"{group}/{group_rank()}", "")
            if store.check([f"{group}/{rank}" for rank in ranks]):  # all see the same
                return PrefixStore(group, store)
        time.sleep(0.05)
    raise RuntimeError("not all processes have come")


@contextmanager
def _answering() -> Iterator[None]:
    """Answer a roll call meanwhile, whatever this process computes or waits for."""
    left = threading.Event()

    def answer() -> None:
        with suppress(RuntimeError):  # the store is gone
            while not left.wait(LISTENING_S):
                if _store().check(["roll call"]):
                    _store().set(f"lives/{group_rank()}", "")
                    return

    threading.Thread(target=answer, daemon=True).start()
    try:
        yield
    finally:
        left.set()


@contextmanager
def _noticing_loss() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:  # the base of all that torch.distributed raises
        raise ProcessLost(_loss()) from error


def _loss() -> str:
    """Return in one line which processes are gone; "" where another process tells."""
    with suppress(RuntimeError):
        if is_launched() or _store().add("said", 0):
            return ""
        store, ranks = _store(), range(group_size())
        store.set("roll call", "")
        until_s = time.monotonic() + ROLL_CALL_S
        while missing := [rank for rank in ranks if not store.check([f"lives/{rank}"])]:
            if time.monotonic() > until_s:
                names = " and ".join(map(str, missing))
                return f"process {names} of {len(ranks)} is gone; the same command goes on"
            time.sleep(0.1)
    return "the connection to the other processes is lost; the same command goes on"
