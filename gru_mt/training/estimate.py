"""How long a training would take here, by making a few of its updates."""

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from gru_mt.bundle import build_model
from gru_mt.config.schema import Config, ModelConfig
from gru_mt.data.loader import PairLoader
from gru_mt.data.prepare import prepare
from gru_mt.data.splits import Splits
from gru_mt.model.device import resolve_device, resolve_precision
from gru_mt.run import Run
from gru_mt.training.distributed import Group
from gru_mt.training.optim.lr_schedule import buffer_updates, resolve_config
from gru_mt.training.optim.optimizer import Optimizer
from gru_mt.training.output.logging import logging_to
from gru_mt.training.resume import choose_start
from gru_mt.training.state import TrainState

WARM_UP, TIMED = 4, 16  # updates
RECIPES = {  # epochs and updates, at most, of configurations that have one model
    "fra-eng-10min.yaml": (2, 1_800),
    "fra-eng.yaml": (3, None),
    "fra-eng-60min.yaml": (8, None),
}
RECIPE_MODEL = ModelConfig(decoder_layers=2, dropout=0.0)


@dataclass(frozen=True, slots=True)
class Trial:
    """What a few updates of a training show."""

    parameters: int
    updates: int  # of the whole training
    epochs: int
    minutes: float  # of preparation and all updates; validations are not in it
    recipes: dict[str, float]  # the minutes of RECIPES, where the model is theirs
    peak_mb: float | None  # of this process so far; None where the system does not say

    def __str__(self) -> str:
        memory = f", {self.peak_mb / 1_000:.1f} GB of memory" if self.peak_mb else ""
        recipes = ", ".join(f"{name} {minutes:.0f}" for name, minutes in self.recipes.items())
        return (
            f"a training of {self.epochs:,} epochs on this machine: {self.updates:,} updates of "
            f"{self.parameters:,} parameters, about {self.minutes:.1f} minutes{memory}"
            + (f"; minutes of it with the settings of {recipes}" if recipes else "")
        )


def try_updates(config: Config, splits: Splits) -> Trial:
    """Prepare a training, make a few updates spread over its first epoch, and time these.

    `splits` are those of its corpora. Nothing stays on disk. Raises UserError as `prepare` does.
    """
    started_s = time.perf_counter()
    device = resolve_device(config.training.device)
    with tempfile.TemporaryDirectory() as folder, logging_to(Path(folder, "log"), is_main=False):
        run = Run(Path(folder))
        start = choose_start(config, run)
        texts = [pair.target for pair in splits.monolingual]  # stand in for their sources
        data = prepare(start, run, splits, synthetic_sources=texts)
        loader = PairLoader(start.config, data.tokenizer, data.pairs)
        pairs = loader.load((0, 0))
        config = resolve_config(start.config, loader)
    training = config.training
    model = build_model(config, data.tokenizer).to(device)
    precision = resolve_precision(training.precision, device)
    optimizer = Optimizer(model, training, precision, Group())
    planned = buffer_updates(training, pairs, 0)
    prepared_s = time.perf_counter() - started_s
    for step, rows in enumerate(planned[: WARM_UP + TIMED]):
        if step == min(WARM_UP, len(planned) - 1):
            started_s = time.perf_counter()
        optimizer.update(pairs, rows, 0.0, step)
    timed = max(1, min(len(planned), WARM_UP + TIMED) - WARM_UP)
    update_s = (time.perf_counter() - started_s) / timed

    def minutes(count: int) -> float:
        return (prepared_s + count * update_s) / 60

    updates = TrainState().total_updates(len(planned), training, loader.buffers)
    recipes = {
        name: minutes(min(epochs * len(planned), limit or epochs * len(planned)))
        for name, (epochs, limit) in RECIPES.items()
    }
    is_theirs = config.model.model_copy(update={"dropout": 0.0}) == RECIPE_MODEL
    return Trial(
        parameters=sum(weight.numel() for weight in model.parameters()),
        updates=updates,
        epochs=training.max_epochs,
        minutes=minutes(updates),
        recipes=recipes if is_theirs else {},
        peak_mb=_peak_mb(),
    )


def _peak_mb() -> float | None:
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
