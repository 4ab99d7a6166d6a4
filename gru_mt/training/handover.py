"""What process 0 gives to the other processes of its group before the first update.

They read the rest from the run's folder, so all hosts need to see it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from torch import Tensor

from gru_mt.config.load import dump_config
from gru_mt.config.schema import Config, ResolvedConfig
from gru_mt.data.dataset.ids import EpochPairs
from gru_mt.errors import UserError
from gru_mt.run import Run
from gru_mt.training.group import Group
from gru_mt.training.journal import Journal
from gru_mt.training.optimizer import Optimizer
from gru_mt.training.state import TrainState

SEEN_S = 60.0  # a network drive may show a new file this late


@dataclass(frozen=True, slots=True)
class Handover:
    """How a run begins in a process beside process 0: with what that one has."""

    run: Run
    config: ResolvedConfig
    progress: TrainState
    tensors: dict[str, Tensor]  # on the CPU
    counters: dict[str, Any]

    @classmethod
    def of(
        cls, run: Run, config: ResolvedConfig, optimizer: Optimizer, progress: TrainState
    ) -> Self:
        """Return what process 0 hands over."""
        tensors = {name: value.cpu() for name, value in optimizer.tensors().items()}
        return cls(run, config, progress, tensors, optimizer.counters())

    def fit(
        self, config: Config, first: Callable[[], EpochPairs], blocks: int, journal: Journal
    ) -> ResolvedConfig:
        """Return the configuration of process 0."""
        return self.config

    def load(
        self, optimizer: Optimizer, fingerprints: dict[str, str], journal: Journal
    ) -> TrainState:
        """Put the tensors of process 0 into `optimizer`; return its progress."""
        optimizer.load(self.tensors, self.counters, self.run.checkpoints)
        return self.progress


def received(group: Group) -> Handover:
    """Wait until process 0 has kept what it prepared, and return what it hands over.

    Raises UserError where this process does not see what process 0 wrote.
    """
    handover: Handover = group.take()
    path, until_s = handover.run.config, time.monotonic() + SEEN_S
    while not (path.is_file() and path.read_bytes() == dump_config(handover.config).encode()):
        if time.monotonic() > until_s:
            raise UserError(
                f"{path}: process {group.rank} does not see what process 0 wrote there; all hosts "
                "need the run's folder in the same place, such as on a network drive"
            )
        time.sleep(0.1)
    return handover
