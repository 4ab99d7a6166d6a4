"""A run of training, from its configuration to its end."""

import time
from collections.abc import Callable, Mapping
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import torch

from gru_mt.bundle import build_model, load_named_tensors, named_tensors
from gru_mt.config.decoding import check_number
from gru_mt.config.load import load_config
from gru_mt.config.schema import Config
from gru_mt.data.dataset.dataset import check_undamaged
from gru_mt.data.loader import PairLoader
from gru_mt.data.prepare import load_data, prepare
from gru_mt.data.splits import Splits
from gru_mt.errors import as_path, require_packages
from gru_mt.evaluation.bleu_tokenizer import resolve_bleu_tokenizer
from gru_mt.model.device import own_device
from gru_mt.model.fast import keep_memory
from gru_mt.model.fast.waiting import while_computing
from gru_mt.run import Run
from gru_mt.training.distributed import join_group
from gru_mt.training.estimate import plan_minutes
from gru_mt.training.optim.lr_schedule import resolve_config
from gru_mt.training.optim.optimizer import Optimizer
from gru_mt.training.output.checkpoint import load_checkpoint
from gru_mt.training.output.lock import locked
from gru_mt.training.output.logging import logging_to
from gru_mt.training.output.run_writer import Metrics, MetricsWriter, write_inputs
from gru_mt.training.resume import Start, choose_start, receive_run, share_state
from gru_mt.training.state import TrainState
from gru_mt.training.trainer import Trainer


def train(
    config: Config | Mapping[str, Any] | str | Path,
    folder: str | Path,
    *,
    on_metrics: Callable[[Metrics], object] | None = None,
    started_s: float | None = None,
) -> TrainState:
    """Train a translator in a folder, or go on where a run in it stopped.

    Where a launcher has started several processes, or torch.distributed is initialised, each of
    them calls this with the same arguments, and they train together. Messages go to the logger
    "gru_mt", and to train.log in the folder.

    Args:
        config: What `load_config` returns, or what it takes: the path of a YAML file, or a dict.
        folder: The run. It is made if it is not there; a run in it is not changed before all
            checks have passed.
        on_metrics: Called with each line of the run's metrics.jsonl as it is written: a dict with
            "step", and "loss" and others every `training.log_steps` updates, or "dev_bleu" and
            others after a validation. What it returns is not used; what it raises ends the run.
        started_s: The reading of `time.perf_counter` at which the run's clock began; now, if None.

    Returns:
        Where the run is at its end: `step`, `epoch`, `best_bleu` and others.

    Raises:
        UserError: Something is wrong with the configuration, the corpus or the folder, or a loss
            is not finite. No such loss reaches the weights.
        Interrupted: A signal asked to stop, and everything is saved.
        ProcessLost: Another of the processes has ended.

    Example:
        >>> from gru_mt import load_config, train
        >>> config, lines = load_config("small.yaml"), []
        >>> state = train(config, "runs/small", on_metrics=lines.append)
        >>> state.epoch == config.training.max_epochs
        True
    """
    config = config if isinstance(config, Config) else load_config(config)
    run = Run(as_path(folder, "folder"))
    return train_run(config, run, on_metrics=on_metrics, started_s=started_s)


def train_run(
    config: Config,
    run: Run,
    *,
    load: Callable[..., Splits] | None = None,
    on_metrics: Callable[[Metrics], object] | None = None,
    started_s: float | None = None,
) -> TrainState:
    """Train as `train` does; `load` stands in for `load_splits`, where the corpora are wanted."""
    started_s = time.perf_counter() if started_s is None else started_s
    check_number("started_s", started_s, 0, whole=False)
    keep_memory()
    # What is missing (a device, a package) is an error now, not after a long preparation.
    device = own_device(config.training.device)
    resolve_bleu_tokenizer(config.data.target, config.evaluation.bleu_tokenizer)
    if config.training.tensorboard:
        require_packages("training.tensorboard", "tensorboard", "tensorboard")
    with (
        join_group(device) as group,
        locked(run) if group.is_main else nullcontext(),
        logging_to(run.log, is_main=group.is_main) as run_log,
    ):
        # Data: process 0 prepares it, and the others read what it has written
        if not group.is_main:
            run, config = receive_run(group)
            start, data = Start(config), load_data(config, run)
        elif (start := choose_start(config, run)).is_resumed and run.data.exists():
            check_undamaged(run.data)
            data = load_data(start.config, run)
        else:
            given = start.config.data, start.sets
            data = prepare(start, run, load(*given, folder=run.folder) if load else None)
        with (
            while_computing(device.type),
            closing(PairLoader(start.config, data.tokenizer, data.pairs)) as loader,
        ):
            # Model and optimizer, whose state may be that of a checkpoint
            planned, _ = plan_minutes(start.config, data, loader, started_s, group.size)
            config = resolve_config(planned, loader)
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(config.training.seed)
                model = build_model(config, data.tokenizer).to(device)
            if start.weights is not None:
                load_named_tensors(model, named_tensors(start.weights), run.folder)
            optimizer = Optimizer(model, config.training, group)
            state = TrainState()
            if start.is_resumed:
                state = load_checkpoint(run.checkpoints, optimizer, data.fingerprints)
            # Folder: nothing of an existing run changed before
            if group.is_main:
                write_inputs(config, data, run)
                group.broadcast((run, config))
            state = share_state(group, run, optimizer, state)
            writer = MetricsWriter(run, started_s - state.elapsed_s, on_metrics)
            if group.is_main:
                run_log.open()
                writer.start(state.step, config.training)
            # Loop
            trainer = Trainer(config, data, loader, optimizer, state, writer)
            with closing(writer):
                return trainer.run()
