"""How fast this machine trains, by updates of made-up ids: no corpus is needed."""

import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from gru_mt.config.schema import Config, ModelConfig
from gru_mt.data.batching import even_size
from gru_mt.data.dataset.ids import EpochPairs, IdSequences
from gru_mt.data.dataset.store import Ints
from gru_mt.data.tokenizer.special import EOS
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.progress import ProgressBar
from gru_mt.training.distributed import Group
from gru_mt.training.optim.lr_schedule import LARGEST_BATCH
from gru_mt.training.optim.optimizer import Optimizer

TARGET_LENGTH, SOURCE_LENGTH = 12, 10  # tokens of a sentence, <eos> included
WARM_UP, LEAST = 1, 3  # updates of a model that are not timed, and that are
MODEL_S = 1.5  # to measure a model; a slow machine takes more


class Speed(NamedTuple):
    """How fast a model trains."""

    update_s: float
    tokens_s: float  # target tokens a second


class _Shape(NamedTuple):
    """What the time of an update depends on; dropout hardly changes it."""

    model: ModelConfig
    vocabulary_size: int
    batch_tokens: int


def measure_speeds(configs: Sequence[Config], device: torch.device) -> list[Speed]:
    """Return how fast each configuration trains on `device`, by the median of a few updates.

    Configurations of one shape are measured once, for about MODEL_S seconds. `batch_tokens` auto
    is what a large corpus gets.
    """
    shapes = [_shape(config) for config in configs]
    measured = dict(zip(shapes, configs, strict=True))
    about = f"measuring how fast updates are here, for about {4 * len(measured)} s"
    bar = ProgressBar(about, unit="models", items=measured.items(), total=len(measured))
    speeds = {shape: _speed(shape, config, device) for shape, config in bar}
    return [speeds[shape] for shape in shapes]


def _shape(config: Config) -> _Shape:
    model, tokens = config.model.model_copy(update={"dropout": 0.0}), config.training.batch_tokens
    return _Shape(
        model, config.tokenizer.vocabulary_size, LARGEST_BATCH if tokens == "auto" else tokens
    )


def _speed(shape: _Shape, config: Config, device: torch.device) -> Speed:
    size = shape.vocabulary_size
    model = Seq2Seq(shape.model, source_size=size, target_size=size, joint=config.tokenizer.joint)
    optimizer = Optimizer(model.to(device), config.training, Group())
    row_B = np.arange(even_size(max(1, shape.batch_tokens // TARGET_LENGTH)))
    source, target = (_sentences(row_B, length, size) for length in (SOURCE_LENGTH, TARGET_LENGTH))
    pairs = EpochPairs(source, target, row_B)
    times_s: list[float] = []
    while len(times_s) < WARM_UP + LEAST or sum(times_s) < MODEL_S:
        started_s = time.perf_counter()
        optimizer.update(pairs, [row_B], 0.0, len(times_s)).loss.item()  # waits for a GPU
        times_s.append(time.perf_counter() - started_s)
    update_s = statistics.median(times_s[WARM_UP:])
    return Speed(update_s, len(target.ids) / update_s)


def _sentences(row_B: Ints, length: int, vocabulary_size: int) -> IdSequences:
    """Return sentences of random ids, the nth of which is as frequent as 1 / n (Zipf)."""
    rng = np.random.default_rng(0)
    ids = vocabulary_size ** rng.random(len(row_B) * length)
    return IdSequences.flat(np.maximum(ids.astype(np.int32), EOS), np.full_like(row_B, length))
