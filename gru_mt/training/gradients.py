"""The gradients of an update, added up over its microbatches and over processes.

Shapes: W weights of all and a loss, filled up to a multiple of the processes.
"""

from collections.abc import Callable, Iterable
from typing import Literal

import torch
from torch import Tensor, nn

from gru_mt.training.group import Group


class Gradients:
    """Adds up the gradients of a model's weights over the processes of a group.

    With `ordered` they are added in the order of the microbatches, so that the number of processes
    changes no bit. Each process adds up one slice of all weights, and sends its gradients once for
    each of its microbatches. With `sum` it sends them once an update, and the number of processes
    changes the last bits.
    """

    def __init__(
        self, weights: Iterable[nn.Parameter], group: Group, reduce: Literal["ordered", "sum"]
    ) -> None:
        self._weights, self._group, self._reduce = [*weights], group, reduce
        sizes = [weight.numel() for weight in self._weights]
        used = sum(sizes) + 1
        unused = -used % group.size
        self._sizes = [*sizes, 1, unused]  # of the parts of flat_W
        self._flat_W = self._weights[0].new_zeros(used + unused if group.size > 1 else 0)

    def add_up(self, count: int, backward: Callable[[int], Tensor]) -> Tensor:
        """Leave in each weight its gradient over `count` microbatches; return their summed loss.

        `backward` computes the gradients of the microbatch at a place, and returns its loss. It is
        called for this process's share of them alone.
        """
        if self._group.size == 1:
            return self._accumulated(range(count), backward)
        if self._reduce == "sum":
            self._flatten(self._accumulated(self._group.share(range(count)), backward))
            self._group.add(self._flat_W)
        else:
            self._add_in_order(count, backward)
        return self._spread()

    def _accumulated(self, places: Iterable[int], backward: Callable[[int], Tensor]) -> Tensor:
        """Let autograd add up the gradients at these places; return the summed loss."""
        loss = torch.zeros((), device=self._weights[0].device)
        for place in places:
            loss += backward(place)
        return loss

    def _add_in_order(self, count: int, backward: Callable[[int], Tensor]) -> None:
        """Fill flat_W with the sum over `count` microbatches, of which each process has some."""
        group, sums = self._group, None
        for first in range(0, count, group.size):
            given_W, place = self._flat_W[:0], first + group.rank
            if place < count:
                self._flatten(backward(place))
                given_W = self._flat_W
            for each in group.exchange(given_W, self._flat_W, min(group.size, count - first)):
                sums = each if sums is None else sums.add_(each)
        assert sums is not None, "an update has a microbatch"
        group.gather(sums, self._flat_W)

    def _flatten(self, loss: Tensor) -> None:
        """Move the gradients, zero where there is none, and the loss into flat_W."""
        parts = []
        for weight in self._weights:
            grad = torch.zeros_like(weight) if weight.grad is None else weight.grad
            parts.append(grad.flatten())
            weight.grad = None
        unused_W = self._flat_W.new_zeros(self._sizes[-1])
        torch.cat([*parts, loss.view(1), unused_W], out=self._flat_W)

    def _spread(self) -> Tensor:
        """Make parts of flat_W the gradients of the weights; return the loss in it."""
        *grads, loss, _ = self._flat_W.split(self._sizes)
        for weight, grad in zip(self._weights, grads, strict=True):
            weight.grad = grad.view_as(weight)
        return torch.clone(loss[0])
