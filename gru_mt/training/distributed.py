"""The processes that train one model together, over torch.distributed.

Shapes: W weights of all and a loss, filled up to a multiple of the processes; S weights of the
slice that one process adds up; N processes, each with a microbatch.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import torch
from torch import Tensor, distributed, nn

from gru_mt.errors import ProcessLost

RENDEZVOUS = timedelta(minutes=1)  # until all processes have started
SILENCE = timedelta(minutes=10)  # until one that gives no answer counts as lost
PREPARATION = timedelta(days=30)  # until process 0 has prepared the data

A = TypeVar("A")
B = TypeVar("B")
Weights = Sequence[nn.Parameter]
Backward = Callable[[int], Tensor]  # computes a microbatch's gradients, by its index -> its loss


@dataclass(frozen=True, slots=True)
class Group:
    """The processes that train together, as one of them sees them; by default it is alone.

    All processes call its methods in the same order. These raise ProcessLost where a process has
    ended, or does not answer within SILENCE.
    """

    rank: int = 0
    size: int = 1
    processes: distributed.ProcessGroup | None = None  # for tensors on the device and on the CPU
    patient: distributed.ProcessGroup | None = None  # the same, with the time limit PREPARATION

    @property
    def is_main(self) -> bool:
        """Whether this is process 0, which alone prepares data, writes files and prints."""
        return self.rank == 0

    def barrier(self) -> None:
        """Wait until all processes are here."""
        self.any_signal(None)

    def broadcast(self, value: A | None = None) -> A:
        """Return the value of process 0; the others wait for it, while that one prepares data."""
        values = [value]
        if self.size > 1:
            with _noticing_loss():
                distributed.broadcast_object_list(values, 0, self.patient)
        assert values[0] is not None, "process 0 has a value"
        return values[0]

    def map(self, function: Callable[[A], B], items: Sequence[A]) -> list[B]:
        """Return `function` of each item, in order; the processes share the items."""
        shares = [[function(item) for item in items[self.rank :: self.size]]] * self.size
        if self.size > 1:
            with _noticing_loss():
                distributed.all_gather_object(shares, shares[0], self.processes)
        return [shares[index % self.size][index // self.size] for index in range(len(items))]

    def any_signal(self, received: int | None) -> int | None:
        """Return a signal that some process has `received`, the same in all; None without one.

        The death of the process that has started this one counts as SIGTERM.
        """
        if self.size == 1:
            return received
        parent = multiprocessing.parent_process()
        is_orphan = parent is not None and not parent.is_alive()
        number = torch.tensor(signal.SIGTERM if is_orphan else received or 0)
        with _noticing_loss():
            distributed.all_reduce(number, distributed.ReduceOp.MAX, self.processes)
        return int(number) or None

    def sum_gradients(
        self, weights: Weights, count: int, backward: Backward, *, in_order: bool = True
    ) -> Tensor:
        """Leave in each weight its gradient over `count` microbatches; return their summed loss.

        `in_order` adds in the order of the microbatches, so that the number of processes changes no
        bit; each process sends its gradients once for each of its microbatches. Else it sends them
        once, and the number changes the last bits.
        """
        if in_order and self.size > 1:
            flat_W = self._sum_in_order(weights, count, backward)
        else:
            own = range(self.rank, count, self.size)
            loss = sum(map(backward, own), torch.zeros((), device=weights[0].device))
            if self.size == 1:
                return loss
            flat_W = self._flatten(weights, loss)
            with _noticing_loss():
                distributed.all_reduce(flat_W, group=self.processes)
        start = 0
        for weight in weights:
            weight.grad = flat_W[start : start + weight.numel()].view_as(weight)
            start += weight.numel()
        return flat_W[start].clone()

    def _sum_in_order(self, weights: Weights, count: int, backward: Backward) -> Tensor:
        """Return the sum over `count` microbatches; each process adds up one slice of it."""
        sum_S: Tensor | None = None
        nothing = torch.zeros((), device=weights[0].device)
        for first in range(0, count, self.size):
            own = first + self.rank
            flat_W = self._flatten(weights, backward(own) if own < count else nothing)
            received_NS = torch.empty_like(flat_W).view(self.size, -1)
            with _noticing_loss():
                distributed.all_to_all_single(received_NS.view(-1), flat_W, group=self.processes)
            for gradient_S in received_NS[: count - first]:
                sum_S = gradient_S if sum_S is None else sum_S.add_(gradient_S)
        assert sum_S is not None, "an update has a microbatch"
        flat_W = torch.empty_like(flat_W)
        with _noticing_loss():
            distributed.all_gather_single(flat_W, sum_S, group=self.processes)
        return flat_W

    def _flatten(self, weights: Weights, loss: Tensor) -> Tensor:
        """Return the gradients, 0 where there is none, and the loss; the weights keep none."""
        flat = []
        for weight in weights:
            gradient = torch.zeros_like(weight) if weight.grad is None else weight.grad
            flat.append(gradient.flatten())
            weight.grad = None
        unused = -(sum(map(len, flat)) + 1) % self.size
        return torch.cat([*flat, loss.view(1), loss.new_zeros(unused)])


ALONE = Group()


@contextmanager
def join_group(device: torch.device) -> Iterator[Group]:
    """Yield the processes that train with this one on `device`; without any, it is alone.

    They are those of torch.distributed where that is initialised, else those that a launcher names
    by RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. Raises ProcessLost where not all come.
    """
    is_there = distributed.is_available() and distributed.is_initialized()
    if not is_there and ("RANK" not in os.environ or os.environ.get("WORLD_SIZE", "1") == "1"):
        yield ALONE
        return
    with _noticing_loss():
        if not is_there:  # it stays for the next training of this process
            distributed.init_process_group("gloo", timeout=RENDEZVOUS)
        backend = "gloo" if device.type == "cpu" else f"cpu:gloo,{device.type}:nccl"
        processes = distributed.new_group(backend=backend, timeout=SILENCE)
        patient = distributed.new_group(backend="gloo", timeout=PREPARATION)
    try:
        yield Group(distributed.get_rank(), distributed.get_world_size(), processes, patient)
    finally:
        for group in (processes, patient):
            distributed.destroy_process_group(group)


@contextmanager
def _noticing_loss() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:  # the base of all that torch.distributed raises
        told = "the connection to the other processes is lost; the same command goes on"
        raise ProcessLost(told) from error
