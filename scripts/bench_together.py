"""What `scripts/bench processes` starts several times: FOLDER THREADS MICROBATCHES REDUCE.

Trains the run in a folder, which is prepared, for some updates. Process 0 prints how many target
tokens it was a second, and the milliseconds of an update and of gathering its gradients.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, distributed

from gru_mt.bundle import build_model
from gru_mt.config.load import load_config
from gru_mt.data.loader import BUFFER_PAIRS, TrainingPairs
from gru_mt.model.device import resolve_precision
from gru_mt.model.fast.memory import keep_memory
from gru_mt.model.fast.waiting import while_computing
from gru_mt.run import Run
from gru_mt.training.distributed import join_group
from gru_mt.training.lr_schedule import block_updates
from gru_mt.training.optimizer import Optimizer
from gru_mt.training.preparation import load_data
from gru_mt.training.step import TrainStep

WARM_UP, UPDATES = 10, 40


class Gathering:
    """Measures how long torch's collectives of gradients take, once all processes are there."""

    def __init__(self) -> None:
        self.seconds = 0.0
        for name in ("all_to_all_single", "all_gather_single", "all_reduce"):
            setattr(distributed, name, self._timed(getattr(distributed, name)))

    def _timed(self, collective: Callable[..., Any]) -> Callable[..., Any]:
        def run(tensor: Tensor, *arguments: Any, **keywords: Any) -> Any:
            if not tensor.is_floating_point():  # a signal
                return collective(tensor, *arguments, **keywords)
            distributed.barrier()
            started_s = time.perf_counter()
            result = collective(tensor, *arguments, **keywords)
            self.seconds += time.perf_counter() - started_s
            return result

        return run


def main(folder: str, threads: str, microbatches: str, reduce: str) -> None:
    """Train, and print what was measured as JSON."""
    torch.set_num_threads(int(threads))
    keep_memory()
    gathering, run, cpu = Gathering(), Run(Path(folder)), torch.device("cpu")
    overrides = [f"training.accumulation={microbatches}", f"training.reduce={reduce}"]
    config = load_config(run.config, overrides)
    training = config.training
    assert isinstance(training.batch_tokens, int), "R1 has a number"
    data = load_data(config, run)
    pairs = TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=BUFFER_PAIRS).load((0, 0))
    planned = block_updates(training, pairs, training.batch_tokens, 0)
    precision = resolve_precision(training.precision, cpu)
    torch.manual_seed(1)
    with join_group(cpu) as group, while_computing("cpu"):
        optimizer = Optimizer(build_model(config, data.tokenizer), training, precision)
        update = TrainStep(optimizer, training, precision, group)
        tokens, started_s = 0, 0.0
        for done, rows in enumerate(planned[: WARM_UP + UPDATES]):
            if done == WARM_UP:
                group.barrier()
                tokens, gathering.seconds, started_s = 0, 0.0, time.perf_counter()
            tokens += update(pairs, rows, learning_rate=1e-3, seed=done, done=done).tokens
        wall_s = time.perf_counter() - started_s
        if group.is_main:
            milliseconds = {"update_ms": wall_s, "gathering_ms": gathering.seconds}
            of_update = {name: each / UPDATES * 1e3 for name, each in milliseconds.items()}
            print(json.dumps({"tokens_per_s": tokens / wall_s} | of_update))


if __name__ == "__main__":
    main(*sys.argv[1:])
