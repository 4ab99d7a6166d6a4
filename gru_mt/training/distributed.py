"""The processes that train one model together, over torch.distributed.

Shapes: W gradients of all weights, the loss and padding; S those of one process's slice.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed, nn

from gru_mt.errors import ProcessLost, UserError

RENDEZVOUS = timedelta(minutes=1)  # until all processes have started
SILENCE = timedelta(minutes=10)  # until one that gives no answer counts as lost
PREPARATION = timedelta(days=30)  # until process 0 has prepared the data

A = TypeVar("A")
B = TypeVar("B")
Backward = Callable[[int], Tensor]  # computes a microbatch's gradients, by its index -> its loss


@dataclass(frozen=True, slots=True)
class Group:
    """The processes that train together, as one of them sees them; by default it is alone.

    All call its methods in the same order. ProcessLost where one has ended or is silent.
    """

    rank: int = 0
    size: int = 1
    processes: distributed.ProcessGroup | None = None  # for tensors on the device and on the CPU
    patient: distributed.ProcessGroup | None = None  # the same, with the time limit PREPARATION

    @property
    def is_main(self) -> bool:
        """Whether this is process 0, which alone prepares data, writes files and prints."""
        return self.rank == 0

    def broadcast(self, value: Any = None) -> Any:
        """Return the value of process 0; the others wait for it, while that one prepares data."""
        values = [value]
        if self.size > 1:
            _together(distributed.broadcast_object_list, values, 0, self.patient)
        return values[0]

    def map(self, function: Callable[[A], B], items: Sequence[A]) -> list[B]:
        """Return `function` of each item, in order; the processes share the items."""
        shares = [[function(item) for item in items[self.rank :: self.size]]] * self.size
        if self.size > 1:
            _together(distributed.all_gather_object, shares, shares[0], self.processes)
        return [shares[index % self.size][index // self.size] for index in range(len(items))]

    def any_signal(self, received: int | None) -> int | None:
        """Wait for all processes; return a signal that one has `received`, the same in all."""
        if self.size == 1:
            return received
        parent = multiprocessing.parent_process()
        is_orphan = parent is not None and not parent.is_alive()  # its launcher died
        number = torch.tensor(signal.SIGTERM if is_orphan else received or 0)
        _together(distributed.all_reduce, number, distributed.ReduceOp.MAX, self.processes)
        return int(number) or None

    def sum_gradients(
        self, weights: list[nn.Parameter], count: int, backward: Backward, *, in_order: bool
    ) -> Tensor:
        """Leave in each weight its gradient over `count` microbatches; return their summed loss.

        `in_order` adds in the order of the microbatches, and each process sends its gradients once
        for each of its own. So the number of processes changes no bit. Else it sends them once.
        """
        own, device = range(self.rank, count, self.size), weights[0].device
        if self.size == 1:
            return sum(map(backward, own), torch.zeros((), device=device))
        sizes = [*(weight.numel() for weight in weights), 1]  # the last is the loss
        unused = -sum(sizes) % self.size
        flat_W = torch.zeros(sum(sizes) + unused, device=device)
        *gradients, loss, _ = flat_W.split([*sizes, unused])
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.grad = gradient.view_as(weight)  # a backward pass adds to it in place
        if in_order:  # each process adds up one slice
            sum_S: Tensor | None = None
            for first in range(0, count, self.size):
                flat_W.zero_()
                if first + self.rank < count:
                    loss += backward(first + self.rank)
                received_W = torch.empty_like(flat_W)
                _together(distributed.all_to_all_single, received_W, flat_W, group=self.processes)
                for gradient_S in received_W.view(self.size, -1)[: count - first]:
                    sum_S = gradient_S if sum_S is None else sum_S.add_(gradient_S)
            _together(distributed.all_gather_single, flat_W, sum_S, group=self.processes)
        else:
            for index in own:
                loss += backward(index)
            _together(distributed.all_reduce, flat_W, group=self.processes)
        return flat_W[sum(sizes) - 1].clone()


@contextmanager
def join_group(device: torch.device) -> Iterator[Group]:
    """Yield the processes that train with this one on `device`; without any, it is alone.

    They are those of torch.distributed where that is initialised, else those that a launcher names
    by RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. Raises ProcessLost where not all come,
    UserError where one of these is missing or wrong.
    """
    is_there = distributed.is_available() and distributed.is_initialized()
    if not is_there and ("RANK" not in os.environ or os.environ.get("WORLD_SIZE", "1") == "1"):
        yield Group()
        return
    if not is_there:  # it stays for the next training of this process
        try:
            _together(distributed.init_process_group, "gloo", timeout=RENDEZVOUS)
        except ValueError as error:  # MASTER_ADDR is missing, RANK is no number
            told = f"RANK and WORLD_SIZE are set, but processes cannot meet: {error}"
            raise UserError(told) from None
    backend = "gloo" if device.type == "cpu" else f"cpu:gloo,{device.type}:nccl"
    # The patient group first: others may come late, from the report of the run before.
    patient = _together(distributed.new_group, backend="gloo", timeout=PREPARATION)
    processes = _together(distributed.new_group, backend=backend, timeout=SILENCE)
    try:
        yield Group(distributed.get_rank(), distributed.get_world_size(), processes, patient)
    finally:
        for group in (processes, patient):
            distributed.destroy_process_group(group)


def _together(collective: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call what all processes call; ProcessLost where one of them does not."""
    try:
        return collective(*arguments, **options)
    except RuntimeError as error:  # the base of all that torch.distributed raises
        told = "the connection to the other processes is lost; the same command goes on"
        raise ProcessLost(told) from error
